"""Check a published file against a policy, from the file alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from withhold.audit._anonymity import check_anonymity
from withhold.audit._finding import Finding
from withhold.audit._layout import check_columns, check_dropped, check_rows, lost_columns, lost_rows, uncovered_columns
from withhold.audit._marks import with_marks
from withhold.audit._result import Audit
from withhold.audit._template import check_template
from withhold.audit._undone import find_undone
from withhold.engines import Source, open_source
from withhold.errors import PolicyError, WithholdError
from withhold.policy import Anonymity, Hidden, Policy, Template, bind
from withhold.policy._bind import check_names, contradictions
from withhold.table import Table

__all__ = ["Audit", "audit", "check_source"]

NAME_THEM = "Hint: name in a requirement what an outsider may know."


def audit(
    release: object,
    policy: Policy | str | Path,
    *,
    original: object = None,
    withheld: Sequence[str] = (),
    attack: bool = True,
    quick: bool = False,
    progress: Callable[[str], object] | None = None,
    rng: int | np.random.Generator | None = None,
) -> Audit:
    """Check a file or frame, ours or another tool's, against a policy, and attack it.

    The check reads the file itself, groups its rows with the engine's SQL and shares no code with the methods that
    made it. Findings name columns and sizes of groups, never their values. An empty cell and ``*`` are values like any
    other: rows that share them are together.

    Parameters
    ----------
    release
        A path to a CSV or Parquet file, or a frame.
    policy
        A policy, or the path to a policy file.
    original
        The table it was made from: with it, every cell is compared (it must be what stood there, coarser, or
        withheld), withheld cells are attacked, and what analysts lose is measured.
    withheld
        Texts that stand for a withheld value in the file, besides the empty cell and ``*``, where another tool wrote
        it: ``["?", "NA"]``.
    attack
        Whether to attack the file and measure what it is worth; checks alone are quicker.
    quick
        Attack and measure on samples: learners learn from 20,000 rows, and 2,000 of the cells are tried. Intervals are
        about the cells, not about which rows a learner saw. A check of record risk that would take long stops early as
        well; its finding says so, and proves nothing. Other checks, and the adversaries of the papers, see all rows.
    progress
        Called with what is being done.
    rng
        A seed makes samples and learners repeatable.

    Examples
    --------
    >>> import pandas as pd
    >>> from withhold import Anonymity, Policy
    >>> frame = pd.DataFrame({"age": ["[20, 40)", "[20, 40)", "[40, 90]"]})
    >>> result = audit(frame, Policy([Anonymity(columns=["age"], k=2)]))
    >>> result.ok, result.findings[0].reached
    (False, 1)
    >>> result.attacks[0].unique_rows
    1
    """
    say = progress or (lambda what: None)
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    say("reading")
    source = open_source(release)
    first = None if original is None else open_source(original)
    try:
        marked = with_marks(source, withheld)
        table = None if first is None else _original(first, loaded)
        say("checking every requirement")
        begin = time.perf_counter()
        generator = np.random.default_rng(rng)
        checked = check_source(marked, loaded, original=table, quick=quick, progress=say, rng=generator)
        checked = replace(checked, timings={"checks": time.perf_counter() - begin})
        if not attack:
            return checked
        from withhold.audit._examine import examine

        return examine(checked, marked, loaded, table, release=release, quick=quick, say=say, rng=generator)
    finally:
        source.close()
        if first is not None:
            first.close()


def _original(source: Source, policy: Policy) -> Table:
    """Return the original under the policy's domains; checks of single cells need them, others do without."""
    try:
        return bind(policy, Table(source))
    except WithholdError:
        if any(isinstance(requirement, Hidden) for requirement in policy.require):
            raise
        return Table(source)


def check_source(
    source: Source,
    policy: Policy,
    *,
    original: Table | None = None,
    quick: bool = False,
    progress: Callable[[str], object] = lambda what: None,
    rng: np.random.Generator | None = None,
) -> Audit:
    """Check an open source against a policy; `original` is the table it was made from, under the policy's domains.

    A quick check of record risk may stop early, and tries records that `rng` draws.
    """
    mistakes = [*check_names(policy, source.names, published=True), *contradictions(policy)]
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    findings: list[Finding] = []
    for i, requirement in enumerate(policy.require):
        if isinstance(requirement, Template):
            findings += check_template(source, policy, i, original)
        elif isinstance(requirement, Anonymity):
            findings.append(check_anonymity(source, requirement, i))
        elif isinstance(requirement, Hidden):
            from withhold.audit._hidden import check_hidden

            findings += check_hidden(source, policy, i, original)
        else:
            from withhold.audit._risk import check_risk

            say = partial(_say, progress, f"checking require[{i}]: ")
            findings.append(check_risk(source, policy, i, original, quick=quick, say=say, rng=rng))
    findings += check_dropped(source, policy)
    if original is not None:
        from withhold.audit._cells import check_cells

        findings += [check_columns(source, original.names), *check_cells(source, policy, original)]
        findings += check_rows(source, policy, original.n_rows)
    lost = []
    if original is not None:
        lost = [*lost_columns(source, policy, original.names), *lost_rows(source, policy, original.n_rows)]
    undone = () if original is None else find_undone(source, policy, original)
    uncovered = uncovered_columns(source, policy)
    told = [*(each.says for each in undone), *([] if uncovered is None else [f"{uncovered.says} {NAME_THEM}"])]
    notes = (*_absent(findings), *lost, *told)
    return Audit(findings=tuple(findings), n_rows=source.n_rows, notes=notes, undone=undone, uncovered=uncovered)


def _say(progress: Callable[[str], object], before: str, what: str) -> None:
    progress(f"{before}{what}")


def _absent(findings: list[Finding]) -> list[str]:
    """Tell of sensitive values that no row holds: a promise about them is kept by any file."""
    terms = [
        (finding.where, str(term))
        for finding in findings
        for term in (
            [finding.details["term"]] * (finding.details["rows_holding"] == 0)
            if finding.kind == "template"
            else cast(list[str], finding.details.get("absent", []))
        )
    ]
    return [f"{where}: no row of the file holds {term}; any file keeps a promise about it." for where, term in terms]
