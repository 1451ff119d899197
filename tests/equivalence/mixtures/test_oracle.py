"""The oracle itself: it reports every violation that was made by hand."""

from collections import Counter
from typing import Any

import pytest
from tests.equivalence.mixtures.by_hand import Rows, rows, wrong
from tests.equivalence.mixtures.cells import IN_SOME_ORDER
from tests.equivalence.mixtures.generate import case_of, policy_text
from tests.equivalence.mixtures.meaning import Column, one_spelling
from tests.equivalence.mixtures.oracle import MISSPELLED, all_withheld, violations

# Violations made by hand: cells


PLAIN = rows("job ill", "cook flu", "cook flu", "clerk cold", "clerk flu")
TREE = {"taxonomy": {"Any": {"Kitchen": ["cook", "baker"], "Office": ["clerk"]}}}
PAIRS_SHARED = {"kind": "anonymity", "columns": ["job"], "k": 2}


@pytest.mark.parametrize(
    ("cell", "is_right"),
    [
        ("cook", True),
        ("Kitchen", True),
        ("*", True),
        ("Any", False),
        ("Office", False),
        ("baker", False),
        ("", False),
        ("Cook", False),
    ],
)
def test_a_cell_is_what_stood_there_or_above_it_in_the_taxonomy(cell: str, is_right: bool):
    published = [{**row, "job": cell} if row["job"] == "cook" else row for row in PLAIN]
    assert (wrong(PLAIN, published, PAIRS_SHARED, columns={"job": TREE}) == []) == is_right


@pytest.mark.parametrize(
    ("text", "cell", "is_right"),
    [
        ("1.0", "1", True),
        ("01", "1", True),
        ("-0.0", "0", True),
        ("1.0", "1.0", False),
        ("1", "2", False),
        ("1", "[1, 2)", True),
        ("2", "[1, 2)", False),
        ("2", "[1, 2]", True),
        ("1", "[1.5, 2]", False),
        ("?", "", True),
        ("?", "?", False),
        ("-9.0", "", True),
        ("", "0", False),
    ],
)
def test_a_number_is_in_its_one_spelling_or_in_its_interval(text: str, cell: str, is_right: bool):
    original, published = [{"age": text}] * 2, [{"age": cell}] * 2
    requirement = {"kind": "anonymity", "columns": ["age"], "k": 2}
    found = wrong(original, published, requirement, columns={"age": {"type": "number"}}, missing=["?", "-9"])
    assert (found == []) == is_right


def test_a_column_that_nobody_reads_stays_byte_for_byte():
    original = rows("job age", "cook 1.0", "cook 01")
    settings = {"age": {"type": "number"}}
    assert wrong(original, original, PAIRS_SHARED, columns=settings) == []
    found = wrong(original, rows("job age", "cook 1", "cook *"), PAIRS_SHARED, columns=settings)
    assert len(found) == 2
    assert wrong(original, rows("job age", "* *", "* *"), PAIRS_SHARED, columns=settings) == []


def test_a_number_in_bins_is_never_published_to_the_digit():
    original = rows("age ill", "1 flu", "5 flu")
    risk = {"kind": "risk", "known": {"age": 0.1}, "sensitive": {"ill": 1.0}, "at_most": 200}
    settings = {"type": "number", "bins": [0, 4, 8]}
    assert wrong(original, original, risk, columns={"age": settings}) != []
    assert wrong(original, rows("age ill", "* flu", "* flu"), risk, columns={"age": settings}) == []
    middle = rows("age ill", "2 flu", "6 flu")
    assert wrong(original, middle, risk, columns={"age": settings}) != []
    assert wrong(original, middle, risk, columns={"age": {**settings, "publish": "midpoint"}}) == []


def test_misspelled_cells_are_named_so():
    original = rows("age", "1.0", "1.0")
    found = wrong(
        original, original, {"kind": "anonymity", "columns": ["age"], "k": 2}, columns={"age": {"type": "number"}}
    )
    assert all(sentence.endswith(MISSPELLED) for sentence in found)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("text", "expected"), [("1.50", "1.5"), ("1e1", "10"), (".5", "0.5"), ("-0", "0"), ("+3", "3")]
)
def test_numbers_have_one_spelling(text: str, expected: str):
    assert one_spelling(text) == expected


