"""Files with fewer or more rows than the original."""

from pathlib import Path

import pandas as pd
from click.testing import CliRunner

import withhold as wh
from withhold.cli._main import cli
from withhold.report import audit_report

FRAME = pd.DataFrame({"zip": ["1", "1", "2", "2", "3"], "ill": ["flu", "none", "flu", "none", "flu"]})
POLICY = wh.Policy([wh.Anonymity(columns=["zip"], k=2)])


def test_removed_rows_are_a_note_where_no_promise_is_about_rows() -> None:
    found = wh.audit(FRAME.iloc[:4], POLICY, original=FRAME, rng=1)
    assert found.ok
    assert "1 row of the original is not in the file." in found.notes
    assert {finding.kind for finding in found.findings} == {"anonymity", "columns", "cells"}
    assert "no row was lost" not in " ".join(audit_report(found, "file.csv").verdict)


def test_the_command_says_so_and_succeeds(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "all.csv", index=False)
    FRAME.iloc[:2].to_csv(tmp_path / "some.csv", index=False)
    (tmp_path / "policy.toml").write_text('[[require]]\nkind = "anonymity"\ncolumns = ["zip"]\nk = 2\n')
    paths = [str(tmp_path / name) for name in ("some.csv", "policy.toml", "all.csv")]
    done = CliRunner().invoke(cli, ["audit", paths[0], "--policy", paths[1], "--original", paths[2], "--checks-only"])
    assert done.exit_code == 0, done.output
    assert "3 rows of the original are not in the file." in done.output


def test_where_it_is_not_known_which_rows_were_removed_a_note_says_what_was_compared() -> None:
    found = wh.audit(FRAME.iloc[:2].assign(zip="*"), POLICY, original=FRAME, attack=False)
    reported = (
        "3 rows of the original are not in the file; which ones is not known, so each column was compared as a whole."
    )
    assert found.ok
    assert reported in found.notes


def test_added_rows_fail() -> None:
    found = wh.audit(pd.concat([FRAME.iloc[:4]] * 2), POLICY, original=FRAME, attack=False)
    assert [finding.kind for finding in found.findings if not finding.ok] == ["rows"]


def test_hidden_cells_are_found_by_row_so_that_removed_rows_fail() -> None:
    policy = wh.Policy([wh.Hidden(cells=[(0, "ill")], against=["naive-bayes"])])
    found = wh.audit(FRAME.iloc[1:], policy, original=FRAME, attack=False)
    assert "rows" in [finding.kind for finding in found.findings if not finding.ok]
