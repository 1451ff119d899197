"""What withholding single cells lost: the thesis's worked examples, the obvious slow version, and corner cases."""

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import slow_inference as slow

from withhold import metrics
from withhold.errors import DataError
from withhold.table import Grid, Table, Taxonomy

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "thesis.json").read_text(encoding="utf-8"))
EXAMPLES = {name: each for name, each in GOLDEN["examples"].items() if "metrics" in each}
TREES: dict[int, dict[str, Any]] = {
    2: {"ANY": {"a": {}, "b": {}}},
    3: {"ANY": {"x": {"a": {}, "b": {}}, "c": {}}},
    4: {"ANY": {"x": {"a": {}, "b": {}}, "y": {"c": {}, "d": {}}}},
    5: {"ANY": {"x": {"a": {}, "y": {"b": {}, "c": {}}}, "z": {"d": {}, "e": {}}}},
}
Rows = list[list[str | None]]


def grid_of(columns: Sequence[str], rows: Rows) -> Grid:
    return Grid.of(Table.from_columns({name: [row[j] for row in rows] for j, name in enumerate(columns)}))


def golden_table(name: str) -> tuple[list[str], Rows, dict[str, Taxonomy]]:
    golden = GOLDEN["tables"][name]
    if "same_as" in golden:
        columns, rows, trees = golden_table(golden["same_as"])
        for number, column, value in golden["except"]:
            rows[number - 1][columns.index(column)] = value
        return columns, rows, trees
    trees = {
        column: Taxonomy.from_nested(filled(GOLDEN["taxonomies"][tree]))
        for column, tree in golden.get("taxonomies", {}).items()
    }
    return golden["attributes"], [list(row) for row in golden["rows"]], trees


