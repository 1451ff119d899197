"""The worked examples of the suppression thesis, step by step, and every case of its batch."""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from withhold.methods import inference
from withhold.methods.inference import Protection, Sheet
from withhold.methods.inference._protection import replay
from withhold.table import Table, Taxonomy

GOLDEN = json.loads((Path(__file__).parent / "thesis.json").read_text(encoding="utf-8"))
EXAMPLES = {name: each for name, each in GOLDEN["examples"].items() if "algorithm" in each}
DERIVED = GOLDEN["derived"]["cases"]


class MostProbable:
    """Takes the most probable guess, the first of equals, and always goes on; unless an answer is given."""

    def __init__(self, coin: bool = True) -> None:
        self._coin = coin

    def guess(self, candidates: Sequence[int], probability: Callable[[int], Fraction]) -> int:
        return max(candidates, key=lambda value: (probability(value), -value))

    def coin(self) -> bool:
        return self._coin

    def below(self, bound: int) -> int:
        return 0


def function(name: str) -> Callable[..., Protection]:
    """Return the algorithm that the golden file calls so."""
    found: Callable[..., Protection] = getattr(inference, name.lower().replace("-", "_").replace("+", "_"))
    return found


def sheet_of(name: str, *, generalizes: bool, predictors: Any = None) -> Sheet:
    """Return a table of the golden file."""
    base, _, changed = name.partition(" with ")
    golden = GOLDEN["tables"][base]
    exceptions = golden.get("except", [])
    golden = GOLDEN["tables"][golden["same_as"]] if "same_as" in golden else golden
    rows = [list(row) for row in golden["rows"]]
    names = golden["attributes"]
    for number, column, value in exceptions:
        rows[number - 1][names.index(column)] = value
    if changed:
        assert changed == "tuple 2 Nausea unknown"
        rows[1][names.index("Nausea")] = "?"
    cells = {column: [row[j] for row in rows] for j, column in enumerate(names)}
    chosen = predictors if isinstance(predictors, list) else None
    if not generalizes:
        domains = {column: Taxonomy.flat(values) for column, values in golden["domains"].items()}
        return Sheet(Table.from_columns(cells, domains=domains, missing=["?"]), predictors=chosen)
    taxonomies = {
        column: Taxonomy.from_nested(_nested(GOLDEN["taxonomies"][tree]))
        for column, tree in golden["taxonomies"].items()
    }
    table = Table.from_columns(cells, missing=["?"])
    return Sheet(table, modify="generalize", predictors=chosen, taxonomies=taxonomies)


def _nested(tree: dict[str, Any] | None) -> dict[str, Any]:
    return {name: _nested(below) for name, below in (tree or {}).items()}


def changes(done: Protection) -> list[list[Any]]:
    """Return changes as the golden file writes them: tuples from 1, unknown as a question mark."""
    return sorted([c.row + 1, c.column, "?" if c.published == "*" else c.published] for c in done.changes)


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples(name: str) -> None:
    example = EXAMPLES[name]
    generalizes = example["algorithm"].endswith("-G")
    sheet = sheet_of(example["input"], generalizes=generalizes, predictors=example["predictors"])
    done = function(example["algorithm"])(
        sheet, example["tuple"] - 1, example["target"], degree=example["k"], rng=MostProbable()
    )
    assert done.status == example["status"]
    assert changes(done) == sorted(example["changes"])
    steps = list(replay(sheet, done))
    expected = [step for step in example["steps"] if step["action"] in ("hide", "generalize") and "p_actual" in step]
    mine = [
        (step, p, q) for step, p, q in steps
        if step.action == "change" and (step.row, step.column) != (example["tuple"] - 1, example["target"])
    ]  # fmt: skip
    if expected:
        assert len(mine) == len(expected)
    for (step, actual, guess), golden in zip(mine, expected, strict=False):
        assert step.row is not None
        assert (step.row + 1, step.column) == (golden["tuple"], golden["attribute"])
        if "to" in golden:
            assert step.value == ("*" if golden["to"] == "ANY" else golden["to"])
        assert str(actual) == golden["p_actual"]
        assert str(guess) == golden.get("p_rnbg", golden.get("p_guess"))
    columns = [step["attribute"] for step in example["steps"] if step["action"] == "maximum impact attribute"]
    assert [step.column for step, _, _ in steps if step.action == "column"] == columns


def test_example_2_the_model() -> None:
    example = EXAMPLES["2"]
    sheet = sheet_of("table_1_1", generalizes=False, predictors=example["predictors"])
    target = sheet.place("Diagnosis")
    sheet.prepare([target])
    sheet.put(1, target, -1)
    found = {label: str(sheet.probability(1, target, -1, i)) for i, label in enumerate(sheet.labels[target])}
    assert found == {each["class"]: each["posterior"] for each in example["model"]}


def test_shared_counts() -> None:
    golden = GOLDEN["taxonomy_counts"]
    sheet = sheet_of("table_4_1", generalizes=True)
    target, column = sheet.place("Diagnosis"), sheet.place(golden["attribute"])
    sheet.prepare([target])
    sheet.put(17, target, -1)
    label = sheet.labels[target].index(golden["class"])
    found = {name: str(sheet.updated(target, column, i, label)) for i, name in enumerate(sheet.labels[column])}
    assert found == golden["updated"]


@pytest.mark.parametrize("kind", ["deletion", "generalization"])
def test_every_batch_case(kind: str) -> None:
    batch = GOLDEN["batch"][kind]
    sheet = sheet_of(batch["input"], generalizes=kind == "generalization")
    for algorithm, number, target, status, guess, expected in batch["cases"]:
        done = function(algorithm)(sheet, number - 1, target, rng=MostProbable())
        assert (done.status, changes(done)) == (status, sorted(expected)), (algorithm, number, target)
        if status == "suppressed":
            assert done.guesses[0] == guess


def _predictors(case: dict[str, Any]) -> Any:
    return case.get("predictors")


@pytest.mark.parametrize("name", DERIVED)
def test_derived_cases(name: str) -> None:
    case = DERIVED[name]
    algorithm = name.split(",")[0]
    sheet = sheet_of(case["input"], generalizes=algorithm.endswith("-G"), predictors=_predictors(case))
    coins = [choice["answer"] for choice in case.get("choices", []) if choice["kind"] == "coin"]
    rng = MostProbable(*coins)
    if algorithm == "NRD":
        done = inference.nrd(sheet, case["tuple"] - 1, "Diagnosis")
    elif "tuples" in case:
        done = function(algorithm)(sheet, [number - 1 for number in case["tuples"]], case["target"], rng=rng)
    elif "targets" in case:
        done = function(algorithm)(sheet, case["tuple"] - 1, case["targets"], rng=rng)
    else:
        done = function(algorithm)(sheet, case["tuple"] - 1, case["target"], rng=rng)
    assert changes(done) == sorted(case["changes"])
    if "statuses" in case:
        statuses = case["statuses"]
        assert list(done.statuses) == (statuses if isinstance(statuses, list) else [statuses] * len(done.statuses))
    else:
        assert done.status == case["status"]
