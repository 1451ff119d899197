"""A table to ask conditions of, and the two ways of asking."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from withhold.engines import Source
from withhold.errors import ConditionError

SECRET = "root:x:0:0:swordfish"
FRAME = pd.DataFrame(
    {
        "age": pd.array([30, None, 40, 7], dtype="Int64"),
        "share": [0.5, np.nan, 2.5, 0.1],
        "job": ["cook", "baker", None, "clerk"],
        "zip": ["01", "2", "3", None],
        "note": ["1", "x", None, "2"],
        "smokes": pd.array([True, False, None, True], dtype="boolean"),
        "born": pd.to_datetime(["2001-01-01", "2002-02-02 12:00", None, "1990-12-31"], format="ISO8601"),
        "größe": ["S", "M", "L", "S"],
        "illness": ["flu", "cold", "flu", "none"],
    }
)


def met(source: Source, condition: str, numbers: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> list[int]:
    """Return the rows that meet a condition, by both ways of asking."""
    rows = source.rows_where(condition, numbers, without=without).tolist()
    assert np.flatnonzero(source.meets(condition, numbers, without=without)).tolist() == rows
    return rows


def refused(source: Source, condition: str, **more: Any) -> ConditionError:
    with pytest.raises(ConditionError) as error:
        source.rows_where(condition, (), **more)
    with pytest.raises(ConditionError) as again:
        source.meets(condition, (), **more)
    assert str(error.value) == str(again.value)
    return error.value
