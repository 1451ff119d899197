"""Templates as section 5 of the paper on PDA chooses them."""

from collections.abc import Sequence

import numpy as np

import withhold as wh
from experiments._errors import Judge, published, seconds_of
from experiments._registry import Results
from experiments._tables import Columns
from withhold.errors import InfeasibleError
from withhold.methods import pda
from withhold.metrics import count_inferences
from withhold.table import Grid

__all__ = ["ADULT_TOP4", "CATEGORIES", "CRX_TOP4", "rarer_half", "suppressed", "template"]

CRX_TOP4 = ("A9", "A10", "A7", "A6")
ADULT_TOP4 = ("marital-status", "relationship", "education", "sex")
CATEGORIES = ("workclass", *ADULT_TOP4, "occupation", "race", "native-country")
"""The eight categories of Adult; numbers are left out of both tables."""


def rarer_half(columns: Columns, name: str) -> tuple[str, ...]:
    """Return the least frequent half of the values of a column; equal frequencies in the order of their texts."""
    values, counts = np.unique(columns[name], return_counts=True)
    order = np.lexsort((values, counts))
    return tuple(str(value) for value in values[order[: values.size // 2]])


def template(
    columns: Columns, sensitive: Sequence[str], target: str, at_most: float = 1.0, *, neither: Sequence[str] = ()
) -> list[wh.Template]:
    """Return the template that hides the rarer half of each sensitive column, given all columns that are in neither."""
    given = [name for name in columns if name not in (*sensitive, *neither, target)]
    return [wh.Template(given=given, hide={name: rarer_half(columns, name) for name in sensitive}, at_most=at_most)]


def suppressed(
    data: wh.Table,
    grid: Grid,
    judge: Judge,
    columns: Columns,
    sensitive: Sequence[str],
    at_most: float,
    *,
    neither: Sequence[str] = (),
) -> Results:
    """Return the error after suppression, what was suppressed, and how long it took; or that it cannot be."""
    wanted = template(columns, sensitive, judge.target, at_most, neither=neither)
    found: Results = {"sensitive": len(sensitive), "at most": at_most}
    try:
        result, seconds = seconds_of(lambda: pda(data, wanted, target=judge.target))
    except InfeasibleError as error:
        return found | {"infeasible": True, "reached": float(error.reached)}  # type: ignore[arg-type]
    before = count_inferences(data, wanted, [at_most])[at_most]
    after = count_inferences(data, wanted, [at_most], recodings=result.recodings)[at_most]
    found |= {"infeasible": False, "seconds": seconds, "inferences": [before, after]}
    found["suppressed"] = {name: sorted(map(str, values)) for name, values in result.withheld.items()}
    found["values"] = {name: len(set(columns[name].tolist())) for name in result.withheld}
    return found | {"error": judge.error(published(grid, result))["error"]}
