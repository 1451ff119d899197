"""The experiment runs from the cells to the page, on a table of 18 rows."""

import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks.inference import one_cell_per_row
from experiments._cells import NO_COIN, Bench
from experiments._claims import by_realisation, grown
from experiments._summary import mean_of
from experiments._svm import LinearSvm

from experiments import thesis
from withhold import samples
from withhold.metrics import direct_distance


@pytest.fixture(scope="module")
def results() -> thesis.Results:
    table = samples.thesis_table4()
    coarse = Bench(table, "generalize")
    both = {"": Bench(table, "delete"), "_g": coarse, f"_g{NO_COIN}": coarse}
    cells = {seed: one_cell_per_row(table, np.random.default_rng(seed))[:6] for seed in (3, 8)}
    found: thesis.Results = {"realisations": 2, "quick": True}
    for name, benches in (("wisconsin", both), ("car", {"": both[""]})):
        found[name] = thesis.described(benches[""]) | {
            "times": thesis.times(benches, cells),
            "cells": thesis.one_by_one(benches, cells, numbers=False),
            "growing": thesis.growing(benches, cells, [2, 4]),
            "all at once": thesis.all_at_once(benches[""], cells),
        }
    found["wisconsin"]["enhanced"] = {
        f"decp{suffix}": thesis.totals(bench, f"decp{suffix}", [2], thesis.same_value, [3, 8], 2)
        for suffix, bench in both.items()
    }
    return found


def test_the_page_tells_every_algorithm_and_statement(results: thesis.Results) -> None:
    section = thesis.report(results)
    for name in ("DECP", "HID3-G+DROPP-G", "DECP-G, no coin", "auto", "hidden only", "SVM printed"):
        assert f"| {name} |" in section.markdown
    verdicts = [claim.verdict for claim in section.claims]
    assert len(verdicts) > 60
    assert set(verdicts) == {"holds", "does not hold", "cannot be judged"}
    assert {claim.is_ours for claim in section.claims if "`auto`" in claim.text} == {True}
    assert not any(
        claim.is_ours for claim in section.claims if "auto" not in claim.text and "same on" not in claim.text
    )


def test_a_coin_leaves_cells_exposed_and_without_it_none_is(results: thesis.Results) -> None:
    cells = results["wisconsin"]["cells"]
    for name in ("decp_g", "dropp_g"):
        tossed, going_on = cells[name], cells[f"{name}{NO_COIN}"]
        assert tossed["stopped by the coin"] > 0 == going_on["stopped by the coin"]
        assert tossed["naive-bayes"]["with deleted"] < 1 == going_on["naive-bayes"]["with deleted"]
    assert cells["decp"]["stopped by the coin"] == 0


def test_figures_hang_on_the_recorded_seeds(results: thesis.Results) -> None:
    bench = Bench(samples.thesis_table4(), "delete")
    again = thesis.totals(bench, "decp", [2], thesis.same_value, [8, 3], 2)["2"]
    assert [each[::-1] for each in again.values()] == list(results["wisconsin"]["enhanced"]["decp"]["2"].values())


def test_what_is_infinite_is_reported() -> None:
    runs = thesis.listed([{"SKLD": 1.0}, {"SKLD": math.inf}, {"SKLD": 3.0}])
    assert runs == {"SKLD": [1.0, None, 3.0]}
    assert mean_of(runs["SKLD"]) == "2, ∞ in 1 of 3"
    found = {"growing": {"decp": {"10": {"SKLD": [0.0]}, "20": runs}}}
    assert grown(found, "decp", "SKLD") == [1.0, math.inf, 3.0]


def test_realisations_must_agree() -> None:
    verdicts = [by_realisation("It is so", flags, "").verdict for flags in ([True] * 3, [False], [True, False])]
    assert verdicts == ["holds", "does not hold", "cannot be judged"]


def test_columns_without_common_information_are_counted() -> None:
    one = np.array([0, 0, 1, 1, -1])
    assert thesis.mutual_information(one, np.array([0, 1, 0, 1, 0])) == pytest.approx(0)
    assert thesis.mutual_information(one, np.array([1, 1, 0, 0, 1])) == pytest.approx(1)


def test_auto_keeps_every_cell_from_both_adversaries(results: thesis.Results) -> None:
    for table in ("wisconsin", "car"):
        for adversary in ("naive-bayes", "id3"):
            assert results[table]["cells"]["auto"][adversary]["with deleted"] == 1
            assert results[table]["growing"]["auto"]["4"][f"exposed to {adversary}"] == [0, 0]


def test_figures_are_drawn(results: thesis.Results, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    drawn = thesis.draw(results, tmp_path)
    assert sorted(tmp_path.glob("*.svg")) == sorted(drawn)
    assert len(drawn) == 7


def test_a_table_is_left_as_it_was() -> None:
    bench = Bench(samples.thesis_table4(), "generalize")
    cells = [(17, "Diagnosis"), (5, "Burning")]
    found = bench.in_turn("decp_g", cells, thesis.choices_for(NO_COIN, 0))
    assert found["direct distance"] >= 2
    assert direct_distance(bench.sheet.grid, bench.published(), taxonomies=bench.taxonomies) == 0


def test_the_support_vector_machine_learns_a_plain_rule() -> None:
    bench = Bench(samples.thesis_table1(), "delete")
    machine = LinearSvm("svm")
    with bench.changed((1, "Diagnosis"), None):
        before = machine.recovers(bench.sheet, 1, "Diagnosis", is_fresh=True)
        assert machine.recovers(bench.sheet, 1, "Diagnosis", is_fresh=True) == before
