"""Kills, interrupts and full disks leave the destination as it was, and nothing that the next run does not remove."""

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from withhold._staging import Staging
from withhold.cli.demo import write_clinic


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clinic")
    write_clinic(folder, rows=200_000, seed=0)
    return folder


def start(clinic: Path, folder: Path, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "withhold", "release", str(clinic / "patients.csv")]
    command += ["--policy", str(clinic / "policy.toml"), "--out", str(folder / "out.csv")]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for_staging(folder: Path, process: subprocess.Popen[str]) -> None:
    while not list(folder.glob(".out.csv.withhold-*/lock")):
        assert process.poll() is None
        time.sleep(0.005)


def test_kill_leaves_the_destination_and_the_next_run_cleans_up(clinic: Path, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("as it was")
    process = start(clinic, tmp_path)
    wait_for_staging(tmp_path, process)
    process.kill()
    process.communicate()
    assert (tmp_path / "out.csv").read_text() == "as it was"
    assert len(list(tmp_path.glob(".out.csv.withhold-*"))) == 1
    again = start(clinic, tmp_path)
    again.communicate()
    assert again.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.csv.report.json"]


def test_interrupt_is_exit_code_130_and_leaves_nothing(clinic: Path, tmp_path: Path) -> None:
    process = start(clinic, tmp_path)
    wait_for_staging(tmp_path, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert err.strip() == "withhold: interrupted; nothing was published."
    assert list(tmp_path.iterdir()) == []


def test_terminate_leaves_nothing(clinic: Path, tmp_path: Path) -> None:
    process = start(clinic, tmp_path)
    wait_for_staging(tmp_path, process)
    process.terminate()
    process.communicate()
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence_and_leaves_nothing(clinic: Path, tmp_path: Path) -> None:
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    process = start(clinic, tmp_path, preexec_fn=small_files_only)
    _, err = process.communicate()
    assert process.returncode == 2, err
    assert err.strip() == "withhold: the release cannot be written. Hint: is the disk full?"
    assert list(tmp_path.iterdir()) == []


def test_a_running_release_is_not_taken_for_a_dead_one(tmp_path: Path) -> None:
    with Staging(tmp_path / "out.csv") as running:
        with Staging(tmp_path / "out.csv"):
            assert running.folder.exists()
        assert running.folder.exists()
    assert list(tmp_path.iterdir()) == []
