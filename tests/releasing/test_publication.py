"""One release is one publication: all its files or none, private ones private from their creation on."""

import json
import os
import stat
from pathlib import Path

import pytest

import withhold as wh
from withhold import _staging
from withhold.errors import OutputError

POLICY = wh.Policy([wh.Anonymity(columns=["Education", "Sex"], k=4)], target="Class", recoding="local")


def made() -> wh.Release:
    return wh.release(wh.samples.tds_table1(), POLICY)


class PowerCutError(BaseException):
    """Stands for a process that ends between two moves."""


def cut_after(n_moves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """End the process, as far as the disk is concerned, after some moves; nothing is cleaned up."""
    real, moved = Path.replace, []

    def replace(self: Path, target: Path) -> Path:
        if len(moved) == n_moves:
            raise PowerCutError
        moved.append(target)
        return real(self, target)

    def forget(self: _staging.Staging) -> None:
        _staging.LIVE.discard(self)
        if self._lock is not None:
            os.close(self._lock)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(_staging.Staging, "_remove", forget)


@pytest.mark.parametrize("n_moves", [0, 1, 2])
def test_the_next_run_ends_a_publication_that_a_crash_cut_short(n_moves: int, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with pytest.MonkeyPatch.context() as patch:
        cut_after(n_moves, patch)
        with pytest.raises(PowerCutError):
            made().write(out)
    assert not out.exists()  # the release itself comes last
    with _staging.Staging(out):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.csv",
        "out.csv.codebook.csv",
        "out.csv.report.json",
    ]
    assert wh.audit(out, POLICY).ok


def test_a_list_that_another_user_planted_moves_nothing(tmp_path: Path) -> None:
    out, folder = tmp_path / "out.csv", tmp_path / ".out.csv.withhold-0123456789ab"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    (folder / "evil").write_text("x")
    (folder / _staging.LIST).write_text(json.dumps([["evil", "out.csv"], ["../secret", "out.csv.report.json"]]))
    with _staging.Staging(out):
        pass
    assert not out.exists()


def test_a_list_moves_only_its_own_files_to_places_beside_the_destination(tmp_path: Path) -> None:
    out, folder = tmp_path / "out.csv", tmp_path / ".out.csv.withhold-0123456789ab"
    folder.mkdir(mode=0o700)
    (tmp_path / "secret").write_text("s")
    (folder / "file").write_text("x")
    (folder / _staging.LIST).write_text(
        json.dumps([["../secret", "out.csv"], ["file", "../elsewhere"], ["file", "b.csv"]])
    )
    with _staging.Staging(out):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret"]


def test_a_page_that_cannot_be_written_leaves_no_release(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        page = Path("/proc/page.html")  # nobody may write there
    else:
        (tmp_path / "closed").mkdir(mode=0o500)
        page = tmp_path / "closed" / "page.html"
    with pytest.raises(OutputError, match=r"page.html: cannot be written"):
        made().write(tmp_path / "out.csv", report=page)
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "out.csv.report.json").exists()


def test_a_page_may_lie_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    made().write(tmp_path / "out.csv", report=tmp_path / "pages" / "page.html")
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == ["page.html"]
    assert stat.S_IMODE((tmp_path / "pages" / "page.html").stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", ["report.json", "codebook.csv"])
def test_a_foreign_file_beside_the_release_is_not_overwritten(kind: str, tmp_path: Path) -> None:
    foreign = tmp_path / f"out.csv.{kind}"
    foreign.write_text("mine")
    with pytest.raises(OutputError, match="no release wrote it"):
        made().write(tmp_path / "out.csv")
    assert foreign.read_text() == "mine"
    assert not (tmp_path / "out.csv").exists()


def test_private_files_are_private_from_their_creation_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.umask(os.umask(0o022))
    seen: dict[str, int] = {}
    real = os.open

    def watched(path: object, flags: int, mode: int = 0o777, **more: object) -> int:
        handle = real(path, flags, mode, **more)  # type: ignore[arg-type]
        if flags & os.O_CREAT:
            seen[Path(str(path)).name] = stat.S_IMODE(os.fstat(handle).st_mode)
        return handle

    monkeypatch.setattr(os, "open", watched)
    made().write(tmp_path / "out.csv", report=tmp_path / "page.html")
    assert seen["report.json"] == seen["page.html"] == 0o600
    for name in ("out.csv.report.json", "page.html"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