def test_dropped_columns_and_lost_rows_are_reported():
    assert "columns" in wrong(PLAIN, PLAIN, PAIRS_SHARED, drop=["ill"])[0]
    assert "columns" in wrong(PLAIN, [{"job": row["job"]} for row in PLAIN], PAIRS_SHARED)[0]
    assert "rows" in wrong(PLAIN, PLAIN[:3], PAIRS_SHARED)[0]


def test_kept_columns_stay_as_they_stood():
    template = {"kind": "template", "given": ["job"], "hide": {"ill": ["cold"]}, "at_most": 0.5, "keep": ["job"]}
    assert wrong(PLAIN, PLAIN, template) == []
    assert len(wrong(PLAIN, [{**row, "job": "*"} for row in PLAIN], template)) == 4


def test_shuffled_rows_are_found_again_by_what_they_hold():
    turned = [PLAIN[i] for i in (3, 0, 2, 1)]
    assert wrong(PLAIN, turned, PAIRS_SHARED) != []
    assert wrong(PLAIN, turned, PAIRS_SHARED, rows="shuffle") == []
    mixed = rows("job ill", "cook flu", "cook cold", "clerk flu", "clerk flu")
    assert wrong(PLAIN, mixed, PAIRS_SHARED, rows="shuffle") == [
        "the rows cannot be those of the original in another order"
    ]


def test_hidden_cells_of_shuffled_rows_are_found_by_the_rest_of_the_row():
    original = rows("line job ill", "1 cook flu", "2 clerk cold", "3 cook cold", "4 clerk flu")
    hidden = {"kind": "hidden", "cells": [[0, "ill"]], "predictors": ["job"], "against": ["naive-bayes"]}
    blank_first = rows("line job ill", "3 cook cold", "1 cook *", "2 clerk cold", "4 clerk flu")
    blank_other = rows("line job ill", "3 cook *", "1 cook flu", "2 clerk cold", "4 clerk flu")
    assert wrong(original, blank_first, hidden, rows="shuffle") == []
    assert any("is published as 'flu'" in sentence for sentence in wrong(original, blank_other, hidden, rows="shuffle"))


# Violations made by hand: groups


ANONYMITY = {"kind": "anonymity", "columns": ["job", "sex"], "k": 2}


@pytest.mark.parametrize(
    ("original", "published", "settings"),
    [
        (rows("job sex", "cook m", "cook m", "clerk m"), None, {}),
        (rows("job sex", "cook m", "cook m", "cook f", "cook f", "cook m"), ["cook *"] * 4 + ["cook m"], {}),
        (rows("job sex", "cook m", "cook m", "_ m"), None, {}),  # missing is a value of its own
        (rows("job sex", "cook m", "cook m", "_ m", "_ m"), ["cook m", "cook m", "* m", "_ m"], {}),
        (rows("job sex", "cook m", "baker m"), ["cook m", "Kitchen m"], {"job": TREE}),
        (rows("job sex", "1 m", "3 m", "5 m"), ["[1,3) m", "[1,5] m", "[1,5] m"], {"job": {"type": "number"}}),
    ],
)
def test_groups_below_k_are_reported(original: Rows, published: list[str] | None, settings: dict[str, Any]):
    release = original if published is None else rows("job sex", *published)
    found = wrong(original, release, ANONYMITY, columns=settings)
    assert len(found) >= 1
    assert all("rows share" in sentence for sentence in found)


def test_a_missing_cell_may_be_any_value_or_withheld_where_the_column_says_so():
    original = rows("job sex", "cook m", "cook m", "_ m")
    assert wrong(original, original, ANONYMITY, columns={"job": {"missing": "any"}}) == []
    assert any(
        "nor coarser" in s for s in wrong(original, original, ANONYMITY, columns={"job": {"missing": "withhold"}})
    )
    withheld = rows("job sex", "* m", "* m", "* m")
    assert wrong(original, withheld, ANONYMITY, columns={"job": {"missing": "withhold"}}) == []
    two = rows("job sex", "cook m", "_ m", "clerk f")
    found = wrong(two, two, ANONYMITY, columns={"job": {"missing": "any"}})
    assert [sentence.split(": ")[1][:12] for sentence in found] == ["1 rows share"]


def test_a_blank_may_be_any_value_where_the_requirement_says_so():
    original = rows("job sex", "cook m", "cook m", "clerk m", "clerk f", "baker f")
    weak = {**ANONYMITY, "blanks": "any"}
    release = rows("job sex", "cook m", "cook m", "* m", "clerk *", "* f")
    assert wrong(original, release, {**weak, "k": 2}) == []
    assert wrong(original, release, {**ANONYMITY, "k": 2}) != []
    (found,) = wrong(original, release, {**weak, "k": 3})[:1]
    assert "has no blank and equals 2 rows" in found
    (found,) = wrong(original, rows("job sex", "cook m", "cook m", "* m", "* m", "baker *"), {**weak, "k": 4})[-1:]
    assert "row 4 may be the same as 3 rows, fewer than 4" in found


