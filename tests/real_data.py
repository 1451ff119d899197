"""Loaders of real tables, which lie outside the repository; tests that need an absent one are skipped.

The folder is `WITHHOLD_DATA`, else `../shared/data` seen from the repository root. Text columns have dtype object,
so that a missing value is `None` and every other value a plain `str`.
"""

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NoReturn

import numpy as np
import pandas as pd
import pytest

Tree = dict[str, "Tree"]

ADULT_COLUMNS: tuple[str, ...] = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
ADULT_NUMBERS: tuple[str, ...] = (
    "age",
    "fnlwgt",
    "education-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
)

_CRX_COLUMNS = tuple(f"A{i}" for i in range(1, 17))
_CRX_NUMBERS = ("A2", "A3", "A8", "A11", "A14", "A15")
WISCONSIN_COLUMNS: tuple[str, ...] = (
    "clump_thickness",
    "cell_size",
    "cell_shape",
    "adhesion",
    "epithelial_size",
    "bare_nuclei",
    "chromatin",
    "nucleoli",
    "mitoses",
    "class",
)
CAR_COLUMNS: tuple[str, ...] = ("buying", "maint", "doors", "persons", "lug_boot", "safety", "class")
_ARX_FILES = {
    "adult": "adult.csv",
    "fars": "fars_subset.csv",
    "creditcard_int": "creditcard_int.csv",
    "mach2019_int": "mach2019_int.csv",
}
_SDCMICRO_NAMES = (
    "CASCrefmicrodata",
    "EIA",
    "Tarragona",
    "casc1",
    "francdat",
    "free1",
    "microData",
    "testdata",
    "testdata2",
)


def data_folder() -> Path:
    """Return the folder of the real tables, or skip the calling test where there is none."""
    repository = Path(__file__).resolve().parents[1]
    named = os.environ.get("WITHHOLD_DATA")
    folder = Path(named).expanduser() if named else repository.parent / "shared" / "data"
    if not folder.is_dir():
        _skip("the folder does not exist")
    return folder


def adult(*, missing: bool = False) -> pd.DataFrame:
    """Load Adult, training part then test part: 45,222 complete rows.

    With `missing`, all 48,842 rows, where `?` is None.
    """
    return _adult(_file("adult/adult.data"), _file("adult/adult.test"), missing=missing).copy()


def adult_trees(mode: Literal["generalization", "flat"] = "generalization") -> dict[str, Tree]:
    """Load the authors' taxonomies of the eight categorical attributes of Adult, as nested dicts with one root each.

    With `mode="flat"` all leaves hang directly below the root.
    """
    if mode not in ("generalization", "flat"):
        raise ValueError(f"adult_trees: `mode` must be 'generalization' or 'flat'; got {mode!r}.")
    texts = _adult_hierarchies()
    names = [name for name in ADULT_COLUMNS[:-1] if name not in ADULT_NUMBERS]
    trees = {name: _parse_tree(texts[name]) for name in names}
    return trees if mode == "generalization" else {name: _flatten(tree) for name, tree in trees.items()}


def adult_bounds() -> dict[str, tuple[float, float]]:
    """Load the authors' ranges of the six numeric attributes of Adult, lower and upper bound."""
    texts = _adult_hierarchies()
    roots = {name: next(iter(_parse_tree(texts[name]))) for name in ADULT_NUMBERS}
    bounds = {name: root.split("-") for name, root in roots.items()}
    return {name: (float(low), float(high)) for name, (low, high) in bounds.items()}


def arx_table(name: str) -> pd.DataFrame:
    """Load a benchmark table of ARX ("adult", "fars", "creditcard_int", "mach2019_int"), all columns as text.

    Of FARS it is the published 10 % subset.
    """
    return _read_text(_arx_file(name), sep=";")


def arx_hierarchies(name: str) -> dict[str, Path]:
    """Return the hierarchy file (one line a value, leaf to root, `;`-separated) of each column of an ARX table."""
    prefix = f"{name}_hierarchy_"
    paths = sorted(_arx_file(name).parent.glob(f"{prefix}*.csv"))
    if not paths:
        _skip(f"arx/{name}/{prefix}*.csv does not exist")
    return {path.stem.removeprefix(prefix): path for path in paths}


def sdcmicro(name: str) -> pd.DataFrame:
    """Load a table of sdcMicro such as "testdata" or "free1", all columns as text, empty and NA as None."""
    if name not in _SDCMICRO_NAMES:
        raise ValueError(f"sdcmicro: `name` must be one of {', '.join(_SDCMICRO_NAMES)}; got {name!r}.")
    frame = _read_text(_file(f"sdcmicro/{name}.csv"))
    return frame.mask(frame.isin(["", "NA"]), None)


def crx() -> pd.DataFrame:
    """Load the 653 complete rows of UCI Credit Approval, columns A1 to A16, with numbers as float64."""
    frame = _complete_rows(_read_text(_file("crx/crx.data"), names=_CRX_COLUMNS))
    return frame.astype(dict.fromkeys(_CRX_NUMBERS, "float64"))


def wisconsin() -> pd.DataFrame:
    """Load the 699 rows of UCI Breast Cancer Wisconsin without their id: nine scores from 1 to 10 and the class.

    Scores are text; the 16 missing ones, all of `bare_nuclei`, are None.
    """
    frame = _read_text(_file("breast-cancer-wisconsin/breast-cancer-wisconsin.data"), names=("id", *WISCONSIN_COLUMNS))
    return frame.drop(columns="id").mask(lambda cells: cells.eq("?"), None)


