"""Adult, blown up as in section 6.3 of the TDS paper, as a table in memory and as a CSV file."""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import withhold as wh
from withhold.table import MemoryStore

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))


def blown_up(data: Path | None, n_rows: int) -> Any:
    """Return Adult with `n_rows` rows, as a frame."""
    if data is not None:
        os.environ["WITHHOLD_DATA"] = str(data)
    from real_data import ADULT_COLUMNS, adult, blow_up

    return blow_up(adult(), columns=ADULT_COLUMNS[:-1], n_rows=n_rows)


def original(data: Path) -> Any:
    """Return Adult as it is, as a frame."""
    os.environ["WITHHOLD_DATA"] = str(data)
    from real_data import adult

    return adult()


def settings() -> dict[str, wh.ColumnSettings]:
    """Return the paper's taxonomies and ranges as column settings."""
    from real_data import adult_bounds, adult_trees

    trees = {n: wh.ColumnSettings(taxonomy=wh.Taxonomy.from_nested(tree)) for n, tree in adult_trees().items()}
    return trees | {n: wh.ColumnSettings(type="number", range=bounds) for n, bounds in adult_bounds().items()}


def in_memory(frame: Any) -> wh.Table:
    """Return the frame as an encoded table, so that a search can be timed without any file."""
    dictionaries, codes = {}, {}
    for name in frame.columns:
        values, positions = np.unique(frame[name].to_numpy().astype(str), return_inverse=True)
        dictionaries[name] = values.tolist()
        codes[name] = positions.astype(np.uint32)
    table = wh.Table(MemoryStore(dictionaries, codes))
    present = {name: each for name, each in settings().items() if name in frame.columns}
    policy = wh.Policy([wh.Anonymity(columns=[frame.columns[0]], k=2)], columns=present)
    from withhold.policy import bind

    return bind(policy, table)
