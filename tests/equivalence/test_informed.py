"""Hidden cells for the informed: nothing depends on what stood in them, and adversaries have nothing to say of them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import slow_inference as slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.methods import inference
from withhold.methods.inference import _blind_guard
from withhold.table import Table, Taxonomy

OFTEN = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
seeds = st.integers(0, 10**9)


class Problem:
    """A random table whose columns depend on each other, and cells to hide."""

    def __init__(self, seed: int, *, n_targets: int | None = None) -> None:
        self.rng = rng = np.random.default_rng(seed)
        n_rows, n_columns = int(rng.integers(4, 16)), int(rng.integers(2, 6))
        self.columns = [f"c{j}" for j in range(n_columns)]
        sizes = rng.integers(2, 5, n_columns)
        self.domains = {name: list("abcd"[:size]) for name, size in zip(self.columns, sizes, strict=True)}
        common = rng.integers(0, 4, n_rows)
        codes = np.where(
            rng.random((n_rows, n_columns)) < 0.6,
            common[:, np.newaxis] % sizes,
            rng.integers(0, sizes, (n_rows, n_columns)),
        )
        is_missing = rng.random(codes.shape) < 0.08
        self.rows: list[list[str | None]] = [
            [None if gone else "abcd"[code] for code, gone in zip(line, lost, strict=True)]
            for line, lost in zip(codes.tolist(), is_missing.tolist(), strict=True)
        ]
        targets = self.columns[: n_targets or n_columns]
        known = [(i, name) for j, name in enumerate(targets) for i in range(n_rows) if self.rows[i][j] is not None]
        chosen = rng.permutation(len(known))[: int(rng.integers(1, 6))]
        self.cells = [known[i] for i in sorted(chosen.tolist())]

    def table(self) -> Table:
        cells = {name: [row[j] for row in self.rows] for j, name in enumerate(self.columns)}
        return Table.from_columns(cells, domains={n: Taxonomy.flat(values) for n, values in self.domains.items()})

    def after(self, changes: Any) -> slow.Table:
        table = slow.Table(self.columns, [list(row) for row in self.rows], self.domains, {})
        for change in changes:
            table.put(change.row + 1, change.column, None)
        return table

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.rows, columns=self.columns, dtype=object)


def others(problem: Problem, name: str) -> list[str]:
    return [column for column in problem.columns if column != name]


@OFTEN
@given(seeds)
def test_nothing_is_inferred_of_a_hidden_cell(seed: int) -> None:
    problem = Problem(seed)
    done = inference.protect(problem.table(), problem.cells, informed=True, rng=seed)
    changed = {(change.row, change.column) for change in done.changes}
    assert changed >= set(problem.cells)
    assert {row for row, _ in changed} == {row for row, _ in problem.cells}
    assert done.n_deleted == 0
    after = problem.after(done.changes)
    for row, name in problem.cells:
        assert not slow.infers(after, row + 1, name, others(problem, name))


@OFTEN
@given(seeds)
def test_as_few_cells_as_can_be_where_one_column_is_hidden(seed: int) -> None:
    problem = Problem(seed, n_targets=1)
    done = inference.protect(problem.table(), problem.cells, informed=True, rng=seed)
    hidden = problem.after(change for change in done.changes if (change.row, change.column) in problem.cells)
    for row, name in problem.cells:
        n_blanked = sum(change.row == row for change in done.changes) - 1
        assert n_blanked == slow.fewest_silencing(hidden, row + 1, name, others(problem, name))


@OFTEN
@given(seeds)
def test_long_rows_are_given_back_what_can_be(seed: int) -> None:
    problem = Problem(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_blind_guard, "MOST_SETS", 1)
        done = inference.protect(problem.table(), problem.cells, informed=True, rng=seed)
    after = problem.after(done.changes)
    for row, name in problem.cells:
        assert not slow.infers(after, row + 1, name, others(problem, name))


@settings(OFTEN, max_examples=15)
@given(seeds)
def test_a_release_does_not_hang_on_what_stood_there(seed: int) -> None:
    """Put any other value into the hidden cells, also one that occurs nowhere else: the same release comes out."""
    problem = Problem(seed)
    other = problem.frame()
    for row, name in problem.cells:
        other.loc[row, name] = ["a", "b", "c", "d", "new"][problem.rng.integers(5)]
    frames, shown = (problem.frame(), other), problem.frame()
    for row, name in problem.cells:
        shown.loc[row, name] = None
    if any(shown[name].dropna().nunique() < 2 for _, name in problem.cells):
        return
    policy = wh.Policy([wh.Hidden(cells=problem.cells, informed=True, most_withheld=1.0)])
    made = [wh.release(frame, policy, rng=seed).to_frame() for frame in frames]
    pd.testing.assert_frame_equal(*made)


@OFTEN
@given(seeds)
def test_protection_does_not_hang_on_what_stood_there(seed: int) -> None:
    """As below, without the way through a file: the same cells are blanked whatever stood in the hidden ones."""
    problem = Problem(seed)
    blanked = []
    for _ in range(2):
        cells = {name: [row[j] for row in problem.rows] for j, name in enumerate(problem.columns)}
        if all(len({*column} - {None}) > 1 for column in cells.values()):
            done = inference.protect(Table.from_columns(cells), problem.cells, informed=True, rng=seed)
            blanked.append(done.changes)
        for row, name in problem.cells:
            problem.rows[row][problem.columns.index(name)] = ["a", "b", "c", "d", "new"][problem.rng.integers(5)]
    assert len(blanked) < 2 or blanked[0] == blanked[1]


@settings(OFTEN, max_examples=20)
@given(seeds)
def test_the_audit_finds_what_is_inferred(seed: int) -> None:
    """Give back one of the blanks: the audit says so exactly where a slow adversary infers something."""
    problem = Problem(seed)
    table = problem.frame()
    if any(table[name].dropna().nunique() < 2 for _, name in problem.cells):
        return
    columns = {name: wh.ColumnSettings(taxonomy=Taxonomy.flat(values)) for name, values in problem.domains.items()}
    policy = wh.Policy([wh.Hidden(cells=problem.cells, informed=True, most_withheld=1.0)], columns=columns)
    published = wh.release(table, policy, rng=seed).to_frame()
    blanks = [
        (row, name)
        for name in problem.columns
        for row in range(len(table))
        if published.loc[row, name] == "*" and (row, name) not in problem.cells
    ]
    if not blanks:
        return
    row, name = blanks[problem.rng.integers(len(blanks))]
    published.loc[row, name] = table.loc[row, name]
    audit = wh.audit(published, policy, original=table, attack=False)
    lines = published.to_numpy(dtype=object).tolist()
    cells = [[cell if cell in list("abcd") else None for cell in line] for line in lines]
    after = slow.Table(problem.columns, cells, problem.domains, {})
    is_inferred = any(slow.infers(after, row + 1, name, others(problem, name)) for row, name in problem.cells)
    assert audit.ok == (not is_inferred)