TEMPLATE = {"kind": "template", "given": ["job"], "hide": {"ill": ["flu"]}, "at_most": 0.5}
TWO_OF_FOUR = rows("job ill", "cook flu", "cook flu", "cook cold", "cook cold")


@pytest.mark.parametrize(
    ("original", "published", "how"),
    [
        (rows("job ill", "cook flu", "cook flu", "cook cold"), None, ["in truth", "as published"]),
        (rows("job ill", "cook flu", "cook cold", "cook _"), None, []),
        (rows("job ill", "cook flu", "cook flu", "cook cold", "cook _"), None, ["in truth", "as published"]),
        (TWO_OF_FOUR, ["cook flu", "cook flu", "cook cold", "cook *"], ["as published"]),
        (TWO_OF_FOUR, ["cook flu", "cook flu", "cook *", "cook *"], ["as published"]),
        (rows("job ill", "cook flu", "cook flu", "cook cold"), ["cook *", "cook *", "cook cold"], ["in truth"]),
        (rows("job ill", "cook flu", "cook flu", "cook cold"), ["cook Viral"] * 2 + ["cook cold"], ["in truth"]),
        (rows("job ill", "cook flu", "cook flu", "cook rash"), ["cook *"] * 3, ["in truth"]),
        (TWO_OF_FOUR, None, []),
    ],
)
def test_shares_above_the_limit_are_reported(original: Rows, published: list[str] | None, how: list[str]):
    release = original if published is None else rows("job ill", *published)
    settings = {"ill": {"taxonomy": {"Any": {"Viral": ["flu", "cold"], "Skin": ["rash"]}}}}
    found = wrong(original, release, TEMPLATE, {"kind": "anonymity", "columns": ["ill"], "k": 1}, columns=settings)
    assert [next(each for each in ("in truth", "as published") if each in sentence) for sentence in found] == how


def test_a_text_that_can_only_be_the_sensitive_value_reads_as_it():
    original = rows("job ill", "cook rash", "cook rash", "cook cold")
    release = rows("job ill", "cook Skin", "cook Skin", "cook cold")
    settings = {"ill": {"taxonomy": {"Any": {"Viral": ["flu", "cold"], "Skin": ["rash"]}}}}
    found = wrong(original, release, {**TEMPLATE, "hide": {"ill": ["rash"]}}, columns=settings)
    assert any("as published: 2 of 3" in sentence for sentence in found)


def test_cells_hidden_from_the_informed_are_no_answers():
    original = rows("job ill", "cook flu", "cook flu", "cook cold", "clerk cold")
    release = rows("job ill", "cook *", "cook *", "cook cold", "clerk cold")
    hidden = {"kind": "hidden", "cells": [[0, "ill"], [1, "ill"]], "against": ["naive-bayes"]}
    assert any("in truth" in sentence for sentence in wrong(original, release, TEMPLATE, hidden))
    assert wrong(original, release, TEMPLATE, {**hidden, "informed": True}) == []


DIVERSITY = {"kind": "diversity", "columns": ["job"], "sensitive": "ill", "l": 2}


@pytest.mark.parametrize(
    ("original", "published", "extra", "how"),
    [
        (rows("job ill", "cook flu", "cook flu"), None, {}, ["in truth", "as published"]),
        (rows("job ill", "cook flu", "cook cold"), ["cook flu", "cook *"], {}, ["as published"]),
        (rows("job ill", "cook flu", "cook flu"), ["cook flu", "cook Viral"], {}, ["in truth"]),
        (rows("job ill", "cook flu", "cook flu"), ["cook *", "cook *"], {}, ["in truth"]),
        (rows("job ill", "cook flu", "cook _"), None, {}, ["in truth", "as published"]),
        (
            rows("job ill", "cook flu", "cook flu", "cook cold"),
            None,
            {"model": "entropy"},
            ["in truth", "as published"],
        ),
        (
            rows("job ill", "cook flu", "cook flu", "cook cold"),
            None,
            {"model": "recursive", "c": 2.0},
            ["in truth", "as published"],
        ),
        (rows("job ill", "cook flu", "cook flu", "cook cold"), None, {"model": "recursive", "c": 2.1}, []),
        (rows("job ill", "cook _", "cook _"), None, {}, []),
    ],
)
def test_groups_without_diversity_are_reported(
    original: Rows, published: list[str] | None, extra: dict[str, Any], how: list[str]
):
    release = original if published is None else rows("job ill", *published)
    settings = {"ill": {"taxonomy": {"Any": {"Viral": ["flu", "cold"]}}}}
    found = wrong(original, release, {**DIVERSITY, **extra}, columns=settings)
    assert [next(each for each in ("in truth", "as published") if each in sentence) for sentence in found] == how


