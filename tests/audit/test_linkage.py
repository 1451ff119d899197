"""Who knows some columns of a person: every kind of requirement says which."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.auditing import Homogeneity, Linkage


def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = {
        "age": rng.integers(20, 90, 300).astype(str),
        "zip": rng.integers(0, 50, 300).astype(str),
        "shoe": rng.integers(36, 46, 300).astype(str),
        "ill": rng.choice(["hiv", "no"], 300),
    }
    return pd.DataFrame(frame)


@pytest.mark.parametrize(
    ("requirement", "known"),
    [
        (wh.Risk(known={"age": 0.5, "zip": 0.5, "shoe": 0.0}, sensitive={"ill": 1.0}, at_most=1e9), ["age", "zip"]),
        (wh.Hidden(column="ill", where="age = '30'", predictors=["age"], against=["naive-bayes"]), ["age"]),
        (wh.Hidden(cells=[(0, "ill"), (3, "ill")], against=["naive-bayes"]), ["age", "zip", "shoe"]),
    ],
    ids=["risk", "hidden with predictors", "hidden"],
)
def test_a_policy_without_groups_is_attacked_by_what_it_lets_be_known(requirement: object, known: list[str]) -> None:
    frame = people()
    found = wh.audit(frame, wh.Policy([requirement]), original=frame, quick=True, rng=1)
    (link,) = [attack for attack in found.attacks if isinstance(attack, Linkage)]
    (reported,) = [attack for attack in found.attacks if isinstance(attack, Homogeneity)]
    assert (list(link.columns), list(reported.columns), reported.column) == (known, known, "ill")
    sizes = frame.groupby(known).size()
    assert link.unique_rows == int((sizes == 1).sum())
    assert link.rate == pytest.approx(len(sizes) / 300)


def test_single_rows_are_the_most_certain() -> None:
    frame = pd.DataFrame({"zip": ["1", "2", "3", "3", "4", "4"], "ill": ["hiv", "flu", "no", "no", "no", "flu"]})
    found = wh.audit(frame, wh.Policy([wh.Anonymity(columns=["zip"], k=2)], target="ill"))
    (reported,) = [attack for attack in found.attacks if isinstance(attack, Homogeneity)]
    assert (reported.certain_rows, reported.single_rows) == (4, 2)


def test_single_rows_are_counted_not_listed() -> None:
    frame = pd.DataFrame({"zip": [str(i) for i in range(12)] + ["x", "x", *"yyyyy"]})

    def says(data: pd.DataFrame) -> str:
        return wh.audit(data, wh.Policy([wh.Anonymity(columns=["zip"], k=5)]), attack=False).findings[0].says

    reported = "13 combinations of zip (14 rows) have fewer than 5 rows; of which 12 are single rows"
    assert says(frame) == reported
    assert says(frame.iloc[:12]) == "12 combinations of zip (12 rows) have fewer than 5 rows, each a single row"
    assert says(frame.iloc[12:]) == "1 combination of zip (2 rows) has fewer than 5 rows; the smallest: 2"
