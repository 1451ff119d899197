"""Check a published file against a policy, from the file alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.audit._anonymity import check_anonymity
from withhold.audit._finding import Finding
from withhold.audit._layout import check_columns, check_dropped, check_rows, lost_columns, unmasked_columns
from withhold.audit._marks import with_marks
from withhold.audit._template import check_template
from withhold.engines import Source, open_source
from withhold.errors import PolicyError
from withhold.policy import Anonymity, Hidden, Policy, Template, bind
from withhold.policy._bind import check_names, contradictions
from withhold.table import Table

__all__ = ["Audit", "audit", "check_source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What an audit found."""

    findings: tuple[Finding, ...]
    """One for each requirement, and for each other promise of the policy."""
    attacks: tuple[Any, ...] = ()
    """The outcomes of attacks, for the kinds of requirement that need one."""
    n_rows: int
    """The number of rows of the file."""
    notes: tuple[str, ...] = ()
    """What is not promised, but a publisher should know."""

    @property
    def ok(self) -> bool:
        """Whether every requirement is met."""
        return all(finding.ok for finding in self.findings)


def audit(
    release: object, policy: Policy | str | Path, *, original: object = None, withheld: Sequence[str] = ()
) -> Audit:
    """Check a file or frame, ours or another tool's, against a policy.

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
        withheld), and whether hidden cells can be recovered is checked.
    withheld
        Texts that stand for a withheld value in the file, besides the empty cell and ``*``, where another tool wrote
        it: ``["?", "NA"]``.

    Examples
    --------
    >>> import pandas as pd
    >>> from withhold import Anonymity, Policy
    >>> frame = pd.DataFrame({"age": ["[20, 40)", "[20, 40)", "[40, 90]"]})
    >>> result = audit(frame, Policy([Anonymity(columns=["age"], k=2)]))
    >>> result.ok, result.findings[0].reached
    (False, 1)
    """
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    source = open_source(release)
    first = None if original is None else open_source(original)
    try:
        marked = with_marks(source, withheld)
        return check_source(marked, loaded, original=None if first is None else _original(first, loaded))
    finally:
        source.close()
        if first is not None:
            first.close()


def _original(source: Source, policy: Policy) -> Table:
    """Return the original; only checks of single cells look into it, and need the policy's domains."""
    looks_inside = any(isinstance(requirement, Hidden) for requirement in policy.require)
    return bind(policy, Table(source)) if looks_inside else Table(source)


def check_source(source: Source, policy: Policy, *, original: Table | None = None) -> Audit:
    """Check an open source against a policy; `original` is the table it was made from, under the policy's domains."""
    mistakes = [*check_names(policy, source.names, published=True), *contradictions(policy)]
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    findings: list[Finding] = []
    for i, requirement in enumerate(policy.require):
        if isinstance(requirement, Template):
            findings += check_template(source, requirement, i, original)
        elif isinstance(requirement, Anonymity):
            findings.append(check_anonymity(source, requirement, i))
        elif isinstance(requirement, Hidden):
            from withhold.audit._hidden import check_hidden

            findings += check_hidden(source, policy, i, original)
        else:
            from withhold.audit._risk import check_risk

            findings.append(check_risk(source, policy, i, original))
    findings += check_dropped(source, policy)
    if original is not None:
        from withhold.audit._cells import check_cells

        findings += [check_columns(source, original.names), *check_cells(source, policy, original)]
        findings.append(check_rows(source, original.n_rows))
    lost = [] if original is None else lost_columns(source, policy, original.names)
    notes = (*_absent(findings), *lost, *_unproven(policy, original), *unmasked_columns(source, policy))
    return Audit(findings=tuple(findings), n_rows=source.n_rows, notes=notes)


def _unproven(policy: Policy, original: Table | None) -> list[str]:
    """Tell what cannot be checked without the original."""
    if original is not None or not any(isinstance(requirement, Hidden) for requirement in policy.require):
        return []
    return ["whether hidden cells can be recovered needs the original: --original."]


def _absent(findings: list[Finding]) -> list[str]:
    """Tell of sensitive values that no row holds: a promise about them is kept by any file."""
    return [
        f"{finding.where}: no row of the file holds {finding.details['term']}; any file keeps a promise about it."
        for finding in findings
        if finding.kind == "template" and finding.details["rows_holding"] == 0
    ]
