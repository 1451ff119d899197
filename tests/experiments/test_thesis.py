"""The experiment runs from the cells to the page, on a table of 18 rows."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.inference import one_cell_per_row
from experiments._cells import Bench
from experiments._svm import LinearSvm

from experiments import thesis
from withhold import samples
from withhold.metrics import direct_distance


@pytest.fixture(scope="module")
def results() -> thesis.Results:
    table = samples.thesis_table4()
    both = {"": Bench(table, "delete"), "_g": Bench(table, "generalize")}
    cells = [one_cell_per_row(table, np.random.default_rng(seed))[:6] for seed in range(2)]
    found: thesis.Results = {"realisations": 2, "quick": True}
    for name, benches in (("wisconsin", both), ("car", {"": both[""]})):
        found[name] = {
            "rows": table.n_rows,
            "times": thesis.times(benches, cells),
            "cells": thesis.one_by_one(benches, cells, numbers=False),
            "growing": thesis.growing(benches, cells, [2, 4]),
            "all at once": thesis.all_at_once(benches[""], cells),
        }
    found["wisconsin"]["enhanced"] = {
        f"decp{suffix}": thesis.totals(bench, f"decp{suffix}", [2], thesis.same_value, 1, 2)
        for suffix, bench in both.items()
    }
    return found


def test_the_page_tells_every_algorithm_and_statement(results: thesis.Results) -> None:
    section = thesis.report(results)
    for name in ("DECP", "HID3-G+DROPP-G", "auto", "hidden only", "linear SVM"):
        assert name in section.markdown
    verdicts = [claim.verdict for claim in section.claims]
    assert len(verdicts) > 30
    assert set(verdicts) == {"holds", "does not hold"}


def test_auto_keeps_every_cell_from_both_adversaries(results: thesis.Results) -> None:
    for table in ("wisconsin", "car"):
        for adversary in ("naive-bayes", "id3"):
            assert results[table]["cells"]["auto"][adversary]["with deleted"] == 1
            assert results[table]["growing"]["auto"]["4"][f"exposed to {adversary}"] == 0


def test_figures_are_drawn(results: thesis.Results, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    drawn = thesis.draw(results, tmp_path)
    assert sorted(tmp_path.glob("*.svg")) == sorted(drawn)
    assert len(drawn) == 7


def test_a_table_is_left_as_it_was() -> None:
    bench = Bench(samples.thesis_table4(), "generalize")
    cells = [(17, "Diagnosis"), (5, "Burning")]
    found = bench.in_turn("decp_g", cells, thesis.choices_for(0))
    assert found["direct distance"] >= 2
    assert direct_distance(bench.sheet.grid, bench.published(), taxonomies=bench.taxonomies) == 0


def test_the_support_vector_machine_learns_a_plain_rule() -> None:
    bench = Bench(samples.thesis_table1(), "delete")
    machine = LinearSvm("svm")
    with bench.changed((1, "Diagnosis"), None):
        before = machine.recovers(bench.sheet, 1, "Diagnosis", is_fresh=True)
        assert machine.recovers(bench.sheet, 1, "Diagnosis", is_fresh=True) == before
