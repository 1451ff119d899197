"""No cell of a person is in what the tool says or leaves behind, wherever it fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import withhold as wh
from withhold.cli import main
from withhold.errors import OutputError

MARKER = "QXMARKEDCELLXQ"
PLACES = {
    "reading": "withhold.engines.duckdb._source.DuckSource.values",
    "binding": "withhold.releasing._run.bind",
    "recoding": "withhold.releasing._run.Run.run",
    "writing": "withhold.engines.duckdb._source.DuckSource.write",
    "checking": "withhold.releasing._release.check_source",
    "recording": "withhold.releasing._release.record_of",
    "publishing": "withhold._staging.Staging.publish",
    "showing": "withhold.cli.release._show",
}
"""Where a failure is planted: an error whose message quotes a cell."""


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Run the command line as a process does, but in this one; return its exit code."""
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("sys.argv", ["withhold", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    lines = ["name,age,job"] + [f"{MARKER}{i},{20 + i % 40},{'clerk' if i % 3 else MARKER}" for i in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "policy.toml").write_text(
        'drop = ["name"]\nrecoding = "local"\n[columns.age]\ntype = "number"\n'
        '[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 5\n'
    )
    return tmp_path


def everything_left(folder: Path) -> str:
    """Return what lies in a folder, hidden files too."""
    return "".join(path.read_bytes().decode(errors="replace") for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("place", PLACES)
def test_a_failure_that_quotes_a_cell_shows_and_leaves_none(
    place: str, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*words: object, **more: object) -> None:
        cell = MARKER
        raise RuntimeError(f"could not convert {cell}")

    temporary, caches, out = (tmp_path / name for name in ("temporary", "caches", "out"))
    for folder in (temporary, caches, out):
        folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))
    monkeypatch.setenv("WITHHOLD_DEBUG", "1")
    monkeypatch.chdir(out)
    monkeypatch.setattr(PLACES[place], fail)
    data, policy = people / "people.csv", people / "policy.toml"
    assert run(monkeypatch, "release", data, "--policy", policy, "--out", out / "o.csv") == 70
    said = capfd.readouterr()
    assert "unexpected RuntimeError" in said.err
    assert MARKER not in said.out + said.err
    assert MARKER not in everything_left(temporary) + everything_left(caches)
    if place != "showing":
        assert list(out.iterdir()) == []


BROKEN = {
    "a row too long": ("people.csv", f"name,age\n{MARKER},1\n{MARKER},2,{MARKER},{MARKER}\n"),
    "a quote that never ends": ("people.csv", f'name,age,job\n"{MARKER},1\n'),
    "no number": ("people.csv", f"name,age,job\na,{MARKER},x\nb,2,y\n"),
    "the same name twice": ("people.csv", f"age,age\n{MARKER},1\n"),
    "no text": ("people.csv", f"age,job\n{MARKER},\udcff\n"),
    "a policy of another table": ("policy.toml", '[[require]]\nkind = "anonymity"\ncolumns = ["salary"]\nk = 5\n'),
    "too large a k": ("policy.toml", 'drop = ["name"]\n[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 500\n'),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_refusal_quotes_no_cell(
    case: str, people: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name, text = BROKEN[case]
    (people / name).write_text(text, errors="surrogateescape")
    data, policy, out = (people / each for each in ("people.csv", "policy.toml", "out.csv"))
    codes = [run(monkeypatch, "inspect", data), run(monkeypatch, "release", data, "--policy", policy, "--out", out)]
    said = capfd.readouterr()
    assert MARKER not in said.out + said.err
    assert codes[1] in (2, 3)
    assert codes[0] in (0, 2)
    assert not out.exists()


def test_a_core_is_not_left_by_the_command_line() -> None:
    code = (
        "import json, resource, withhold.cli._main as m\n"
        "m.cli.main = lambda **k: print(json.dumps(resource.getrlimit(resource.RLIMIT_CORE)))\n"
        "m.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [0, 0]


@pytest.mark.parametrize("name", ["out.csv", "out.csv.report.json", "out.csv.codebook.csv", "page.html"])
def test_a_symbolic_link_in_the_place_of_an_output_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text('{"withhold": "1"}')
    (tmp_path / name).symlink_to(tmp_path / "theirs")
    made = wh.release(wh.samples.tds_table1(), wh.Policy([wh.Anonymity(columns=["Sex"], k=2)]))
    with pytest.raises(OutputError, match="is a symbolic link"):
        made.write(tmp_path / "out.csv", report=tmp_path / "page.html")
    assert (tmp_path / "theirs").read_text() == '{"withhold": "1"}'
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_behind_a_link_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can lay a link of another user")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    made = wh.release(wh.samples.tds_table1(), wh.Policy([wh.Anonymity(columns=["Sex"], k=2)]))
    made.write(tmp_path / "link" / "out.csv")
    os.lchown(tmp_path / "link", 65534, 65534)
    with pytest.raises(OutputError, match="a symbolic link of another user"):
        made.write(tmp_path / "link" / "out.csv")
