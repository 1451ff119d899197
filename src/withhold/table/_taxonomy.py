"""Trees over the values of a column, stored as flat arrays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import TaxonomyError

__all__ = ["Taxonomy"]

ROOT = "*"


class Taxonomy:
    """A tree over the values of a column: leaves are the values, inner nodes are coarser names for them.

    Nodes are numbered in preorder, leaves from left to right. Node `v` covers the leaves ``first[v] … last[v] - 1``,
    so "is a below b" is two comparisons. Withholding a value is generalising it to the root, node 0.

    A taxonomy may hold one leaf for *missing*; its label is ``None``.

    Parameters
    ----------
    parent
        For each node its parent's number, -1 for the root; nodes in preorder.
    labels
        For each node its name. ``None`` names the missing leaf.
    source
        Where the tree came from, for error messages.

    See Also
    --------
    Taxonomy.read : from a hierarchy CSV, TOML or JSON file.
    Taxonomy.flat : a root over the values.
    Taxonomy.from_nested : from nested dictionaries.

    Examples
    --------
    >>> tree = Taxonomy.from_nested({"Any": {"School": {"9th": {}, "10th": {}}, "University": {"Bachelors": {}}}})
    >>> tree.n_leaves, tree.labels[tree.parent[tree.node("10th")]]
    (3, 'School')
    >>> tree.is_below(tree.node("9th"), tree.node("School"))
    True
    """

    __slots__ = ("_node_of", "depth", "first", "labels", "last", "leaf_nodes", "parent", "source")

    def __init__(self, parent: Sequence[int], labels: Sequence[str | None], *, source: str = "taxonomy") -> None:
        n_nodes = len(parent)
        self.parent: NDArray[np.int32] = np.asarray(parent, dtype=np.int32)
        self.labels: tuple[str | None, ...] = tuple(labels)
        self.source = source
        self.depth: NDArray[np.int32] = np.zeros(n_nodes, dtype=np.int32)
        is_leaf = np.ones(n_nodes, dtype=bool)
        for node in range(1, n_nodes):
            above = self.parent[node]
            self.depth[node] = self.depth[above] + 1
            is_leaf[above] = False
        self.leaf_nodes: NDArray[np.int32] = np.flatnonzero(is_leaf).astype(np.int32)
        self.first: NDArray[np.int32] = np.zeros(n_nodes, dtype=np.int32)
        self.last: NDArray[np.int32] = np.zeros(n_nodes, dtype=np.int32)
        self.first[self.leaf_nodes] = np.arange(self.leaf_nodes.size)
        self.last[self.leaf_nodes] = np.arange(self.leaf_nodes.size) + 1
        filled = is_leaf.copy()
        for node in range(n_nodes - 1, 0, -1):
            above = self.parent[node]
            self.first[above] = self.first[node]
            if not filled[above]:
                self.last[above] = self.last[node]
                filled[above] = True
        self._node_of = {label: node for node, label in enumerate(self.labels)}

    @classmethod
    def flat(cls, values: Iterable[str | None], *, root: str = ROOT, source: str = "taxonomy") -> "Taxonomy":
        """Return a root over `values`, in the order given; ``None`` is the missing leaf.

        Examples
        --------
        >>> Taxonomy.flat(["f", "m"]).to_nested()
        {'*': {'f': {}, 'm': {}}}
        """
        leaves = list(values)
        return cls([-1] + [0] * len(leaves), [root, *leaves], source=source)

    @classmethod
    def from_nested(cls, tree: Mapping[str, Any], *, source: str = "taxonomy") -> "Taxonomy":
        """Build a tree from nested dictionaries; a leaf is an empty dictionary, a list of strings is a row of leaves.

        Several top keys get a common root ``*``.
        """
        from withhold.table._taxonomy_files import paths_of_nested

        return cls.from_paths(paths_of_nested(tree, source=source), source=source, lines=False)

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[str]], *, source: str = "taxonomy", lines: bool = True) -> "Taxonomy":
        """Build a tree from paths, each from a leaf to the root.

        Paths may differ in length. A name that repeats directly above itself is one node. Paths that end in
        different names get a common root ``*``.

        Examples
        --------
        >>> Taxonomy.from_paths([("9th", "School", "*"), ("Bachelors", "*")]).n_leaves
        2
        """
        from withhold.table._taxonomy_paths import grow

        parent, labels = grow(paths, source=source, lines=lines)
        return cls(parent, labels, source=source)

    @classmethod
    def read(cls, path: str | Path) -> "Taxonomy":
        """Read a hierarchy CSV (``;`` or ``,``, one line a value, leaf to root), or a nested TOML or JSON file."""
        from withhold.table._taxonomy_files import read_taxonomy

        return read_taxonomy(Path(path))

    def write(self, path: str | Path) -> None:
        """Write the tree as a hierarchy CSV, or by suffix as nested TOML or JSON."""
        from withhold.table._taxonomy_files import write_taxonomy

        write_taxonomy(self, Path(path))

    @property
    def n_leaves(self) -> int:
        """The number of leaves, the missing one included."""
        return int(self.leaf_nodes.size)

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.labels)

    @property
    def leaves(self) -> tuple[str | None, ...]:
        """The labels of the leaves, from left to right."""
        return tuple(self.labels[node] for node in self.leaf_nodes)

    @property
    def missing(self) -> int | None:
        """The position of the missing leaf among the leaves, or None."""
        node = self._node_of.get(None)
        return None if node is None else int(self.first[node])

    def node(self, label: str | None) -> int:
        """Return the number of the node called `label`."""
        try:
            return self._node_of[label]
        except KeyError:
            raise TaxonomyError(f"{self.source}: there is no node of that name.") from None

    def children(self, node: int) -> list[int]:
        """Return the children of `node`, from left to right."""
        found = []
        child = node + 1
        while child < self.n_nodes and self.parent[child] == node:
            found.append(child)
            child = self._after(child)
        return found

    def is_below(self, node: int, other: int) -> bool:
        """Return whether `node` is `other` or lies in the tree below it."""
        inside = self.first[other] <= self.first[node] and self.last[node] <= self.last[other]
        return bool(inside and node >= other)

    def ancestor(self, node: int, levels: int) -> int:
        """Return the node `levels` steps above `node`, or the root where there are fewer."""
        for _ in range(levels):
            if node == 0:
                break
            node = int(self.parent[node])
        return node

    def with_missing(self) -> "Taxonomy":
        """Return the tree with a leaf for missing directly below the root, unless it has one."""
        if self.missing is not None:
            return self
        return Taxonomy([*self.parent.tolist(), 0], [*self.labels, None], source=self.source)

    def paths(self) -> Iterator[list[str | None]]:
        """Yield the path of each leaf, from the leaf to the root."""
        for leaf in self.leaf_nodes.tolist():
            path, node = [], leaf
            while node != -1:
                path.append(self.labels[node])
                node = int(self.parent[node])
            yield path

    def to_nested(self) -> dict[str | None, Any]:
        """Return the tree as nested dictionaries."""
        nested: list[dict[str | None, Any]] = [{} for _ in self.labels]
        for node in range(self.n_nodes - 1, 0, -1):
            above = nested[self.parent[node]]
            nested[self.parent[node]] = {self.labels[node]: nested[node], **above}
        return {self.labels[0]: nested[0]}

    def _after(self, node: int) -> int:
        """Return the number of the first node behind the subtree of `node`."""
        nxt = node + 1
        while nxt < self.n_nodes and self.depth[nxt] > self.depth[node]:
            nxt += 1
        return nxt

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return self.labels == other.labels and bool(np.array_equal(self.parent, other.parent))

    def __hash__(self) -> int:
        return hash((self.labels, self.parent.tobytes()))

    def __repr__(self) -> str:
        return f"<Taxonomy {self.labels[0]!r}: {self.n_leaves} leaves, {int(self.depth.max(initial=0)) + 1} levels>"
