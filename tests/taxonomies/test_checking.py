"""A taxonomy is compared with its column, and every flaw is named at once."""

from pathlib import Path

from click.testing import CliRunner

import withhold as wh
from withhold.cli._main import cli


def errors_of(text: str, values: list[str], tmp_path: Path) -> list[str]:
    path = tmp_path / "t.csv"
    path.write_text(text)
    return [flaw.what for flaw in wh.check_taxonomy(path, values) if flaw.is_error]


def test_two_parents_and_gaps_are_all_named(tmp_path: Path) -> None:
    found = errors_of("a;A;*\nb;B;*\na;B;*\nc;;*\n\nd;A;X;*\n", [], tmp_path)
    assert 't.csv, line 3: "a" has two parents: "A" in line 1, here "B".' in found
    assert "t.csv, line 4: level 2 has no name." in found
    assert 't.csv, line 6: "A" has two parents: "*" in line 1, here "X".' in found
    assert "t.csv, line 5: is empty." in found


def test_a_value_that_is_a_group_and_an_empty_file_are_errors(tmp_path: Path) -> None:
    assert errors_of("a;A;*\nA;B;*\n", [], tmp_path) != []
    assert errors_of("", [], tmp_path) == [
        "t.csv: the file is empty. Hint: one line a value, leaf to root, such as 9th;School;*."
    ]


def test_missing_values_are_counted_and_unused_ones_are_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;A;*\nb;A;*\n")
    flaws = wh.check_taxonomy(path, ["a", "z", None])
    assert [flaw.what for flaw in flaws if flaw.is_error] == [
        "1 of 2 distinct values of the column is missing from it."
    ]
    assert "1 of its 2 values is held by no row." in [flaw.what for flaw in flaws if not flaw.is_error]
    assert not any("z" in flaw.what.split() for flaw in flaws)


def test_the_command_builds_and_checks(tmp_path: Path) -> None:
    data, out = tmp_path / "d.csv", tmp_path / "t.csv"
    data.write_text("age,town\n" + "".join(f"{20 + i % 50},Bern\n" for i in range(200)))
    made = CliRunner().invoke(
        cli, ["taxonomy", "age", str(data), "--by", "intervals", "--widths", "5,10", "--out", str(out)]
    )
    assert made.exit_code == 0
    assert "t.csv: 50 values of age" in made.output
    assert "22;< 25;< 30;*" in out.read_text()
    assert CliRunner().invoke(cli, ["taxonomy", "age", str(data), "--check", str(out)]).exit_code == 0
    wrong = CliRunner().invoke(cli, ["taxonomy", "town", str(data), "--check", str(out)])
    assert wrong.exit_code == 1
    assert "does not fit town" in wrong.output


def test_the_command_never_overwrites_its_input(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("age\n1\n2\n")
    words = ["taxonomy", "age", str(data), "--by", "intervals", "--out", str(data)]
    assert CliRunner().invoke(cli, words).exception is not None
    assert data.read_text() == "age\n1\n2\n"
