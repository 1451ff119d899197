"""A table of which only counts can be had, without a cluster; and random tables with policies that count groups."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

import withhold as wh
from withhold.engines import open_source
from withhold.engines.duckdb import DuckSource
from withhold.errors import RowsNeededError
from withhold.table import Decision, Table


class CountedDuck:
    """The embedded engine behind the interface of a cluster."""

    has_rows = False
    has_order = False
    most_rows = 0
    most_groups = 10**9
    written_hash = None

    def __init__(self, source: DuckSource) -> None:
        self._source = source
        self._rows: dict[tuple[str, ...], Any] = {}
        self._fitting: set[tuple[str, ...]] = set()
        self.n_jobs = self.n_looks = self.most_asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def rows_hash(self, *, anew: bool = False) -> int:
        return 0

    def rows(self, why: str) -> Any:
        raise RowsNeededError(why)

    def drawn(self) -> "CountedDuck":
        return self

    def without_rows(self) -> "CountedDuck":
        return self

    def read_back(self, place: object) -> Any:
        raise NotImplementedError

    write_to = publish = remove = read_back

    def published_frame(self, decision: Decision, *, key: str) -> pd.DataFrame:
        """Publish each distinct row as often as it occurs."""
        texts = {name: np.array(self._source.values(name), dtype=object) for name in self._source.names}
        cells = {name: self._source.cells(name) for name in self._source.names}
        codes, weights = self._rows[decision.over]
        keys = list(zip(*[each.tolist() for each in codes], strict=True))
        place = {key: i for i, key in enumerate(keys)}
        of_row = [place[key] for key in zip(*[cells[name].tolist() for name in decision.over], strict=True)]
        assert np.array_equal(np.bincount(of_row), weights)
        spread = {
            each.column: dict(zip(each.rows.tolist(), np.array(each.texts)[each.picks].tolist(), strict=True))
            for each in decision.cells
        }
        found = {}
        for name in decision.published(self._source.names):
            plain = self._source.published(
                Decision(recodings=decision.recodings, drop=decision.drop), key=key, columns=[name]
            )[name]
            own = spread.get(name, {})
            found[name] = [own.get(entry, cell) for entry, cell in zip(of_row, plain.tolist(), strict=True)]
            del texts[name]
        return pd.DataFrame(found, dtype=object)

    def fits(self, names: Sequence[str]) -> bool:
        return tuple(sorted(names)) in self._fitting

    def prepare(self, names: Sequence[str]) -> None:
        self.n_jobs += 1
        if len(self._source.counts(names)[1]) > self.most_groups:
            raise RowsNeededError(f"more than {self.most_groups} distinct rows")
        self._fitting.add(tuple(sorted(names)))

    def merged_counts(self, names: Sequence[str], merged: Sequence[Mapping[str, Any]]) -> Any:
        self.n_jobs += 1
        cells, weights = self._source.counts(names)
        found = []
        for way in merged:
            codes = [way[name][each] if name in way else each for name, each in zip(names, cells, strict=True)]
            rows, place = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
            found.append((list(rows.T.astype(np.int64)), np.bincount(place.reshape(-1), weights).astype(np.int64)))
        self.n_looks += 1
        n_rows = sum(len(counts) for _, counts in found)
        self.most_asked = max(self.most_asked, n_rows if n_rows <= self.most_groups else 0)
        return found if n_rows <= self.most_groups else None

    def counts(self, names: Sequence[str]) -> Any:
        found = self._source.counts(names)
        if len(found[1]) > self.most_groups:
            raise RowsNeededError(f"more than {self.most_groups} distinct rows")
        self._rows[tuple(names)] = found
        return found


def counted(data: object, *, most_groups: int = 10**9) -> Table:
    """Return a table of which only counts can be had."""
    source: Any = CountedDuck(open_source(data))
    source.most_groups = most_groups
    return Table(source)


def random_table(seed: int) -> pd.DataFrame:
    """Return a small table with numbers, categories, missing cells and repeated rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 150))
    towns = np.array(["Bern", "Biel", "Chur", "Genf", "Thun", None, "Zug", "L'Isle", "Aarau AG"], dtype=object)
    return pd.DataFrame(
        {
            "age": rng.integers(0, int(rng.integers(2, 40)), n),
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(towns[: int(rng.integers(2, 10))], n),
            "illness": rng.choice(["flu", "cold", "none", "gout"], n),
            "class": rng.choice(["yes", "no"], n),
            "note": rng.integers(0, 5, n).astype(str),
        }
    )