CLOSENESS = {"kind": "closeness", "columns": ["job"], "sensitive": "pay"}
PAY = rows("job pay", "cook 1", "cook 2", "clerk 3", "clerk 4")


@pytest.mark.parametrize(
    ("extra", "is_close"),
    [
        ({"t": 0.5}, True),
        ({"t": 0.49}, False),
        ({"t": 0.34, "distance": "ordered"}, True),
        ({"t": 0.33, "distance": "ordered"}, False),
        ({"t": 0.5, "distance": "taxonomy"}, True),
        ({"t": 0.49, "distance": "taxonomy"}, False),
    ],
)
def test_groups_far_from_the_table_are_reported(extra: dict[str, Any], is_close: bool):
    # Half of the shares must move, and in order each by 2 of 3 steps: (1/4 + 1/2 + 1/4) / 3.
    found = wrong(PAY, PAY, {**CLOSENESS, **extra}, columns={"pay": {"type": "number"}})
    assert (found == []) == is_close
    assert len(found) in (0, 4)


def test_closeness_looks_at_the_truth_and_at_what_is_published():
    withheld = rows("job pay", "cook *", "cook *", "clerk *", "clerk *")
    found = wrong(PAY, withheld, {**CLOSENESS, "t": 0.2}, columns={"pay": {"type": "number"}})
    assert all("in truth" in sentence for sentence in found)
    assert len(found) == 2
    mixed = rows("job pay", "cook 1", "cook 2", "clerk 1", "clerk 2")
    release = rows("job pay", "cook 1", "cook *", "clerk *", "clerk 2")
    found = wrong(mixed, release, {**CLOSENESS, "t": 0.2}, columns={"pay": {"type": "number"}})
    assert all("as published" in sentence for sentence in found)
    assert len(found) == 2


def test_numbers_are_ordered_by_size_and_taxonomies_as_they_stand():
    numbers = rows("job pay", "cook 2", "cook 10", "clerk 9", "clerk 9")
    far = {**CLOSENESS, "distance": "ordered", "t": 0.24}  # 2, 9, 10: a quarter moves down, a quarter up
    assert len(wrong(numbers, numbers, far, columns={"pay": {"type": "number"}})) == 4
    assert wrong(numbers, numbers, {**far, "t": 0.25}, columns={"pay": {"type": "number"}}) == []
    tree = {"pay": {"taxonomy": {"Any": ["2", "10", "9"]}}}  # half moves by one of two steps or by both
    assert len(wrong(numbers, numbers, {**far, "t": 0.37}, columns=tree)) == 4
    assert wrong(numbers, numbers, {**far, "t": 0.38}, columns=tree) == []


# Violations made by hand: cells that are hidden, records at risk


HIDDEN = {"kind": "hidden", "cells": [[0, "ill"]]}
SICK = rows("job sex ill", "cook m flu", "cook m flu", "cook f flu", "clerk m cold", "clerk f cold")


@pytest.mark.parametrize(
    ("published", "against", "said"),
    [
        (["cook m flu"], "naive-bayes", "is published as 'flu'"),
        (["cook m *"], "naive-bayes", "naive-bayes recovers hidden cell 0, ill"),
        (["cook * *"], "id3", "id3 recovers hidden cell 0, ill"),
        (["* * *"], "naive-bayes", None),  # a deleted row
        (["cook m *"], {"adversary": "rules", "confidence": 0.8, "support": 2}, "{'job': 'cook'} → ill = flu"),
        (["cook m *"], {"adversary": "rules", "confidence": 0.8, "support": 3}, None),
    ],
)
def test_hidden_cells_that_are_recovered_are_reported(published: list[str], against: Any, said: str | None):
    release = rows("job sex ill", *published) + SICK[1:]
    found = wrong(SICK, release, {**HIDDEN, "against": [against]})
    assert (found == []) if said is None else any(said in sentence for sentence in found)


