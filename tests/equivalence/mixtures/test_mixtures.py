"""Random mixtures of all kinds of promises, each released and proven by brute force, or infeasible with everything withheld."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from tests.equivalence.mixtures.generate import KINDS, MARKER, Case, case_of, cases
from tests.equivalence.mixtures.oracle import columns_of, violations
from tests.equivalence.mixtures.run import (
    Outcome,
    is_expected_refusal,
    released,
    stripped,
    try_case,
    try_one,
)

N_MIXTURES = 300
"""How many a run tries: pairs and larger mixtures of all kinds."""
CHUNK = 50
"""How many are one test."""
SHARES = {"local": 70, "levels": 20}
"""In percent, how many of a chunk are tried with other recodings."""
N_ALONE = 8
"""How many of each kind alone."""
ALONE = tuple((kind,) for kind in KINDS)


def _assert_fine(outcomes: list[Outcome]) -> None:
    failed = [each for each in outcomes if each.is_failure]
    assert not failed, "\n".join(
        f"seed {each.seed} {each.kinds}: {each.status} {each.sentences[:2]}" for each in failed
    )
    refused = {stripped(s) for each in outcomes if each.status == "refused" for s in each.sentences}
    assert not [sentence for sentence in refused if not is_expected_refusal(sentence)]


@pytest.mark.parametrize("first", range(0, N_MIXTURES, CHUNK))
@pytest.mark.parametrize("recoding", ["global", "local", "levels"])
def test_mixtures_of_all_kinds_are_proven_or_infeasible(recoding: str, first: int):
    n_tried = CHUNK if recoding == "global" else SHARES[recoding] * CHUNK // 100
    outcomes = [try_one(seed, recoding=recoding) for seed in range(first, first + n_tried)]
    _assert_fine(outcomes)
    proven = [each for each in outcomes if each.status == "met"]
    assert len(proven) > n_tried / 3
    assert len({each.kinds for each in proven}) > n_tried / 6


@pytest.mark.parametrize(
    ("seed", "status"),
    [
        (1047, "infeasible"),
        (1051, "infeasible"),
        (1263, "infeasible"),
        (1338, "infeasible"),
        (1992, "met"),
        (1996, "infeasible"),
    ],
)
def test_a_number_in_quantile_bins_counts_as_its_bin_even_where_all_of_it_is_withheld(seed: int, status: str):
    assert try_one(seed).status == status


def test_values_that_no_cell_shows_any_more_are_no_branches_of_what_is_unknown():
    assert try_one(1986).status == "met"


def test_kept_numbers_are_counted_by_value_however_they_are_spelled():
    assert try_one(6133).status == "met"


@pytest.mark.parametrize("seed", [4130, 4140])
def test_a_number_column_without_a_number_has_no_intervals_to_measure(seed: int):
    assert try_one(seed).status == "met"


def test_a_group_without_an_answer_loses_nothing_that_is_no_number():
    assert try_one(1323).status == "met"  # a warning of numpy would be a crash here


@pytest.mark.parametrize("kinds", ALONE, ids="+".join)
def test_single_kinds_are_proven(kinds: tuple[str, ...]):
    outcomes = [try_one(seed, kinds) for seed in range(1_000, 1_000 + N_ALONE)]
    _assert_fine(outcomes)
    assert any(each.status == "met" for each in outcomes)


@pytest.mark.parametrize("kind", ["anonymity", "template", "hidden", "risk"])
def test_the_oracle_refutes_releases_in_which_withheld_cells_are_given_back(kind: str, tmp_path: Path):
    n_tried = n_refuted = 0
    for seed in range(2_000, 2_015):
        case = case_of(seed, [kind], is_plain=True)
        if try_case(case, seed).status != "met":
            continue
        columns, published = columns_of(case.rows, case.policy), released(case, tmp_path, seed)
        if any(row.get(MARKER) == "*" for row in published):
            continue  # a deleted row of shuffled ones cannot be found
        place = range(len(published)) if case.policy.get("rows") != "shuffle" else _places(published)
        given_back = [
            {name: columns[name].value(case.rows[i][name]) if text == "*" else text for name, text in row.items()}
            for i, row in zip(place, published, strict=True)
        ]
        if given_back != published:
            n_tried += 1
            n_refuted += violations(case.rows, given_back, case.policy) != []
    assert n_tried > 3
    assert n_refuted > n_tried / 2


def _places(published: list[dict[str, str]]) -> list[int]:
    return [int(row[MARKER].split()[1]) for row in published]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(cases())
def test_mixtures_that_hypothesis_finds_are_proven_or_infeasible(case: Case):
    _assert_fine([try_case(case)])


@pytest.mark.parametrize("seed", [3394, 3709])
def test_a_cell_that_one_requirement_coarsens_and_another_blanks_is_blank(seed: int) -> None:
    assert try_one(seed).status == "met"
