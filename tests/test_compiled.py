"""Compiled kernels: where they are kept, what is read, and what is never read."""

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import withhold as wh
from withhold import _compiled, _kernel_store
from withhold.cli._show import announce_compiling
from withhold.methods import inference, risk, suppression

DOUBLES = (
    "from withhold._compiled import compiled, inlined\n"
    "@compiled\ndef double(number):\n    return 2 * number\n"
    "@inlined\ndef loose(number):\n    return number\n"
)
Load = Callable[[], Any]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Return what loads a module with kernels, as a new process would; its store is a private folder."""
    (tmp_path / "doubles.py").write_text(DOUBLES)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    tmp_path.chmod(0o700)

    def loaded() -> Any:
        _kernel_store._own_folder.cache_clear()
        spec = importlib.util.spec_from_file_location("doubles", tmp_path / "doubles.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return loaded


def kept(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_what_was_compiled_is_loaded_by_the_next_process(load: Load, tmp_path: Path) -> None:
    first = load()
    assert not _compiled.is_compiled(first.double)
    assert first.double(21) == 42
    assert _compiled.is_compiled(first.double)
    assert not _compiled.is_compiled(first.loose)
    again = load().double
    assert again(21) == 42
    assert (sum(again.stats.cache_hits.values()), sum(again.stats.cache_misses.values())) == (1, 0)
    (file,) = kept(tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_each_signature_is_kept_by_itself(load: Load, tmp_path: Path) -> None:
    double = load().double
    assert (double(21), double(1.5)) == (42, 3.0)
    assert len(kept(tmp_path)) == 2


def test_a_damaged_file_is_compiled_again(load: Load, tmp_path: Path) -> None:
    load().double(21)
    (file,) = kept(tmp_path)
    file.write_bytes(file.read_bytes()[:-1])
    assert load().double(21) == 42
    assert load().double.stats.cache_misses == {}


def test_kernels_hold_for_these_sources_of_all_kernels_only(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    load().double(21)
    assert _compiled.is_compiled(load().double)
    monkeypatch.setattr(_kernel_store, "_sources", lambda: "another version")
    _kernel_store.stamp.cache_clear()
    assert not _compiled.is_compiled(load().double)
    monkeypatch.undo()
    _kernel_store.stamp.cache_clear()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no owner and no mode")
@pytest.mark.parametrize("place", ["cache/withhold", "cache", "withhold/kernels"])
def test_a_folder_that_others_can_write_is_not_read(place: str, load: Load, tmp_path: Path) -> None:
    load().double(21)
    (file,) = kept(tmp_path)
    folder = {"cache/withhold": file.parents[1], "cache": file.parents[2], "withhold/kernels": file.parent}[place]
    folder.chmod(0o777)
    assert file.parent.name.startswith("kernels-")
    again = load()
    assert not str(_kernel_store.own_folder()).startswith(str(tmp_path))
    assert not _compiled.is_compiled(again.double) or "cache" not in str(_kernel_store.own_folder())
    folder.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no owner and no mode")
def test_a_folder_of_somebody_else_is_not_read(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load().double(21)
    (file,) = kept(tmp_path)
    assert _kernel_store.is_private(file.parent)
    if os.geteuid() == 0:
        os.chown(file.parent, 12_345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    assert not _kernel_store.is_private(file.parent)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert not _kernel_store.is_private(link)


def test_kernels_compile_where_nothing_can_be_kept(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel_store, "own_folder", lambda: None)
    monkeypatch.setattr(_kernel_store, "shipped_folder", lambda: None)
    double = load().double
    assert double(21) == 42
    assert not _compiled.is_compiled(double)


def test_shipped_kernels_are_taken_where_the_processor_has_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    import platform

    _kernel_store.shipped_folder.cache_clear()
    monkeypatch.setattr(_kernel_store, "SHIPPED", Path("absent"))
    assert _kernel_store.shipped_folder() is None
    name, needs = _kernel_store.BASELINES["x86_64"]
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(_kernel_store, "_host_features", lambda: needs)
    monkeypatch.setattr(Path, "is_dir", lambda path: True)
    _kernel_store.stamp.cache_clear()
    _kernel_store.shipped_folder.cache_clear()
    assert _kernel_store.shipped_folder() == Path("absent") / f"kernels-{_kernel_store.stamp(name, '')}"
    monkeypatch.setattr(_kernel_store, "_host_features", lambda: needs - {"avx2"})
    _kernel_store.shipped_folder.cache_clear()
    assert _kernel_store.shipped_folder() is None
    monkeypatch.undo()
    _kernel_store.stamp.cache_clear()
    _kernel_store.shipped_folder.cache_clear()


def test_old_versions_do_not_pile_up(load: Load, tmp_path: Path) -> None:
    old = tmp_path / "cache" / "withhold"
    old.mkdir(parents=True, mode=0o700)
    for number in range(6):
        (old / f"kernels-{number}").mkdir()
        os.utime(old / f"kernels-{number}", (number, number))
    load().double(21)
    left = sorted(path.name for path in old.iterdir())
    assert len(left) == _kernel_store.KEPT
    assert "kernels-5" in left
    assert "kernels-0" not in left


@pytest.mark.parametrize(("requirement", "says"), [("risk", True), ("hidden", True), ("anonymity", False)])
def test_a_compile_to_come_is_reported_without_a_terminal(
    requirement: str, says: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = {
        "risk": wh.Risk(known={"a": 0.5}, sensitive={"b": 1.0}, at_most=1),
        "hidden": wh.Hidden(column="b", against=["id3"]),
        "anonymity": wh.Anonymity(columns=["a"], k=2),
    }
    policy = wh.Policy([kinds[requirement]])
    monkeypatch.setattr(_compiled, "is_compiled", lambda kernel: False)
    announce_compiling(policy)
    assert ("compiling once, about half a minute" in capsys.readouterr().err) is says
    monkeypatch.setattr(_compiled, "is_compiled", lambda kernel: True)
    announce_compiling(policy)
    assert capsys.readouterr().err == ""


def test_what_is_announced_is_kept() -> None:
    for kernel in (*inference.kernels(), *risk.kernels(), *suppression.kernels()):
        assert isinstance(kernel._cache, _kernel_store.KernelCache)