def test_a_cell_that_was_missing_holds_nothing_to_hide():
    original = rows("job ill", "cook _", "cook flu", "clerk cold")
    assert wrong(original, original, {**HIDDEN, "against": ["naive-bayes"]}) == []


def test_a_tie_of_naive_bayes_recovers_nothing_but_a_tied_leaf_does():
    original = rows("job ill", "cook flu", "cook flu", "cook cold", "clerk rash")
    release = rows("job ill", "cook *", "cook flu", "cook cold", "clerk rash")
    assert wrong(original, release, {**HIDDEN, "against": ["naive-bayes"]}) == []
    (found,) = wrong(original, release, {**HIDDEN, "against": ["id3"]})
    assert found.endswith(IN_SOME_ORDER)


def test_tied_children_and_tied_columns_are_tried_in_every_order():
    # The row has no job: it follows one of two branches of equal size.
    original = rows("job ill", "_ flu", "cook flu", "cook flu", "clerk cold", "clerk cold")
    release = rows("job ill", "_ *", "cook flu", "cook flu", "clerk cold", "clerk cold")
    (found,) = wrong(original, release, {**HIDDEN, "against": ["id3"]})
    assert found.endswith(IN_SOME_ORDER)
    # Job and sex split alike, and the row is like one class by its job and like the other by its sex.
    both = rows("job sex ill", "cook f flu", "cook m flu", "cook m flu", "clerk f cold", "clerk f cold")
    blank = rows("job sex ill", "cook f *") + both[1:]
    (found,) = wrong(both, blank, {**HIDDEN, "against": ["id3"]})
    assert found.endswith(IN_SOME_ORDER)


def test_a_coarser_cell_with_one_value_below_it_hides_nothing():
    original = rows("job ill", "cook rash", "clerk rash", "cook flu", "clerk cold", "cook flu")
    settings = {"ill": {"taxonomy": {"Any": {"Viral": ["flu", "cold"], "Skin": ["rash"]}}}}
    against = [{"adversary": "naive-bayes", "modify": "generalize"}]
    release = rows("job ill", "cook Skin") + original[1:]
    (found,) = wrong(original, release, {**HIDDEN, "against": against}, columns=settings)
    assert "can hold only one value" in found
    plain = wrong(original, release, {**HIDDEN, "against": ["naive-bayes"]}, columns=settings)
    assert any("is published as 'Skin'" in sentence for sentence in plain)


def test_a_hidden_number_is_recovered_by_its_bin():
    original = rows("job age", "cook 1", "cook 2", "cook 3", "clerk 7")
    release = rows("job age", "cook *", "cook [0,4)", "cook [0,4)", "clerk [4,8]")
    settings = {"age": {"type": "number", "bins": [0, 4, 8]}}
    found = wrong(original, release, {**HIDDEN, "cells": [[0, "age"]], "against": ["naive-bayes"]}, columns=settings)
    assert [sentence.split(": ")[1] for sentence in found] == ["naive-bayes recovers hidden cell 0, age"]


def test_the_narrowest_published_text_gives_a_value_away():
    column = Column("age", {"type": "number"}, (), ["1", "2", "5"])
    assert column.read_as("1", ["[0, 9]", "[0, 2)", "[5, 9]", "*", ""]) == {"[0, 2)"}
    assert column.read_as("1", ["[0, 9]", "1"]) == {"1"}
    assert column.read_as("1", ["[5, 9]"]) == {"1"}


def test_the_informed_hear_no_more_than_of_a_row_without_values():
    informed = {**HIDDEN, "informed": True}
    blank = [{**SICK[0], "ill": "*"}, *SICK[1:]]
    # Without values flu and cold are equally frequent; the job decides.
    for adversary in ("naive-bayes", "id3"):
        (found,) = wrong(SICK, blank, {**informed, "against": [adversary]})
        assert f"{adversary} says more of hidden cell 0, ill" in found
    silent = rows("job sex ill", "* * *") + SICK[1:]
    assert wrong(SICK, silent, informed) == []
    # All say cold; it is right, but it is said of everybody.
    mostly = rows("job ill", "cook cold", "cook cold", "clerk cold", "clerk cold", "clerk flu")
    release = rows("job ill", "cook *") + mostly[1:]
    assert wrong(mostly, release, {**informed, "against": ["naive-bayes"]}) == []
    assert wrong(mostly, release, {**HIDDEN, "against": ["naive-bayes"]}) != []


