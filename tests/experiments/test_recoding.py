"""What the comparison of recodings measures is right: texts are read, losses and queries counted, claims judged."""

from typing import Any

import numpy as np
import pytest
from experiments._bounds import bound_shares
from experiments._count_queries import draw_queries, query_error
from experiments._held_out import fold_errors, folds_of, raw_errors
from experiments._key_tables import KeyTable
from experiments._mondrian import mondrian
from experiments._published import CategoryKey, Key, NumberKey, read_texts
from experiments._recoding_claims import claims
from experiments._ways import WAYS, checked
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh

TREE = wh.Taxonomy.from_nested({"Any": {"office": ["clerk", "judge"], "kitchen": ["cook", "baker"]}})
AGE = NumberKey(name="age", low=20, high=70, step=1)
JOB = CategoryKey(name="job", tree=TREE, n_occurring=3, has_tree=True)


def texts(**columns: list[str]) -> dict[str, Any]:
    return {name: np.array(cells, dtype=object) for name, cells in columns.items()}


def people(n_rows: int, seed: int = 0) -> KeyTable:
    rng = np.random.default_rng(seed)
    jobs = rng.choice(["clerk", "judge", "cook", "baker"], n_rows, p=[0.4, 0.1, 0.3, 0.2])
    ages = np.clip(rng.normal(45, 12, n_rows), 18, 90).astype(int)
    income = np.where(rng.random(n_rows) < 0.2 + 0.6 * (jobs == "judge"), ">50K", "<=50K")
    cells = texts(age=[str(age) for age in ages], job=jobs.tolist(), town=rng.choice(["a", "b", "c"], n_rows).tolist())
    keys: list[Key] = [NumberKey.of("age", cells["age"]), CategoryKey.of("job", cells["job"], TREE)]
    keys.append(CategoryKey.of("town", cells["town"]))
    return KeyTable(cells=cells | {"income": income.astype(object)}, keys=keys)


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("[30, 40)", (30, 39)),
        ("[30, 40]", (30, 40)),
        ("< 25", (20, 24)),
        ("≥ 60", (60, 70)),
        ("*", (20, 70)),
        ("33", (33, 33)),
        ("[10, 90)", (20, 70)),
    ],
)
def test_a_number_text_covers_the_whole_numbers_in_it(text: str, covered: tuple[float, float]) -> None:
    assert AGE.covered(text) == covered


def test_the_loss_is_the_mean_over_rows_and_columns() -> None:
    published = texts(age=["[20, 30]", "20", "*", "[20, 30]"], job=["office", "clerk", "*", "{clerk, cook}"])
    reading = read_texts([AGE, JOB], published)
    assert reading.losses() == pytest.approx({"age": (0.2 + 0 + 1 + 0.2) / 4, "job": (1 / 3 + 0 + 1 + 1 / 2) / 4})
    assert reading.ncp() == pytest.approx((0.35 + 11 / 24) / 2)
    assert reading.smallest_group() == 1
    assert reading.withheld_rows() == 0.25
    assert reading.withheld_columns() == []


def test_a_text_that_does_not_cover_its_value_is_found() -> None:
    original = texts(age=["25", "41"], job=["clerk", "cook"])
    good, bad = texts(age=["[20, 30)", "*"], job=["office", "cook"]), texts(age=["[20, 30)", "*"], job=["office"] * 2)
    assert read_texts([AGE, JOB], good).is_true_of(original)
    assert not read_texts([AGE, JOB], bad).is_true_of(original)
    table = KeyTable(cells=original, keys=[AGE, JOB])
    with pytest.raises(RuntimeError, match="does not cover"):
        checked(table, 1, bad)
    with pytest.raises(RuntimeError, match="has 1 rows"):
        checked(table, 2, good)


def test_a_query_counts_each_cell_by_its_share() -> None:
    town = CategoryKey.of("town", np.array(["a", "b"], dtype=object))
    truth = read_texts([AGE, JOB, town], texts(age=["25", "45"], job=["clerk", "judge"], town=["a", "b"]))
    published = texts(age=["[21, 30]", "[41, 50]"], job=["office", "office"], town=["a", "*"])
    reading = read_texts([AGE, JOB, town], published)
    # a tenth of the years 21 to 30, half of the office, all of the town; nothing of the second row
    query = {"age": (25.0, 25.0), "job": 0, "town": 0}
    assert query_error(reading, truth, [query]) == pytest.approx(1 - 0.1 * 0.5)
    assert query_error(truth, truth, [query]) == 0


