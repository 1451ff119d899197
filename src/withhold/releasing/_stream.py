"""Rows that arrive after a release: published once their group keeps every promise over all that was published."""

from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from withhold._frame import frame_backend
from withhold.engines import Source, open_source
from withhold.errors import DataError, InfeasibleError, InputError, UnmetError
from withhold.methods.local import Cover
from withhold.policy import ColumnSettings, Policy, bind
from withhold.releasing._after_earlier import check_earlier
from withhold.releasing._begin_with import Cells
from withhold.releasing._coded_rows import CodedRows, joined_cells
from withhold.releasing._run import Run
from withhold.releasing._some_rows import some_rows
from withhold.releasing._stream_file import StreamState, read_stream, write_stream
from withhold.requirements.grouping import GroupGuard
from withhold.table import WITHHELD, DraftColumn, Numbers, Reason, Table

if TYPE_CHECKING:
    from withhold.releasing._release import Release

__all__ = ["Stream"]

_Ints = NDArray[np.int64]
Texts = dict[str, Cells]
NOBODY = np.zeros(0, dtype=np.int64)


class Stream:
    """A release that goes on: rows are added as they arrive, and what was published stays as it is.

    A row joins a published group that covers it, where the group keeps every promise with it. Rows without such a group
    form new ones among themselves as soon as they can; until then, and where they would publish nothing but ``*``, they
    are held back. Every promise is counted, and proven on the rows themselves, over the union of all that was
    published.

    Parameters
    ----------
    release
        The first release. Its policy must have ``recoding = "local"`` and requirements about groups only.
    groups
        Whether rows join published groups (``"join"``), or form groups of their own only (``"own"``): then they are
        safe as well from somebody who knows in which part a person was published, and more rows wait.

    Examples
    --------
    >>> import pandas as pd
    >>> from withhold import Anonymity, Policy, Stream, release
    >>> ages = pd.DataFrame({"age": [20, 21, 22, 40, 41, 43], "score": 1})
    >>> stream = Stream(release(ages, Policy([Anonymity(columns=["age"], k=3)], recoding="local")))
    >>> stream.apply(pd.DataFrame({"age": [21, 30], "score": [5, 6]})).values.tolist(), stream.n_held
    ([['< 23', '5']], 1)
    >>> len(stream.apply(pd.DataFrame({"age": [31, 32], "score": [7, 8]}))), stream.n_held, stream.n_published
    (3, 0, 10)
    """

    def __init__(self, release: "Release", *, groups: Literal["join", "own"] = "join") -> None:
        check_earlier(release.policy)
        run, table = release.run, release.table
        if run.draft.weights is not None or release.policy.population is not None:
            raise InputError("stream: it needs a table with rows, and without a population.")
        self.policy = _with_types(release.policy, table)
        self.groups = groups
        self.names = tuple(table.names)
        """The columns that rows must have."""
        self._published = CodedRows.of(release.source, self.names)
        columns = {name: run.draft.column(name) for name in self.policy.counted}
        self._texts: Texts = {
            name: (tuple(column.labels), column.nodes.astype(np.int64)) for name, column in columns.items()
        }
        self._blank = {
            name: np.flatnonzero(run.draft.column(name).nodes == 0)
            for name in self.policy.read(run.draft.names)
            if name not in columns and not run.draft.column(name).is_by_value
        }
        self._held = CodedRows.none(self.names)
        self._numbers = NOBODY
        self.n_arrived = 0
        """How many rows arrived after the first release."""
        self.arrivals: tuple[int, ...] = ()
        """The rows that were published last: their numbers, from 0 on, in the order in which rows arrived."""

    @property
    def n_published(self) -> int:
        """How many rows are published."""
        return self._published.n_rows

    @property
    def n_held(self) -> int:
        """How many rows are held back."""
        return self._held.n_rows

    def apply(self, data: object, *, backend: str | None = None) -> Any:
        """Take more rows, and return those that can be published now, earlier ones that waited first; cells are texts.

        Parameters
        ----------
        data
            A path or a frame with the columns of the first table; not necessarily any new row.
        backend
            The kind of frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``.

        Notes
        -----
        The cost is that of checking everything that was published, so add rows in parts rather than one by one.
        """
        new = self._read(data)
        pending = self._held.joined(new)
        numbers = np.concatenate([self._numbers, np.arange(self.n_arrived, self.n_arrived + new.n_rows)])
        rows, texts, frame = self._decide(pending, backend)
        self.n_arrived += new.n_rows
        self.arrivals = tuple(numbers[rows].tolist())
        self._published = self._published.joined(pending.some(rows))
        self._texts = {name: joined_cells(cells, texts[name]) for name, cells in self._texts.items()}
        kept = np.setdiff1d(np.arange(pending.n_rows), rows)
        self._held, self._numbers = pending.some(kept), numbers[kept]
        return frame

    def save(self, path: str | Path) -> None:
        """Write what the stream knows into a file that only you may read: it holds original rows."""
        state = StreamState(
            groups=self.groups,
            names=self.names,
            published=self._published,
            texts=self._texts,
            blank=self._blank,
            held=self._held,
            numbers=self._numbers,
            n_arrived=self.n_arrived,
        )
        write_stream(state, self.policy, Path(path))

    @classmethod
    def load(cls, path: str | Path, policy: Policy | str | Path) -> "Stream":
        """Read a stream that was saved; the policy must be the one that it was saved with."""
        loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
        state = read_stream(Path(path), loaded)
        found = cls.__new__(cls)
        numbers = {name: ColumnSettings(type="number") for name in state.numeric}
        found.policy = _with_columns(loaded, {**numbers, **loaded.columns})
        found.groups, found.names = state.groups, state.names
        found._published, found._texts, found._blank = state.published, state.texts, state.blank
        found._held, found._numbers, found.n_arrived, found.arrivals = state.held, state.numbers, state.n_arrived, ()
        return found

    def _read(self, data: object) -> CodedRows:
        source = cast(Source, data.store) if isinstance(data, Table) else open_source(data)
        try:
            lacking = [name for name in self.names if name not in source.names]
            if lacking:
                raise DataError(f"the rows lack columns of the first table: {', '.join(lacking)}.")
            return CodedRows.of(source, self.names)
        finally:
            if not isinstance(data, Table):
                source.close()

    def _decide(self, pending: CodedRows, backend: str | None) -> tuple[_Ints, Texts, Any]:
        """Return the rows that can be published, what they publish, and that as a frame."""
        for rows, texts in self._tries(pending):
            order = np.argsort(rows, kind="stable")
            rows, texts = rows[order], {name: (known, codes[order]) for name, (known, codes) in texts.items()}
            frame = self._proven(pending.some(rows), texts, backend)
            if frame is not None:
                return rows, texts, frame
        names = [name for name in self.names if name not in self.policy.drop]
        empty = nw.from_dict({name: [] for name in names}, backend=frame_backend(backend)).to_native()
        return NOBODY, dict.fromkeys(self._texts, ((), NOBODY)), empty

    def _tries(self, pending: CodedRows) -> Iterator[tuple[_Ints, Texts]]:
        """Yield sets of rows that may be publishable, the largest first; a promise about the whole may forbid it."""
        joining, joined = self._joining(pending) if self.groups == "join" else (NOBODY, {})
        rest = np.setdiff1d(np.arange(pending.n_rows), joining)
        forming, formed = self._forming(pending, rest)
        if joining.size and forming.size:
            both = {name: joined_cells(joined[name], formed[name]) for name in self._texts}
            yield np.concatenate([joining, forming]), both
        if forming.size:
            yield forming, formed
        if joining.size:
            yield joining, joined

    def _joining(self, pending: CodedRows) -> tuple[_Ints, Texts]:
        """Return the rows that published groups cover, without those that would break one."""
        if not pending.n_rows:
            return NOBODY, {}
        nothing = np.zeros(pending.n_rows, dtype=np.int64)
        run = self._run(pending, dict.fromkeys(self._texts, ((WITHHELD,), nothing)))
        rows, texts = _covered(run, self._texts, self.n_published)
        while rows.size:
            run = self._run(pending.some(rows), texts)
            guards = [guard for guard in run.guards if isinstance(guard, GroupGuard)]
            broken = np.unique(np.concatenate([guard.broken_rows() for guard in guards])) - self.n_published
            if not broken.size:
                break
            # A promise that only old groups break is about the whole: then nobody can join.
            kept = np.setdiff1d(np.arange(rows.size), broken if (broken >= 0).any() else np.arange(rows.size))
            rows, texts = rows[kept], {name: (known, codes[kept]) for name, (known, codes) in texts.items()}
        return rows, texts

    def _forming(self, pending: CodedRows, rest: _Ints) -> tuple[_Ints, Texts]:
        """Return the rows that can form groups among themselves, and publish something."""
        if not rest.size:
            return NOBODY, {}
        try:
            whole = bind(self.policy, Table(self._published.joined(pending).open()))
            run = Run(some_rows(whole, self.policy, self.n_published + rest), self.policy, rng=0).run()
        except InfeasibleError:
            return NOBODY, {}
        columns = {name: run.draft.column(name) for name in self._texts}
        others = [run.draft.column(name) for name in self.policy.read(run.draft.names) if name not in columns]
        if any(not column.is_by_value and bool((column.nodes == 0).any()) for column in others):
            return NOBODY, {}
        kept = np.flatnonzero(np.any([column.nodes != 0 for column in columns.values()], axis=0))
        texts = {name: (tuple(c.labels), c.nodes[kept].astype(np.int64)) for name, c in columns.items()}
        return rest[kept], texts

    def _run(self, more: CodedRows, texts: Texts) -> Run:
        """Return a run of everything that is published and some more rows, under given texts; nothing is repaired."""
        whole = Table(self._published.joined(more).open())
        begin = {name: joined_cells(cells, texts[name]) for name, cells in self._texts.items()}
        run = Run(whole, self.policy, rng=0, begin=begin)
        for name, rows in self._blank.items():
            run.draft.blank(name, rows, Reason(-1, "earlier"))
        return run

    def _proven(self, more: CodedRows, texts: Texts, backend: str | None) -> Any:
        """Return what some rows publish, once every promise is proven over the union; None where one is broken."""
        run = self._run(more, texts)
        wanted = {name: joined_cells(cells, texts[name]) for name, cells in self._texts.items()}
        try:
            made = run.finish()
            if run.repairs or not all(_publishes(run.draft.column(name), cells) for name, cells in wanted.items()):
                return None
            frame = nw.from_native(made.to_frame(backend), eager_only=True)
        except (InfeasibleError, UnmetError):
            return None
        part = frame[self.n_published :]
        return nw.maybe_reset_index(part).to_native()


