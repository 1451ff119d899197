"""Every command that README and the manual show runs, on files of the names they use; tutorials are followed elsewhere."""

import re
import shlex
import shutil
import sqlite3
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
from withhold.cli._main import cli
from withhold.errors import WithholdError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^( *)```(|console|sh|py)\n(.*?)^\1```", flags=re.S | re.M)
NOT_RUN = {
    "pip install": "fetches packages",
    "podman ": "builds an image",
    "make ": "sets up an environment of its own",
    "postgresql://": "needs a server; tests/engines/files/test_databases.py starts one",
    "--engine spark": "needs Java; tests/engines/spark runs it where it is",
    "spark.table": "needs Java; tests/engines/spark runs it where it is",
    "withhold workbench": "opens a window; tests/workbench runs it",
    "withhold demo": "runs in tests/cli/test_commands.py",
    "zcat ": "reads a pipe; tests/engines/files/test_text_files.py reads standard input",
    "flock ": "is a line for cron; tests/docs/test_nightly.py runs the script",
    "release.sh": "is run by tests/docs/test_nightly.py",
    "--codes icd10.csv": "needs a list of the reader's; tests/taxonomies reads such lists",
}
"""Commands that are not typed here, and why."""
FORMS = ("withhold ", "pip ", "podman ", "make ", "zcat ", "examples/", "30 2 ")
POLICY = """recoding = "local"
drop = ["name", "person"]
[[require]]
kind = "anonymity"
columns = ["age", "sex"]
k = 3
"""


def commands(path: Path) -> list[str]:
    """Return the commands of a page, in order, with continued lines joined."""
    texts = [text.replace("\\\n", " ") for _, _, text in FENCE.findall(path.read_text(encoding="utf-8"))]
    lines = [line.strip().removeprefix("$ ") for text in texts for line in text.splitlines()]
    return [line for line in lines if line.startswith(FORMS)]


def reason(command: str) -> str | None:
    return next((why for part, why in NOT_RUN.items() if part in command), None)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the pages name, all of one small clinic."""
    folder = tmp_path_factory.mktemp("desk")
    frame = pd.DataFrame(wh.samples.clinic(120))
    frame["income"] = [1_000 + 37 * i for i in range(len(frame))]
    frame["person"] = [f"p{i}" for i in range(len(frame))]
    for name in ("patients.csv", "people.csv", "now.csv", "then.csv"):
        frame.to_csv(folder / name, index=False)
    frame.to_csv(folder / "patients.csv.gz", index=False)
    (folder / "policy.toml").write_text(POLICY)
    policy = wh.Policy.loads(POLICY)
    wh.release(folder / "patients.csv", policy).write(folder / "release.csv")
    for name in ("old.csv", "new.csv"):
        wh.release(folder / "then.csv", policy).write(folder / name)
    with sqlite3.connect(folder / "clinic.db") as database:
        frame.to_sql("patients", database, index=False)
    database.close()
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_sav(frame, folder / "survey.sav")
    pyreadstat.write_dta(frame, folder / "survey.dta")
    return folder


SHOWN = [pytest.param(path, id=path.name) for path in PAGES if any(not reason(each) for each in commands(path))]


@pytest.mark.parametrize("path", SHOWN)
def test_the_commands_of_a_page_run(path: Path, desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(desk, tmp_path / "desk"))
    for command in (each for each in commands(path) if reason(each) is None):
        words = shlex.split(command, comments=True)
        kept = Path("policy.toml").read_bytes()
        if "--policy-out" in words:
            Path(words[words.index("--policy-out") + 1]).unlink(missing_ok=True)
        result = CliRunner().invoke(cli, words[1:])
        Path("policy.toml").write_bytes(kept)
        if isinstance(result.exception, WithholdError):
            pytest.fail(f"{command}: {result.exception}")
        assert result.exit_code in (0, 1), f"{command}\n{result.output}\n{result.exception!r}"


def test_commands_that_are_not_typed_are_shown_somewhere() -> None:
    shown = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert [part for part in NOT_RUN if part not in shown] == []


def test_every_fenced_python_is_run_or_says_why() -> None:
    for path in [*PAGES, *sorted((ROOT / "docs").glob("*/*.md"))]:
        for _, text in re.findall(r"^( *)```py\n(.*?)^\1```", path.read_text(encoding="utf-8"), flags=re.S | re.M):
            assert reason(text), f"{path.name}: a block of `py` is not run: call it `python`, or say why"
