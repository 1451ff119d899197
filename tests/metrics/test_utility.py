"""What an analyst loses: errors before and after, dependence, distributions."""

import json
import sys
from dataclasses import asdict

import numpy as np
import pytest

import withhold as wh
from withhold.auditing import Audit
from withhold.errors import InputError
from withhold.metrics import Rate, classification_error, classification_utility, column_profile, dependence
from withhold.report import public_audit
from withhold.table import Grid

N = 600


def grid(**columns: object) -> Grid:
    texts = {name: [None if cell is None else str(cell) for cell in cells] for name, cells in columns.items()}
    return Grid.of(wh.Table.from_columns(texts))


def before_and_after() -> tuple[Grid, Grid]:
    """Return a table in which age decides, and a release in which age is in two halves."""
    rng = np.random.default_rng(5)
    age, sex, noise = rng.integers(0, 80, N), rng.choice(["f", "m"], N), rng.random(N) < 0.1
    ill = np.where((age >= 40) ^ noise, "yes", "no")
    halves = np.where(age < 40, "[0, 40)", "[40, 80]")
    return grid(age=age, sex=sex, ill=ill), grid(age=halves, sex=sex, ill=ill)


def test_what_decides_is_kept_by_a_release_that_cuts_where_it_matters() -> None:
    found = classification_utility(*before_and_after(), "ill", masked=["age"], rng=0)
    assert [errors.learner for errors in found.learners] == ["c4.5", "naive-bayes", "boosting"]
    assert (found.n_train, found.n_test) == (400, 200)
    for errors in found.learners:
        assert errors.released.error == pytest.approx(0.1, abs=0.06)
        assert errors.upper.error > 0.3
        assert errors.removed == errors.upper
        assert errors.benefit > 0.2
        assert errors.base.low < errors.base.error < errors.base.high
    assert found.majority.error == pytest.approx(0.5, abs=0.08)


def test_results_are_repeated_by_a_seed_and_fit_into_json() -> None:
    one, two = (
        classification_utility(*before_and_after(), "ill", masked=["age"], learners=["c4.5"], rng=7) for _ in range(2)
    )
    assert one.learners[0].released == two.learners[0].released
    assert json.loads(json.dumps(asdict(one)))["learners"][0]["released"]["n_test"] == 200


def test_other_columns_may_be_removed_than_masked() -> None:
    found = classification_utility(
        *before_and_after(), "ill", masked=["sex"], removed=["age"], learners=["c4.5"], rng=0
    ).learners[0]
    assert found.upper.error < 0.2 < 0.3 < found.removed.error


def test_ignored_columns_may_be_missing_from_the_release() -> None:
    before, after = before_and_after()
    bare = Grid(after.columns[1:], after.labels[1:], after.codes[:, 1:])
    ignoring = classification_utility(
        before, bare, "ill", masked=[], ignored=["age"], learners=["c4.5"], rng=0
    ).learners[0]
    assert ignoring.base == ignoring.released
    assert ignoring.base.error > 0.3


def test_rows_need_not_be_aligned() -> None:
    before, after = before_and_after()
    fewer = Grid(after.columns, after.labels, after.codes[::2])
    with pytest.raises(InputError, match="aligned=False"):
        classification_utility(before, fewer, "ill", masked=["age"], rng=0)
    found = classification_utility(before, fewer, "ill", masked=["age"], aligned=False, learners=["c4.5"], rng=0)
    assert (found.learners[0].base.n_test, found.learners[0].released.n_test) == (200, 100)
    assert found.learners[0].released.error < 0.25


def test_unknown_targets_are_left_out_and_rows_sampled_with_a_note() -> None:
    before, after = before_and_after()
    for table in (before, after):
        table.codes[:30, table.place("ill")] = -1
    found = classification_utility(before, after, "ill", masked=["age"], learners=["c4.5"], max_rows=300, rng=0)
    assert found.notes == (
        "30 rows without a known target were left out.",
        "300 of 570 rows were sampled.",
    )
    assert (found.n_train, found.n_test) == (200, 100)


def hard_rows_hidden() -> tuple[Grid, Grid]:
    """Return a table in which a third of the rows cannot be predicted, and a release that hides the target there."""
    rng = np.random.default_rng(0)
    sign, is_hard = rng.choice(["a", "b"], 900), rng.random(900) < 0.3
    kind = np.where(is_hard, rng.choice(["p", "q"], 900), np.where(sign == "a", "p", "q"))
    ease = np.where(is_hard, "hard", "easy")
    shown = [None if hard else str(value) for hard, value in zip(is_hard, kind, strict=True)]
    return grid(sign=sign, ease=ease, kind=kind), grid(sign=sign, ease=ease, kind=shown)


def test_hiding_the_target_of_hard_rows_does_not_look_like_a_gain() -> None:
    found = classification_utility(*hard_rows_hidden(), "kind", masked=[], rng=1)
    for errors in found.learners:
        assert errors.released.n_test == errors.base.n_test == 300
        assert errors.loss > -0.03
        assert errors.published.n_test < 260
        assert errors.published.error < 0.05
    assert "The release withholds kind in" in found.notes[0]


