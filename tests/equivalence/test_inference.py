"""Every suppression algorithm against the obvious slow version, on random tables; and brute force on what it promises."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import slow_inference as slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from withhold.methods import inference
from withhold.methods.inference import Sheet
from withhold.table import Table, Taxonomy

TREES: dict[int, dict[str, Any]] = {
    2: {"ANY": {"a": {}, "b": {}}},
    3: {"ANY": {"x": {"a": {}, "b": {}}, "c": {}}},
    4: {"ANY": {"x": {"a": {}, "b": {}}, "y": {"c": {}, "d": {}}}},
    5: {"ANY": {"x": {"a": {}, "y": {"b": {}, "c": {}}}, "z": {"d": {}, "e": {}}}},
}
SINGLE = ["decp", "incp", "dropp", "hid3"]
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


class Nth:
    """Takes the n-th candidate; the coin says what it was given."""

    def __init__(self, n: int, *, goes_on: bool = True) -> None:
        self.n = n
        self.goes_on = goes_on

    def pick(self, candidates: list[str], posterior: object) -> str:
        return candidates[self.n % len(candidates)]

    def guess(self, candidates: Sequence[int], probability: object) -> int:
        return candidates[self.n % len(candidates)]

    def below(self, bound: int) -> int:
        return self.n % bound

    def coin(self) -> bool:
        return self.goes_on


class Problem:
    """A random table in both forms, a row, and the choices to make."""

    def __init__(self, seed: int, n_rows: int, n_columns: int, *, generalizes: bool) -> None:
        self.name = f"Problem({seed}, {n_rows}, {n_columns}, generalizes={generalizes})"
        rng = np.random.default_rng(seed)
        self.columns = [f"c{j}" for j in range(n_columns)]
        sizes = rng.integers(2, 6, n_columns)
        self.domains = {name: list("abcde"[:size]) for name, size in zip(self.columns, sizes, strict=True)}
        hidden = rng.random(n_rows) < 0.5  # a hidden variable makes the columns depend on each other
        rows: list[list[str | None]] = []
        for i in range(n_rows):
            row: list[str | None] = []
            for j, size in enumerate(sizes):
                code = int(rng.integers(size))
                if rng.random() < 0.5:
                    code = int(hidden[i]) * (1 + j % (size - 1))
                row.append(None if rng.random() < 0.08 else "abcde"[code])
            rows.append(row)
        self.row = int(rng.integers(n_rows))
        self.n = int(rng.integers(6))
        self.degree = [None, None, 2, 3][int(rng.integers(4))]
        self.goes_on = bool(rng.random() < 0.8)
        self.trees = {name: TREES[len(values)] for name, values in self.domains.items()}
        for j, name in enumerate(self.columns):
            rows[self.row][j] = rows[self.row][j] or "a"
            if generalizes and rng.random() < 0.4:
                coarse = [
                    node for node in slow.Taxonomy(self.trees[name]).nodes() if node and node not in self.domains[name]
                ]
                for i in range(n_rows):
                    if i != self.row and coarse and rng.random() < 0.1:
                        rows[i][j] = coarse[int(rng.integers(len(coarse)))]
        self.rows = rows
        self.generalizes = generalizes

    def __repr__(self) -> str:
        return self.name

    def slow(self) -> slow.Table:
        taxonomies = self.trees if self.generalizes else {}
        return slow.Table(self.columns, [list(row) for row in self.rows], self.domains, taxonomies)

    def sheet(self) -> Sheet:
        domains = {} if self.generalizes else {name: Taxonomy.flat(values) for name, values in self.domains.items()}
        cells = {name: [row[j] for row in self.rows] for j, name in enumerate(self.columns)}
        taxonomies = {name: Taxonomy.from_nested(tree) for name, tree in self.trees.items()}
        table = Table.from_columns(cells, domains=domains)
        if not self.generalizes:
            return Sheet(table)
        return Sheet(table, modify="generalize", taxonomies=taxonomies)

    def choices(self) -> Nth:
        return Nth(self.n, goes_on=self.goes_on)


@st.composite
def problems(draw: st.DrawFn, *, generalizes: bool) -> Problem:
    return Problem(
        draw(st.integers(0, 10**9)), draw(st.integers(3, 14)), draw(st.integers(2, 5)), generalizes=generalizes
    )


def same(expected: slow.Outcome, done: inference.Protection) -> None:
    changes = [
        [change.row + 1, change.column, "?" if change.published == "*" else change.published] for change in done.changes
    ]
    assert sorted(changes) == sorted(expected.changes)
    assert list(done.statuses) == (expected.statuses or [expected.status])


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("generalizes", [False, True])
@QUICK
@given(data=st.data())
def test_single_cells(name: str, generalizes: bool, data: st.DataObject) -> None:
    problem = data.draw(problems(generalizes=generalizes))
    suffix = "_g" if generalizes else ""
    sheet = problem.sheet()
    for target in problem.columns:
        expected = getattr(slow, name + suffix)(
            problem.slow(), problem.row + 1, target, k=problem.degree, choices=problem.choices()
        )
        done = getattr(inference, name + suffix)(
            sheet, problem.row, target, degree=problem.degree, rng=problem.choices()
        )
        same(expected, done)
        if expected.status != "deleted":
            assert done.guesses[0] == expected.guess
        _bounds_hold(problem, target, name, done)


def _bounds_hold(problem: Problem, target: str, name: str, done: inference.Protection) -> None:
    """Lemmas 3.1 to 3.4 and 4.1 to 4.4: how many cells an algorithm changes at most, the hidden one left out."""
    if done.status == "deleted":
        return
    n_others = done.n_changed - 1
    n, m, j = len(problem.columns), len(problem.rows), problem.columns.index(target)
    n_alike = sum(row[j] == problem.rows[problem.row][j] for row in problem.rows) - 1
    if name in ("dropp", "hid3"):
        assert n_others <= n - 1
        assert {change.row for change in done.changes} == {problem.row}
    elif name == "decp" and not problem.generalizes:
        assert n_others <= (n - 1) * max(n_alike - 1, 0)
    elif name == "decp":
        assert n_others <= (n - 1) * n_alike  # coarse instances may all go: see decision 44
    elif not any(step.action == "decp" for step in done.steps) and not problem.generalizes:
        assert n_others <= m - n_alike - 1


@pytest.mark.parametrize("second", ["decp", "incp", "dropp"])
@pytest.mark.parametrize("generalizes", [False, True])
@QUICK
@given(data=st.data())
def test_hybrids(second: str, generalizes: bool, data: st.DataObject) -> None:
    problem = data.draw(problems(generalizes=generalizes))
    suffix = "_g" if generalizes else ""
    sheet = problem.sheet()
    for target in problem.columns[:3]:
        expected = slow.hybrid(
            problem.slow(), problem.row + 1, target, k=problem.degree, choices=problem.choices(),
            second=second.upper() + ("-G" if generalizes else ""),
        )  # fmt: skip
        done = getattr(inference, f"hid3_{second}{suffix}")(
            sheet, problem.row, target, degree=problem.degree, rng=problem.choices()
        )
        same(expected, done)


@pytest.mark.parametrize("generalizes", [False, True])
@settings(QUICK, max_examples=120)
@given(data=st.data())
def test_several_rows_and_several_columns(generalizes: bool, data: st.DataObject) -> None:
    problem = data.draw(problems(generalizes=generalizes))
    suffix = "_g" if generalizes else ""
    sheet = problem.sheet()
    target = problem.columns[0]
    value = problem.rows[problem.row][0]
    rows = [i for i, row in enumerate(problem.rows) if row[0] == value][:4]
    expected = getattr(slow, f"e_decp{suffix}")(
        problem.slow(), [row + 1 for row in rows], target, k=problem.degree, choices=problem.choices()
    )
    done = getattr(inference, f"e_decp{suffix}")(sheet, rows, target, degree=problem.degree, rng=problem.choices())
    same(expected, done)
    targets = problem.columns[:2]
    expected = getattr(slow, f"e_dropp{suffix}")(
        problem.slow(), problem.row + 1, targets, k=problem.degree, choices=problem.choices()
    )
    done = getattr(inference, f"e_dropp{suffix}")(
        sheet, problem.row, targets, degree=problem.degree, rng=problem.choices()
    )
    same(expected, done)


@settings(QUICK, max_examples=120)
@given(data=st.data())
def test_dropp_blanks_the_fewest_cells_for_its_guess(data: st.DataObject) -> None:
    problem = data.draw(problems(generalizes=False))
    sheet = problem.sheet()
    for target in problem.columns:
        done = inference.dropp(sheet, problem.row, target, rng=Nth(problem.n))
        if done.status != "suppressed":
            continue
        table = problem.slow()
        actual = str(table.get(problem.row + 1, target))
        table.put(problem.row + 1, target, None)
        others = [name for name in problem.columns if name != target]
        guess = str(done.guesses[0])
        sizes = [
            mask.bit_count()
            for mask in range(2 ** len(others))
            if _is_below(table, problem, target, actual, guess, others, mask)
        ]
        if sizes:  # else another value than the guess came to the top
            assert done.n_changed - 1 == min(sizes)


def _is_below(
    table: slow.Table, problem: Problem, target: str, actual: str, guess: str, others: list[str], mask: int
) -> bool:
    trial = table.copy()
    for k, name in enumerate(others):
        if mask >> k & 1:
            trial.put(problem.row + 1, name, None)
    posterior = slow.nb_posterior(trial, problem.row + 1, target, others)
    return posterior[actual] <= posterior[guess]


@pytest.mark.parametrize("against", [("naive-bayes",), ("id3",), ("naive-bayes", "id3")])
@settings(QUICK, max_examples=120)
@given(data=st.data())
def test_auto_leaves_no_cell_exposed_and_deletes_only_where_all_else_fails(
    against: tuple[str, ...], data: st.DataObject
) -> None:
    problem = data.draw(problems(generalizes=False))
    n_cells = data.draw(st.integers(1, 4))
    known = [(i, name) for i, row in enumerate(problem.rows) for j, name in enumerate(problem.columns) if row[j]]
    cells = data.draw(st.lists(st.sampled_from(known), min_size=n_cells, max_size=n_cells, unique=True))
    done = inference.protect(problem.sheet(), cells, against=against, rng=Nth(problem.n))
    table = problem.slow()
    for change in done.changes:
        assert change.published == "*"
        table.put(change.row + 1, change.column, None)
    original = problem.slow()
    for (row, column), status in zip(cells, done.statuses, strict=True):
        actual = str(original.get(row + 1, column))
        assert table.get(row + 1, column) is None
        if status == "deleted":
            continue
        others = [name for name in problem.columns if name != column]
        if "naive-bayes" in against:
            assert actual not in slow.nb_may_say(table, row + 1, column, others)
        if "id3" in against:
            assert actual not in slow.id3_follows(table, row + 1, column, others)
    if len(cells) == 1 and done.status == "deleted":
        ((row, column),) = cells
        others = [name for name in problem.columns if name != column]
        both = "both" if len(against) == 2 else against[0].replace("-", "_")
        assert not slow.any_hiding_in_tuple_protects(original, row + 1, column, others, against=both, counts_ties=True)
        assert slow.decp(original, row + 1, column, choices=Nth(problem.n)).status == "deleted"


@settings(QUICK, max_examples=150)
@given(data=st.data())
def test_protect_by_generalising_leaves_no_cell_exposed(data: st.DataObject) -> None:
    problem = data.draw(problems(generalizes=True))
    known = [
        (i, name) for i, row in enumerate(problem.rows) for j, name in enumerate(problem.columns)
        if row[j] in problem.domains[name]
    ]  # fmt: skip
    cells = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    done = inference.protect(problem.sheet(), cells, modify="generalize", rng=Nth(problem.n))
    table, original = problem.slow(), problem.slow()
    for change in done.changes:
        table.put(change.row + 1, change.column, None if change.published == "*" else change.published)
    for (row, column), status in zip(cells, done.statuses, strict=True):
        actual = str(original.get(row + 1, column))
        assert table.get(row + 1, column) != actual
        if status != "deleted":
            others = [name for name in problem.columns if name != column]
            assert actual not in slow.nb_may_say_g(table, row + 1, column, others)
            assert actual not in slow.id3_follows_g(table, row + 1, column, others)
