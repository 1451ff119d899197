"""Adversarial rules as a table in arrays."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.rules._book_kernels import covers, rows_by_kind
from withhold.methods.rules._mine_kernel import COVER, HID_N, HID_Y, ITEMS, PUB_N, PUB_Y, SLOT
from withhold.methods.rules._miner import Found, all_rows
from withhold.methods.rules._slots import Slots
from withhold.table import Grid

__all__ = ["Rules"]

SHOWN = 10


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Rules:
    """Rules X → y that predict private cells: what stands in a row, and what its private cell then holds.

    Rule `i` has the antecedent ``antecedent_column[a:b]``, ``antecedent_code[a:b]`` with ``a, b = antecedent_end[i],
    antecedent_end[i + 1]``, and the consequent ``column[i]``, ``code[i]``; codes are positions in ``labels[column]``.
    """

    columns: tuple[str, ...]
    """The names of the table's columns."""
    labels: tuple[tuple[str, ...], ...]
    """For each column the values its codes stand for."""
    antecedent_end: NDArray[np.int64]
    """For each rule the end of its antecedent's items (one more, 0, in front)."""
    antecedent_column: NDArray[np.int64]
    """The columns of the items."""
    antecedent_code: NDArray[np.int32]
    """The values of the items."""
    column: NDArray[np.int64]
    """For each rule the column it predicts."""
    code: NDArray[np.int32]
    """The value it predicts."""
    pub_n: NDArray[np.int64]
    """In how many rows the antecedent and the predicted column are public."""
    pub_y: NDArray[np.int64]
    """In how many of these the prediction is right."""
    hid_n: NDArray[np.int64]
    """In how many rows the antecedent is public and the predicted column private."""
    hid_y: NDArray[np.int64]
    """In how many of these the prediction is right."""
    cover_n: NDArray[np.int64]
    """In how many rows the antecedent is public."""
    n_private: int
    """The number of private cells."""
    n_missing: int
    """The number of private cells that were missing: there is nothing to predict, and they are left out."""
    n_nodes: int
    """The number of itemsets that the search visited."""
    _items: NDArray[np.int32] = field(repr=False)
    _slot: NDArray[np.int64] = field(repr=False)
    _slots: Slots = field(repr=False)

    @classmethod
    def _of(cls, found: Found, slots: Slots, grid: Grid, *, n_private: int, n_missing: int) -> "Rules":
        """Return the rules that a search found."""
        starts, ends = found.items_end[:-1][found.rules[:, ITEMS]], found.items_end[1:][found.rules[:, ITEMS]]
        rule_end = np.append(0, np.cumsum(ends - starts))
        items = found.items[np.repeat(starts - rule_end[:-1], ends - starts) + np.arange(rule_end[-1])]
        slot = np.ascontiguousarray(found.rules[:, SLOT])
        return cls(
            columns=grid.columns,
            labels=grid.labels,
            antecedent_end=rule_end,
            antecedent_column=slots.layout.column[items],
            antecedent_code=slots.code[items],
            column=slots.layout.column[slot],
            code=slots.code[slot],
            pub_n=found.rules[:, PUB_N],
            pub_y=found.rules[:, PUB_Y],
            hid_n=found.rules[:, HID_N],
            hid_y=found.rules[:, HID_Y],
            cover_n=found.rules[:, COVER],
            n_private=n_private,
            n_missing=n_missing,
            n_nodes=found.n_nodes,
            _items=items,
            _slot=slot,
            _slots=slots,
        )

    def __len__(self) -> int:
        return len(self.column)

    @property
    def public_confidence(self) -> NDArray[np.float64]:
        """For each rule the share of right predictions where an outsider can see them."""
        return self.pub_y / self.pub_n

    @property
    def hidden_confidence(self) -> NDArray[np.float64]:
        """For each rule the share of right predictions on private cells."""
        return self.hid_y / self.hid_n

    @property
    def length(self) -> NDArray[np.int64]:
        """For each rule the number of items of its antecedent."""
        return np.diff(self.antecedent_end)

    @property
    def by_length(self) -> dict[int, int]:
        """For each length of antecedent the number of rules."""
        sizes, counts = np.unique(self.length, return_counts=True)
        return dict(zip(sizes.tolist(), counts.tolist(), strict=True))

    @property
    def by_column(self) -> dict[str, int]:
        """For each column that is predicted the number of rules."""
        counts = np.bincount(self.column, minlength=len(self.columns)).tolist()
        return {name: count for name, count in zip(self.columns, counts, strict=True) if count}

    @property
    def public_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """pub(R): for each rule the end of its rows (one more, 0, in front), and the rows."""
        return self._split[0]

    @property
    def hidden_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """hid(R), which a rule predicts: for each rule the end of its rows (one more, 0, in front), and the rows."""
        return self._split[1]

    @property
    def predictable(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The private cells on which a rule fires, rightly or wrongly: rows and columns, in order."""
        mask = np.zeros(self._slots.cells.shape, np.bool_)
        ends, rows = self.hidden_rows
        mask[rows, np.repeat(self.column, np.diff(ends))] = True
        found = np.nonzero(mask)
        return found[0], found[1]

    @property
    def sensitive(self) -> NDArray[np.bool_]:
        """Which cells have a weight in GraDeS: a right public prediction, or one of a private cell, rests on them."""
        mask = np.zeros(self._slots.cells.shape, np.bool_)
        for right, (ends, rows) in ((True, self.public_rows), (False, self.hidden_rows)):
            rule = np.repeat(np.arange(len(self)), np.diff(ends))
            if right:
                kept = self._slots.cells[rows, self.column[rule]] == self._slot[rule]
                rule, rows = rule[kept], rows[kept]
                mask[rows, self.column[rule]] = True
            for place in range(int(self.length.max(initial=0))):
                has = self.length[rule] > place
                mask[rows[has], self.antecedent_column[self.antecedent_end[rule[has]] + place]] = True
        return mask

    def strongest(self, n: int = SHOWN) -> "Rules":
        """Return the `n` rules of highest public confidence, then hidden confidence, support, and fewest items."""
        order = np.lexsort((self.length, -self.pub_n, -self.hidden_confidence, -self.public_confidence))[:n]
        sizes = self.length[order]
        ends = np.append(0, np.cumsum(sizes))
        where = np.repeat(self.antecedent_end[order] - ends[:-1], sizes) + np.arange(ends[-1])
        changed: dict[str, Any] = {"antecedent_end": ends}
        changed |= {name: getattr(self, name)[where] for name in ("antecedent_column", "antecedent_code", "_items")}
        per_rule = ("column", "code", "pub_n", "pub_y", "hid_n", "hid_y", "cover_n", "_slot")
        changed |= {name: getattr(self, name)[order] for name in per_rule}
        kept = ("columns", "labels", "n_private", "n_missing", "n_nodes", "_slots")
        return Rules(**changed, **{name: getattr(self, name) for name in kept})

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the rules as columns for a frame. They reveal private values: keep them to yourself."""
        return {
            "if": [" and ".join(items) for items in self._antecedents()],
            "then": [self._item(*item) for item in zip(self.column, self.code, strict=True)],
            "support": self.pub_n.tolist(),
            "public_confidence": self.public_confidence.tolist(),
            "hidden_confidence": self.hidden_confidence.tolist(),
            "predicts": self.hid_n.tolist(),
            "rightly": self.hid_y.tolist(),
        }

    def __repr__(self) -> str:
        noun = "rule predicts" if len(self) == 1 else "rules predict"
        head = f"<Rules: {len(self):,} {noun} {len(self.predictable[0]):,} of {self.n_private:,} private cells>"
        shown = self.strongest().to_columns()
        lines = [
            f"  {left or 'always'} → {right}   {public:.0%} of {n:,} public, {hidden:.0%} of {n_hidden:,} private"
            for left, right, n, public, hidden, n_hidden, _ in zip(*shown.values(), strict=True)
        ]
        return "\n".join([head, *lines, *([f"  … {len(self) - SHOWN:,} more"] if len(self) > SHOWN else [])])

    def _antecedents(self) -> Iterator[list[str]]:
        for first, last in zip(self.antecedent_end[:-1], self.antecedent_end[1:], strict=True):
            items = zip(self.antecedent_column[first:last], self.antecedent_code[first:last], strict=True)
            yield [self._item(column, code) for column, code in items]

    def _item(self, column: int, code: int) -> str:
        return f"{self.columns[column]} = {self.labels[column][code]}"

    @cached_property
    def _split(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """The rows of each rule, public and hidden."""
        slots = self._slots
        lists = all_rows(slots.cells, slots.layout.column.size)
        cover_end, cover = covers(slots.cells, *lists, self.antecedent_end, self._items, slots.layout)
        rules_end = np.arange(len(self) + 1)
        hidden = rows_by_kind(slots.cells, rules_end, self._slot, cover_end, cover, slots.layout, False)
        public = rows_by_kind(slots.cells, rules_end, self._slot, cover_end, cover, slots.layout, True)
        return public, hidden
