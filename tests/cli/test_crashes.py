"""Kills, interrupts and full disks leave the destination as it was, and nothing that the next run does not remove."""

import errno
import os
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
    policy = folder / "policy.toml"
    policy.write_text(policy.read_text().replace('recoding = "local"', 'recoding = "global"'))  # which is quicker
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
    process.communicate(timeout=120)
    assert (tmp_path / "out.csv").read_text() == "as it was"
    assert len(list(tmp_path.glob(".out.csv.withhold-*"))) == 1
    again = start(clinic, tmp_path)
    again.communicate(timeout=120)
    assert again.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.csv",
        "out.csv.codebook.csv",
        "out.csv.report.json",
    ]


def test_interrupt_is_exit_code_130_and_leaves_nothing(clinic: Path, tmp_path: Path) -> None:
    process = start(clinic, tmp_path)
    wait_for_staging(tmp_path, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert err.strip() == "withhold: interrupted; nothing was published."
    assert list(tmp_path.iterdir()) == []


def test_terminate_leaves_nothing(clinic: Path, tmp_path: Path) -> None:
    process = start(clinic, tmp_path)
    wait_for_staging(tmp_path, process)
    process.terminate()
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence_and_leaves_nothing(clinic: Path, tmp_path: Path) -> None:
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    process = start(clinic, tmp_path, preexec_fn=small_files_only)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2, err
    assert err.strip() == "withhold: the release cannot be written. Hint: is the disk full?"
    assert list(tmp_path.iterdir()) == []


def test_a_running_release_is_not_taken_for_a_dead_one(tmp_path: Path) -> None:
    with Staging(tmp_path / "out.csv") as running:
        with Staging(tmp_path / "out.csv"):
            assert running.folder.exists()
        assert running.folder.exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("delay", [0.0, 0.15, 0.4])
def test_an_interrupt_at_any_moment_is_an_interrupt(clinic: Path, tmp_path: Path, number: int, delay: float) -> None:
    process = start(clinic, tmp_path)
    wait_for_staging(tmp_path, process)
    time.sleep(delay)
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    if process.returncode == 0:
        assert (tmp_path / "out.csv").exists()
        return
    assert (process.returncode, err.strip()) == (130, "withhold: interrupted; nothing was published.")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_with_a_pattern_in_its_name_left_is_removed(tmp_path: Path) -> None:
    dead = tmp_path / ".o[1].csv.withhold-dead"
    dead.mkdir()
    (dead / "lock").touch()
    with Staging(tmp_path / "o[1].csv"):
        assert not dead.exists()


@pytest.mark.parametrize("stage", ["mkdir", "open", "flock"])
def test_a_run_killed_while_it_makes_its_folder_leaves_nothing_that_is_spared(tmp_path: Path, stage: str) -> None:
    code = (
        "import os, sys, fcntl; from pathlib import Path; from withhold._staging import Staging\n"
        "at = {'mkdir': Path, 'open': os, 'flock': fcntl}[sys.argv[2]]\n"
        "do = getattr(at, sys.argv[2])\n"
        "setattr(at, sys.argv[2], lambda *a, **k: (do(*a, **k), os.kill(os.getpid(), 9)))\n"
        "Staging(Path(sys.argv[1])).__enter__()\n"
    )
    died = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out.csv"), stage])
    assert died.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 1
    with Staging(tmp_path / "out.csv") as staging:
        assert list(tmp_path.iterdir()) == [staging.folder]
    assert list(tmp_path.iterdir()) == []


def test_a_share_without_locks_is_written_but_never_cleaned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("withhold._staging.fcntl.flock", no_locks)
    with Staging(tmp_path / "out.csv") as running:
        with Staging(tmp_path / "out.csv"):
            assert running.folder.is_dir()
        assert running.folder.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_looks_like_a_folder_left_behind_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / ".out.csv.withhold-link").symlink_to(tmp_path / "theirs")
    with Staging(tmp_path / "out.csv"):
        pass
    assert list((tmp_path / "theirs").iterdir()) == []


def test_many_runs_at_once_do_not_remove_each_other(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from withhold._staging import Staging\n"
        "for _ in range(150):\n"
        "    with Staging(Path(sys.argv[1])) as staging:\n"
        "        assert (staging.folder / 'lock').exists()\n"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "out.csv")], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    assert [(run.communicate(timeout=120)[1], run.returncode) for run in runs] == [(b"", 0)] * 4
    assert list(tmp_path.iterdir()) == []


def test_a_summary_that_cannot_be_shown_does_not_deny_the_release(clinic: Path, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "withhold", "release", str(clinic / "patients.csv")]
        command += ["--policy", str(clinic / "policy.toml"), "--out", str(tmp_path / "out.csv"), "--max-steps", "0"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert "was published, but the summary could not be shown" in done.stderr
    assert (tmp_path / "out.csv").exists()


def test_a_terminal_without_unicode_gets_plain_text(clinic: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "withhold", "release", str(clinic / "patients.csv")]
    command += ["--policy", str(clinic / "policy.toml"), "--out", str(tmp_path / "out.csv"), "--max-steps", "0"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"met" in done.stdout


def test_a_link_at_the_destination_is_refused(clinic: Path, tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "out.csv").symlink_to(tmp_path / "real.csv")
    process = start(clinic, tmp_path)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "out.csv: is a symbolic link, which is not written through" in err
    assert (tmp_path / "real.csv").read_text() == "old"


def test_too_few_addresses_for_the_libraries_are_refused_at_once() -> None:
    """A library that cannot reserve its addresses asks for them for ever: a run under `ulimit -v` did not end."""
    few = 600 << 20
    words = [sys.executable, "-m", "withhold", "release", "patients.csv", "--policy", "p.toml", "--out", "o.csv"]
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (few, few))  # noqa: E731
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limit, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("withhold: the system lets this process address 600 MB")
