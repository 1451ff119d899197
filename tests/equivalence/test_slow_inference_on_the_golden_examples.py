"""The slow reference of the suppression algorithms reproduces the worked examples of the thesis."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import slow_inference as slow
from slow_inference import MostProbable, Outcome, Scripted, Table, Taxonomy

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "thesis.json").read_text(encoding="utf-8"))
EXAMPLES = {name: each for name, each in GOLDEN["examples"].items() if "algorithm" in each}
DERIVED = GOLDEN["derived"]["cases"]
ALGORITHMS: dict[str, Callable[..., Outcome]] = {
    "DECP": slow.decp,
    "INCP": slow.incp,
    "DROPP": slow.dropp,
    "HID3": slow.hid3,
    "DECP-G": slow.decp_g,
    "INCP-G": slow.incp_g,
    "DROPP-G": slow.dropp_g,
    "HID3-G": slow.hid3_g,
    "e-DECP": slow.e_decp,
    "e-DROPP": slow.e_dropp,
    "e-DECP-G": slow.e_decp_g,
    "e-DROPP-G": slow.e_dropp_g,
}
PREDICTS = {
    "DECP": slow.nb_predicts,
    "INCP": slow.nb_predicts,
    "DROPP": slow.nb_predicts,
    "HID3": slow.id3_predicts,
    "DECP-G": slow.nb_predicts_g,
    "INCP-G": slow.nb_predicts_g,
    "DROPP-G": slow.nb_predicts_g,
    "HID3-G": slow.id3_predicts_g,
}
BATCHES = [
    (kind, algorithm)
    for kind in ("deletion", "generalization")
    for algorithm in ALGORITHMS
    if algorithm.endswith("-G") == (kind == "generalization") and not algorithm.startswith("e-")
]


def table_named(name: str) -> Table:
    """A table of the golden file, with the change its name may ask for."""
    base, _, changed = name.partition(" with ")
    golden = GOLDEN["tables"][base]
    if "same_as" in golden:
        table = table_named(golden["same_as"])
        for number, column, value in golden["except"]:
            table.put(number, column, value)
    else:
        table = Table(
            list(golden["attributes"]),
            [list(row) for row in golden["rows"]],
            dict(golden["domains"]),
            {column: GOLDEN["taxonomies"][name] for column, name in golden.get("taxonomies", {}).items()},
        )
    if changed:
        assert changed == "tuple 2 Nausea unknown"
        table.put(2, "Nausea", None)
    return table


def with_changes(table: Table, changes: list[list[Any]]) -> Table:
    """The table with golden changes applied."""
    changed = table.copy()
    for number, column, value in changes:
        changed.put(number, column, None if value == "?" else value)
    return changed


def choices_of(case: dict[str, Any]) -> Scripted | MostProbable:
    """The listed choices, else the rule of the derived cases."""
    if "choices" in case:
        return Scripted([(each["kind"], each["answer"]) for each in case["choices"]])
    return MostProbable()


def predictors_of(case: dict[str, Any]) -> list[str] | None:
    listed = case.get("predictors")
    return listed if isinstance(listed, list) else None


def run_example(name: str) -> tuple[dict[str, Any], Table, Outcome]:
    """An example, its table and our run of it; every listed choice is asked for."""
    case = EXAMPLES[name]
    table, choices = table_named(case["input"]), choices_of(case)
    algorithm = ALGORITHMS[case["algorithm"]]
    outcome = algorithm(table, case["tuple"], case["target"], case["predictors"], case["k"], choices)
    assert isinstance(choices, Scripted)
    assert choices.left == []
    return case, table, outcome


def run_derived(name: str) -> tuple[dict[str, Any], Table, Outcome]:
    """A derived case, its table and our run of it."""
    case = DERIVED[name]
    table, algorithm = table_named(case["input"]), name.split(",")[0]
    if algorithm == "NRD":
        return case, table, slow.nrd(table, case["tuple"])
    asked = (case.get("tuples", case.get("tuple")), case.get("targets", case.get("target")), predictors_of(case))
    if "+" in algorithm:
        second = algorithm.partition("+")[2]
        return case, table, slow.hybrid(table, *asked, None, choices_of(case), second=second)
    return case, table, ALGORITHMS[algorithm](table, *asked, None, choices_of(case))


def check_metrics(before: Table, after: Table, golden: dict[str, Any]) -> None:
    """Compare every metric of chapter 2."""
    columns = golden["attributes"]
    assert slow.direct_distance(before, after) == golden["direct_distance"]
    assert {each: slow.kld(before, after, each) for each in columns} == pytest.approx(golden["kld"], abs=1e-12)
    assert slow.skld(before, after, columns) == pytest.approx(golden["skld"], abs=1e-12)
    assert slow.acmi(before, after, columns) == pytest.approx(golden["acmi"], abs=1e-12)
    entropies = {each: slow.conditional_entropy(before, after, each) for each in columns}
    assert entropies == pytest.approx(golden["conditional_entropy"], abs=1e-12)
    assert slow.sce(before, after, columns) == pytest.approx(golden["sce"], abs=1e-12)


def steps_of(name: str, action: str) -> list[dict[str, Any]]:
    return [step for step in run_example(name)[2].steps if step["action"] == action]


def test_nothing_in_the_golden_file_is_overlooked() -> None:
    """The file has the cases and errata this test was written for."""
    assert set(GOLDEN["examples"]) == set(EXAMPLES) | {"6"}
    assert (len(EXAMPLES), len(DERIVED), len(GOLDEN["errata"])) == (8, 18, 31)
    for kind, golden in GOLDEN["batch"].items():
        if kind != "note":
            table = table_named(golden["input"])
            cells = [
                (number, column)
                for number in table.numbers()
                for column in table.columns
                if table.get(number, column) in table.domains[column]
            ]
            algorithms = [algorithm for each, algorithm in BATCHES if each == kind]
            listed = [(case[0], case[1], case[2]) for case in golden["cases"]]
            assert len(listed) == 428
            assert sorted(listed) == sorted((algorithm, *cell) for algorithm in algorithms for cell in cells)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    """Status, steps, changes and final table of a worked example."""
    case, table, outcome = run_example(name)
    assert outcome.status == case["status"]
    assert outcome.steps == case["steps"]
    assert outcome.changes == case["changes"]
    assert outcome.table.rows == with_changes(table, case["changes"]).rows


@pytest.mark.parametrize("name", EXAMPLES)
def test_metrics_of_examples(name: str) -> None:
    case, table, outcome = run_example(name)
    check_metrics(table, outcome.table, case["metrics"])


def test_the_naive_bayes_model_of_table_3_1() -> None:
    """Priors, conditionals and posteriors of Example 2 before any change."""
    case, table, _ = run_example("2")
    table.put(2, "Diagnosis", None)
    models = slow.nb_model(table, case["tuple"], case["target"], case["predictors"])
    for golden in case["model"]:
        model = models[golden["class"]]
        assert str(model.prior) == golden["prior"]
        assert [str(each) for each in model.conditionals.values()] == golden["conditionals"]
        assert str(model.posterior) == golden["posterior"]


@pytest.mark.parametrize("name", ["7", "8", "9"])
def test_the_naive_bayes_models_of_tables_4_3_4_6_and_4_8(name: str) -> None:
    """The model with the confidential value generalized, and after every change of the run."""
    case, table, outcome = run_example(name)
    table.put(case["tuple"], case["target"], "Gastric Disease")
    changes = [step for step in outcome.steps if step["action"] == "generalize"]
    stages = [table]
    for step in changes:
        value = "?" if step["to"] == "ANY" else step["to"]
        stages.append(with_changes(stages[-1], [[step["tuple"], step["attribute"], value]]))
    for stage, golden in zip(stages, case["model"], strict=True):
        models = slow.nb_model_g(stage, case["tuple"], case["target"], case["predictors"])
        ours = {
            label: [
                str(model.prior),
                [str(each) for each in model.conditionals.values()],
                str(model.posterior),
            ]
            for label, model in models.items()
        }
        assert ours == {label: row for label, row in golden.items() if label != "after_step"}


@pytest.mark.parametrize("name", ["5", "10"])
def test_the_decision_trees_of_examples_5_and_10(name: str) -> None:
    case, table, _ = run_example(name)
    labels = ["Dyspepsia", "Gastritis"] if name == "10" else None
    tree = slow.id3_tree(table, case["tuple"], case["target"], case["predictors"], labels)
    assert tree.as_golden() == case["tree"]


def test_example_5_with_the_other_domain_order() -> None:
    case, table, _ = run_example("5")
    for column in case["predictors"]:
        table.domains[column] = ["N", "Y"]
    outcome = slow.hid3(table, case["tuple"], case["target"], case["predictors"])
    assert outcome.changes == case["changes_with_domain_order_N_Y"]


def test_the_counts_of_example_6() -> None:
    case = GOLDEN["examples"]["6"]
    taxonomy = Taxonomy(GOLDEN["taxonomies"][case["taxonomy"]])
    aggregated = slow.aggregated_counts(taxonomy, case["own_counts"])
    updated = slow.updated_counts(taxonomy, case["own_counts"])
    assert {node: aggregated[node] for node in case["aggregated"]} == case["aggregated"]
    assert {node: str(updated[node]) for node in case["updated"]} == case["updated"]


def test_the_counts_of_a_taxonomy() -> None:
    golden = GOLDEN["taxonomy_counts"]
    table, column = table_named("table_4_1"), golden["attribute"]
    own: dict[str | None, int] = {}
    for number in range(1, 18):
        if table.get(number, "Diagnosis") == golden["class"]:
            value = table.get(number, column)
            own[value] = own.get(value, 0) + 1
    assert own == golden["own"]
    taxonomy = table.trees[column]
    aggregated, updated = slow.aggregated_counts(taxonomy, own), slow.updated_counts(taxonomy, own)
    assert {taxonomy.label(node): count for node, count in aggregated.items()} == golden["aggregated"]
    assert {taxonomy.label(node): str(count) for node, count in updated.items()} == golden["updated"]


@pytest.mark.parametrize("name", DERIVED)
def test_derived_cases(name: str) -> None:
    """Status or statuses, changes, and the steps where they are listed."""
    case, table, outcome = run_derived(name)
    if "statuses" in case:
        golden = case["statuses"]
        assert outcome.statuses == (golden if isinstance(golden, list) else [golden] * len(outcome.statuses))
    else:
        assert outcome.status == case["status"]
    assert outcome.changes == case["changes"]
    assert outcome.table.rows == with_changes(table, case["changes"]).rows
    if "steps" in case:
        assert outcome.steps == case["steps"]
    if "metrics" in case:
        check_metrics(table, outcome.table, case["metrics"])
    if "posterior" in case:
        posterior = slow.nb_posterior(table, case["tuple"], case["target"], case["predictors"])
        assert {value: str(p) for value, p in posterior.items()} == case["posterior"]


@pytest.mark.parametrize("name", [name for name, case in DERIVED.items() if "changes_of_hid3_alone" in case])
def test_hybrids_build_on_hid3_and_protect_against_both_models(name: str) -> None:
    case, table, outcome = run_derived(name)
    number, target = case["tuple"], case["target"]
    assert slow.hid3(table, number, target).changes == case["changes_of_hid3_alone"]
    actual = table.get(number, target)
    assert actual is not None
    assert not slow.nb_predicts(outcome.table, number, target, actual, table.columns)
    assert not slow.id3_predicts(outcome.table, number, target, actual, table.columns)


@pytest.mark.parametrize(("kind", "algorithm"), BATCHES)
def test_batch(kind: str, algorithm: str) -> None:
    """Every primitive cell of Table 4.1 made confidential in turn: status, guess and changes."""
    table = table_named(GOLDEN["batch"][kind]["input"])
    cases = [case for case in GOLDEN["batch"][kind]["cases"] if case[0] == algorithm]
    assert len(cases) == 107
    for _, number, target, status, guess, changes in cases:
        outcome = ALGORITHMS[algorithm](table, number, target)
        ours = [algorithm, number, target, outcome.status, outcome.guess, outcome.changes]
        assert ours == [algorithm, number, target, status, guess, changes]
        actual = table.get(number, target)
        assert actual is not None
        assert not PREDICTS[algorithm](outcome.table, number, target, actual, table.columns) or status == "deleted"


@pytest.mark.parametrize("against", [slow.NAIVE_BAYES, slow.ID3, slow.BOTH])
def test_brute_force_agrees_with_the_batch(against: str) -> None:
    """What DROPP and HID3 hide is among the protecting sets, and nothing need be hidden where they hide nothing."""
    golden = GOLDEN["batch"]["deletion"]
    table = table_named(golden["input"])
    algorithm = {slow.NAIVE_BAYES: "DROPP", slow.ID3: "HID3", slow.BOTH: "HID3+DROPP"}[against]
    for number in table.numbers():
        for target in table.columns:
            if table.get(number, target) is None:
                continue
            if against == slow.BOTH:
                outcome = slow.hybrid(table, number, target, second="DROPP")
            else:
                outcome = ALGORITHMS[algorithm](table, number, target)
            hidden = tuple(str(column) for _, column, _ in outcome.changes if column != target)
            found = slow.protecting_hidings(table, number, target, against=against)
            assert slow.any_hiding_in_tuple_protects(table, number, target, against=against) == bool(found)
            if outcome.status != "deleted":
                assert hidden in found
            assert (() in found) == (outcome.status == "not_needed")


@pytest.mark.parametrize("second", ["DECP-G", "INCP-G", "DROPP-G"])
def test_hybrids_with_generalization_protect_against_both_models(second: str) -> None:
    table = table_named("table_4_1")
    for number in table.numbers():
        outcome = slow.hybrid(table, number, "Diagnosis", second=second)
        actual = table.get(number, "Diagnosis")
        assert actual is not None
        if outcome.status == "deleted":
            assert outcome.table.rows[number - 1] == [None] * len(table.columns)
        else:
            assert not slow.nb_predicts_g(outcome.table, number, "Diagnosis", actual, table.columns)
            assert not slow.id3_predicts_g(outcome.table, number, "Diagnosis", actual, table.columns)


# Errata that can be computed


def test_table_3_5_corrected() -> None:
    """Bob has no chest pain in Example 5."""
    assert run_example("5")[2].table.rows[1][3:] == [None, "N", "Y", None]


def test_example_7_generalizes_chest_pain_of_tuple_1() -> None:
    steps = run_example("7")[2].steps
    place = next(i for i, step in enumerate(steps) if step.get("attribute") == "Chest Pain")
    assert steps[place]["tuples"] == [1, 6]
    assert (steps[place + 1]["tuple"], steps[place + 1]["attribute"]) == (1, "Chest Pain")


def test_example_7_ends_below_and_not_on_the_guess() -> None:
    last = run_example("7")[2].steps[-1]
    assert (last["p_actual"], last["p_rnbg"]) == ("10/19683", "1/1944")
    assert Fraction(last["p_actual"]) < Fraction(last["p_rnbg"])


def test_example_8_decreases_the_probability_of_the_actual_value() -> None:
    probabilities = [Fraction(step["p_actual"]) for step in steps_of("8", "generalize")]
    assert probabilities == sorted(probabilities, reverse=True)


def test_the_factor_of_theorem_4_1_is_exact_in_example_7() -> None:
    """Every generalization multiplies p(actual) by (F1 + F3 - 1) / (F1 + F3) * F2 / (F2 - 1)."""
    _, table, outcome = run_example("7")
    table.put(18, "Diagnosis", "Gastric Disease")
    before = slow.nb_posterior_g(table, 18, "Diagnosis", table.columns)["Dyspepsia"]
    f1 = f2 = f3 = 0
    for step in outcome.steps:
        if step["action"] == "maximum impact attribute":
            f1, f2, f3 = (step["ratios"][step["attribute"]][name] for name in ("F1", "F2", "F3"))
        if step["action"] == "generalize":
            after = Fraction(step["p_actual"])
            assert after / before == Fraction(f1 + f3 - 1, f1 + f3) * Fraction(f2, f2 - 1)
            before, f1, f2 = after, f1 - 1, f2 - 1


def test_candidates_are_the_primitive_values_below() -> None:
    """Leaves of different depth count alike."""
    table = table_named("table_4_1")
    assert table.leaves_below("Burning", "Mid-High") == ["3", "4", "5"]
    taxonomy = table.trees["Burning"]
    assert [value for value in "12345" if taxonomy.generalize(value, 2) == "Mid-High"] == ["4", "5"]


@pytest.mark.parametrize("name", GOLDEN["tables"])
def test_nothing_is_lost_by_releasing_the_table_itself(name: str) -> None:
    table = table_named(name)
    assert slow.direct_distance(table, table) == 0
    assert slow.skld(table, table, table.columns) == 0
    assert slow.acmi(table, table, table.columns) == 1
    assert slow.sce(table, table, table.columns) == 0


@pytest.mark.parametrize("name", ["e-DROPP, tuple 6, Diagnosis and Indigestion"])
def test_a_value_exposed_on_the_way_is_found_at_the_end(name: str) -> None:
    """Figure 3.8 would leave Diagnosis exposed: nothing is left of S when it ends."""
    case, table, outcome = run_derived(name)
    *steps, last = outcome.steps
    assert (steps[-1]["left"], last["action"]) == ([], "delete tuple")
    released = with_changes(table, [[6, column, "?"] for column in (*case["targets"], "Burning", "Nausea")])
    assert slow.nb_predicts(released, 6, "Diagnosis", "Dyspepsia", table.columns)


@pytest.mark.parametrize("name", ["3", "8"])
def test_lemmas_3_2_and_4_2_bound_the_changes(name: str) -> None:
    """At most m - N - 1 - |S| classes of other tuples change, N the others with the actual value."""
    case, table, outcome = run_example(name)
    number, target = case["tuple"], case["target"]
    members = [other for other in table.others(number) if table.get(other, target) == table.get(number, target)]
    changed = [change for change in outcome.changes if change[1] == target and change[0] != number]
    assert len(changed) <= len(table.rows) - len(members) - 1 - 1
