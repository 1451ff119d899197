"""Tables with columns that an outsider may know: Adult with ARX's hierarchies, the tables of ARX and sdcMicro."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import withhold as wh
from experiments._published import CategoryKey, Key, NumberKey
from experiments._tables import ADULT_DATA, NUMBERS, adult

__all__ = ["ADULT_8", "ADULT_FILES", "OTHERS", "KeyTable", "Other", "adult_keys", "other_table"]

ADULT_8 = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
TREES = tuple(name for name in ADULT_8 if name != "age")
ADULT_FILES = (*ADULT_DATA, *(f"arx/adult/adult_hierarchy_{name}.csv" for name in TREES))
MOST_CATEGORIES = 12
"""A column of numbers with more values is a number, where nothing else is said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyTable:
    """A table as text, and what its key columns are."""

    cells: dict[str, NDArray[Any]]
    """The texts of each column, keys and others."""
    keys: Sequence[Key]
    """The key columns."""

    @property
    def names(self) -> list[str]:
        """The names of the key columns."""
        return [key.name for key in self.keys]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.cells[self.names[0]])

    def settings(self) -> dict[str, wh.ColumnSettings]:
        """Return the key columns as a policy has them."""
        return {
            key.name: wh.ColumnSettings(type="number")
            if isinstance(key, NumberKey)
            else wh.ColumnSettings(taxonomy=key.tree)
            for key in self.keys
        }


def adult_keys(data: Path, n_columns: int = 8) -> KeyTable:
    """Return the 45,222 complete rows of Adult with 8 or 14 key columns, and income."""
    columns, _ = adult(data)
    names = ADULT_8 if n_columns == 8 else tuple(name for name in columns if name != "income")
    numbers = ("age",) if n_columns == 8 else NUMBERS
    keys: list[Key] = []
    for name in names:
        tree = _adult_tree(data, name, columns[name]) if name in TREES else None
        is_number = name in numbers
        keys.append(NumberKey.of(name, columns[name]) if is_number else CategoryKey.of(name, columns[name], tree))
    return KeyTable(cells={name: columns[name].astype(object) for name in (*names, "income")}, keys=keys)


def _adult_tree(data: Path, name: str, cells: NDArray[Any]) -> wh.Taxonomy:
    """Read a hierarchy; a country that it lacks lies in Europe."""
    tree = wh.Taxonomy.read(data / "arx" / "adult" / f"adult_hierarchy_{name}.csv")
    lacking = sorted(set(cells.tolist()) - set(tree.leaves))
    return wh.Taxonomy.from_paths([*tree.paths(), *([each, "Europe", tree.labels[0]] for each in lacking)])


@dataclass(frozen=True, kw_only=True, slots=True)
class Other:
    """Another table, and the columns of it that an outsider may know."""

    path: str
    """The file below the data folder."""
    keys: tuple[str, ...]
    """The key columns."""
    trees: str | None = None
    """How the hierarchy files begin; None: there are none, and categories are published as sets."""
    codes: tuple[str, ...] = field(default=())
    """Columns whose numbers are codes of categories, whatever their number."""

    @property
    def name(self) -> str:
        """The name of the file."""
        return Path(self.path).stem


HOUSEHOLD = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age")
OTHERS = (
    Other(
        path="arx/adult/adult_subset.csv",
        keys=("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"),
        trees="arx/adult/adult_hierarchy_",
    ),
    Other(
        path="arx/fars/fars_subset.csv",
        keys=("iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury"),
        trees="arx/fars/fars_hierarchy_",
    ),
    Other(
        path="arx/creditcard_int/creditcard_int.csv",
        keys=("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE"),
        trees="arx/creditcard_int/creditcard_int_hierarchy_",
        codes=("LIMIT_BAL", "AGE"),
    ),
    Other(
        path="arx/mach2019_int/mach2019_int.csv",
        keys=("age", "familysize", "gender", "married", "race", "religion"),
        trees="arx/mach2019_int/mach2019_int_hierarchy_",
        codes=("age", "familysize", "religion"),
    ),
    Other(path="sdcmicro/testdata.csv", keys=HOUSEHOLD),
    Other(path="sdcmicro/testdata2.csv", keys=HOUSEHOLD),
    Other(path="sdcmicro/free1.csv", keys=("REGION", "SEX", "AGE", "MARSTAT", "KINDPERS", "EDUC1", "ETNI")),
    Other(
        path="sdcmicro/CASCrefmicrodata.csv", keys=("AGI", "FEDTAX", "STATETAX", "TAXINC", "POTHVAL", "FICA", "WSALVAL")
    ),
    Other(
        path="sdcmicro/Tarragona.csv",
        keys=("FIXED.ASSETS", "CURRENT.ASSETS", "PAID.UP.CAPITAL", "SALES", "LABOR.COSTS", "NET.PROFIT"),
    ),
    Other(path="sdcmicro/EIA.csv", keys=("STATE", "MONTH", "RESREVENUE", "COMREVENUE", "INDREVENUE", "TOTREVENUE")),
    Other(path="sdcmicro/casc1.csv", keys=("1", "2", "3", "4", "5", "6", "7")),
    Other(path="sdcmicro/microData.csv", keys=("one", "two", "three", "four", "five")),
)
"""Left out: `arx/adult/adult.csv`, which is Adult, and `sdcmicro/francdat.csv`, which has 8 rows."""


def other_table(data: Path, other: Other) -> KeyTable:
    """Return one of the other tables, its key columns only."""
    with (data / other.path).open(encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file, delimiter=";" if other.trees else ",")
    columns = {name: np.array([line[head.index(name)].strip() for line in lines], dtype=object) for name in other.keys}
    keys: list[Key] = []
    for name, cells in columns.items():
        path = data / f"{other.trees}{name}.csv"
        if name not in other.codes and _are_many_numbers(cells):
            keys.append(NumberKey.of(name, cells))
        else:
            keys.append(CategoryKey.of(name, cells, wh.Taxonomy.read(path) if other.trees else None))
    return KeyTable(cells=columns, keys=keys)


def _are_many_numbers(cells: NDArray[Any]) -> bool:
    values = set(cells.tolist())
    try:
        numbers = {float(value) for value in values}
    except ValueError:
        return False
    return len(numbers) > MOST_CATEGORIES