def test_a_condition_names_cells():
    hidden = {"kind": "hidden", "column": "ill", "where": "\"job\" = 'cook'", "against": ["naive-bayes"]}
    found = wrong(SICK, SICK, hidden)
    assert len([sentence for sentence in found if "is published as 'flu'" in sentence]) == 3


RISK = {"kind": "risk", "known": {"job": 0.5}, "sensitive": {"ill": {"flu": 1.0}}, "alpha": 1}
EXPOSED = rows("job ill", "cook flu", "clerk cold", "clerk cold", "clerk flu")


@pytest.mark.parametrize(
    ("published", "at_most", "n_above"),
    [
        (None, 0.75, 0),  # row 0: 1/4 + 0.5 / 1
        (None, 0.74, 1),
        (None, 0.4, 2),  # row 3: 1/4 + 0.5 / 3
        (["* flu", "clerk cold", "clerk cold", "clerk flu"], 0.4, 1),
        (["* flu", "* cold", "clerk cold", "clerk flu"], 0.49, 1),  # row 3: 1/4 + 0.5 / 2
        (["cook *", "clerk cold", "clerk cold", "clerk *"], 0, 0),
        (["cook Viral", "clerk Viral", "clerk cold", "clerk flu"], 0.4, 3),  # as heavy as the heaviest below
        (["_ flu", "clerk cold", "clerk cold", "clerk flu"], 0.4, 2),
    ],
)
def test_records_above_the_threshold_are_reported(published: list[str] | None, at_most: float, n_above: int):
    release = EXPOSED if published is None else rows("job ill", *published)
    settings = {"ill": {"taxonomy": {"Any": {"Viral": ["flu", "cold"]}}}}
    found = wrong(EXPOSED, release, {**RISK, "at_most": at_most}, columns=settings)
    assert len(found) == n_above


def test_alpha_multiplies_a_risk():
    assert wrong(EXPOSED, EXPOSED, {**RISK, "at_most": 74.9, "alpha": 100}) != []
    assert wrong(EXPOSED, EXPOSED, {**RISK, "at_most": 75, "alpha": 100}) == []


# Everything withheld, and the generator


@pytest.mark.parametrize(
    ("requirement", "is_infeasible"),
    [
        ({"kind": "anonymity", "columns": ["job"], "k": 5}, True),
        ({"kind": "anonymity", "columns": ["job"], "k": 4}, False),
        ({**TEMPLATE, "at_most": 0.74}, True),
        ({**TEMPLATE, "at_most": 0.75}, False),
        ({**DIVERSITY, "l": 3}, True),
        ({**DIVERSITY, "l": 2}, False),
        ({"kind": "closeness", "columns": ["job"], "sensitive": "ill", "t": 0.0}, False),
        ({"kind": "hidden", "cells": [[0, "ill"]]}, False),
        ({**RISK, "at_most": 0}, False),
    ],
)
def test_a_policy_is_infeasible_where_the_table_with_everything_withheld_fails(requirement: Any, is_infeasible: bool):
    policy = {"require": [requirement]}
    assert (violations(PLAIN, all_withheld(PLAIN, policy), policy) != []) == is_infeasible


def test_seeds_make_the_same_case_again_and_all_kinds_occur():
    assert case_of(7) == case_of(7)
    kinds = Counter(kind for seed in range(200) for kind in set(case_of(seed).kinds))
    assert min(kinds.values()) > 20
    assert len(kinds) == 6


def test_a_policy_is_written_as_toml():
    import tomllib

    for seed in range(50):
        policy = case_of(seed).policy
        assert tomllib.loads(policy_text(policy)) == policy


@pytest.mark.parametrize(
    ("bins", "texts", "hidden", "names"),
    [
        (2, ["1", "2", "3", "4", "90"], [4], ["0", "0", "1", "1", "1"]),  # the middle of 1 to 4, made whole, is 3
        (2, ["0.5", "1", "2", "4"], [], ["0", "0", "1", "1"]),
        (3, ["1", "1", "1", "1", "2", "9"], [], ["0", "0", "0", "0", "1", "1"]),  # 1, 1, 4/3 made 2, 9: edges 1, 2, 9
        ([0, 5, 10], ["0", "5", "10", "12"], [3], ["0", "1", "1", "1"]),
    ],
)
def test_bins_are_those_of_the_numbers_that_are_not_hidden(bins, texts, hidden, names):
    column = Column("age", {"type": "number", "bins": bins}, (), texts, hidden)
    assert [column.bin(text)[1] for text in texts] == names
