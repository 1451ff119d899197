"""Requirements about single cells need categories: a number column with many values needs bins."""

from collections.abc import Sequence

from withhold.errors import Mistake, PolicyError
from withhold.table import Numbers, Table

__all__ = ["MOST_PLAIN_NUMBERS", "check_numbers"]

MOST_PLAIN_NUMBERS = 32
"""A number column with more values than this needs bins."""


def check_numbers(table: Table, names: Sequence[str], *, where: str, source: str, but: Sequence[str] = ()) -> None:
    """Refuse number columns with many values and no bins; those in `but` are published as intervals."""
    for name in names:
        domain = table.domain(name)
        if isinstance(domain, Numbers) and domain.n_values > MOST_PLAIN_NUMBERS and name not in but:
            what = (
                f'column "{name}" holds {domain.n_values} different numbers, and requirements about single cells need '
                f'categories. Hint: [columns."{name}"] type = "number", bins = 10 publishes it in ten bins; '
                "or leave it out of `predictors`."
            )
            raise PolicyError([Mistake(where, what)], source=source)