def filled(nested: dict[str, Any]) -> dict[str, Any]:
    return {name: filled(below or {}) for name, below in nested.items()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_metrics_of_the_worked_examples(name: str) -> None:
    case = EXAMPLES[name]
    golden = case["metrics"]
    columns, rows, trees = golden_table(case["input"])
    before = grid_of(columns, rows)
    after = before.with_cells({(n - 1, column): "*" if text == "?" else text for n, column, text in case["changes"]})
    found = metrics.suppression_metrics(before, after, columns=golden["attributes"], taxonomies=trees)
    assert found.direct_distance == golden["direct_distance"]
    assert found.kullback_leibler == pytest.approx(golden["kld"], abs=1e-12)
    assert found.skld == pytest.approx(golden["skld"], abs=1e-12)
    assert found.acmi == pytest.approx(golden["acmi"], abs=1e-12)
    assert found.conditional_entropy == pytest.approx(golden["conditional_entropy"], abs=1e-12)
    assert found.sce == pytest.approx(golden["sce"], abs=1e-12)


def random_tables(seed: int) -> tuple[list[str], dict[str, list[str]], dict[str, Any], Rows, Rows]:
    """Return a random table and one with cells blanked, coarsened and rows deleted."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(2, 25)), int(rng.integers(2, 5))
    sizes = rng.integers(2, 6, n_columns).tolist()
    columns = [f"c{j}" for j in range(n_columns)]
    domains = {name: list("abcde"[:size]) for name, size in zip(columns, sizes, strict=True)}
    trees = {name: TREES[size] for name, size in zip(columns, sizes, strict=True)}
    few = rng.random() < 0.3  # few values make columns independent now and then
    before: Rows = [
        [None if rng.random() < 0.05 else "abcde"[int(rng.integers(2 if few else size))] for size in sizes]
        for _ in range(n_rows)
    ]
    nodes = {name: [node for node in slow.Taxonomy(tree).nodes() if node] for name, tree in trees.items()}
    for row in before:
        for j, name in enumerate(columns):
            if rng.random() < 0.05:
                row[j] = nodes[name][int(rng.integers(len(nodes[name])))]
    after: Rows = [list(row) for row in before]
    share = float(rng.choice([0.0, 0.1, 0.5]))
    for row in after:
        for j, name in enumerate(columns):
            if row[j] is not None and rng.random() < share:
                row[j] = slow.Taxonomy(trees[name]).generalize(row[j], int(rng.integers(1, 3)))
        if rng.random() < 0.05:
            row[:] = [None] * n_columns
    return columns, domains, trees, before, after


@pytest.mark.parametrize("block", range(10))
def test_metrics_equal_the_slow_version(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        columns, domains, trees, was, now = random_tables(seed)
        old, new = (slow.Table(columns, [list(row) for row in rows], dict(domains), trees) for rows in (was, now))
        taxonomies = {name: Taxonomy.from_nested(tree) for name, tree in trees.items()}
        before, after = grid_of(columns, was), grid_of(columns, now)
        found = metrics.suppression_metrics(before, after, taxonomies=taxonomies)
        assert found.direct_distance == slow.direct_distance(old, new)
        assert found.kullback_leibler == pytest.approx({c: slow.kld(old, new, c) for c in columns}, abs=1e-9)
        assert found.acmi == pytest.approx(slow.acmi(old, new, columns), rel=1e-9), seed
        entropies = {c: slow.conditional_entropy(old, new, c) for c in columns}
        assert found.conditional_entropy == pytest.approx(entropies, abs=1e-9)
        assert found.skld == pytest.approx(slow.skld(old, new, columns), abs=1e-9)
        assert found.sce == pytest.approx(slow.sce(old, new, columns), abs=1e-9)
        pairs = metrics.mutual_information(after, taxonomies=taxonomies)
        assert pairs == pytest.approx({(a, b): slow.mutual_information(new, a, b) for a, b in pairs}, abs=1e-9)
        for pair, value in pairs.items():
            assert (value == 0) == (slow.mutual_information(new, *pair) == 0), seed


def test_single_metrics_are_those_of_the_whole() -> None:
    columns, _, trees, was, now = random_tables(7)
    taxonomies = {name: Taxonomy.from_nested(tree) for name, tree in trees.items()}
    before, after = grid_of(columns, was), grid_of(columns, now)
    found = metrics.suppression_metrics(before, after, taxonomies=taxonomies)
    assert metrics.direct_distance(before, after, taxonomies=taxonomies) == found.direct_distance
    assert metrics.kullback_leibler(before, after, taxonomies=taxonomies) == found.kullback_leibler
    assert metrics.acmi(before, after, taxonomies=taxonomies) == found.acmi
    assert metrics.conditional_entropy(before, after, taxonomies=taxonomies) == found.conditional_entropy


def test_nothing_changed() -> None:
    grid = Grid.of(Table.from_columns({"a": ["x", "y", "x"], "b": ["u", "u", "v"]}))
    found = metrics.suppression_metrics(grid, grid)
    assert (found.direct_distance, found.skld, found.acmi) == (0, 0.0, 1.0)
    assert found.sce == 0.0


def test_the_domains_of_a_table_are_its_taxonomies() -> None:
    tree = Taxonomy.from_nested({"ANY": {"School": ["9th", "10th"], "University": ["BSc", "MSc"]}})
    cells = ["9th", "10th", "BSc", "MSc", "9th"]
    before = Table.from_columns({"degree": cells}, domains={"degree": tree})
    after = Table.from_columns({"degree": ["School", *cells[1:4], "ANY"]})
    # School is shared out over the 10th that is left: the 9th is no longer reported.
    assert metrics.kullback_leibler(before, after) == {"degree": math.inf}
    assert metrics.direct_distance(before, after) == 2


def test_a_column_without_a_known_cell_left_is_infinitely_far() -> None:
    before = Table.from_columns({"a": ["x", "y"], "b": ["u", "v"]})
    after = Table.from_columns({"a": ["*", None], "b": ["u", "v"]})
    found = metrics.suppression_metrics(before, after)
    assert found.kullback_leibler == {"a": math.inf, "b": 0.0}
    assert found.acmi == math.inf
    assert found.conditional_entropy == {"a": 1.0, "b": 0.0}


def test_independent_columns_stay_exactly_independent() -> None:
    rows = [(a, b) for a in "uvw" for b in "xyz"] * 7
    grid = Grid.of(Table.from_columns({"a": [a for a, _ in rows], "b": [b for _, b in rows]}))
    assert metrics.mutual_information(grid) == {("a", "b"): 0.0}
    hidden = grid.with_cells({(0, "a"): "*"})
    assert metrics.acmi(grid, hidden) == 0.0
    assert metrics.acmi(hidden, grid) == math.inf


def test_many_values_are_counted_without_a_table_of_all_pairs() -> None:
    rng = np.random.default_rng(0)
    codes = np.stack([rng.permutation(5_000), rng.permutation(5_000)], axis=1).astype(np.int32)
    labels = tuple(tuple(str(i) for i in range(5_000)) for _ in range(2))
    grid = Grid(("a", "b"), labels, codes)
    assert metrics.mutual_information(grid)["a", "b"] == pytest.approx(math.log2(5_000))


def test_a_large_table_is_measured_quickly() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 12, (45_000, 8), dtype=np.int32)
    labels = tuple(str(i) for i in range(12))
    before = Grid(tuple("abcdefgh"), (labels,) * 8, codes)
    after = Grid(before.columns, before.labels, np.where(rng.random(codes.shape) < 0.1, -1, codes).astype(np.int32))
    begin = time.perf_counter()
    found = metrics.suppression_metrics(before, after)
    assert time.perf_counter() - begin < 2
    assert found.direct_distance == np.count_nonzero(after.codes < 0)


def test_tables_that_do_not_match_are_refused() -> None:
    one, two = Table.from_columns({"a": ["x"]}), Table.from_columns({"a": ["x", "y"]})
    with pytest.raises(DataError, match="the same rows"):
        metrics.direct_distance(one, two)
    with pytest.raises(DataError, match='no column "b"'):
        metrics.direct_distance(one, one, columns=["b"])


STAFF = Table.from_columns({"job": ["cook", "cook", "smith", "smith"], "pay": ["low", "low", "high", "high"]})
HIDDEN = Table.from_columns({"job": ["cook", "cook", "smith", "*"], "pay": ["*", "low", "high", "*"]})


def test_success_counts_deleted_rows_both_ways() -> None:
    found = metrics.success_rate(STAFF, HIDDEN, [(0, "pay"), (3, "pay")], lambda grid, row, column: "low")
    assert (found.n_cells, found.n_recovered, found.n_deleted) == (2, 1, 1)
    assert (found.rate, found.rate_with_deleted) == (0.0, 0.5)
    assert (found + found).n_cells == 4


class Nearest:
    """Gives the label of the first row with the most equal cells."""

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self.rows, self.labels = rows, labels

    def predict(self, rows: np.ndarray) -> list[int]:
        return [int(self.labels[np.argmax((self.rows == row).sum(axis=1))]) for row in rows]


def test_success_against_a_learner() -> None:
    assert metrics.success_rate(STAFF, HIDDEN, [(0, "pay")], Nearest()).rate == 0.0
    swapped = Grid.of(HIDDEN).with_cells({(0, "job"): "smith"})
    assert metrics.success_rate(STAFF, swapped, [(0, "pay")], Nearest()).rate == 1.0


def test_a_learner_does_not_train_on_coarse_labels() -> None:
    coarse = Grid.of(STAFF).with_cells({(0, "pay"): "*", (1, "pay"): "not high"})
    assert metrics.success_rate(STAFF, coarse, [(0, "pay")], Nearest()).n_recovered == 0


def test_no_cells_are_no_failure() -> None:
    assert metrics.success_rate(STAFF, HIDDEN, [], Nearest()).rate == 1.0
