"""Publish rows of another table as a release publishes its own."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from withhold._frame import as_frame
from withhold.engines import Source, open_source
from withhold.errors import DataError
from withhold.methods.local import Cover
from withhold.policy import as_read, shown_texts
from withhold.releasing._averages import mean_cells
from withhold.table import CellRecoding, Decision, DraftColumn, Numbers, Table

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["apply_to"]

Codes = NDArray[np.int64]


def apply_to(run: "Run", data: object, *, backend: str | None = None) -> Any:
    """Return the rows of another table under the combinations of texts that a run publishes.

    A row that the run's table holds too, on the columns that groups are counted over, reads as it does there. Others
    get the cheapest combination that covers them; where there is none, these columns are withheld.
    """
    averaged = run.policy.averaged_columns
    names = [name for name in run.policy.counted if name not in averaged]
    source = cast(Source, data.store) if isinstance(data, Table) else open_source(data)
    table = as_read(run.policy, Table(source, missing=run.table.missing))
    read = cast(Source, table.store)
    lacking = [name for name in run.policy.counted if name not in table.names]
    if lacking:
        raise DataError(f"the table lacks columns that groups are counted over: {', '.join(lacking)}.")
    cells = (*_covered(run, table, names), *mean_cells(run, table), *_changed_numbers(run, table))
    drop = tuple(name for name in table.names if name in run.policy.drop)
    try:
        return as_frame(read, Decision(recodings=(), drop=drop, rows="keep", cells=cells), key="", backend=backend)
    finally:
        if not isinstance(data, Table):
            source.close()


def _covered(run: "Run", table: Table, names: Sequence[str]) -> Iterator[CellRecoding]:
    """Yield the cells of columns that groups are counted over, under combinations that the run publishes."""
    if not names:
        return
    columns = [run.draft.column(name) for name in names]
    used = [np.unique(column.nodes, return_inverse=True) for column in columns]
    published = np.column_stack([place.reshape(-1) for _, place in used])
    combinations, of_row = np.unique(published, axis=0, return_inverse=True)
    cover = Cover(
        combinations,
        [_covers(column, nodes, run.table) for column, (nodes, _) in zip(columns, used, strict=True)],
        [column.prices()[nodes] for column, (nodes, _) in zip(columns, used, strict=True)],
    )
    codes = np.column_stack([_codes(run, name, table) for name in names])
    like = _rows_alike(np.column_stack([column.codes for column in columns]).astype(np.int64), codes)
    found = np.where(like >= 0, of_row.reshape(-1)[np.maximum(like, 0)], cover.assign(codes))
    for c, (column, (nodes, _)) in enumerate(zip(columns, used, strict=True)):
        yield _published(column, np.where(found >= 0, nodes[combinations[np.maximum(found, 0), c]], 0))


def _changed_numbers(run: "Run", table: Table) -> Iterator[CellRecoding]:
    """Yield the cells of columns whose numbers are published as means, rounded, or up to a bound."""
    for name, settings in run.policy.columns.items():
        if name not in run.table.bins or not settings.changes_numbers or name not in table.names:
            continue
        numbers = np.asarray(table.store.numbers(name, missing=table.missing), dtype=np.float64)
        shown = shown_texts(settings, run.table.bins[name], numbers)
        texts = tuple(dict.fromkeys(text for text in shown if text is not None))
        place = {text: i for i, text in enumerate(texts)}
        picks = np.array([-1 if text is None else place[text] for text in shown], dtype=np.int64)
        picks = picks[table.store.cells(name)]
        rows = np.flatnonzero(picks >= 0)
        yield CellRecoding(name, rows, texts, picks[rows])


def _rows_alike(fitted: Codes, codes: Codes) -> Codes:
    """Return for each row of codes the first fitted row that has them all, or -1."""
    _, place = np.unique(np.concatenate([fitted, codes]), axis=0, return_inverse=True)
    place = place.reshape(-1)
    first = np.full(int(place.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[place[: len(fitted)][::-1]] = np.arange(len(fitted))[::-1]
    return np.asarray(first[place[len(fitted) :]])


def _covers(column: DraftColumn, nodes: NDArray[np.int32], table: Table) -> NDArray[np.bool_]:
    """Return which codes each node covers; behind them what lies between two numbers, and what occurs nowhere."""
    covers = np.zeros((nodes.size, column.n_codes), dtype=bool)
    for i, node in enumerate(nodes.tolist()):
        covers[i, column.members.get(node, np.arange(*column.range(node)))] = True
    domain = table.domain(column.name)
    between = np.zeros((nodes.size, 0), dtype=bool)
    if isinstance(domain, Numbers) and domain.n_values:
        own = covers[:, : domain.n_values]
        is_wide = own.sum(axis=1) > 1
        between = np.column_stack(
            [own[:, :1] & is_wide[:, None], own[:, :-1] & own[:, 1:], own[:, -1:] & is_wide[:, None]]
        )
    return np.column_stack([covers, between, nodes == 0])


def _codes(run: "Run", name: str, other: Table) -> Codes:
    """Return the codes of another table's cells, as `_covers` counts them."""
    store, domain, fitted = other.store, run.table.domain(name), run.table
    if name in fitted.bins or isinstance(domain, Numbers):
        numbers = np.asarray(store.numbers(name, missing=other.missing), dtype=np.float64)
        if name in fitted.bins:
            codes = _codes_of_bins(numbers, fitted, name)
        else:
            assert isinstance(domain, Numbers)
            codes = _codes_of_numbers(numbers, domain)
    else:
        place = {leaf: code for code, leaf in enumerate(domain.leaves)}
        codes = np.array([_code(value, place, other, domain.n_leaves) for value in store.values(name)], dtype=np.int64)
    return np.asarray(codes[store.cells(name)])


def _code(value: Any, place: dict[str | None, int], table: Table, unseen: int) -> int:
    text = None if value is None or str(value) in table.missing else str(value)
    return place.get(text, unseen)


def _codes_of_numbers(numbers: NDArray[np.float64], domain: Numbers) -> Codes:
    n, n_codes = domain.n_values, domain.n_codes
    place = np.searchsorted(domain.values, numbers)
    is_value = (place < n) & (domain.values[np.minimum(place, n - 1)] == numbers) if n else np.zeros(place.size, bool)
    codes = np.where(is_value, place, n_codes + place)
    unseen = n_codes + (n + 1 if n else 0)
    return np.where(np.isnan(numbers), unseen if domain.missing_code is None else domain.missing_code, codes)


def _codes_of_bins(numbers: NDArray[np.float64], table: Table, name: str) -> Codes:
    bins, n_codes = table.bins[name], table.n_codes(name)
    codes = np.searchsorted(bins.edges, numbers, side="right") - 1
    codes = np.where((numbers == bins.edges[-1]) & (codes == bins.n_bins), bins.n_bins - 1, codes)
    is_missing = np.isnan(numbers)
    missing = bins.n_bins if n_codes > bins.n_bins else n_codes
    return np.where(is_missing, missing, np.where((codes < 0) | (codes >= bins.n_bins), n_codes, codes))


def _published(column: DraftColumn, nodes: NDArray[np.int32]) -> CellRecoding:
    """Return the texts of the nodes; a missing cell stays as it stands."""
    rows = np.flatnonzero(nodes != (-1 if column.missing is None else column.missing))
    used, picks = np.unique(nodes[rows], return_inverse=True)
    return CellRecoding(column.name, rows, tuple(str(column.labels[node]) for node in used.tolist()), picks.reshape(-1))
