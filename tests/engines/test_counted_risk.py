"""Record risk on distinct rows with counts: the cells that rows lead to are withheld, and the same is reported."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.engines.counted import counted, random_risk_policy, random_table, rows_of

import withhold as wh
from withhold.auditing import check_source
from withhold.errors import RowsNeededError, TooMuchWithheldError

KNOWN, SENSITIVE = {"sex": 0.8, "town": 0.3}, {"illness": {"flu": 1.0}}


def told(made: wh.Release) -> list[dict[str, Any]]:
    """Return what the report says of each requirement; figures that are sums of many are rounded."""
    found = []
    for each in made.report["requirements"]:
        entry = dict(each)
        entry["ncp"] = round(entry.get("ncp", 0.0), 9)
        entry["risk_by_column"] = {name: round(x, 9) for name, x in entry.get("risk_by_column", {}).items()}
        found.append(entry)
    return found


@pytest.mark.parametrize("part", range(4))
def test_counts_lead_to_the_cells_that_rows_do(part: int) -> None:
    n_made = n_blanked = 0
    for seed in range(part * 8, part * 8 + 8):
        frame, policy = random_table(seed), random_risk_policy(seed)
        by_rows = wh.release(frame, policy, rng=0)
        try:
            by_counts = wh.release(counted(frame), policy, rng=0)
        except RowsNeededError:
            assert len(policy.require) > 1, seed  # a blank broke a group
            continue
        n_made += 1
        assert by_counts.decision.recodings == by_rows.decision.recodings, seed
        assert by_counts.record.withheld == by_rows.record.withheld, seed
        assert by_counts.record.repairs == by_rows.record.repairs, seed
        assert told(by_counts) == told(by_rows), seed
        n_blanked += by_counts.report["requirements"][0]["blanked"]
        made = by_counts.source.published_frame(by_counts.decision, key="")  # type: ignore[attr-defined]
        assert rows_of(made) == rows_of(
            pd.DataFrame(by_rows.source.published(by_rows.decision, key=""), dtype=object)
        ), seed
    assert n_made >= 5
    assert n_blanked > 0


def test_the_order_of_rows_decides_nothing() -> None:
    for seed in range(6):
        frame, policy = random_table(seed), wh.Policy([wh.Risk(known=KNOWN, sensitive=SENSITIVE, at_most=5.0)])
        other = frame.sample(frac=1, random_state=seed)
        made, moved = wh.release(frame, policy), wh.release(other, policy)
        assert moved.decision.recodings == made.decision.recodings
        assert rows_of(moved.to_frame()) == rows_of(made.to_frame())
        assert told(moved) == told(made)


def test_a_file_that_can_only_be_counted_is_checked() -> None:
    frame, policy = random_table(5), wh.Policy([wh.Risk(known=KNOWN, sensitive=SENSITIVE, at_most=5.0)])
    published = wh.release(frame, policy).to_frame()
    for each, is_kept in ((published, True), (frame, False)):
        source: Any = counted(each).store
        found = check_source(source, policy, original=counted(frame))
        expected = wh.audit(each, policy, attack=False)
        assert found.findings[0] == expected.findings[0]
        assert found.findings[0].ok is is_kept
        assert found.findings[0].details["checked"] == len(frame)


def test_an_audit_spreads_risks_before_and_after() -> None:
    frame, policy = random_table(5), wh.Policy([wh.Risk(known=KNOWN, sensitive=SENSITIVE, at_most=5.0)])
    published = wh.release(frame, policy).to_frame()
    by_counts, by_rows = (
        wh.audit(release, policy, original=original)
        for release, original in ((counted(published), counted(frame)), (published, frame))
    )
    assert by_counts.risks == by_rows.risks
    assert by_counts.risks[0].above_before
    assert any("other attacks need rows" in note for note in by_counts.notes)


def test_more_distinct_rows_than_may_come_are_refused() -> None:
    policy = wh.Policy([wh.Risk(known=KNOWN, sensitive=SENSITIVE, at_most=5.0)])
    with pytest.raises(RowsNeededError, match="more than 5 distinct rows"):
        wh.release(counted(random_table(7), most_groups=5), policy)


def test_a_sensitive_column_that_is_known_to_the_informed_takes_rows() -> None:
    known = {**KNOWN, "illness": 0.1}
    policy = wh.Policy([wh.Risk(known=known, sensitive=SENSITIVE, at_most=5.0, informed=True)])
    with pytest.raises(RowsNeededError, match=r"informed reads each row by itself while `known` names .* illness"):
        wh.release(counted(random_table(7)), policy)


def test_the_limit_on_withheld_cells_counts_rows_and_not_distinct_ones() -> None:
    # One of two distinct rows loses its town, and stands for one row of twenty.
    frame = pd.DataFrame({"town": ["Bern"] * 19 + ["Biel"], "illness": ["none"] * 19 + ["flu"]})
    risk: Any = {"known": {"town": 1.0}, "sensitive": SENSITIVE, "at_most": 20.0}
    made = wh.release(counted(frame), wh.Policy([wh.Risk(**risk, most_withheld=0.05)]))
    assert made.report["requirements"][0]["share_withheld"] == {"town": 0.05}
    with pytest.raises(TooMuchWithheldError, match="1 of 20 cells"):
        wh.release(counted(frame), wh.Policy([wh.Risk(**risk, most_withheld=0.04)]))


def test_many_equal_rows_weigh_as_many() -> None:
    rng = np.random.default_rng(0)
    frame = random_table(11).iloc[rng.integers(0, 20, 3_000)].reset_index(drop=True)
    policy = wh.Policy([wh.Risk(known=KNOWN, sensitive=SENSITIVE, at_most=0.2, most_withheld=1.0)])
    by_rows, by_counts = wh.release(frame, policy), wh.release(counted(frame), policy)
    assert by_counts.run.table.n_entries <= 20
    assert 0 < by_counts.report["requirements"][0]["blanked"] < 3_000
    assert told(by_counts) == told(by_rows)
    assert by_counts.record.withheld == by_rows.record.withheld
    assert any("whom that marks was not looked for" in note for note in by_counts.notes)
    assert not any("was not looked for" in note for note in by_rows.notes)