def test_a_public_report_is_silent_about_rows_whose_target_is_withheld() -> None:
    found = classification_utility(*hard_rows_hidden(), "kind", masked=[], learners=["c4.5"], rng=1)
    shown = public_audit(Audit(findings=(), n_rows=900, utility=found)).utility
    assert shown.learners[0].released.error < 0.05 < found.learners[0].released.error


def test_each_class_is_divided_alike() -> None:
    ill = ["yes"] * 30 + ["no"] * 570
    errors = [
        classification_utility(
            grid(a=["x"] * N, ill=ill), grid(a=["x"] * N, ill=ill), "ill", masked=[], learners=["c4.5"], rng=seed
        )
        .learners[0]
        .base
        for seed in range(8)
    ]
    assert {rate.n_wrong for rate in errors} == {10}, "a third of the thirty"


def test_without_scikit_learn_boosting_is_left_out_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    found = classification_utility(*before_and_after(), "ill", masked=["age"], rng=0)
    assert [errors.learner for errors in found.learners] == ["c4.5", "naive-bayes"]
    assert "withhold[audit]" in found.notes[0]


def test_boosting_takes_a_column_of_many_categories_and_unknown_cells() -> None:
    names = [f"c{i % 400}" if i % 7 else None for i in range(N)]
    ill = ["yes" if i % 400 < 200 else "no" for i in range(N)]
    rows = np.arange(N)
    found = classification_error(grid(name=names, ill=ill), "ill", train=rows, test=rows, learner="boosting")
    assert found.error < 0.4


def test_a_table_without_other_columns_leaves_the_majority() -> None:
    rows = np.arange(4)
    found = classification_error(grid(ill=["yes", "yes", "yes", "no"]), "ill", train=rows, test=rows)
    assert found == Rate.of(1, 4)


def test_withheld_cells_are_unknown_and_numbers_stay_numbers() -> None:
    size = [str(i) if i % 5 else "*" for i in range(100)]
    rows = np.arange(100)
    found = classification_error(grid(size=size, kind=[i >= 50 for i in rows]), "kind", train=rows, test=rows)
    assert found.n_wrong == 10, "the withheld half of one class, and nothing else"


@pytest.mark.parametrize(
    "wrong",
    [{"target": "ilness"}, {"masked": ["ages"]}, {"masked": ["ill"]}, {"test_share": 1.0}, {"learners": ["svm"]}],
)
def test_mistakes_are_reported(wrong: dict[str, object]) -> None:
    before, after = before_and_after()
    given = {"target": "ill", "masked": ["age"], **wrong}
    with pytest.raises(InputError):
        classification_utility(before, after, **given)


def test_dependence_is_not_raised_by_many_values() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 60, 2000), rng.integers(0, 60, 2000)
    found = dependence(grid(a=[f"x{i}" for i in first], b=[f"y{i}" for i in second], c=[f"z{i // 2}" for i in first]))
    assert found.matrix[0][1] < 0.05, "plain V is above 0.17"
    assert found.matrix[0][2] == pytest.approx(1, abs=0.01)
    assert found.matrix[1][0] == found.matrix[0][1]
    assert json.dumps(asdict(found))


def test_dependence_looks_at_known_cells_and_samples_with_a_note() -> None:
    titles = ["Ms" if i % 2 else "Mr" for i in range(1000)]
    sex = ["f" if i % 2 else "m" for i in range(1000)]
    sex[:300] = ["*"] * 300
    found = dependence(grid(sex=sex, title=titles), max_rows=500)
    assert found.matrix[0][1] == pytest.approx(1)
    assert (found.n_rows, found.notes) == (500, ("500 of 1,000 rows were sampled.",))


def test_dependence_of_numbers_is_by_intervals() -> None:
    rng = np.random.default_rng(0)
    age = rng.random(3000)
    found = dependence(grid(age=age, older=age * 7 + 1, other=rng.random(3000)))
    assert found.matrix[0][1] == pytest.approx(1, abs=1e-6)
    assert found.matrix[0][2] < 0.05


def test_a_profile_of_categories_names_the_most_frequent() -> None:
    town = ["Bern"] * 5 + ["Biel"] * 3 + ["Thun", None]
    kanton = ["Kanton"] * 8 + ["*", None]
    found = column_profile(grid(town=town), grid(town=kanton), "town", n_most=2)
    assert found.labels == ("Kanton", "Bern", "other", "withheld")
    assert found.before == pytest.approx((0, 0.5, 0.4, 0.1))
    assert found.after == pytest.approx((0.8, 0, 0, 0.2))


def test_a_profile_of_numbers_spreads_intervals_evenly() -> None:
    before = grid(age=[*range(100), 100])
    after = grid(age=["[0, 50)"] * 25 + ["[0;50["] * 25 + ["50-100"] * 51)
    found = column_profile(before, after, "age", n_bins=4)
    assert found.edges == (0, 25, 50, 75, 100)
    assert found.labels[-1] == "[75, 100]"
    assert found.after == pytest.approx((25 / 101, 25 / 101, 25.5 / 101, 25.5 / 101))
    assert sum(found.before) == pytest.approx(1)
    assert found.kind == "number"


def test_a_profile_of_one_number_and_an_unknown_column() -> None:
    same = grid(age=["7", "7"])
    assert sum(column_profile(same, same, "age", n_bins=3).after) == pytest.approx(1)
    with pytest.raises(InputError, match='did you mean "age"'):
        column_profile(same, same, "aeg")
