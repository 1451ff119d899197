"""Blanks that follow rare values are told apart from blanks that follow the sensitive one."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.auditing import expected_share


def people(seed: int, n_rows: int = 3_000) -> tuple[np.ndarray, np.ndarray]:
    """Return a column with rare values, and who is ill: the rare often are."""
    rng = np.random.default_rng(seed)
    job = np.minimum(rng.geometric(0.25, n_rows) - 1, 12)
    return job, rng.random(n_rows) < np.where(job > 6, 0.6, 0.1)


@pytest.mark.parametrize("seed", range(8))
def test_blanks_of_rare_people_are_explained_by_their_values(seed: int) -> None:
    job, ill = people(seed)
    found = expected_share([job], ill, job > 5)
    assert found.found > 3 * found.among_all / 2
    assert found.is_explained


@pytest.mark.parametrize("seed", range(8))
def test_blanks_of_the_ill_are_not(seed: int) -> None:
    job, ill = people(seed)
    rng = np.random.default_rng(seed)
    found = expected_share([job], ill, (job > 2) & (rng.random(job.size) < np.where(ill, 0.5, 0.25)))
    assert not found.is_explained
    assert found.found > found.high


def test_intervals_hold_as_often_as_they_say() -> None:
    """Values that are dealt out blindly are outside of 99 % intervals in about one case of a hundred."""
    rng = np.random.default_rng(1)
    outside = 0
    for seed in range(200):
        job, ill = people(seed, 400)
        outside += not expected_share([job], ill, rng.random(400) < 0.2).is_explained
    assert outside <= 8


def test_nothing_withheld_has_no_share() -> None:
    found = expected_share([np.zeros(3, dtype=np.int64)], np.array([True, False, True]), np.zeros(3, dtype=bool))
    assert (found.n_withheld, found.found, found.expected) == (0, 0.0, 0.0)


def test_an_audit_says_whether_rare_values_explain_blanks() -> None:
    job, _ = people(3, 1_200)
    rng = np.random.default_rng(4)
    ill = rng.random(job.size) < np.where(job > 6, 0.9, 0.05)
    frame = pd.DataFrame({"job": job.astype(str), "ill": np.where(ill, "yes", "no")})
    for informed, said in ((True, "points to rare values, and these to it"), (False, "Hint: informed = true")):
        asked = wh.Risk(known={"job": 0.5}, sensitive={"ill": {"yes": 1.0}}, at_most=1e9, informed=informed)
        published = frame.assign(job=frame["job"].where(job <= 6, "*"))
        audit = wh.audit(published, wh.Policy([asked]), original=frame, attack=False)
        (mark,) = [each for each in audit.disclosures if each.kind == "marks"]
        assert said in mark.says
