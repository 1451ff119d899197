"""Compilation where no cache can be written."""

import importlib.util
from pathlib import Path
from typing import Any

import numba
import pytest

import withhold as wh
from withhold import _compiled
from withhold.cli._show import announce_compiling


def test_kernels_compile_without_a_cache_where_none_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit

    def njit(*functions: object, **options: object) -> object:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*functions, **options)

    monkeypatch.setattr(_compiled.numba, "njit", njit)

    @_compiled.compiled
    def double(number: int) -> int:
        return 2 * number

    assert double(21) == 42


def test_what_the_cache_holds_is_compiled_and_what_it_cannot_hold_is_not(tmp_path: Path) -> None:
    (tmp_path / "doubles.py").write_text(
        "from withhold._compiled import compiled, inlined\n"
        "@compiled\ndef double(number):\n    return 2 * number\n"
        "@inlined\ndef loose(number):\n    return number\n"
    )
    spec = importlib.util.spec_from_file_location("doubles", tmp_path / "doubles.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert not _compiled.is_compiled(module.double)
    assert module.double(21) == 42
    assert _compiled.is_compiled(module.double)
    assert not _compiled.is_compiled(module.loose)


def test_a_cache_holds_for_the_sources_of_all_kernels_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "triples.py").write_text(
        "from withhold._compiled import compiled\n@compiled\ndef triple(number):\n    return 3 * number\n"
    )

    def loaded() -> Any:
        spec = importlib.util.spec_from_file_location("triples", tmp_path / "triples.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.triple

    assert loaded()(2) == 6
    assert _compiled.is_compiled(loaded())
    monkeypatch.setattr(_compiled, "_sources", lambda: "another version")
    assert not _compiled.is_compiled(loaded())


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
