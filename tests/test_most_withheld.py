"""No column is emptied silently: above `most_withheld` a release is refused, and says what to do."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.errors import InfeasibleError, PolicyError, TooMuchWithheldError


def people(n_rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    sex = rng.choice(["f", "m"], n_rows)
    return pd.DataFrame({"sex": sex, "id": [f"i{i}" for i in range(n_rows)], "ill": np.where(sex == "f", "yes", "no")})


def risk(**changed: object) -> wh.Policy:
    asked: dict = {"known": {"id": 0.9}, "sensitive": {"ill": 1.0}, "at_most": 2.0, **changed}
    return wh.Policy([wh.Risk(**asked)])


def test_a_column_that_would_be_emptied_is_an_error_with_choices() -> None:
    with pytest.raises(TooMuchWithheldError) as caught:
        wh.release(people(), risk())
    error = caught.value
    assert isinstance(error, InfeasibleError)
    assert (error.exit_code, error.column, error.requirement, error.asked) == (3, "id", 0, 0.5)
    assert error.reached == 1.0
    assert "60 of 60 cells" in str(error)
    assert "leave out the rows" in str(error)
    assert "raise `most_withheld`" in str(error)


def test_a_raised_limit_lets_it_pass_and_the_record_names_the_column() -> None:
    made = wh.release(people(), risk(most_withheld=1.0))
    assert made.report["requirements"][0]["share_withheld"] == {"id": 1.0}
    assert (made.to_frame()["id"] == "*").all()


def test_a_share_that_equals_the_limit_is_allowed() -> None:
    frame = people(20)
    frame.loc[10:, "id"] = "same"
    made = wh.release(frame, risk(at_most=15.0))
    assert made.report["requirements"][0]["share_withheld"] == {"id": 0.5}
    with pytest.raises(TooMuchWithheldError, match=r"a share of 0\.500, where `most_withheld` allows 0\.49"):
        wh.release(frame, risk(at_most=15.0, most_withheld=0.49))


def test_hidden_cells_themselves_do_not_count() -> None:
    frame = people(20)
    everything = wh.Hidden(column="ill", where="sex = 'f'", predictors=["id"], most_withheld=0.0)
    assert (wh.release(frame, wh.Policy([everything])).to_frame()["ill"] == "*").any()


def test_hidden_cells_that_cost_most_of_a_column_are_refused() -> None:
    hidden = wh.Hidden(cells=[(i, "ill") for i in range(0, 60, 3)], informed=True, most_withheld=0.1)
    with pytest.raises(TooMuchWithheldError, match="hide fewer cells"):
        wh.release(people()[["sex", "ill"]], wh.Policy([hidden]))


@pytest.mark.parametrize("limit", [-0.1, 1.5, "much"])
def test_limits_outside_of_0_to_1_are_refused(limit: object) -> None:
    with pytest.raises(PolicyError, match="most_withheld"):
        risk(most_withheld=limit)
    with pytest.raises(PolicyError, match="most_withheld"):
        wh.Hidden(column="ill", most_withheld=limit)  # type: ignore[arg-type]
