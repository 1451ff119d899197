"""Coarser values as further codes of a column, so that a cell can climb one level."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from withhold.methods.risk._risk_problem import Problem
from withhold.table import Grid, Table, Taxonomy

__all__ = ["Ladder", "Parents", "ladder_of", "parents_of"]

Parents = Mapping[str, Mapping[str, str]]
"""For each column that climbs what stands above each value; what has nothing above it is blanked next."""


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """For each column what every code becomes one level up; -1 is blank."""

    above: list[NDArray[np.int32]]

    @property
    def climbs(self) -> bool:
        """Whether some value has a step before it is blanked."""
        return any(bool((above >= 0).any()) for above in self.above)

    def climb(self, codes: NDArray[np.int32], cells: NDArray[np.bool_], rows: NDArray[np.int64]) -> None:
        """Replace the chosen cells of some rows by what stands above them, in place."""
        for j, above in enumerate(self.above):
            at = rows[cells[:, j]]
            codes[at, j] = np.append(above, np.int32(-1))[codes[at, j]]


def parents_of(table: Table) -> Parents:
    """Return what stands above each value in the taxonomies of a table; a node over a single value is no step."""
    found = {}
    for name in table.names:
        tree = table.domain(name)
        if isinstance(tree, Taxonomy) and tree.depth.max(initial=0) > 1:
            found[name] = _steps(tree)
    return found


def penalties_of(table: Table) -> dict[str, dict[str, float]]:
    """Return for each taxonomy the share of its leaves below each node that a value may climb to."""
    found = {}
    for name, parents in parents_of(table).items():
        tree = table.domain(name)
        assert isinstance(tree, Taxonomy)
        n_leaves = tree.n_leaves - (tree.missing is not None)
        nodes = {label: tree.node(label) for label in dict.fromkeys(parents.values())}
        found[name] = {label: int(tree.last[node] - tree.first[node]) / n_leaves for label, node in nodes.items()}
    return found


def _steps(tree: Taxonomy) -> dict[str, str]:
    is_step = tree.last - tree.first > 1
    is_step[0] = False
    found = {}
    for node in range(1, tree.n_nodes):
        above = int(tree.parent[node])
        while above > 0 and not is_step[above]:
            above = int(tree.parent[above])
        if above > 0 and tree.labels[node] is not None:
            found[str(tree.labels[node])] = str(tree.labels[above])
    return found


def ladder_of(problem: Problem, parents: Parents) -> tuple[Problem, Ladder]:
    """Return the problem with coarser values as codes, and the ladder; a column without parents is one step to blank.

    A generalised value is a value of its own: it equals the same node in other records, and nothing else. Its
    sensitivity is the largest of the values below it.
    """
    labels, weights = list(problem.grid.labels), list(problem.weights)
    above = [np.full(len(each), -1, np.int32) for each in labels]
    for j, name in enumerate(problem.grid.columns):
        up = parents.get(name)
        if not up:
            continue
        more = [label for label in dict.fromkeys(up.values()) if label not in labels[j]]
        labels[j] = (*labels[j], *more)
        place = {label: code for code, label in enumerate(labels[j])}
        above[j] = np.array([place[up[label]] if label in up else -1 for label in labels[j]], dtype=np.int32)
        weights[j] = _heaviest(np.concatenate([weights[j], np.zeros(len(more))]), above[j])
    grid = Grid(problem.grid.columns, tuple(labels), problem.grid.codes)
    return replace(problem, grid=grid, weights=weights), Ladder(above)


def _heaviest(weights: NDArray[np.float64], above: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the weights, each at least that of everything below it."""
    found = weights.copy()
    code = np.arange(above.size)
    up = above.copy()
    while (up >= 0).any():
        is_below = up >= 0
        np.maximum.at(found, up[is_below], weights[code[is_below]])
        up[is_below] = above[up[is_below]]
    return found