def random_policy(seed: int) -> wh.Policy:
    """Return a policy that counts groups: sizes, templates, diversity, closeness and mixtures, in every recoding."""
    rng = np.random.default_rng(seed)
    known = ["age", "sex", "town"][: int(rng.integers(2, 4))]
    wanted: list[Any] = [wh.Anonymity(columns=known, k=int(rng.integers(2, 6)))]
    choice = int(rng.integers(5))
    if choice == 1:
        wanted.append(wh.Diversity(columns=known, sensitive="illness", l=2))
    elif choice == 2:
        wanted.append(wh.Closeness(columns=known, sensitive="illness", t=0.6))
    elif choice == 3:
        wanted = [wh.Template(given=known, hide={"illness": ["flu"]}, at_most=0.8)]
    elif choice == 4:
        wanted.append(wh.Anonymity(columns=["sex", "town"], k=3))
    columns: dict[str, Any] = {}
    if rng.integers(2) and "town" in known:
        tree = {"*": {"East": ["Chur", "Zug"], "West": ["Bern", "Biel", "Genf", "Thun", "L'Isle", "Aarau AG"]}}
        columns["town"] = wh.ColumnSettings(taxonomy=wh.Taxonomy.from_nested(tree))
    recoding = ["global", "local", "levels"][int(rng.integers(3))]
    effort: Any = {"effort": "quick"} if recoding == "local" else {}
    return wh.Policy(wanted, target="class" if rng.integers(2) else None, columns=columns, recoding=recoding, **effort)


def random_risk_policy(seed: int) -> wh.Policy:
    """Return a policy about record risk: cells are blanked or climb, read or unread, alone or beside groups."""
    rng = np.random.default_rng(seed)
    known = {"sex": 0.8, "town": float(rng.choice([0.05, 0.3, 1.0])), "age": 0.2, "class": 0.5}
    for name in rng.permutation(list(known))[: int(rng.integers(3))].tolist():
        del known[name]
    sensitive: dict[str, Any] = {"illness": {"flu": 1.0, "gout": 0.3}}
    informed = not rng.integers(4)
    if rng.integers(2) and not informed:
        known["illness"] = 0.01
    if rng.integers(2) and "class" not in known:
        sensitive["class"] = 0.5
    risk = wh.Risk(
        known=known,
        sensitive=sensitive,
        at_most=float(rng.choice([2.0, 5.0, 15.0, 40.0])),
        modify="generalize" if rng.integers(2) else "delete",
        until_safe=bool(rng.integers(5)),
        informed=informed,
        most_withheld=1.0,
    )
    tree = {"*": {"East": ["Chur", "Zug"], "West": ["Bern", "Biel", "Genf", "Thun", "L'Isle", "Aarau AG"]}}
    columns: dict[str, Any] = {"age": wh.ColumnSettings(type="number", bins=4)}
    if rng.integers(2):
        columns["town"] = wh.ColumnSettings(taxonomy=wh.Taxonomy.from_nested(tree))
    wanted: list[Any] = [risk]
    if not rng.integers(3):
        wanted.append(wh.Anonymity(columns=["sex", "note"], k=2))
    return wh.Policy(wanted, columns=columns, target="class" if rng.integers(2) else None)


def rows_of(frame: Any) -> list[tuple[str, ...]]:
    """Return the rows of a frame as texts, sorted; None and NaN are alike."""
    cells = frame.astype(object).where(frame.notna(), "\x00none")
    return sorted(tuple(map(str, row)) for row in cells.values.tolist())
