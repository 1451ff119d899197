"""What a policy says about the population that a table was drawn from."""

from collections.abc import Iterator

from withhold.errors import DataError, Mistake, did_you_mean
from withhold.policy._policy import Policy
from withhold.population import positive_numbers
from withhold.table import Table

__all__ = ["unusable_weights"]


def unusable_weights(policy: Policy, table: Table) -> Iterator[Mistake]:
    """Yield what is wrong with the weights: a column that is dropped is still read, so it must exist, too."""
    name = policy.weight
    if name is None:
        return
    if name not in table.names:
        if name in policy.drop:
            yield Mistake("weight", f'no column "{name}"{did_you_mean(name, table.names)}')
        return
    try:
        positive_numbers(table.store.values(name), name)
    except DataError as error:
        yield Mistake("weight", str(error))
    counting = [i for i, each in enumerate(policy.require) if name in (column for _, column in each.named())]
    if counting:
        what = f'column "{name}" holds the weights, so require[{counting[0]}] cannot withhold or coarsen it.'
        yield Mistake("weight", f"{what} Hint: take it out of require[{counting[0]}].")
