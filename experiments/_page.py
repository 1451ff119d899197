"""The page: every table and figure of the papers beside ours, from the raw results only."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments._markdown import table
from experiments._registry import NAMES, PAPERS, Claim, Experiment, Results, Section
from experiments._runs import Stored, read

__all__ = ["build", "build_own"]

INTRODUCTION = """# The papers' experiments, measured again

Every table and figure of the chapters on experiments is here; worked examples are in `tests/golden`. `make experiments`
runs everything and writes this page from the raw results; `make experiments QUICK=1` is a short run of the same. Most
figures of the papers are curves without numbers. What the text says about a curve is listed as a statement and held
against our results; numbers that are printed stand next to ours.

- Settings and seeds are fixed in the scripts. One setting is fitted to a printed figure: the threshold of record risk,
  set so that the printed share of records is above it. What follows from it is marked *set*.
- Words such as *linear*, *slightly* or *about* are judged by bounds of ours, in brackets in the statement. Many were
  settled after a first run. In an order, figures that differ by less than 2 % count as equal.
- Where there is more than one reading of a paper, all are judged, and each counts.
- The thesis is judged realisation by realisation: a statement that is true of some of them only cannot be judged. The
  experiments on rules are judged by means over their seeds.
- Times are ours, on our machine: their order and growth compare. A time in seconds cannot be judged.
- Statements about what is ours, and no paper has, are counted beyond the papers.
"""


HIERARCHY = "_hierarchy_"
NAMES_OF_ALL = tuple(name for names in NAMES.values() for name in names)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shown:
    """An experiment on the page."""

    experiment: Experiment
    stored: Stored | None
    section: Section | None
    plots: Sequence[Path]


def build(experiments: Sequence[Experiment], out: Path, page: Path, *, say: Callable[[str], None]) -> list[str]:
    """Write the page of the papers and its plots from the raw results in `out`; return what failed."""
    failed: list[str] = []
    plots = page.parent / page.stem
    own = [each.SPEC for each in experiments if each.SPEC.page]
    shown = [_show(each, out / each.SPEC.name, plots, failed, say) for each in experiments if not each.SPEC.page]
    drawn = {path for each in shown for path in each.plots}
    elsewhere = [f"On a page of its own: [{spec.title}]({spec.page}).\n" for spec in own]
    lines = [INTRODUCTION, *elsewhere, *_runs(shown, [spec.name for spec in own]), *_statements(shown)]
    _write(page, [*lines, *_papers(shown, page.parent)], stale=set(plots.glob("*.svg")) - drawn)
    return failed


def build_own(experiment: Experiment, out: Path, page: Path, *, say: Callable[[str], None]) -> list[str]:
    """Write the page of one experiment and its plots from the raw results in `out`; return what failed."""
    failed: list[str] = []
    plots = page.parent / page.stem
    shown = _show(experiment, out / experiment.SPEC.name, plots, failed, say)
    lines = [f"# {experiment.SPEC.title}\n"]
    if shown.stored is None or shown.section is None:
        lines.append(f"No results. `python -m experiments {experiment.SPEC.name}` makes them.\n")
    else:
        text = shown.section.markdown.rstrip()
        lines += [*_runs([shown], NAMES_OF_ALL), _how(shown.stored.manifest)]
        asked = [(claim.text, claim.verdict, claim.evidence) for claim in shown.section.claims]
        lines += [
            "## Asked and measured\n",
            table(("asked", "verdict", "measured"), asked).replace("---:", "---"),
            text,
            "",
        ]
        lines += [
            f"![{path.stem}]({path.relative_to(page.parent).as_posix()})\n"
            for path in shown.plots
            if path.name not in text
        ]
    _write(page, lines, stale=set(plots.glob("*.svg")) - set(shown.plots))
    return failed


def _write(page: Path, lines: Sequence[str], *, stale: Iterable[Path]) -> None:
    for path in stale:
        path.unlink()
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(re.sub(r"(?<=\d)%", " %", "\n".join(lines).rstrip()) + "\n", encoding="utf-8")


def _show(experiment: Experiment, folder: Path, plots: Path, failed: list[str], say: Callable[[str], None]) -> _Shown:
    stored = read(folder)
    if stored is None:
        return _Shown(experiment=experiment, stored=None, section=None, plots=())
    section, drawn = None, []
    try:
        section = experiment.report(stored.results)
        drawn = list(experiment.draw(stored.results, plots))
    except ImportError as error:
        say(f"{experiment.SPEC.name}: no plots, for want of {error.name}; the extra `report` brings it")
    except Exception as error:
        failed.append(experiment.SPEC.name)
        say(f"{experiment.SPEC.name}: the page cannot show it: {type(error).__name__}: {error}")
    return _Shown(experiment=experiment, stored=stored, section=section, plots=drawn)


def _runs(shown: Sequence[_Shown], elsewhere: Collection[str]) -> list[str]:
    """Report with what it was run, and what is missing but for those on other pages."""
    lines = []
    versions = {tuple(each.stored.manifest["versions"].items()) for each in shown if each.stored}
    for each in sorted(versions, key=str):
        lines.append("Run with " + ", ".join(f"{name} {version}" for name, version in each if version) + ".\n")
    quick = [each.experiment.SPEC.name for each in shown if each.stored and each.stored.manifest["quick"]]
    if quick:
        lines.append(f"**Quick runs, smaller than the papers':** {', '.join(quick)}.\n")
    there = {each.experiment.SPEC.name for each in shown if each.section}
    missing = [name for name in NAMES_OF_ALL if name not in there and name not in elsewhere]
    missing += [e.experiment.SPEC.name for e in shown if not e.section and e.experiment.SPEC.name not in missing]
    if missing:
        lines.append(f"**Without results:** {', '.join(missing)}.\n")
    return lines


def _statements(shown: Sequence[_Shown]) -> list[str]:
    """Count how many statements of each paper, and of each experiment, hold."""
    own: dict[str, list[Claim]] = {paper: [] for paper in PAPERS}
    for each in shown:
        for claim in _claims(each):
            own["ours" if claim.is_ours else each.experiment.SPEC.paper].append(claim)
    papers = [(f"[{PAPERS[paper]}](#paper-{paper})", *_tally(claims)) for paper, claims in own.items() if claims]
    parts = [
        (f"[{spec.name}](#{spec.name})", *_tally([claim for claim in _claims(each) if not claim.is_ours]))
        for each, spec in ((each, each.experiment.SPEC) for each in shown)
        if _claims(each)
    ]
    lines = ["## Statements\n", table(("paper", *VERDICTS), papers)]
    return [*lines, table(("experiment, without what is ours", *VERDICTS), parts)]


VERDICTS = ("holds", "does not hold", "cannot be judged")


def _tally(claims: Sequence[Claim]) -> list[int]:
    return [sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS]


def _claims(shown: _Shown) -> Sequence[Claim]:
    return shown.section.claims if shown.section else ()


def _papers(shown: Sequence[_Shown], home: Path) -> list[str]:
    """Return the sections, paper by paper."""
    lines = []
    for paper, title in PAPERS.items():
        mine = [each for each in shown if each.experiment.SPEC.paper == paper]
        if mine:
            lines += [f'<a id="paper-{paper}"></a>\n\n## {title}\n']
        for each in mine:
            lines += _experiment(each, home)
    return lines


def _experiment(shown: _Shown, home: Path) -> list[str]:
    spec = shown.experiment.SPEC
    lines = [f'<a id="{spec.name}"></a>\n\n### {spec.title}\n']
    if shown.stored is None:
        return [*lines, f"No results. `python -m experiments {spec.name}` makes them.\n"]
    if shown.section is None:
        return [*lines, "The results do not fit this version of the experiment: run it again.\n"]
    lines += [_how(shown.stored.manifest), shown.section.markdown.rstrip() + "\n"]
    lines += [f"![{path.stem}]({path.relative_to(home).as_posix()})\n" for path in shown.plots]
    for head, is_ours in (("statement", False), ("of ours, not of the paper", True)):
        rows = [(c.text, c.verdict, c.evidence) for c in shown.section.claims if c.is_ours == is_ours]
        if rows:
            lines.append(table((head, "verdict", "evidence"), rows).replace("---:", "---"))
    return lines


def _how(manifest: Results) -> str:
    """Report what a run used and how long it took."""
    seeds = manifest["seeds"]
    named = [f"`{name}`" for name in manifest["data"] if HIERARCHY not in name]
    if len(named) < len(manifest["data"]):
        named.append(f"{len(manifest['data']) - len(named)} hierarchies")
    files = ", ".join(named) or "drawn at random"
    shown = f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 2 else " and ".join(str(seed) for seed in seeds)
    quick = "quick run; " if manifest["quick"] else ""
    code = f"; code {manifest['code']}" if manifest.get("code") else ""
    return f"*`{manifest['experiment']}`: {quick}data {files}; seeds {shown}; {manifest['seconds']:,.0f} s{code}.*\n"