def test_drawn_queries_have_an_answer() -> None:
    table = people(200)
    truth = read_texts(table.keys, table.cells)
    queries = draw_queries(table.keys, table.cells, 50, seed=1)
    assert all(len(query) == 3 for query in queries)
    assert query_error(truth, truth, queries) == 0
    assert queries == draw_queries(table.keys, table.cells, 50, seed=1)


@settings(max_examples=30, deadline=None)
@given(n_rows=st.integers(4, 120), k=st.integers(2, 20), seed=st.integers(0, 99), kind=st.sampled_from(["node", "set"]))
def test_mondrian_is_true_and_keeps_k(n_rows: int, k: int, seed: int, kind: Any) -> None:
    table = people(n_rows, seed)
    reading = checked(table, min(k, n_rows), mondrian(table.keys, dict(table.cells), k, kind))
    if n_rows >= 12 * k:
        assert reading.ncp() < read_texts(table.keys, {name: ["*"] * n_rows for name in table.names}).ncp()


@pytest.mark.parametrize("way", [name for name in WAYS if "thorough" not in name])
def test_every_way_publishes_a_true_table(way: str) -> None:
    table = people(150)
    reading = checked(table, 5, WAYS[way](table, 5))
    assert 0 < reading.ncp() < 1


def test_bounds_that_one_row_holds_are_counted() -> None:
    cells = np.array(["20", "20", "25", "30", "40", "44"], dtype=object)
    reading = read_texts([AGE], texts(age=["[20, 30]"] * 4 + ["[40, 45)"] * 2))
    found = bound_shares(reading, AGE, cells)
    assert found["on"] == pytest.approx(4 / 6)
    assert found["alone"] == pytest.approx(2 / 6)
    assert (found["groups"], found["intervals"]) == (1.0, 2)


@pytest.mark.parametrize("protocol", ["A", "B"])
def test_models_learn_from_what_is_published_and_see_no_test_label(protocol: str) -> None:
    pytest.importorskip("sklearn")
    table = people(400)
    is_test = folds_of(400, 4, seed=0) == 0
    assert is_test.sum() == 100
    found = fold_errors(table, 5, "local, target income", protocol, is_test)
    assert found["ncp"] > raw_errors(table, is_test)["ncp"] == 0
    turned = table.cells["income"].copy()
    turned[is_test] = np.where(turned[is_test] == ">50K", "<=50K", ">50K")
    other = KeyTable(cells=table.cells | {"income": turned}, keys=table.keys)
    against = fold_errors(other, 5, "local, target income", protocol, is_test)
    assert against["tree"] == pytest.approx(1 - found["tree"])


def test_claims_follow_from_the_figures() -> None:
    def results(loss: float, rows: int | None = None, ks: tuple[int, ...] = (2, 5, 10, 50, 500)) -> dict[str, Any]:
        adult = [{"way": "local, normal", "k": k, "ncp": loss, "query": 0.01} for k in ks]
        others = [
            {
                "table": "small",
                "k": 3,
                "ways": [
                    {"way": "local, normal", "ncp": 0.2},
                    {"way": "local, tight edges, normal", "ncp": 0.1},
                    {"way": "Mondrian, tight edges, trees", "ncp": 0.15},
                    {"way": "Mondrian, round edges, trees", "ncp": 0.3},
                    {"way": "levels, 5 % of rows", "ncp": 0.4},
                ],
            }
        ]
        return {"rows": rows, "adult": adult, "wide": [], "others": others, "models": {"raw": [], "ways": []}}

    def verdicts(found: dict[str, Any], text: str) -> list[str]:
        return [claim.verdict for claim in claims(found) if claim.text.startswith(text)]

    assert verdicts(results(0.043), "Adult × 8, local, normal") == ["holds"]
    assert verdicts(results(0.0431), "Adult × 8, local, normal") == ["does not hold"]
    assert verdicts(results(0.01, rows=100), "Adult × 8, local, normal") == ["cannot be judged"]
    assert verdicts(results(0.01, ks=(5, 50)), "Adult × 8, local, normal") == ["cannot be judged"]
    assert verdicts(results(0.01), "Queries, local, normal") == ["holds", "holds"]
    assert verdicts(results(0.01), "Income") == ["cannot be judged"] * 8
    assert verdicts(results(0.01), "Other tables") == ["does not hold", "holds", "holds", "holds"]
