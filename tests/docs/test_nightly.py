"""The script for nightly jobs: exit codes to act on, and a log without cells."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import withhold
from withhold.cli.demo import write_clinic

SCRIPT = Path(__file__).parents[2] / "examples" / "nightly" / "release.sh"
SOURCE = str(Path(withhold.__file__).parents[1])


def test_a_night_is_logged_without_cells_and_a_bad_one_leaves_the_file_of_yesterday(tmp_path: Path) -> None:
    data = write_clinic(tmp_path, rows=200, seed=0)
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "withhold").write_text(f'#!/bin/sh\nPYTHONPATH="{SOURCE}" exec "{sys.executable}" -m withhold "$@"\n')
    (bin_ / "withhold").chmod(0o700)
    out, log = tmp_path / "out.csv", tmp_path / "log.jsonl"
    where = {**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"}

    def night(policy: Path) -> int:
        command = [str(SCRIPT), str(data), str(policy), str(out), str(log)]
        return subprocess.run(command, env=where, capture_output=True, check=False).returncode

    assert night(tmp_path / "policy.toml") == 0
    before = out.read_bytes()
    (tmp_path / "greedy.toml").write_text(
        'drop = ["name"]\n[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 999\n'
    )
    assert night(tmp_path / "greedy.toml") == 3
    assert out.read_bytes() == before
    good, bad = map(json.loads, log.read_text().splitlines())
    assert (good["release"], good["audit"], good["rows"]) == (0, 0, 200)
    assert [each["ok"] for each in good["requirements"]] == [True, True]
    assert (bad["release"], bad["audit"]) == (3, None)
    assert not any(line.split(",")[0] in log.read_text() for line in data.read_text().splitlines()[1:])


def test_the_image_is_built_from_all_that_the_build_reads_and_compiles_for_every_user() -> None:
    root = SCRIPT.parents[2]
    recipe = (root / "Containerfile").read_text(encoding="utf-8")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["path"]
    copied = {name for line in recipe.splitlines() if line.startswith("COPY ") for name in line.split()[1:-1]}
    needed = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"], hook, "src"}
    assert needed <= copied
    assert all((root / name).exists() for name in needed)
    _, build, image = recipe.split("\nFROM ")
    assert "withhold warm --shared" in build
    assert "USER withhold" in image