def _covered(run: Run, texts: Mapping[str, Cells], n_published: int) -> tuple[_Ints, Texts]:
    """Return which rows behind the published ones some published combination covers, and the cheapest one's texts."""
    columns = [run.draft.column(name) for name in texts]
    is_known = np.all([_is_as(c, texts[c.name], n_published) for c in columns], axis=0)
    nodes = np.stack([column.nodes[:n_published][is_known] for column in columns], axis=1)
    combinations = np.unique(nodes, axis=0)
    # To share nothing but what is withheld is no group to join: such rows wait for a better one.
    combinations = combinations[combinations.any(axis=1)]
    if not len(combinations):
        return NOBODY, {}
    used = [np.unique(combinations[:, j], return_inverse=True) for j in range(len(columns))]
    cover = Cover(
        np.column_stack([place.reshape(-1) for _, place in used]),
        [_covers(column, own) for column, (own, _) in zip(columns, used, strict=True)],
        [column.prices()[own] for column, (own, _) in zip(columns, used, strict=True)],
    )
    found = cover.assign(np.column_stack([column.codes[n_published:].astype(np.int64) for column in columns]))
    rows = np.flatnonzero(found >= 0)
    chosen = combinations[found[rows]]
    return rows, {c.name: (tuple(c.labels), chosen[:, j].astype(np.int64)) for j, c in enumerate(columns)}


