"""Adult and CRX as the papers on TDS and PDA use them: rows without unknown cells, training rows first."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import withhold as wh
from withhold.table import MemoryStore

__all__ = [
    "ADULT",
    "ADULT_DATA",
    "ADULT_TREES",
    "CRX",
    "CRX_DATA",
    "LETTERS",
    "Columns",
    "adult",
    "adult_domains",
    "blow_up",
    "crx",
    "encoded",
]

Columns = dict[str, NDArray[np.str_]]

ADULT_DATA = ("adult/adult.data", "adult/adult.test")
ADULT_TREES = "tds/adultRU0.hchy"
CRX_DATA = "crx/crx.data"
LETTERS = {
    "A": "age",
    "W": "workclass",
    "F": "fnlwgt",
    "E": "education",
    "En": "education-num",
    "M": "marital-status",
    "O": "occupation",
    "Re": "relationship",
    "Ra": "race",
    "S": "sex",
    "Cg": "capital-gain",
    "Cl": "capital-loss",
    "H": "hours-per-week",
    "N": "native-country",
}
"""The columns of Adult, by the letters of the papers."""
ADULT = (*LETTERS.values(), "income")
NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
CRX = tuple(f"A{place}" for place in range(1, 17))


def adult(data: Path) -> tuple[Columns, int]:
    """Return the 45,222 complete rows of Adult, and how many of them are for training: 30,162."""
    parts = [_complete(data / name, len(ADULT)) for name in ADULT_DATA]
    cells = np.concatenate(parts)
    columns = {name: cells[:, place] for place, name in enumerate(ADULT)}
    columns["income"] = np.char.rstrip(columns["income"], ".")
    return columns, len(parts[0])


def crx(data: Path) -> tuple[Columns, int]:
    """Return the class and the 9 categories of the 653 complete rows of CRX; the first 465 are for training."""
    cells = _complete(data / CRX_DATA, len(CRX))
    chosen = [place for place, name in enumerate(CRX) if name not in ("A2", "A3", "A8", "A11", "A14", "A15")]
    return {CRX[place]: cells[:, place] for place in chosen}, 465


def adult_domains(data: Path, table: wh.Table) -> wh.Table:
    """Return the table with the authors' trees and ranges for the columns it has."""
    lines = (data / ADULT_TREES).read_text(encoding="utf-8").splitlines()
    texts: dict[str, str] = {}
    name = ""
    for line in (line.partition("|")[0].strip() for line in lines):
        if line.startswith("{"):
            texts[name] = texts.get(name, "") + line
        elif line:
            name = line.partition(":")[0].replace("martial-status", "marital-status")
    domains: dict[str, Any] = {}
    for name in (name for name in table.names if name != "income"):
        tree = _tree(texts[name])
        if name in NUMBERS:
            low, high = next(iter(tree)).split("-")
            domains[name] = table.numbers(name, bounds=(float(low), float(high)))
        else:
            domains[name] = wh.Taxonomy.from_nested(tree)
    return table.with_domains(domains)


def encoded(columns: Mapping[str, NDArray[np.str_]]) -> wh.Table:
    """Return columns as a table in memory, so that searches can be timed without any file."""
    dictionaries, codes = {}, {}
    for name, cells in columns.items():
        values, places = np.unique(cells, return_inverse=True)
        dictionaries[name] = values.tolist()
        codes[name] = places.astype(np.uint32)
    return wh.Table(MemoryStore(dictionaries, codes))


def blow_up(columns: Columns, names: Sequence[str], n_rows: int, seed: int) -> Columns:
    """Enlarge a table as both papers do: the rows, then variations of them.

    Each variation draws 1 to all of `names` anew, uniformly from the values of the column.
    """
    rng = np.random.default_rng(seed)
    n_old = len(next(iter(columns.values())))
    origin = np.arange(n_rows) % n_old
    n_changed = rng.integers(1, len(names), size=(max(n_rows - n_old, 0), 1), endpoint=True)
    changed = np.zeros((n_rows, len(names)), dtype=bool)
    changed[n_old:] = rng.permuted(np.broadcast_to(np.arange(len(names)) < n_changed, changed[n_old:].shape), axis=1)
    large = {}
    for name, cells in columns.items():
        values, codes = np.unique(cells, return_inverse=True)
        codes = codes[origin]
        if name in names:
            codes = np.where(changed[:, list(names).index(name)], rng.integers(values.size, size=n_rows), codes)
        large[name] = values[codes]
    return large


def _complete(path: Path, n_columns: int) -> NDArray[np.str_]:
    """Return the rows of a file without those that have an unknown cell."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split(",")] for line in lines if line and not line.startswith("|")]
    return np.array([row for row in rows if len(row) == n_columns and "?" not in row])


def _tree(text: str) -> dict[str, Any]:
    """Parse ``{root {leaf} {node {leaf} {leaf}}}``."""
    tree: dict[str, Any] = {}
    path = [tree]
    for token in (token.strip() for token in re.findall(r"}|[^{}]+", text)):
        if token == "}":
            path.pop()
        elif token:
            path.append(path[-1].setdefault(token, {}))
    return tree
