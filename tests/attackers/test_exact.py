"""The adversaries of the audit: against the slow references, on the golden cases, on planted tables."""

import ast
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import slow_inference as slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slow_rules import hidden_set, slow_rules

import withhold
from withhold.attackers import (
    RuleAttack,
    View,
    bayes_guesses,
    bayes_recovers,
    id3_guesses,
    id3_recovers,
    rules_recover,
    with_leaves,
)
from withhold.errors import DataError, InputError, TaxonomyError
from withhold.table import Taxonomy

GOLDEN = Path(__file__).parents[1] / "golden"
THESIS = json.loads((GOLDEN / "thesis.json").read_text(encoding="utf-8"))
PAPER = json.loads((GOLDEN / "adversarial.json").read_text(encoding="utf-8"))
GUESSES = {"DECP": bayes_guesses, "INCP": bayes_guesses, "DROPP": bayes_guesses, "HID3": id3_guesses}
SHAPES: list[dict[str, Any]] = [
    {"ANY": {"x": None, "y": None, "z": None}},
    {"ANY": {"xy": {"x": None, "y": None}, "z": None}},
    {"ANY": {"only": {"x": None}, "yzw": {"y": None, "zw": {"z": None, "w": None}}}},
    {"ANY": {"low": {"x": None, "y": None}, "high": {"z": None, "w": None}}},
]
often = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def leaves(nested: dict[str, Any] | None, above: str = "") -> list[str]:
    return [leaf for name, below in nested.items() for leaf in leaves(below, name)] if nested else [above]


def inner(nested: dict[str, Any]) -> list[str]:
    return [name for name, below in nested.items() if below] + [
        name for below in nested.values() if below for name in inner(below)
    ]


def tree_of(nested: dict[str, Any]) -> Taxonomy:
    def plain(below: dict[str, Any] | None) -> dict[str, Any]:
        return {name: plain(each) for name, each in (below or {}).items()}

    return Taxonomy.from_nested(plain(nested))


def view_of(table: slow.Table, *, generalised: bool) -> View:
    columns = {name: [row[i] for row in table.rows] for i, name in enumerate(table.columns)}
    taxonomies = {name: tree_of(nested) for name, nested in table.taxonomies.items()} if generalised else {}
    return View.of(columns, taxonomies=taxonomies)


def transposed(rows: list[list[str | None]]) -> dict[str, list[str | None]]:
    return {str(j): [row[j] for row in rows] for j in range(len(rows[0]))}


# Naive Bayes and ID3 against the slow reference


