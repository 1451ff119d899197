"""Inner nodes of taxonomies as further codes of a column, so that a cell can climb one level."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from withhold.methods.risk._problem import Problem
from withhold.table import Grid, Table, Taxonomy

__all__ = ["Ladder", "ladder_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """For each column what every code becomes one level up; -1 is blank."""

    above: list[NDArray[np.int32]]
    penalties: dict[str, dict[str, float]]
    """For columns with inner nodes the share of leaves below each."""

    def climb(self, codes: NDArray[np.int32], cells: NDArray[np.bool_], rows: NDArray[np.int64]) -> None:
        """Replace the chosen cells of some rows by what stands above them, in place."""
        for j, above in enumerate(self.above):
            at = rows[cells[:, j]]
            codes[at, j] = np.append(above, np.int32(-1))[codes[at, j]]


def ladder_of(problem: Problem, table: Table | Grid, *, generalize: bool) -> tuple[Problem, Ladder]:
    """Return the problem with inner nodes as codes, and the ladder; without `generalize` all is one step to blank.

    A generalised value is a value of its own: it equals the same node in other records, and nothing else. Its
    sensitivity is the largest of the values below it.
    """
    labels, weights = list(problem.grid.labels), list(problem.weights)
    above = [np.full(len(each), -1, np.int32) for each in labels]
    penalties: dict[str, dict[str, float]] = {}
    for j, name in enumerate(problem.grid.columns):
        domain = table.domain(name) if generalize and isinstance(table, Table) else None
        if not isinstance(domain, Taxonomy) or domain.depth.max(initial=0) < 2:
            continue
        inner = [node for node in range(1, domain.n_nodes) if domain.last[node] > domain.first[node] + 1]
        inner = [node for node in inner if domain.labels[node] not in labels[j]]
        codes = {str(domain.labels[node]): len(labels[j]) + i for i, node in enumerate(inner)}
        place = {label: code for code, label in enumerate(labels[j])} | codes
        labels[j] = (*labels[j], *codes)
        steps = np.full(len(labels[j]), -1, np.int32)
        heaviest = np.concatenate([weights[j], np.zeros(len(inner))])
        for label, code in place.items():
            node = int(domain.parent[domain.node(label)])
            while node > 0 and str(domain.labels[node]) not in codes:
                node = int(domain.parent[node])
            steps[code] = codes[str(domain.labels[node])] if node > 0 else -1
        for label, code in codes.items():
            node = domain.node(label)
            below = [domain.labels[leaf] for leaf in domain.leaf_nodes[domain.first[node] : domain.last[node]]]
            heaviest[code] = max((weights[j][place[str(b)]] for b in below if str(b) in place), default=0.0)
        above[j], weights[j] = steps, heaviest
        n_leaves = domain.n_leaves - (domain.missing is not None)
        spans = {label: int(domain.last[domain.node(label)] - domain.first[domain.node(label)]) for label in codes}
        penalties[name] = {label: span / n_leaves for label, span in spans.items()}
    grid = Grid(problem.grid.columns, tuple(labels), problem.grid.codes)
    return replace(problem, grid=grid, weights=weights), Ladder(above, penalties)
