"""Ties: a cell is protected only if no way to break them leads an adversary to its true value."""

from typing import Any

import numpy as np
import pytest
import slow_inference as slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import real_data
from withhold.attackers import View, bayes_recovers, bayes_says_more, id3_guesses, id3_recovers, id3_says_more
from withhold.methods import inference
from withhold.methods.inference import Defence, Sheet
from withhold.table import Table, Taxonomy

OFTEN = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
seeds = st.integers(0, 10**9)
TREE: dict[str, Any] = {"ANY": {"ab": {"a": None, "b": None}, "c": None}}


class Problem:
    """A table so small that every order of its columns and values can be tried; the cell of its first row is asked."""

    def __init__(self, seed: int, *, generalised: bool = False) -> None:
        rng = np.random.default_rng(seed)
        sizes = [2, 3, 3] if generalised else [[2, 2, 2, 2], [3, 2, 2, 2], [2, 3, 3], [3, 3, 2]][rng.integers(4)]
        self.columns = [f"c{j}" for j in range(len(sizes))]
        self.target, *self.predictors = self.columns
        n_rows = int(rng.integers(3, 10))
        codes = rng.integers(0, sizes, (n_rows, len(sizes)))
        if rng.random() < 0.5:  # pairs of rows that differ in nothing or in the label make ties
            codes[n_rows // 2 :] = codes[: n_rows - n_rows // 2]
            codes[n_rows // 2 :, 0] = (codes[n_rows // 2 :, 0] + 1) % sizes[0]
        gone = rng.random(codes.shape) < rng.choice([0.0, 0.1, 0.3])
        self.rows: list[list[str | None]] = [
            [None if lost else "abc"[code] for code, lost in zip(line, missing, strict=True)]
            for line, missing in zip(codes.tolist(), gone.tolist(), strict=True)
        ]
        self.rows[0][0] = None
        self.domains = {name: list("abc"[:size]) for name, size in zip(self.columns, sizes, strict=True)}
        self.trees: dict[str, Any] = {}
        if generalised:
            self.trees = {name: {"ANY": dict.fromkeys(values)} for name, values in self.domains.items()}
            self.trees[self.predictors[0]] = TREE
            for row in self.rows:
                row[1] = "ab" if rng.random() < 0.3 else row[1]

    def slow(self) -> slow.Table:
        return slow.Table(self.columns, [list(row) for row in self.rows], dict(self.domains), self.trees)

    def cells(self) -> dict[str, list[str | None]]:
        return {name: [row[j] for row in self.rows] for j, name in enumerate(self.columns)}

    def taxonomies(self) -> dict[str, Taxonomy]:
        return {name: Taxonomy.from_nested(_empty_leaves(nested)) for name, nested in self.trees.items()}

    def view(self) -> View:
        return View.of(self.cells(), taxonomies=self.taxonomies())

    def sheet(self) -> Sheet:
        """The table ready for the method, which knows values that do not occur."""
        domains = {name: Taxonomy.flat(values) for name, values in self.domains.items() if name not in self.trees}
        modify = "generalize" if self.trees else "delete"
        sheet = Sheet(Table.from_columns(self.cells(), domains=domains), modify=modify, taxonomies=self.taxonomies())
        sheet.prepare([0])
        return sheet


def _empty_leaves(nested: dict[str, Any] | None) -> dict[str, Any]:
    return {name: _empty_leaves(below) for name, below in (nested or {}).items()}


@OFTEN
@given(seeds)
def test_id3_recovers_what_some_order_gives(seed: int) -> None:
    problem = Problem(seed)
    may_be_said = slow.id3_may_say(problem.slow(), 1, problem.target, problem.predictors)
    assert slow.id3_follows(problem.slow(), 1, problem.target, problem.predictors) == may_be_said - {None}
    for value in problem.domains[problem.target]:
        (found,) = id3_recovers(problem.view(), problem.target, [0], [value], predictors=problem.predictors)
        assert found == (value in may_be_said)


@OFTEN
@given(seeds)
def test_id3_says_more_where_some_order_does(seed: int) -> None:
    problem = Problem(seed)
    (found,) = id3_says_more(problem.view(), problem.target, [0], predictors=problem.predictors)
    if slow.id3_may_say_more(problem.slow(), 1, problem.target, problem.predictors):
        assert found
    elif len(slow.id3_may_say(problem.slow(), 1, problem.target, problem.predictors)) == 1:
        empty = problem.slow()
        empty.rows[0] = [None] * len(problem.columns)
        assert not found or len(slow.id3_may_say(empty, 1, problem.target, problem.predictors)) > 1


@OFTEN
@given(seeds)
def test_naive_bayes_recovers_what_some_order_gives(seed: int) -> None:
    problem = Problem(seed)
    table = problem.slow()
    may_be_said = slow.nb_may_say(table, 1, problem.target, problem.predictors)
    for value in problem.domains[problem.target]:
        (found,) = bayes_recovers(problem.view(), problem.target, [0], [value], predictors=problem.predictors)
        assert found == (value in may_be_said)
    table.rows[0] = [None] * len(problem.columns)
    of_empty = slow.nb_may_say(table, 1, problem.target, problem.predictors)
    (found,) = bayes_says_more(problem.view(), problem.target, [0], predictors=problem.predictors)
    assert found == (bool(may_be_said) and may_be_said != of_empty)


@OFTEN
@given(seeds)
def test_guard_and_check_read_ties_alike(seed: int) -> None:
    for generalised in (False, True):
        problem = Problem(seed, generalised=generalised)
        view, sheet = problem.view(), problem.sheet()
        asked = (problem.slow(), 1, problem.target, problem.predictors)
        may_be_said = slow.id3_follows_g(*asked) if generalised else slow.id3_follows(*asked)
        with sheet.counting_ties():
            for label, value in enumerate(problem.domains[problem.target]):
                question = (view, problem.target, [0], [value])
                (of_tree,) = id3_recovers(*question, predictors=problem.predictors)
                (of_bayes,) = bayes_recovers(*question, predictors=problem.predictors)
                assert sheet.is_classified(0, 0, sheet.root(0), label) == of_tree == (value in may_be_said)
                assert sheet.is_predicted(0, 0, sheet.root(0), label) == of_bayes


class Larger:
    """A table of equally frequent values, in which nearly everything is tied, and cells to hide."""

    def __init__(self, seed: int, *, generalised: bool = False) -> None:
        self.rng = rng = np.random.default_rng(seed)
        n_rows, n_columns, n_values = int(rng.integers(4, 17)), int(rng.integers(2, 6)), int(rng.integers(2, 4))
        self.columns = [f"c{j}" for j in range(n_columns)]
        codes = np.stack([rng.permutation(n_rows) % n_values for _ in self.columns], axis=1)
        alike = rng.random(codes.shape) < rng.choice([0.0, 0.5])
        codes = np.where(alike, codes[:, :1], codes)
        gone = rng.random(codes.shape) < rng.choice([0.0, 0.1])
        gone[:n_values] = False
        self.rows = [
            ["" if lost else "abc"[code] for code, lost in zip(line, missing, strict=True)]
            for line, missing in zip(codes.tolist(), gone.tolist(), strict=True)
        ]
        known = [
            (i, name)
            for j, name in enumerate(self.columns)
            for i in range(n_rows)
            if self.rows[i][j] and len({row[j] for row in self.rows} - {""}) > 1
        ]
        self.hidden = [known[i] for i in sorted(rng.permutation(len(known))[: int(rng.integers(1, 5))].tolist())]
        nested: dict[str, Any] = {"ANY": {"ab": {"a": {}, "b": {}}, "c": {}} if n_values == 3 else {"a": {}, "b": {}}}
        self.taxonomies = {name: Taxonomy.from_nested(nested) for name in self.columns} if generalised else {}

    def table(self) -> Table:
        cells = {name: [row[j] or None for row in self.rows] for j, name in enumerate(self.columns)}
        return Table.from_columns(cells, domains=self.taxonomies)

    def published(self, done: inference.Protection) -> View:
        rows = [list(row) for row in self.rows]
        for change in done.changes:
            rows[change.row][self.columns.index(change.column)] = change.published
        columns = {name: [row[j] for row in rows] for j, name in enumerate(self.columns)}
        return View.of(columns, taxonomies=self.taxonomies)

    def recovered(self, done: inference.Protection) -> int:
        """How many of the cells an adversary recovers, those of deleted rows left out."""
        view, n = self.published(done), 0
        for (row, name), status in zip(self.hidden, done.statuses, strict=True):
            question = (view, name, [row], [self.rows[row][self.columns.index(name)]])
            if status != "deleted":
                n += int(bayes_recovers(*question, predictors=self.columns).sum())
                n += int(id3_recovers(*question, predictors=self.columns).sum())
        return n


@OFTEN
@given(seeds)
def test_auto_protects_from_every_way_to_break_ties(seed: int) -> None:
    problem = Larger(seed)
    assert problem.recovered(inference.protect(problem.table(), problem.hidden, rng=seed)) == 0


@pytest.mark.parametrize("method", ["decp", "incp", "dropp"])
@pytest.mark.parametrize("modify", ["delete", "generalize"])
@OFTEN
@given(seeds)
def test_what_a_printed_algorithm_leaves_to_a_tie_is_protected_after_it(method: str, modify: str, seed: int) -> None:
    problem = Larger(seed, generalised=modify == "generalize")
    against = [Defence("naive-bayes", method, 2), Defence("id3", "hid3")]
    done = inference.protect(problem.table(), problem.hidden, against=against, modify=modify, rng=seed)
    assert problem.recovered(done) == 0


@OFTEN
@given(seeds)
def test_generalising_protects_from_every_way_to_break_ties(seed: int) -> None:
    problem = Larger(seed, generalised=True)
    done = inference.protect(problem.table(), problem.hidden, modify="generalize", rng=seed)
    assert problem.recovered(done) == 0


@OFTEN
@given(seeds)
def test_of_the_informed_no_way_to_break_ties_says_more(seed: int) -> None:
    problem = Larger(seed)
    done = inference.protect(problem.table(), problem.hidden, informed=True, rng=seed)
    view = problem.published(done)
    for row, name in problem.hidden:
        for says_more in (bayes_says_more, id3_says_more):
            assert not says_more(view, name, [row], predictors=problem.columns).any()


# Each sort of tie


TIED: dict[str, dict[str, list[str | None]]] = {
    "labels of a leaf": {"ill": [None, "no", "yes"], "a": ["x", "x", "x"]},
    "branches of the row": {"ill": [None, "yes", "yes", "no", "no"], "a": [None, "x", "x", "y", "y"]},
    "branches of a row to learn from": {
        "ill": [None, "yes", "no", "no", "no", "yes"],
        "a": ["x", "x", "x", "y", "y", None],
    },
    "columns": {
        "ill": [None, "yes", "yes", "no", "no"],
        "a": ["x", "x", "x", "y", "y"],
        "b": ["v", "u", "u", "v", "v"],
    },
}


@pytest.mark.parametrize("what", TIED)
@pytest.mark.parametrize("modify", ["delete", "generalize"])
def test_a_tie_may_give_either_value(what: str, modify: str) -> None:
    view = View.of(TIED[what])
    assert id3_recovers(view, "ill", [0, 0], ["no", "yes"], predictors=view.columns).all()
    sheet = Sheet(Table.from_columns(TIED[what]), modify=modify)
    sheet.prepare([0])
    asked = (0, 0, sheet.root(0))
    assert sum(sheet.is_classified(*asked, label) for label in (0, 1)) == 1
    with sheet.counting_ties():
        assert all(sheet.is_classified(*asked, label) for label in (0, 1))
    for value in ("no", "yes"):
        truth = {**TIED[what], "ill": [value, *TIED[what]["ill"][1:]]}
        done = inference.protect(Table.from_columns(truth), [(0, "ill")], against=["id3"], modify=modify, rng=0)
        after = {name: list(column) for name, column in truth.items()}
        for change in done.changes:
            after[change.column][change.row] = change.published if change.published in ("no", "yes") else None
        recovered = id3_recovers(View.of(after), "ill", [0], [value], predictors=list(after))
        assert done.status == "deleted" or not recovered.any()


def majority(n_columns: int) -> dict[str, list[str | None]]:
    """Every row of bits, each with the value that most of them have: all columns are tied at every node."""
    codes = np.arange(2**n_columns)
    bits = {f"b{j}": (codes >> j & 1).astype(str).tolist() for j in range(n_columns)}
    return {"most": np.where(np.bitwise_count(codes) * 2 > n_columns, "1", "0").tolist(), **bits}


def test_what_has_more_ways_than_are_followed_counts_as_recovered() -> None:
    """The row of zeros comes to a leaf of zeros on each of 9·8·7·6·5 ways, and of 5·4·3 ways."""
    for n_columns, is_followed in ((9, False), (5, True)):
        columns = majority(n_columns)
        columns["most"][0] = None
        view = View.of(columns)
        assert id3_recovers(view, "most", [0, 0], ["0", "1"], predictors=view.columns).tolist() == [
            True,
            not is_followed,
        ]


def test_where_there_are_too_many_ways_the_release_does_not_need_them() -> None:
    columns = majority(9)
    columns["most"][0] = "1"
    done = inference.protect(Table.from_columns(columns), [(0, "most")], against=["id3"], rng=0)
    for change in done.changes:
        columns[change.column][change.row] = None
    recovered = id3_recovers(View.of(columns), "most", [0], ["1"], predictors=list(columns))
    assert done.status == "deleted" or not recovered.any()


# A real table of equally frequent values


@pytest.mark.parametrize("method", ["auto", "hid3"])
def test_no_order_of_columns_and_values_recovers_hidden_cells_of_car(method: str) -> None:
    frame = real_data.car()
    rng = np.random.default_rng(0)
    rows = rng.choice(len(frame), 60, replace=False).tolist()
    hidden = [(row, str(rng.choice(frame.columns[:-1]))) for row in rows]
    table = Table.from_columns({name: frame[name].tolist() for name in frame.columns})
    done = inference.protect(table, hidden, against=[Defence("id3", method)], rng=0)
    published = {name: frame[name].tolist() for name in frame.columns}
    for change in done.changes:
        published[change.column][change.row] = change.published
    values = {name: sorted(set(frame[name])) for name in frame.columns}
    left = [cell for cell, status in zip(hidden, done.statuses, strict=True) if status != "deleted"]
    assert len(left) > 40
    for _ in range(12):
        view = View.of({str(name): published[name] for name in rng.permutation(list(published))})
        order = {name: rng.permutation(each).tolist() for name, each in values.items()}
        for name in dict.fromkeys(name for _, name in left):
            rows = [row for row, column in left if column == name]
            said = id3_guesses(view, name, rows, predictors=view.columns, order=order).tolist()
            labels = view.labels[view.position(name)]
            truth = frame[name][rows].tolist()
            assert not any(code >= 0 and labels[code] == each for code, each in zip(said, truth, strict=True))