def wisconsin_tree() -> Tree:
    """Return a taxonomy of the scores of Wisconsin, 1 to 10; the data set has none of its own."""
    groups = {"1-5": {"1-2": "1 2", "3-5": "3 4 5"}, "6-10": {"6-7": "6 7", "8-10": "8 9 10"}}
    halves = {
        half: {part: {score: {} for score in scores.split()} for part, scores in parts.items()}
        for half, parts in groups.items()
    }
    return {"1-10": halves}


def car() -> pd.DataFrame:
    """Load the 1,728 rows of UCI Car Evaluation: every combination of six properties, and the class."""
    return _read_text(_file("car/car.data"), names=CAR_COLUMNS)


def blow_up(frame: pd.DataFrame, *, columns: Sequence[str], n_rows: int, seed: int = 0) -> pd.DataFrame:
    """Enlarge a table to `n_rows` rows as in section 6.3 of the TDS paper: the originals, then variations.

    Each variation redraws 1 to all of `columns`, uniformly from the column's distinct values (not missing).
    """
    rng = np.random.default_rng(seed)
    origin = np.arange(n_rows) % len(frame)
    changed = np.zeros((n_rows, len(columns)), dtype=bool)
    n_changed = rng.integers(1, len(columns), size=(max(n_rows - len(frame), 0), 1), endpoint=True)
    changed[len(frame) :] = rng.permuted(np.arange(len(columns)) < n_changed, axis=1)
    large = frame.take(origin).reset_index(drop=True)
    for position, column in enumerate(columns):
        domain = frame[column].dropna().drop_duplicates()
        pool = pd.concat([frame[column], domain], ignore_index=True)
        drawn = len(frame) + rng.integers(len(domain), size=n_rows)
        # A Series, not an array: pandas would infer another dtype for an array of objects.
        large[column] = pool.take(np.where(changed[:, position], drawn, origin)).reset_index(drop=True)
    return large


def _skip(reason: str) -> NoReturn:
    pytest.skip(f"real tables are absent: set WITHHOLD_DATA to a folder that holds adult/adult.data ... ({reason})")


def _file(name: str) -> Path:
    path = data_folder() / name
    if not path.is_file():
        _skip(f"{name} does not exist")
    return path


def _arx_file(name: str) -> Path:
    if name not in _ARX_FILES:
        raise ValueError(f"arx: `name` must be one of {', '.join(_ARX_FILES)}; got {name!r}.")
    return _file(f"arx/{name}/{_ARX_FILES[name]}")


def _read_text(path: Path, *, sep: str = ",", names: Sequence[str] | None = None) -> pd.DataFrame:
    """Read a CSV file with every value as a stripped str; `names` says that the file has no header."""
    header = 0 if names is None else None
    # Without `names` a `|` may be data; the UCI files use it to start a comment.
    comment = None if names is None else "|"
    frame = pd.read_csv(path, sep=sep, header=header, names=names, comment=comment, dtype=object, na_filter=False)
    return frame.apply(lambda column: column.str.strip().astype(object))


def _complete_rows(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[~frame.eq("?").any(axis=1)].reset_index(drop=True)


@lru_cache(maxsize=4)
def _adult(training: Path, test: Path, *, missing: bool) -> pd.DataFrame:
    parts = [_read_text(path, names=ADULT_COLUMNS) for path in (training, test)]
    frame = pd.concat(parts, ignore_index=True)
    frame["income"] = frame["income"].str.removesuffix(".").astype(object)
    frame = frame.mask(frame.eq("?"), None) if missing else _complete_rows(frame)
    return frame.astype(dict.fromkeys(ADULT_NUMBERS, "int64"))


def _adult_hierarchies() -> dict[str, str]:
    """Map each attribute of the authors' Adult file to the text of its tree: a head `name:kind`, then braces."""
    lines = _file("tds/adultRU0.hchy").read_text(encoding="utf-8").splitlines()
    texts: dict[str, str] = {}
    name = ""
    for line in (line.partition("|")[0].strip() for line in lines):
        if line.startswith("{"):
            texts[name] = texts.get(name, "") + line
        elif line:
            name = line.partition(":")[0].replace("martial-status", "marital-status")
    return texts


def _parse_tree(text: str) -> Tree:
    """Parse `{root {leaf} {node {leaf} {leaf}}}`; labels must be unique in the tree."""
    tree: Tree = {}
    path = [tree]
    seen: set[str] = set()
    for token in (token.strip() for token in re.findall(r"}|[^{}]+", text)):
        if token == "}":
            path.pop()
        elif token:
            if token in seen:
                raise ValueError(f"taxonomy: label {token!r} occurs twice.")
            seen.add(token)
            path.append(path[-1].setdefault(token, {}))
    if len(tree) != 1 or len(path) != 1:
        raise ValueError("taxonomy: braces must balance around exactly one root.")
    return tree


def _flatten(tree: Tree) -> Tree:
    (root,) = tree
    return {root: {leaf: {} for leaf in _leaves(tree)}}


def _leaves(tree: Tree) -> Iterator[str]:
    for label, below in tree.items():
        if below:
            yield from _leaves(below)
        else:
            yield label
