"""Three releases in a row, people join, leave and change: an outsider who intersects them gains nothing."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from tests.equivalence.intersection_attacker import Release, candidates, possible

import withhold as wh

COLUMNS = ("age", "job")
JOBS = wh.Taxonomy.from_paths([["cook", "hand", "*"], ["smith", "hand", "*"], ["judge", "head", "*"]])
TREES = ({}, {"hand": {"cook", "smith"}, "head": {"judge"}})
SETTINGS = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


def policy(k: int, least: int | None) -> wh.Policy:
    asked: list[object] = [wh.Anonymity(columns=COLUMNS, k=k)]
    if least is not None:
        asked.append(wh.Diversity(columns=COLUMNS, sensitive="ill", l=least))
    return wh.Policy(
        asked, drop=["id"], recoding="local", columns={"age": {"type": "number"}, "job": {"taxonomy": JOBS}}
    )


def tables(seed: int, n_people: int, n_values: int) -> list[pd.DataFrame]:
    """Return three tables of overlapping people; one in ten changes something in between."""
    rng = np.random.default_rng(seed)
    whole = pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n_people)],
            "age": rng.integers(20, 28, n_people),
            "job": rng.choice(["cook", "smith", "judge"], n_people),
            "ill": rng.choice([f"v{i}" for i in range(n_values)], n_people),
        }
    )
    found = []
    for _ in range(3):
        changed = rng.random(n_people) < 0.1
        whole = whole.assign(
            age=np.where(changed, rng.integers(20, 28, n_people), whole["age"]),
            ill=np.where(rng.permutation(changed), rng.choice(whole["ill"], n_people), whole["ill"]),
        )
        found.append(whole[rng.random(n_people) < 0.75].reset_index(drop=True))
    return found


def published(
    parts: Sequence[pd.DataFrame], asked: wh.Policy
) -> tuple[list[wh.Earlier], list[Release], list[pd.DataFrame], int]:
    """Release the tables one after another, each with all before it."""
    earlier: list[wh.Earlier] = []
    releases: list[Release] = []
    kept: list[pd.DataFrame] = []
    n_held = 0
    for part in parts:
        made = wh.release(part, asked, earlier=earlier, key="id" if earlier else None, hold_back=bool(earlier), rng=1)
        frame = made.to_frame()
        part = part.drop(index=list(made.held_back)).reset_index(drop=True)
        n_held += len(made.held_back)
        kept.append(part)
        earlier.append(wh.Earlier(release=frame, original=part))
        texts = frame[list(COLUMNS)].astype(str).itertuples(index=False, name=None)
        releases.append(list(zip(part["id"], texts, frame["ill"].astype(str), strict=True)))
    return earlier, releases, kept, n_held


@SETTINGS
@given(st.integers(0, 10**6), st.integers(12, 40), st.integers(2, 5), st.sampled_from([None, 2, 3]))
@example(1_000_000, 25, 2, None)  # "< 24" and "≥ 20" cover the same values of a table, and together are finer
def test_three_releases_in_a_row_leave_enough_people_and_enough_values(
    seed: int, n_people: int, n_values: int, least: int | None
) -> None:
    asked = policy(3, least)
    try:
        _, releases, kept, _ = published(tables(seed, n_people, n_values), asked)
    except wh.errors.InfeasibleError:
        assume(False)
    for part in kept:
        for who, age, job in part[["id", *COLUMNS]].itertuples(index=False, name=None):
            # Whoever knows what a person held at one time.
            left = candidates(releases, who, (str(age), job), TREES)
            assert who not in left or len(left) >= 3
    for who in {who for release in releases for who, _, _ in release} if least else ():
        values = possible(releases, who)
        assert values is None or len(values - {"*"}) >= least


@SETTINGS
@given(st.integers(0, 10**6), st.integers(12, 40), st.integers(2, 5))
def test_the_audit_counts_what_the_outsider_finds(seed: int, n_people: int, n_values: int) -> None:
    asked, parts = policy(2, 2), tables(seed, n_people, n_values)
    try:
        made = [wh.release(part, asked, rng=1).to_frame() for part in parts]
    except wh.errors.InfeasibleError:
        assume(False)
    earlier = [wh.Earlier(release=frame, original=part) for frame, part in zip(made[:2], parts[:2], strict=True)]
    found = wh.audit(made[2], asked, original=parts[2], earlier=earlier, key="id", attack=False).together
    assert found is not None
    releases: list[Release] = [
        list(
            zip(
                part["id"],
                frame[list(COLUMNS)].astype(str).itertuples(index=False, name=None),
                frame["ill"],
                strict=True,
            )
        )
        for part, frame in zip(parts, made, strict=True)
    ]
    left = [possible(releases, who) for who in {who for release in releases for who, _, _ in release}]
    sizes = [len(each) for each in left if each is not None]
    (said,) = [each for each in found.findings if "people_narrowed" in each.details]
    assert said.details["people_narrowed"] == sum(size < 2 for size in sizes)
    assert said.reached == min(sizes)
    assert said.ok == (min(sizes) >= 2)
