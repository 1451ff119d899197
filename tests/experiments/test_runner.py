"""One command runs the experiments, resumes them and writes the page from the raw results only."""

import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from experiments.__main__ import main, run_all
from experiments._page import build, build_own
from experiments._registry import NAMES, PAPERS, Claim, Context, Experiment, Section, Spec, experiments

from real_data import data_folder


def fake(name: str, run: Callable[[Context], Any], **spec: Any) -> Experiment:
    def draw(results: Any, folder: Path) -> list[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.svg"
        path.write_text(f"<svg>{results['sum']}</svg>")
        return [path]

    def report(results: Any) -> Section:
        claim = Claim(text="It adds up", verdict="holds", evidence=f"the sum is {results['sum']}")
        return Section(markdown=f"Ours {results['sum']} | printed 6.", claims=(claim,))

    spec = {"paper": "rules", "title": f"Figure of {name}", "parameters": {"terms": [1, 2, 3]}} | spec
    return SimpleNamespace(SPEC=Spec(name=name, **spec), run=run, report=report, draw=draw)  # type: ignore[return-value]


def adding(done: list[Any], stop_at: Any = None) -> Callable[[Context], Any]:
    """Return a run that adds its terms one part at a time, and may be stopped."""

    def run(context: Context) -> Any:
        def work(term: int) -> int:
            if term == stop_at:
                raise RuntimeError("stopped")
            done.append(term)
            return term

        return {
            "sum": sum(context.part(f"term {term}", lambda t=term: work(t)) for term in context.parameters["terms"])
        }

    return run


def running(each: Experiment, tmp_path: Path, **options: Any) -> list[str]:
    return run_all([each], **{"data": tmp_path, "out": tmp_path / "out", "quick": False} | options)


def test_a_stopped_run_resumes_where_it_was(tmp_path: Path) -> None:
    done: list[int] = []
    assert running(fake("adds", adding(done, stop_at=3)), tmp_path) == ["adds"]
    assert done == [1, 2]
    assert not (tmp_path / "out/adds/results.json").exists()
    assert running(fake("adds", adding(done)), tmp_path) == []
    assert done == [1, 2, 3]
    assert json.loads((tmp_path / "out/adds/results.json").read_text()) == {"sum": 6}


def test_a_finished_run_is_left_unless_its_plan_changed(tmp_path: Path) -> None:
    done: list[int] = []
    (tmp_path / "table.csv").write_text("a\n1\n")
    each = fake("adds", adding(done), data=("table.csv",), quick={"terms": [5], "seeds": (7,)})
    running(each, tmp_path)
    running(each, tmp_path)
    assert done == [1, 2, 3]
    running(each, tmp_path, again=True)
    assert done == [1, 2, 3] * 2
    (tmp_path / "table.csv").write_text("a\n2\n")
    running(each, tmp_path)
    assert done == [1, 2, 3] * 3
    running(each, tmp_path, quick=True)
    assert done[9:] == [5]


def test_the_manifest_tells_how_results_came_about(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a\n1\n")
    each = fake("adds", adding([]), data=("table.csv",), seeds=(3, 4), quick={"terms": [5]})
    running(each, tmp_path, quick=True)
    manifest = json.loads((tmp_path / "out/adds/manifest.json").read_text())
    assert manifest["data"] == {"table.csv": hashlib.sha256(b"a\n1\n").hexdigest()}
    assert (manifest["seeds"], manifest["parameters"], manifest["quick"]) == ([3, 4], {"terms": [5]}, True)
    assert {"withhold", "python", "numpy", "duckdb", "scikit-learn"} <= set(manifest["versions"])
    assert manifest["seconds"] >= 0
    assert "code" in manifest


def test_results_of_other_code_are_kept_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[int] = []
    for commit in ("aaa", "aaa", "bbb, changed"):
        monkeypatch.setattr("experiments._runs._code", lambda commit=commit: commit)
        capsys.readouterr()
        running(fake("adds", adding(done)), tmp_path)
        reported = capsys.readouterr().out
    assert done == [1, 2, 3]
    assert "the code of aaa, not bbb, changed" in reported
    assert "not aaa" not in reported


def test_parts_of_other_code_are_named_in_the_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for commit, stop_at in (("aaa", 3), ("bbb", None)):
        monkeypatch.setattr("experiments._runs._code", lambda commit=commit: commit)
        running(fake("adds", adding([], stop_at=stop_at)), tmp_path)
    assert json.loads((tmp_path / "out/adds/manifest.json").read_text())["code"] == "aaa and bbb"


def test_what_is_ours_is_counted_beyond_the_papers(tmp_path: Path) -> None:
    each = fake("adds", adding([]))
    own = Claim(text="Ours adds up too", verdict="cannot be judged", evidence="", is_ours=True)
    run_all([each], data=tmp_path, out=tmp_path, quick=False)
    section = each.report({"sum": 6})
    each.report = lambda results: Section(markdown="", claims=(*section.claims, own))  # type: ignore[method-assign]
    build([each], tmp_path, tmp_path / "page.md", say=print)
    text = (tmp_path / "page.md").read_text()
    assert f"| [{PAPERS['rules']}](#paper-rules) | 1 | 0 | 0 |" in text
    assert f"| [{PAPERS['ours']}](#paper-ours) | 0 | 0 | 1 |" in text
    assert "| [adds](#adds) | 1 | 0 | 0 |" in text
    assert "| Ours adds up too | cannot be judged |" in text


def test_one_that_fails_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    each = [fake("fails", adding([], stop_at=1)), fake("adds", adding([]))]
    assert run_all(each, data=tmp_path, out=tmp_path, quick=False) == ["fails"]
    assert (tmp_path / "adds/results.json").exists()
    assert "stopped" in capsys.readouterr().err


def test_a_module_that_cannot_be_imported_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "experiments._mining", None)
    monkeypatch.delitem(sys.modules, "experiments.rules_fig9", raising=False)
    arguments = ["rules_fig9", "--out", str(tmp_path), "--page", str(tmp_path / "page.md")]
    assert main(arguments) == 1
    failed = capsys.readouterr().out.split("failed: ")[1]
    assert "rules_fig9" in failed
    assert "thesis" not in failed
    assert '<a id="thesis">' in (tmp_path / "page.md").read_text()


def test_one_without_its_data_is_skipped_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert running(fake("adds", adding([]), data=("adult/absent.data",)), tmp_path) == []
    assert "skipped" in (said := capsys.readouterr().out)
    assert "adult/absent.data" in said
    assert not (tmp_path / "out/adds").exists()


def test_the_page_needs_raw_results_only(tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "docs" / "page.md"
    run_all([fake("adds", adding([]))], data=tmp_path, out=out, quick=False)
    (page.parent / "page").mkdir(parents=True)
    (page.parent / "page" / "stale.svg").write_text("<svg/>")
    cannot_run = [fake(name, adding([], stop_at=1)) for name in ("adds", "never_ran")]
    assert build(cannot_run, out, page, say=print) == []
    text = page.read_text()
    assert "| It adds up | holds | the sum is 6 |" in text
    assert f"| [{PAPERS['rules']}](#paper-rules) | 1 | 0 | 0 |" in text
    assert "### Figure of adds" in text
    assert "![adds](page/adds.svg)" in text
    assert "never_ran" in text.split("**Without results:**")[1].splitlines()[0]
    assert [path.name for path in (page.parent / "page").iterdir()] == ["adds.svg"]


def test_results_that_do_not_fit_are_named_and_the_rest_is_reported(tmp_path: Path) -> None:
    for name in ("adds", "old"):
        run_all([fake(name, adding([]))], data=tmp_path, out=tmp_path, quick=False)
    (tmp_path / "old/results.json").write_text('{"other": 1}')
    each = [fake(name, adding([])) for name in ("old", "adds")]
    assert build(each, tmp_path, tmp_path / "page.md", say=print) == ["old"]
    assert "the sum is 6" in (tmp_path / "page.md").read_text()


def test_an_experiment_with_a_page_of_its_own_leaves_the_page_of_the_papers(tmp_path: Path) -> None:
    each = [fake("adds", adding([])), fake("alone", adding([]), page="alone.md", paper="ours")]
    run_all(each, data=tmp_path, out=tmp_path, quick=False)
    assert build_own(each[1], tmp_path, tmp_path / "alone.md", say=print) == []
    own = (tmp_path / "alone.md").read_text()
    assert own.startswith("# Figure of alone\n")
    assert "| It adds up | holds | the sum is 6 |" in own
    assert "![alone](alone/alone.svg)" in own
    assert not (tmp_path / "page.md").exists()
    build(each, tmp_path, tmp_path / "page.md", say=print)
    text = (tmp_path / "page.md").read_text()
    assert "On a page of its own: [Figure of alone](alone.md)." in text
    assert "### Figure of adds" in text
    assert "### Figure of alone" not in text
    assert "alone" not in text.split("**Without results:**")[1].splitlines()[0]
    assert (tmp_path / "alone" / "alone.svg").is_file()


def test_an_unknown_name_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["rules_fig2"])
    assert stopped.value.code == 2
    assert "rules_fig3" in capsys.readouterr().err


def test_every_experiment_keeps_the_contract() -> None:
    found = list(experiments())
    assert {"rules_fig3", "thesis", "risk_registry"} <= {each.SPEC.name for each in found}
    for each in found:
        assert each.SPEC.name in NAMES[each.SPEC.paper]
        assert set(each.SPEC.quick) <= {"seeds", *each.SPEC.parameters}
        assert all(callable(getattr(each, name)) for name in ("run", "report", "draw"))


def test_a_quick_run_of_everything_ends_in_a_page(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    pytest.importorskip("sklearn")
    arguments = ["--quick", "--data", str(data_folder()), "--out", str(tmp_path)]
    assert main(arguments) == 0
    text = (tmp_path / "reproduction.md").read_text()
    found = list(experiments())
    for each in found:
        assert (tmp_path / each.SPEC.name / "manifest.json").is_file()
    for each in (each for each in found if each.SPEC.page):
        own = (tmp_path / each.SPEC.page).read_text()
        assert own.startswith(f"# {each.SPEC.title}\n")
        assert "| asked | verdict | measured |" in own
        assert f"]({each.SPEC.page})" in text
        linked = re.findall(r"\]\(([\w./-]+\.svg)\)", own)
        results = json.loads((tmp_path / each.SPEC.name / "results.json").read_text())
        assert bool(linked) == bool(each.draw(results, tmp_path / "again"))
        assert all((tmp_path / link).is_file() for link in linked)
    for each in (each for each in found if not each.SPEC.page):
        assert f"### {each.SPEC.title}" in text
        assert f"| [{each.SPEC.name}](#{each.SPEC.name}) |" in text
        assert f"](reproduction/{each.SPEC.name}" in text
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/results.json")}
    assert len(before) == len(found)
    assert main([*arguments, "--page-only"]) == main(arguments) == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/results.json")} == before
    assert (tmp_path / "reproduction.md").read_text() == text