@st.composite
def tables(draw: st.DrawFn, *, generalised: bool) -> tuple[slow.Table, list[str], int]:
    """A published table with its true labels in the first column; the cells of its first rows there are hidden."""
    n_columns, n_rows = draw(st.integers(1, 5)), draw(st.integers(1, 14))
    names = [f"c{j}" for j in range(n_columns)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    gaps = draw(st.sampled_from([0.0, 0.2, 0.6]))
    coarse = draw(st.sampled_from([0.1, 0.4]))
    n_values = draw(st.integers(1, 4))
    shapes = {name: draw(st.sampled_from([*SHAPES, None])) for name in names} if generalised else {}
    if generalised and not any(shapes.values()):
        shapes["c0"] = draw(st.sampled_from(SHAPES))
    taxonomies = {name: shape for name, shape in shapes.items() if shape is not None}
    values = {name: leaves(taxonomies[name]) if name in taxonomies else list("xyzw")[:n_values] for name in names}
    truth: list[list[str | None]] = [[str(rng.choice(values[name])) for name in names] for _ in range(n_rows)]
    if draw(st.booleans()):  # what follows from the last column can be learned
        for row in truth:
            row[0] = values[names[0]][ord(str(row[-1])[0]) % len(values[names[0]])]
    actuals = [str(row[0]) for row in truth]
    n_hidden = draw(st.integers(1, n_rows))
    for i, row in enumerate(truth):
        for j, name in enumerate(names):
            above = inner(taxonomies[name])[1:] if name in taxonomies else []
            if above and rng.random() < coarse and (j or i >= n_hidden):
                row[j] = str(rng.choice(above))
            elif rng.random() < gaps:
                row[j] = None
    for i, row in enumerate(truth[:n_hidden]):
        row[0] = None
        if names[0] in taxonomies:
            row[0] = slow.Taxonomy(taxonomies[names[0]]).generalize(actuals[i], int(rng.integers(1, 4)))
    domains = {
        name: values[name] if name in taxonomies else sorted({str(row[j]) for row in truth if row[j] is not None})
        for j, name in enumerate(names)
    }
    return slow.Table(names, truth, domains, taxonomies), actuals, n_hidden


def asked(
    table: slow.Table, actuals: list[str], n_hidden: int, *, generalised: bool
) -> tuple[View, str, list[int], list[str]]:
    return view_of(table, generalised=generalised), "c0", list(range(n_hidden)), actuals[:n_hidden]


def says(guesses: Any, view: View, column: str, rows: list[int], actuals: list[str], **options: Any) -> list[bool]:
    """Whether an adversary that breaks ties as the thesis does says what stood there."""
    view = with_leaves(view, column)
    labels = view.labels[view.position(column)]
    said = guesses(view, column, rows, **options).tolist()
    return [code >= 0 and labels[code] == actual for code, actual in zip(said, actuals, strict=True)]


@settings(often, max_examples=120)
@given(tables(generalised=False))
def test_bayes_equals_the_slow_one(drawn: tuple[slow.Table, list[str], int]) -> None:
    table, actuals, n_hidden = drawn
    question = asked(*drawn, generalised=False)
    posteriors = [slow.nb_may_say(table, i + 1, "c0", table.columns) for i in range(n_hidden)]
    found = bayes_recovers(*question, predictors=table.columns)
    assert found.tolist() == [actual in said for actual, said in zip(actuals, posteriors, strict=False)]
    alone = [{actual} == said for actual, said in zip(actuals, posteriors, strict=False)]
    assert says(bayes_guesses, *question, predictors=table.columns) == alone


@settings(often, max_examples=120)
@given(tables(generalised=True))
def test_bayes_equals_the_slow_one_with_taxonomies(drawn: tuple[slow.Table, list[str], int]) -> None:
    table, actuals, n_hidden = drawn
    question = asked(*drawn, generalised=True)
    found = bayes_recovers(*question, predictors=table.columns)
    assert found.tolist() == [slow_says_g(may_be_right, table, i + 1, actuals[i]) for i in range(n_hidden)]
    alone = [slow_says_g(slow.nb_predicts_g, table, i + 1, actuals[i]) for i in range(n_hidden)]
    assert says(bayes_guesses, *question, predictors=table.columns) == alone


def may_be_right(table: slow.Table, number: int, target: str, actual: str, predictors: list[str]) -> bool:
    return actual in slow.nb_may_say_g(table, number, target, predictors)


@settings(often, max_examples=120)
@given(tables(generalised=False))
def test_id3_equals_the_slow_one(drawn: tuple[slow.Table, list[str], int]) -> None:
    table, actuals, n_hidden = drawn
    found = says(id3_guesses, *asked(*drawn, generalised=False), predictors=table.columns)
    expected = [slow.id3_predicts(table, i + 1, "c0", actuals[i], table.columns) for i in range(n_hidden)]
    assert found == expected


@settings(often, max_examples=120)
@given(tables(generalised=True))
def test_id3_equals_the_slow_one_with_taxonomies(drawn: tuple[slow.Table, list[str], int]) -> None:
    table, actuals, n_hidden = drawn
    question = asked(*drawn, generalised=True)
    expected = [slow_says_g(slow.id3_predicts_g, table, i + 1, actuals[i]) for i in range(n_hidden)]
    assert says(id3_guesses, *question, predictors=table.columns) == expected
    assert (id3_recovers(*question, predictors=table.columns) >= expected).all()


def slow_says_g(predicts: Any, table: slow.Table, number: int, actual: str) -> bool:
    """The slow answer. Where nobody else has a label, the shape of the taxonomy alone is no prediction."""
    candidates = table.leaves_below("c0", table.get(number, "c0"))
    if actual not in candidates:
        return False
    labelled = any(table.get(other, "c0") is not None for other in table.others(number))
    if len(candidates) > 1 and not labelled and table.get(number, "c0") is None:
        return False
    return bool(predicts(table, number, "c0", actual, table.columns))


@settings(often, max_examples=120)
@given(tables(generalised=False), st.permutations(list("xyzw")))
def test_id3_breaks_ties_in_the_order_given(drawn: tuple[slow.Table, list[str], int], order: list[str]) -> None:
    table, actuals, n_hidden = drawn
    table.domains = {name: sorted(domain, key=order.index) for name, domain in table.domains.items()}
    question = asked(*drawn, generalised=False)
    found = says(id3_guesses, *question, predictors=table.columns, order=order)
    by_name = says(id3_guesses, *question, predictors=table.columns, order=dict.fromkeys(table.columns, order))
    expected = [slow.id3_predicts(table, i + 1, "c0", actuals[i], table.columns) for i in range(n_hidden)]
    assert found == by_name == expected
    assert (id3_recovers(*question, predictors=table.columns) >= expected).all()


@settings(often, max_examples=150)
@given(tables(generalised=False))
def test_the_row_of_a_cell_that_is_published_does_not_train(drawn: tuple[slow.Table, list[str], int]) -> None:
    table, actuals, n_hidden = drawn
    for i in range(n_hidden):
        table.put(i + 1, "c0", actuals[i])
    table.domains["c0"] = sorted(set(actuals))
    question = asked(table, actuals, n_hidden, generalised=False)
    for guesses, predicts in ((bayes_guesses, slow.nb_predicts), (id3_guesses, slow.id3_predicts)):
        expected = [predicts(table, i + 1, "c0", actuals[i], table.columns) for i in range(n_hidden)]
        assert says(guesses, *question, predictors=table.columns) == expected


# The golden batches


def golden_table(name: str) -> slow.Table:
    base, _, changed = name.partition(" with ")
    golden = THESIS["tables"][base]
    taxonomies = {column: THESIS["taxonomies"][tree] for column, tree in golden["taxonomies"].items()}
    table = slow.Table(golden["attributes"], [list(row) for row in golden["rows"]], dict(golden["domains"]), taxonomies)
    if changed:
        assert changed == "tuple 2 Nausea unknown"
        table.put(2, "Nausea", None)
    return table


@pytest.mark.parametrize("kind", ["deletion", "generalization"])
@pytest.mark.parametrize("algorithm", list(GUESSES))
def test_golden_batches(kind: str, algorithm: str) -> None:
    """What a run protects is not said of its output; where it had to change more, it is said before."""
    generalised = kind == "generalization"
    golden = THESIS["batch"][kind]
    cases = [case for case in golden["cases"] if case[0].removesuffix("-G") == algorithm]
    assert len(cases) == 107
    for _, number, target, status, _, changes in cases:
        table = golden_table(golden["input"])
        actual = str(table.get(number, target))

        def recovered(changes: list[Any], table: slow.Table = table, asked: Any = (target, number - 1, actual)) -> bool:
            published = table.copy()
            for place, column, value in changes:
                published.put(place, column, None if value == "?" else value)
            view = view_of(published, generalised=generalised)
            column, row, text = asked
            # Values stand in the order of the thesis, but for those of a taxonomy.
            options = {"order": published.domains} if algorithm == "HID3" else {}
            (found,) = says(GUESSES[algorithm], view, column, [row], [text], predictors=view.columns, **options)
            return found

        # A run goes up level by level, past those where the value was exposed.
        levels = table.trees[target].path_up(actual) if generalised else [None]
        last = next(
            None if value == "?" else value for place, column, value in changes if (place, column) == (number, target)
        )
        tried = levels[: levels.index(last) + 1]
        exposed = [recovered([[number, target, level]]) for level in tried]
        assert exposed == [True] * (len(tried) - 1) + [status != "not_needed"]
        if status != "deleted":
            assert not recovered(changes)


# Rules against the slow reference


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    n_rows, n_columns, n_values = (
        draw(st.sampled_from([3, 6, 9, 12])),
        draw(st.integers(2, 4)),
        draw(st.integers(2, 4)),
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    chances = 1 / np.arange(1, n_values + 1) ** draw(st.sampled_from([0, 1, 2]))
    codes = rng.choice(n_values, size=(n_rows, n_columns), p=chances / chances.sum())
    if draw(st.booleans()):
        codes[:, -1] = np.arange(n_rows)
    private = rng.random(codes.shape) < draw(st.sampled_from([0.1, 0.2, 0.3, 1.0]))
    blanked = rng.random(codes.shape) < draw(st.sampled_from([0, 0.15]))
    return {
        "rows": [["abcdefghijklmnop"[code] for code in row] for row in codes.tolist()],
        "private": {(int(i), int(j)) for i, j in np.argwhere(private & ~blanked)},
        "blanked": {(int(i), int(j)) for i, j in np.argwhere(blanked)},
        "confidence": Fraction(draw(st.sampled_from(["0.3", "0.5", "0.6", "2/3", "0.75", "0.8", "1"]))),
        "support": draw(st.integers(1, min(4, n_rows))),
        "min_antecedent": draw(st.sampled_from([0, 1, 1, 2])),
    }


def attack_on(problem: dict[str, Any], predictors: list[str] | None = None) -> RuleAttack:
    rows, concealed = problem["rows"], problem["private"] | problem["blanked"]
    published = [[None if (i, j) in concealed else value for j, value in enumerate(row)] for i, row in enumerate(rows)]
    hidden: dict[str, dict[int, str]] = {}
    for i, j in sorted(problem["private"]):
        hidden.setdefault(str(j), {})[i] = rows[i][j]
    thresholds = {name: problem[name] for name in ("confidence", "support", "min_antecedent")}
    return rules_recover(View.of(transposed(published)), hidden, **thresholds, predictors=predictors)


@settings(often, max_examples=120)
@given(problems(), st.sampled_from([set(), set(), {0}, {1, 2}]))
def test_rules_equal_the_slow_ones(problem: dict[str, Any], without: set[int]) -> None:
    predictors = [str(j) for j in range(len(problem["rows"][0])) if j not in without]
    found = attack_on(problem, predictors)
    concealed = (problem["rows"], problem["private"], problem["blanked"])
    rules = [rule for rule in slow_rules(**problem) if all(str(column) in predictors for column, _ in rule.antecedent)]
    right = {
        (row, str(rule.consequent[0]))
        for rule in rules
        for row in hidden_set(rule.antecedent, rule.consequent[0], *concealed)
        if problem["rows"][row][rule.consequent[0]] == rule.consequent[1]
    }
    assert found.n_rules == len(rules)
    assert found.recovered == tuple(sorted(right, key=lambda cell: (cell[0], int(cell[1]))))
    assert found.longest == max((len(rule.antecedent) for rule in rules), default=0)
    if rules:
        best = max((Fraction(rule.pub_y, rule.pub_n), rule.pub_n, rule.hid_y) for rule in rules)
        counts = f"right in {best[0] * best[1]} of {best[1]} public rows and {best[2]} of "
        assert counts in found.strongest
    else:
        assert found.strongest == ""


@pytest.mark.parametrize("case", [case for case in PAPER["mining"] if case["support"] == "public"])
def test_rules_of_the_golden_tables(case: dict[str, Any]) -> None:
    table = PAPER["tables"][case["table"]]
    problem = {
        "rows": table["rows"],
        "private": {(i, j) for i, j in table["private"] if table["rows"][i][j] is not None},
        "blanked": set(),
        "confidence": case["delta"],
        "support": case["gamma"],
        "min_antecedent": case["min_antecedent"],
    }
    assert attack_on(problem).n_rules == case["n_rules"]


@pytest.mark.parametrize("medium", PAPER["medium"])
def test_rules_of_the_larger_golden_tables(medium: dict[str, Any]) -> None:
    generator = medium["generator"]
    state, rows = generator["seed"], []
    for _ in range(generator["n"]):
        row = []
        for size in generator["cards"]:
            state = (1103515245 * state + 12345) % 2**31
            row.append(str(size * state * state // 2**62))
        rows.append(row)
    width = len(generator["cards"])
    numbers = range(medium["private_first"], len(rows) * width, medium["private_every"])
    private = {divmod(number, width) for number in numbers}
    problem = {"rows": rows, "private": private, "blanked": set(), "min_antecedent": 1}
    attack = attack_on({**problem, "confidence": medium["delta"], "support": medium["gamma"]})
    assert attack.n_rules == medium["n_rules"]
    assert attack.longest == max(int(length) for length in medium["rules_by_antecedent_length"])


# Planted tables


def planted(n_rows: int = 2000, seed: int = 1) -> tuple[dict[str, list[str | None]], list[str]]:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 4, n_rows), rng.integers(0, 3, n_rows)
    noise = rng.integers(0, 500, n_rows)
    illness = [f"i{value}" for value in (first + second) % 4]
    columns = {name: [f"{name}{v}" for v in values] for name, values in zip("abn", (first, second, noise), strict=True)}
    return {**columns, "ill": [None if i < 100 else value for i, value in enumerate(illness)]}, illness


def test_id3_and_rules_find_what_two_columns_decide_together() -> None:
    columns, illness = planted()
    view = View.of(columns)
    rows, actuals = list(range(100)), illness[:100]
    assert id3_recovers(view, "ill", rows, actuals, predictors=["a", "b"]).all()
    attack = rules_recover(view, {"ill": dict(zip(rows, actuals, strict=True))}, confidence=0.9, support=0.01)
    assert len(attack.recovered) == 100
    assert attack.longest == 2
    assert attack.strongest.startswith("a, b -> ill: right in ")
    assert not bayes_recovers(view, "ill", rows, actuals, predictors=["n"]).all()


def test_naive_bayes_finds_what_one_column_decides() -> None:
    columns, _ = planted()
    twin = [f"t{cell}" for cell in columns["a"]]
    hidden = [None if i % 20 == 0 else cell for i, cell in enumerate(twin)]
    view = View.of({**columns, "twin": hidden})
    rows = list(range(0, len(twin), 20))
    for recovers in (bayes_recovers, id3_recovers):
        assert recovers(view, "twin", rows, [twin[row] for row in rows], predictors=["a", "b", "twin"]).all()
        assert not recovers(view, "twin", rows, ["wrong" for _ in rows], predictors=["a", "b"]).any()


def test_a_tie_is_no_guess_for_naive_bayes_but_is_one_for_id3_and_recovers_either_value() -> None:
    view = View.of({"a": ["x", "x", "x"], "ill": ["no", "yes", None]})
    question = ("ill", [2, 2, 2], ["no", "yes", "other"])
    assert bayes_guesses(view, "ill", [2], predictors=["a"]).tolist() == [-1]
    assert id3_guesses(view, "ill", [2], predictors=["a"]).tolist() == [0]
    assert id3_guesses(view, "ill", [2], predictors=["a"], order=["yes", "no"]).tolist() == [1]
    for recovers in (bayes_recovers, id3_recovers):
        assert recovers(view, *question, predictors=["a"]).tolist() == [True, True, False]


def test_a_tie_of_large_products_is_seen() -> None:
    """Two labels with the factors 2·3·… and 3·2·… of 30 columns each are equal; one row more decides."""
    halves = ["x"] * 60 + ["y"] * 30
    other = ["x"] * 30 + ["y"] * 60
    columns: dict[str, list[str | None]] = {f"a{j}": [*halves, *other, "x"] for j in range(15)}
    columns |= {f"b{j}": [*other, *halves, "x"] for j in range(15)}
    columns["ill"] = ["no"] * 90 + ["yes"] * 90 + [None]
    predictors = [name for name in columns if name != "ill"]
    question = ("ill", [180, 180], ["no", "yes"])
    assert bayes_recovers(View.of(columns), *question, predictors=predictors).tolist() == [True, True]
    assert bayes_guesses(View.of(columns), "ill", [180], predictors=predictors).tolist() == [-1]
    columns["a0"][89] = "x"
    assert bayes_recovers(View.of(columns), *question, predictors=predictors).tolist() == [True, False]


def test_equal_gains_go_to_the_earlier_column() -> None:
    """Columns that differ in names only have the same gain, in whatever order its terms are added."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        first = rng.integers(0, 5, 40)
        labels = ["pqr"[(value + slip) % 3] for value, slip in zip(first, rng.integers(0, 2, 40), strict=True)]
        copies = [rng.permutation(5)[first] for _ in range(3)]
        rows: list[list[str | None]] = [[label, *(str(c[i]) for c in copies)] for i, label in enumerate(labels)]
        for row in rows[:10]:
            row[0] = None
            row[1:] = rng.integers(0, 5, 3).astype(str).tolist()
        names = ["label", "one", "two", "three"]
        domains = {"label": list("pqr"), **{name: list("01234") for name in names[1:]}}
        table = slow.Table(names, rows, domains)
        question = (view_of(table, generalised=False), "label", list(range(10)), labels[:10])
        found = says(id3_guesses, *question, predictors=names)
        assert found == [slow.id3_predicts(table, i + 1, "label", labels[i], names) for i in range(10)]


def test_a_coarse_cell_is_not_evidence_for_itself() -> None:
    """Equal shares make the shallow value likelier, once another row is labelled with the same coarse value."""
    tree = Taxonomy.from_nested({"ANY": {"x": {}, "yzw": {"y": {}, "zw": {"z": {}, "w": {}}}}})
    alone = View.of({"ill": ["yzw", "x", "x", None]}, taxonomies={"ill": tree})
    assert not bayes_recovers(alone, "ill", [0], ["y"], predictors=[]).any()
    two = View.of({"ill": ["yzw", "x", "x", "yzw"]}, taxonomies={"ill": tree})
    assert bayes_recovers(two, "ill", [0, 3, 0], ["y", "y", "z"], predictors=[]).tolist() == [True, True, False]


def test_confidence_and_support_meet_their_thresholds_exactly() -> None:
    """7 of 25 is 0.28, though 0.28 * 25 is above 7; one thousandth of 25,000 rows is 25 rows."""
    column = ["yes"] * 7 + ["no"] * 18 + [None] * 24975
    view = View.of({"a": ["x"] * 26 + ["y"] * 24974, "ill": column})
    found = {
        support: rules_recover(view, {"ill": {25: "yes"}}, confidence=0.28, support=support).n_rules
        for support in (0.001, 25, Fraction(1, 1000), 0.0010001, 26)
    }
    assert list(found.values()) == [1, 1, 1, 0, 0]
    assert rules_recover(view, {"ill": {25: "yes"}}, confidence=0.2801, support=1).n_rules == 0


def test_hidden_cells_are_hidden_whatever_the_view_shows() -> None:
    rows = PAPER["tables"]["employee"]["rows"]
    hidden: dict[str, dict[int, str]] = {}
    for i, j in PAPER["tables"]["employee"]["private"]:
        hidden.setdefault(str(j), {})[i] = rows[i][j]
    attack = rules_recover(View.of(transposed(rows)), hidden, confidence=0.6, support=1)
    assert attack.n_rules == 12


def test_rules_tell_columns_and_counts_but_no_values() -> None:
    view = View.of({"drug": ["secret"] * 4, "ill": ["shame", "shame", "shame", None]})
    attack = rules_recover(view, {"ill": {3: "shame"}}, confidence=1, support=1, min_antecedent=0)
    assert attack.n_rules == 2
    assert "secret" not in repr(attack)
    assert "shame" not in repr(attack)
    assert attack.strongest.startswith("(nothing) -> ill: right in 3 of 3 public rows")


def test_wide_domains_take_the_same_way() -> None:
    """Columns of many values are counted by sorting; a group of two still decides."""
    n_rows = 3000
    pairs = [f"p{i // 2}" for i in range(n_rows)]
    codes = [f"v{(i // 2) * 7 % 1499}" for i in range(n_rows)]
    columns = {"p": pairs, "q": pairs, "v": [None if i % 2 else code for i, code in enumerate(codes)]}
    hidden = {i: codes[i] for i in range(1, n_rows, 2)}
    view = View.of(columns)
    attack = rules_recover(view, {"v": hidden}, confidence=1, support=1)
    assert len(attack.recovered) == len(hidden)
    assert attack.n_rules == 3 * len(hidden)
    rows, actuals = list(hidden), list(hidden.values())
    assert bayes_recovers(view, "v", rows, actuals, predictors=["p", "q"]).all()
    assert id3_recovers(view, "v", rows, actuals, predictors=["p", "q"]).all()


# Corners


@pytest.mark.parametrize("recovers", [bayes_recovers, id3_recovers])
@pytest.mark.parametrize("generalised", [False, True])
def test_corners(recovers: Any, generalised: bool) -> None:
    taxonomies = {"a": Taxonomy.flat(["x", "y"])} if generalised else {}

    def ask(ill: list[str | None], a: list[str | None], row: int, actual: str, predictors: list[str]) -> bool:
        view = View.of({"a": a, "ill": ill}, taxonomies=taxonomies)
        return bool(recovers(view, "ill", [row], [actual], predictors=predictors)[0])

    view = View.of({"a": ["x"], "ill": ["yes"]}, taxonomies=taxonomies)
    assert recovers(view, "ill", [], [], predictors=["a"]).tolist() == []
    assert ask(["yes", "yes", None], ["x", "x", "x"], 2, "yes", ["a"])
    assert ask(["yes", "yes", None], ["x", "x", "x"], 2, "yes", [])
    assert not ask(["yes", "yes", None], ["x", "x", "x"], 2, "no", ["a"])
    assert not ask([None, None], ["x", "x"], 0, "yes", ["a"])
    assert not ask([None], [None], 0, "yes", ["a"])
    assert ask(["yes", "yes", "no", None], ["x", "x", "y", None], 3, "yes", ["a", "ill"])
    assert not ask(["yes", "yes", "no", None], ["x", "x", "y", None], 3, "no", ["a"])
    assert ask(["yes", "yes", "no", None], [None] * 4, 3, "yes", ["a"])


@pytest.mark.parametrize("recovers", [bayes_recovers, id3_recovers])
def test_nothing_to_learn_from_is_no_recovery_whatever_the_taxonomy(recovers: Any) -> None:
    tree = Taxonomy.from_nested({"ANY": {"x": {}, "yz": {"y": {}, "z": {}}}})
    view = View.of({"a": ["u", "u"], "ill": [None, "ANY"]}, taxonomies={"ill": tree})
    for value in "xyz":
        assert not recovers(view, "ill", [0, 1], [value] * 2, predictors=["a"]).any()
        assert not recovers(view, "ill", [0, 1], [value] * 2, predictors=[]).any()


@pytest.mark.parametrize("recovers", [bayes_recovers, id3_recovers])
def test_a_published_node_over_one_value_gives_it_away(recovers: Any) -> None:
    tree = Taxonomy.from_nested({"ANY": {"only": {"x": {}}, "yz": {"y": {}, "z": {}}}}).with_missing()
    view = View.of({"a": ["u", "u"], "ill": ["only", "yz"]}, taxonomies={"ill": tree})
    assert recovers(view, "ill", [0, 1, 1], ["x", "y", "z"], predictors=["a"]).tolist() == [True, False, False]


def test_rules_without_hidden_cells_or_labels() -> None:
    view = View.of({"a": ["x", "x"], "ill": [None, None]})
    for hidden in ({}, {"ill": {}}, {"ill": {0: "yes"}}):
        assert rules_recover(view, hidden, confidence=0.5, support=1).n_rules == 0
    shown = View.of({"a": ["x", "x", None], "ill": ["yes", "yes", None]})
    attack = rules_recover(shown, {"ill": {2: "yes"}}, confidence=0.5, support=1)
    assert (attack.n_rules, attack.recovered) == (0, ())
    attack = rules_recover(shown, {"ill": {2: "yes"}}, confidence=0.5, support=1, min_antecedent=0)
    assert (attack.n_rules, attack.recovered, attack.longest) == (1, ((2, "ill"),), 0)


def test_a_view_reads_unknown_cells_and_refuses_what_it_cannot_read() -> None:
    tree = Taxonomy.from_nested({"ANY": {"x": {}, "y": {}}})
    view = View.of({"a": ["x", "ANY", "", None, "*", "?", "y"]}, unknown=("*", "?"), taxonomies={"a": tree})
    assert view.codes[0].tolist() == [0, -1, -1, -1, -1, -1, 1]
    assert (view.labels, view.n_rows) == ([("x", "y")], 7)
    with pytest.raises(TaxonomyError, match='column "a": its taxonomy does not hold 1 of its values'):
        View.of({"a": ["secret"]}, taxonomies={"a": tree})
    with pytest.raises(DataError, match="same number of rows"):
        View.of({"a": ["x"], "b": ["x", "y"]})
    with pytest.raises(DataError, match='column "a": every cell'):
        View.of({"a": [1]})  # type: ignore[list-item]
    with pytest.raises(InputError, match='"b", which is no column'):
        View.of({"a": ["x"]}, taxonomies={"b": tree})
    with pytest.raises(InputError, match='no column "aa"; did you mean "a"'):
        bayes_recovers(view, "aa", [], [], predictors=[])
    with pytest.raises(InputError, match="outside the 7 rows"):
        id3_recovers(view, "a", [7], ["x"], predictors=[])
    with pytest.raises(InputError, match="1 rows were given with 0"):
        id3_recovers(view, "a", [0], [], predictors=[])
    with pytest.raises(InputError, match="`confidence`"):
        rules_recover(view, {}, confidence=0, support=1)
    with pytest.raises(InputError, match="`support`"):
        rules_recover(view, {}, confidence=1, support=1.5)
    with pytest.raises(InputError, match='no column "b"'):
        rules_recover(view, {"b": {0: "x"}}, confidence=1, support=1)


def test_the_adversaries_share_no_code_with_the_methods() -> None:
    folder = Path(withhold.__file__).parent / "attackers" / "_exact"
    allowed = ("withhold.attackers._exact", "withhold.errors", "withhold.table")
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert all(name.startswith(allowed) for name in names if name.startswith("withhold")), path.name
            assert not {"numba", "duckdb"} & {name.partition(".")[0] for name in names}, path.name
