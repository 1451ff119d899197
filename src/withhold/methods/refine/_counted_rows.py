"""The rows that a search counts: those of the table, without cells that are withheld from the start."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.table import Distinct, Numbers, Table

__all__ = ["CountedRows"]

Mask = NDArray[np.bool_]


class CountedRows:
    """Distinct rows over some columns, for the counters of a search.

    A cell that is withheld whatever the search does, because it is hidden or because missing cells of its column are
    withheld, puts its row out of the groups over that column: such rows are grouped afterwards.

    Parameters
    ----------
    table
        The table.
    withheld
        For each column with hidden cells which rows these are.
    unknown
        The same for cells that nothing may depend on, wherever their column is read.
    without_missing
        Columns whose missing cells are withheld, or read as any value.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["f", "m", "f"], "town": ["Bern", None, "Bern"]})
    >>> CountedRows(table, without_missing=["town"]).distinct(["sex", "town"]).weights.tolist()
    [1, 1]
    """

    def __init__(
        self,
        table: Table,
        *,
        withheld: Mapping[str, Mask] | None = None,
        unknown: Mapping[str, Mask] | None = None,
        without_missing: Sequence[str] = (),
    ) -> None:
        self.table = table
        self._withheld = dict(withheld or {})
        self._unknown = dict(unknown or {})
        self._without_missing = tuple(without_missing)
        self._is_whole = False

    def everything(self) -> "CountedRows":
        """Return all rows again, where too few are left to count by; an unknown cell counts as the first value."""
        found = CountedRows(self.table, unknown=self._unknown)
        found._is_whole = True
        return found

    def coarsest(self, names: Sequence[str]) -> "CountedRows":
        """Return the rows as a search begins with them: as they are, where all are at hand."""
        return self

    def distinct(self, names: Sequence[str], *, as_text: Sequence[str] = (), whole: Sequence[str] = ()) -> Distinct:
        """Return rows over some columns as codes with counts; withheld cells of columns in `whole` do not matter."""
        found = self._rows(names, as_text, [name for name in names if name not in whole])
        missing = [name for name in self._without_missing if name in names and name not in (*as_text, *whole)]
        kept = np.ones(found.weights.size, dtype=bool)
        for name in missing:
            code = self._missing_code(name)
            if code is not None:
                kept &= found.codes[list(names).index(name)] != code
        if kept.all() or not kept.any():
            return found  # with no row left there is nothing to count by, and all rows are counted
        return Distinct(found.columns, [codes[kept] for codes in found.codes], found.weights[kept])

    def _rows(self, names: Sequence[str], as_text: Sequence[str], asked: Sequence[str]) -> Distinct:
        masks = [self._withheld[name] for name in asked if name in self._withheld]
        in_groups = [name for name in names if name not in as_text and name in asked] if self._is_whole else []
        masks += [self._unknown[name] for name in names if name in self._unknown and name not in in_groups]
        if any(name in self._unknown for name in in_groups):
            return self._with_first(names, as_text, masks, in_groups)
        if not masks:
            return self.table.distinct(names, as_text=as_text)
        kept = np.flatnonzero(~np.logical_or.reduce(masks))
        if not kept.size:
            return self.table.distinct(names, as_text=as_text)
        codes = [(self.table.store.cells(n) if n in as_text else self.table.codes(n))[kept] for n in names]
        return Distinct(tuple(names), codes, np.ones(kept.size, dtype=np.int64))

    def _with_first(
        self, names: Sequence[str], as_text: Sequence[str], masks: Sequence[Mask], in_groups: Sequence[str]
    ) -> Distinct:
        """Return the rows with the first value in place of unknown ones: nothing depends on what stood there."""
        kept = np.flatnonzero(~np.logical_or.reduce(masks)) if masks else np.arange(self.table.n_rows)
        codes = []
        for name in names:
            cells = self.table.store.cells(name) if name in as_text else self.table.codes(name)
            if name in in_groups and name in self._unknown:
                cells = np.where(self._unknown[name], 0, cells)
            codes.append(cells[kept])
        return Distinct(tuple(names), codes, np.ones(kept.size, dtype=np.int64))

    def _missing_code(self, name: str) -> int | None:
        domain = self.table.domain(name)
        return domain.missing_code if isinstance(domain, Numbers) else domain.missing