def _covers(column: DraftColumn, nodes: NDArray[np.int32]) -> NDArray[np.bool_]:
    found = np.zeros((nodes.size, column.n_codes), dtype=np.bool_)
    for i, node in enumerate(nodes.tolist()):
        found[i, column.members.get(node, np.arange(*column.range(node)))] = True
    return found


def _publishes(column: DraftColumn, wanted: Cells) -> bool:
    """Return whether a draft reads as it should, row by row."""
    return bool(_is_as(column, wanted, wanted[1].size).all())


def _is_as(column: DraftColumn, wanted: Cells, n_rows: int) -> NDArray[np.bool_]:
    """Return which of the first rows of a draft read as they should."""
    labels = np.array(column.labels, dtype=object)
    texts = np.array(wanted[0], dtype=object)
    return np.asarray(labels[column.nodes[:n_rows]] == texts[wanted[1]], dtype=np.bool_)


def _with_types(policy: Policy, table: Table) -> Policy:
    """Return the policy with the columns that the first table holds as numbers, since a stream keeps text."""
    read = {*policy.counted, *policy.read(table.names)}
    numbers = [name for name in table.names if name in read and isinstance(table.domain(name), Numbers)]
    settings = {name: ColumnSettings(type="number") for name in numbers if name not in policy.columns}
    return _with_columns(policy, {**policy.columns, **settings})


def _with_columns(policy: Policy, columns: Mapping[str, ColumnSettings]) -> Policy:
    made = copy(policy)
    made.columns = dict(columns)
    return made
