"""What a requirement asks of the population: what is wrong with it, and the table of the population."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from withhold.errors import DataError, InputError, Mistake, WithholdError
from withhold.population import open_register
from withhold.requirements.anonymity._requirement import Anonymity
from withhold.table import Table

if TYPE_CHECKING:
    from withhold.policy import Policy

__all__ = ["least_people", "population_mistakes"]


def least_people(requirement: Anonymity) -> int:
    """Return how many people must share a combination where they are counted: the risk is one over their number.

    Examples
    --------
    >>> least_people(Anonymity(columns=["age"], k=2, k_map=5, individual_risk=0.05))
    20
    """
    by_risk = 1 if requirement.individual_risk is None else ceil(1 / Fraction(str(requirement.individual_risk)))
    return max(requirement.k_map or 1, by_risk)


def population_mistakes(requirement: Anonymity, table: Table, policy: "Policy", number: int) -> Iterator[Mistake]:
    """Yield why people of the population cannot be counted or estimated."""
    key = f"require[{number}].{'individual_risk' if requirement.k_map is None else 'k_map'}"
    if policy.weight is None and policy.sample is None and policy.population is None:
        yield Mistake(
            key,
            "needs `weight`, `sample` or `population` at the top of the policy, which say what is known of it.",
        )
        return
    wild = [name for name in requirement.columns if name in policy.columns and policy.columns[name].missing == "any"]
    if requirement.blanks == "any" or wild:
        yield Mistake(key, "counts rows that are equal, so that neither blanks nor missing cells may be any value.")
    if policy.weight is not None and policy.weight in policy.drop and policy.rows == "shuffle":
        what = "the weights are dropped and rows are shuffled, so that the written file cannot be checked."
        yield Mistake("weight", f'{what} Hint: publish the weights, or rows = "keep".')
    if policy.population is not None:
        yield from _unusable_register(requirement, policy)


def _unusable_register(requirement: Anonymity, policy: "Policy") -> Iterator[Mistake]:
    try:
        register = open_register(policy)
    except (DataError, InputError, WithholdError, OSError) as error:
        yield Mistake("population", str(error))
        return
    lacking = [name for name in requirement.columns if name not in register.names]
    if lacking:
        listed = ", ".join(f'"{name}"' for name in lacking)
        yield Mistake("population", f"has no column {listed}, so nobody can be looked up by it.")
