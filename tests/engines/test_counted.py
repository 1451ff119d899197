"""Releases that are made on distinct rows with counts: the same decisions as row by row."""

import pandas as pd
import pytest
from tests.engines.counted import counted, random_policy, random_table, rows_of

import withhold as wh
from withhold.errors import InfeasibleError


@pytest.mark.parametrize("part", range(4))
def test_counts_lead_to_the_decisions_and_tables_that_rows_do(part: int) -> None:
    for seed in range(part * 12, part * 12 + 12):
        frame, policy = random_table(seed), random_policy(seed)
        try:
            by_rows = wh.release(frame, policy, rng=0)
        except InfeasibleError:
            with pytest.raises(InfeasibleError):
                wh.release(counted(frame), policy, rng=0)
            continue
        by_counts = wh.release(counted(frame), policy, rng=0)
        assert by_counts.run.table.n_entries <= len(frame)
        assert by_counts.decision.recodings == by_rows.decision.recodings, seed
        assert by_counts.reached == pytest.approx(by_rows.reached), seed
        assert by_counts.codebook == by_rows.codebook, seed
        assert by_counts.record.withheld == by_rows.record.withheld, seed
        made = by_counts.source.published_frame(by_counts.decision, key="")  # type: ignore[attr-defined]
        assert rows_of(made) == rows_of(
            pd.DataFrame(by_rows.source.published(by_rows.decision, key=""), dtype=object)
        ), seed
