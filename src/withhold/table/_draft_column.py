"""One column of a draft: its nodes, and which of them each cell would publish."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.table._decision import WITHHELD
from withhold.table._grid import UNKNOWN
from withhold.table._intervals import parse_interval
from withhold.table._numbers import Numbers, format_number
from withhold.table._table import Table

__all__ = ["DraftColumn"]

Nodes = NDArray[np.int32]


class DraftColumn:
    """A column's nodes as flat arrays, and for each of its codes, or each row, the node that is published.

    Node 0 is the root and reads ``*``. A taxonomy keeps its own numbering, numbers are leaves below the root, and
    intervals or sets that a search makes are added behind them. A node covers the codes ``first … last - 1``.

    Examples
    --------
    >>> column = DraftColumn("town", Table.from_columns({"town": ["Bern", None, "Biel"]}))
    >>> column.labels, column.cut.tolist()
    (['*', 'Bern', 'Biel', None], [1, 2, 3])
    """

    def __init__(self, name: str, table: Table) -> None:
        self.name = name
        self._table = table
        domain = table.domain(name)
        if isinstance(domain, Numbers):
            n_codes = domain.n_codes
            values = [format_number(value) for value in domain.values.tolist()]
            self.labels: list[str | None] = [WITHHELD, *values, *([None] * (domain.missing_code is not None))]
            self.parent = np.zeros(n_codes + 1, dtype=np.int32)
            self.first = np.concatenate([[0], np.arange(n_codes)]).astype(np.int32)
            self.last = np.concatenate([[n_codes], np.arange(n_codes) + 1]).astype(np.int32)
            self.cut: Nodes = np.arange(1, n_codes + 1, dtype=np.int32)
        else:
            self.labels = [WITHHELD, *domain.labels[1:]]
            self.parent, self.first, self.last = domain.parent.copy(), domain.first.copy(), domain.last.copy()
            self.cut = domain.leaf_nodes.copy()
        self.parent[0] = -1
        self.leaves: Nodes = self.cut.copy()
        """For each code its own node."""
        self.members: dict[int, NDArray[np.int64]] = {}
        """The codes of nodes that are sets of values, and not a range of them."""
        self.is_begun = False
        """Whether it begins with texts of another release, whose intervals may end where no value of the table does."""
        self.reasons: NDArray[np.uint8] | None = None
        self._nodes: Nodes | None = None

    @property
    def n_codes(self) -> int:
        """The number of codes."""
        return int(self.leaves.size)

    @cached_property
    def codes(self) -> NDArray[np.unsignedinteger]:
        """The code of each row."""
        return self._table.codes(self.name)

    @property
    def is_by_value(self) -> bool:
        """Whether every cell publishes the node of its value: no single cell differs."""
        return self._nodes is None

    @property
    def nodes(self) -> Nodes:
        """The node that each row publishes."""
        if self._nodes is None:
            self._nodes = self.cut[self.codes]
            self.reasons = np.zeros(self._nodes.size, dtype=np.uint8)
        return self._nodes

    @property
    def finest(self) -> Nodes:
        """The finest node that each row may publish."""
        return np.asarray(self.cut[self.codes])

    @property
    def missing(self) -> int | None:
        """The node of the missing value, or None."""
        return self.labels.index(None) if None in self.labels else None

    def recut(self, cut: Nodes) -> None:
        """Publish other nodes for the values; cells that were withheld by themselves stay as they are."""
        self.cut = np.asarray(cut, dtype=np.int32)
        if self._nodes is not None:
            assert self.reasons is not None
            self._nodes = np.where(self.reasons == 0, self.cut[self.codes], self._nodes).astype(np.int32)

    def add(self, label: str, first: int, last: int, parent: int = 0) -> int:
        """Add a node that covers the codes ``first … last - 1``; return its number."""
        return int(self.add_all([label], [first], [last], [parent])[0])

    def add_all(self, labels: list[str], first: list[int], last: list[int], parent: list[int]) -> Nodes:
        """Add nodes; return their numbers."""
        begin = len(self.labels)
        self.labels = [*self.labels, *labels]
        self.first = np.concatenate([self.first, np.asarray(first, dtype=np.int32)])
        self.last = np.concatenate([self.last, np.asarray(last, dtype=np.int32)])
        self.parent = np.concatenate([self.parent, np.asarray(parent, dtype=np.int32)])
        return np.arange(begin, len(self.labels), dtype=np.int32)

    def range(self, node: int) -> tuple[int, int]:
        """Return the first code that a node covers, and the one behind the last."""
        return int(self.first[node]), int(self.last[node])

    def covering(self, code: int) -> NDArray[np.bool_]:
        """Return which nodes a code lies below."""
        found = (self.first <= code) & (code < self.last)
        for node, members in self.members.items():
            found[node] = code in members
        return np.asarray(found)

    def put(
        self, rows: NDArray[np.int64], nodes: Nodes, reasons: int | NDArray[np.uint8]
    ) -> tuple[Nodes, NDArray[np.uint8]]:
        """Put nodes and reasons into rows; return what was there."""
        now = self.nodes
        assert self.reasons is not None
        was = now[rows], self.reasons[rows]
        now[rows] = nodes
        self.reasons[rows] = reasons
        return was

    def is_above(self, upper: Nodes, lower: Nodes, *, or_equal: bool = False) -> NDArray[np.bool_]:
        """Return pair by pair whether a node lies above another: it covers its codes, and more or as a parent."""
        covers = (self.first[upper] <= self.first[lower]) & (self.last[lower] <= self.last[upper])
        # A node with a single child covers the same codes; the parent has the lower number in a taxonomy.
        is_wider = self.last[upper] - self.first[upper] > self.last[lower] - self.first[lower]
        same = upper == lower
        above = covers & (is_wider | (upper < lower)) & ~same
        return np.asarray(above | same if or_equal else above, dtype=np.bool_)

    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the smallest and the largest number that each node allows, as it reads; None where codes say it all.

        Of two intervals that cover the same values one may still reach farther: ``< 24`` allows 19, ``[20, 24)`` does
        not, whether or not the table holds it.
        """
        if not self.is_begun or not isinstance(self._table.domain(self.name), Numbers):
            return None
        low, high = np.full(len(self.labels), -np.inf), np.full(len(self.labels), np.inf)
        for node, label in enumerate(self.labels):
            found = None if label is None or node == 0 else parse_interval(label)
            if node and node <= self.n_codes and label is not None:
                low[node] = high[node] = float(label)
            elif found is not None:
                low[node] = found.low if found.has_low else np.nextafter(found.low, np.inf)
                high[node] = found.high if found.has_high else np.nextafter(found.high, -np.inf)
        return low, high

    @property
    def n_texts(self) -> int:
        """How many different texts the nodes have."""
        return int(self._text_of.max()) + 1

    @property
    def text_codes(self) -> NDArray[np.int64]:
        """For each row a number of its text."""
        return self._text_of[self.nodes]

    @property
    def _text_of(self) -> NDArray[np.int64]:
        """For each node a number: the same for nodes that read the same."""
        seen: dict[str | None, int] = {}
        return np.array([seen.setdefault(label, len(seen)) for label in self.labels], dtype=np.int64)

    def prices(self) -> NDArray[np.float64]:
        """Return what each node loses: 0 for a single value, 1 for the root; intervals by their width."""
        domain = self._table.domain(self.name)
        if isinstance(domain, Numbers):
            low, high = _ends(domain, self.first, self.last)
            width = domain.high - domain.low
            lost = (high - low) / width if width > 0 else np.zeros(low.size)
            lost[: domain.n_codes + 1] = 0.0
            lost[0] = 1.0
            return lost
        n_leaves = max(self.n_codes - 1, 1)
        lost = (self.last - self.first - 1) / n_leaves
        for node, members in self.members.items():
            lost[node] = (members.size - 1) / n_leaves
        lost[0] = 1.0
        return np.asarray(lost, dtype=np.float64)

    def parents(self) -> dict[str, str]:
        """Return for each value and node what it may climb to, by label; a node over a single value is no step."""
        is_step = self.last - self.first > 1
        is_step[0] = False
        found = {}
        for node, label in enumerate(self.labels):
            above = int(self.parent[node])
            while above > 0 and not is_step[above]:
                above = int(self.parent[above])
            if above > 0 and label is not None:
                found[label] = str(self.labels[above])
        return found

    def narrowest(self) -> Nodes:
        """Return for each code the narrowest node that some row publishes and that covers it; else its own node."""
        is_used = np.zeros(len(self.labels), dtype=bool)
        is_used[self.nodes] = True
        is_used[0] = False
        if self.missing is not None:
            is_used[self.missing] = False
        used = np.flatnonzero(is_used)
        width = self.last - self.first
        for node, members in self.members.items():
            width[node] = members.size
        order = used[np.lexsort((np.array([str(self.labels[n]) for n in used]), -width[used]))]
        found = self.cut.copy()
        is_open = ~is_used[found]
        if not is_open.any():
            return found
        found[is_open] = self.leaves[is_open]
        for node in order.tolist():  # the widest first, so that narrower ones overwrite them
            inside = self.members.get(node, np.arange(self.first[node], self.last[node]))
            inside = inside[is_open[inside]]
            found[inside] = node
        return found

    def coded(self, truth: NDArray[np.int64] | None = None) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """Return labels, and for each row a code of them: UNKNOWN for a blank or missing cell.

        The values stand in the order of the domain the column was given, else of their first appearance; then the
        other nodes. Rows in `truth` hold what stood there instead, see `Draft.grid`.
        """
        now = self.nodes
        if truth is not None and truth.size:
            now = now.copy()
            now[truth] = self.narrowest()[self.codes[truth]]
        order = self._order()
        known = [node for node in order.tolist() if node != 0 and self.labels[node] is not None]
        place: dict[str, int] = {}
        lookup = np.full(len(self.labels), UNKNOWN, dtype=np.int32)
        for node in known:
            lookup[node] = place.setdefault(str(self.labels[node]), len(place))
        return tuple(place), lookup[now]

    def _order(self) -> Nodes:
        """Return all nodes: those of values first, in the order that decides ties."""
        codes = np.arange(self.n_codes)
        if not self._table.has_given_domain(self.name):
            seen, first = np.unique(self.codes, return_index=True)
            appearing = seen[np.argsort(first)]
            codes = np.concatenate([appearing, np.setdiff1d(codes, appearing)])
        head = list(dict.fromkeys([*self.cut[codes].tolist(), *self.leaves[codes].tolist()]))
        rest = np.setdiff1d(np.arange(len(self.labels)), head)
        return np.array([*head, *rest.tolist()], dtype=np.int32)


def _ends(domain: Numbers, first: Nodes, last: Nodes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and upper ends of ranges of codes."""
    values = np.concatenate([domain.values, [domain.high, domain.high]])
    low = np.where(first == 0, domain.low, values[np.minimum(first, domain.n_values)])
    high = np.where(last >= domain.n_values, domain.high, values[np.minimum(last, domain.n_values)])
    return low.astype(np.float64), high.astype(np.float64)
