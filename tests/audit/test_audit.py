"""The audit: any file, from the file alone, never a value."""

from pathlib import Path

import pandas as pd
import pytest

import withhold as wh
from withhold.errors import PolicyError

POLICY = wh.Policy([wh.Anonymity(columns=["a", "b"], k=3)], drop=["name"])


def frame(*groups: tuple[str, str | None, int]) -> pd.DataFrame:
    return pd.DataFrame([(a, b) for a, b, n in groups for _ in range(n)], columns=["a", "b"])


def test_groups_of_k_rows_pass() -> None:
    found = wh.audit(frame(("x", "1", 3), ("y", None, 4)), POLICY)
    assert found.ok
    assert found.findings[0].reached == 3
    assert [attack.kind for attack in found.attacks] == ["linkage", "candidates"]
    assert wh.audit(frame(("x", "1", 3)), POLICY, attack=False).attacks == ()


def test_a_small_group_fails_and_its_size_is_reported_but_not_its_value() -> None:
    found = wh.audit(frame(("secret", "1", 2), ("y", "1", 1), ("z", "1", 5)), POLICY)
    assert not found.ok
    finding = found.findings[0]
    assert (finding.asked, finding.reached) == (3, 1)
    assert finding.details["smallest_sizes"] == [1, 2]
    assert finding.details["rows_in_small_groups"] == 3
    assert "secret" not in finding.says
    assert "2 combinations of a, b (3 rows) have fewer than 3 rows; of which 1 is a single row; then: 2" in finding.says


def test_missing_is_a_value_of_its_own() -> None:
    found = wh.audit(frame(("x", None, 2), ("x", "1", 3)), POLICY)
    assert found.findings[0].reached == 2


def test_a_published_identifier_fails() -> None:
    data = frame(("x", "1", 3)).assign(name="n")
    found = wh.audit(data, POLICY)
    assert [finding.ok for finding in found.findings] == [True, False]
    assert found.findings[1].says == "the release holds name"


def test_added_rows_are_found_with_the_original() -> None:
    found = wh.audit(frame(("x", "1", 5)), POLICY, original=frame(("x", "1", 4)))
    assert not found.ok
    assert found.findings[-1].says == "the release has 5 rows, the original 4"


def test_a_column_that_the_file_does_not_have_is_a_mistake() -> None:
    with pytest.raises(PolicyError, match=r'require\[0\]\.columns: no column "b"'):
        wh.audit(pd.DataFrame({"a": ["x"]}), POLICY)


def test_paths_are_taken_for_file_and_policy(tmp_path: Path) -> None:
    frame(("x", "1", 3)).to_csv(tmp_path / "r.csv", index=False)
    (tmp_path / "p.toml").write_text('[[require]]\nkind = "anonymity"\ncolumns = ["a", "b"]\nk = 3\n')
    assert wh.audit(str(tmp_path / "r.csv"), str(tmp_path / "p.toml")).ok


TEMPLATE = wh.Policy([wh.Template(given=["a"], hide={"b": ["1"]}, at_most=0.3)])


def test_a_template_is_compared_exactly() -> None:
    assert wh.audit(frame(("x", "1", 3), ("x", "2", 7)), TEMPLATE).ok
    found = wh.audit(frame(("x", "1", 31), ("x", "2", 69), ("y", "2", 5)), TEMPLATE)
    assert not found.ok
    finding = found.findings[0]
    assert (finding.asked, finding.reached) == (0.3, 0.31)
    assert finding.says.startswith('1 combination of a (100 rows) implies b = "1" with confidence above 0.3')
    assert finding.details == {
        "term": 'b = "1"', "groups": 2, "groups_above": 1, "rows_above": 100, "rows_holding": 31,
        "rows_unknown": 0,
    }  # fmt: skip


def test_every_sensitive_value_of_a_template_is_checked() -> None:
    policy = wh.Policy([wh.Template(given=["a"], hide={"b": ["1", "2"]}, at_most=0.5)])
    found = wh.audit(frame(("x", "1", 1), ("x", "2", 3)), policy)
    assert [finding.ok for finding in found.findings] == [True, False]


@pytest.mark.parametrize("name", ["Name", " name", "NAME\u00a0", "\uff4eame"])
def test_a_dropped_column_in_other_letters_is_found(name: str) -> None:
    found = wh.audit(frame(("x", "1", 3)).assign(**{name: "n"}), POLICY)
    assert found.findings[1].says == f"the release holds {name}"


def test_a_negative_zero_is_another_value() -> None:
    import polars as pl

    policy = wh.Policy([wh.Anonymity(columns=["n"], k=2)])
    assert not wh.audit(pl.DataFrame({"n": [0.0, -0.0]}), policy).ok


def test_a_sensitive_value_that_no_row_holds_is_reported() -> None:
    policy = wh.Policy([wh.Template(given=["a"], hide={"b": ["typo"]}, at_most=0.1)])
    found = wh.audit(frame(("x", "1", 3)), policy)
    assert found.ok
    assert found.notes[0].startswith('require[0]: no row of the file holds b = "typo"')


def test_a_policy_that_contradicts_itself_is_refused() -> None:
    template = wh.Template(given=["a"], hide={"b": ["1"]}, at_most=0.1, keep=["a"])
    policy = wh.Policy([template, wh.Anonymity(columns=["a"], k=2)])
    with pytest.raises(PolicyError, match='column "a" is kept here, but require'):
        wh.audit(frame(("x", "1", 3)), policy)
