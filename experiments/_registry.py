"""What an experiment is: a module with `SPEC`, `run`, `report` and `draw`; and which ones there are."""

import importlib
import importlib.util
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, cast

__all__ = ["NAMES", "PAPERS", "Claim", "Context", "Experiment", "Results", "Section", "Spec", "Verdict", "experiments"]

Results = dict[str, Any]
"""Raw results: what JSON can hold."""

Verdict = Literal["holds", "does not hold", "cannot be judged"]
"""What became of a statement of a paper."""

PAPERS: Mapping[str, str] = {
    "tds": "Fung, Wang, Yu: Top-Down Specialization for Information and Privacy Preservation, ICDE 2005",
    "pda": "Wang, Fung, Yu: Template-Based Privacy Preservation in Classification Problems, ICDM 2005",
    "rules": "Aggarwal, Pei, Zhang: On Privacy Preservation against Adversarial Data Mining, KDD 2006",
    "thesis": "Hintoğlu: Suppressing Microdata to Prevent Classification Based Inference, PhD thesis, 2011",
    "risk": "Orooji, Knapp: Improving Suppression to Reduce Disclosure Risk and Enhance Data Utility, 2019",
    "ours": "Beyond the papers",
}
"""The papers, in the order of the page."""

NAMES: Mapping[str, tuple[str, ...]] = {
    "tds": ("tds_fig5", "tds_fig6", "tds_fig7", "tds_fig8", "tds_fig9"),
    "pda": ("pda_table3", "pda_fig3a", "pda_fig3b", "pda_fig3c"),
    "rules": ("rules_fig3", "rules_fig4_6", "rules_fig7_8", "rules_fig9", "rules_fig10_12"),
    "thesis": ("thesis",),
    "risk": ("risk_registry",),
    "ours": ("attacks", "outsiders", "recoding", "population"),
}
"""The modules of each paper."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spec:
    """What an experiment is about and what it needs."""

    name: str
    """The name of the module."""
    paper: str
    """A key of `PAPERS`."""
    title: str
    """The figure or table, and what it shows."""
    page: str | None = None
    """A page of its own, beside that of the papers; None: it is a section of that page."""
    data: tuple[str, ...] = ()
    """Files below the data folder."""
    seeds: tuple[int, ...] = (0,)
    """Seeds of the random draws."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What is run, in full; what JSON can hold."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """What a quick run overrides in `parameters`; ``"seeds"`` overrides the seeds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What a run is given."""

    data: Path
    """The data folder."""
    parameters: Mapping[str, Any]
    """The parameters, with those of a quick run where it is one."""
    seeds: tuple[int, ...]
    """The seeds."""
    say: Callable[[str], None] = print
    """Reports what is being done."""
    part: Callable[[str, Callable[[], Any]], Any] = lambda key, work: work()
    """``part("key", work)`` returns what `work` returns, as JSON gives it back, and keeps it: a stopped run resumes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A statement of a paper, held against the results."""

    text: str
    """The statement."""
    verdict: Verdict
    """Whether it holds."""
    evidence: str
    """The figures, in one line."""
    is_ours: bool = False
    """Whether it is about something of ours, and no paper says it; counted beyond the papers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """What the page says about an experiment."""

    markdown: str
    """Text and tables, without a heading of the first three levels; the plots are put below it."""
    claims: tuple[Claim, ...] = ()
    """The statements, for the count at the top of the page and the end of the section."""


class Experiment(Protocol):
    """A module of this package."""

    SPEC: Spec

    def run(self, context: Context) -> Results:
        """Run everything and return the raw results."""

    def report(self, results: Results) -> Section:
        """Report what came out, from the raw results only."""

    def draw(self, results: Results, folder: Path) -> Sequence[Path]:
        """Draw the figures from the raw results only; file names start with the name of the module."""


def experiments(names: Sequence[str] = (), *, failed: list[str] | None = None) -> Iterator[Experiment]:
    """Yield the modules in the order of the papers, or those named; one that does not exist yet is left out.

    One that cannot be imported is named in `failed`, where that is given, and its traceback is printed.
    """
    for name in [name for of_paper in NAMES.values() for name in of_paper]:
        if (names and name not in names) or not importlib.util.find_spec(f"experiments.{name}"):
            continue
        try:
            module = importlib.import_module(f"experiments.{name}")
        except Exception:
            if failed is None:
                raise
            traceback.print_exc()
            failed.append(name)
        else:
            yield cast(Experiment, module)
