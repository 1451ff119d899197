"""What of an audit may be published: nothing that the file itself does not show, and no small count."""

from dataclasses import replace

from withhold.audit import Audit, CellAttack, Finding, Homogeneity, Linkage, SetGuess, Uniques
from withhold.metrics import LearnerErrors, Rate, Utility

__all__ = ["THRESHOLD", "public_audit"]

THRESHOLD = 10
"""Counts above 0 and below this are not told."""
PRIVATE_NOTE = "Attacks on withheld cells were judged with the original; how often they are right is not published."


def public_audit(audit: Audit, *, threshold: int = THRESHOLD) -> Audit:
    """Return what may be published of an audit.

    Left out are figures that only the owner of the original can know: how often attacks on withheld cells are right,
    how things were before, distributions, reasons, notes and times. Of the rest no value is told, shares are rounded
    to whole percents, and counts above 0 and below `threshold` become None.

    Examples
    --------
    >>> import pandas as pd, withhold as wh
    >>> frame = pd.DataFrame({"age": ["30"] * 5 + ["40"] * 20})
    >>> found = public_audit(wh.audit(frame, wh.Policy([wh.Anonymity(columns=["age"], k=2)])))
    >>> found.ok, found.findings[0].details, found.timings
    (True, {}, {})
    """
    if threshold < 1:
        raise ValueError(f"public_audit: `threshold` must be at least 1; got {threshold}.")
    return Audit(
        findings=tuple(_finding(finding, threshold) for finding in audit.findings),
        n_rows=audit.n_rows,
        notes=(PRIVATE_NOTE,) if audit.cell_attacks else (),
        attacks=tuple(_attack(each, threshold) for each in audit.attacks if not isinstance(each, CellAttack)),
        uniques=tuple(_uniques(each, threshold) for each in audit.uniques[:1]),
        risks=tuple(
            replace(
                each, after=tuple((a, b, _count(n, threshold)) for a, b, n in each.after), before=(), above_before=None
            )
            for each in audit.risks
        ),
        utility=None if audit.utility is None else _utility(audit.utility),
    )


def _finding(finding: Finding, threshold: int) -> Finding:
    is_count = finding.kind in ("anonymity", "hidden", "drop", "columns", "cells")
    reached = _count(finding.reached, threshold) if is_count else finding.reached
    return replace(finding, reached=reached, says=_says(finding), details={})


def _says(finding: Finding) -> str:
    """Return what was found, without a value and without a count of people."""
    if not finding.ok:
        return "this promise is broken"
    names = ", ".join(finding.columns)
    if finding.kind == "anonymity":
        return f"every combination of {names} is shared by at least {finding.asked:g} rows"
    if finding.kind == "template":
        return f"no combination of {names} implies a sensitive value with a confidence above {finding.asked:g}"
    if finding.kind == "risk":
        return f"no record that was measured has a risk above {finding.asked:g}"
    if finding.kind == "hidden":
        adversary = finding.details.get("adversary")
        cells = f"hidden cells in {names}"
        return f"{adversary}, trained on the file, recovers no {cells}" if adversary else f"all {cells} are withheld"
    return "no row was lost or added" if finding.kind == "rows" else finding.says


def _attack(found: Linkage | Homogeneity | SetGuess, threshold: int) -> Linkage | Homogeneity | SetGuess:
    if isinstance(found, Linkage):
        return _linkage(found, threshold)
    return replace(found, best_rate=None) if isinstance(found, SetGuess) else _homogeneity(found, threshold)


def _linkage(found: Linkage, threshold: int) -> Linkage:
    return replace(
        found,
        smallest=_count(found.smallest, threshold),
        unique_rows=_count(found.unique_rows, threshold),
        rate=_percent(found.rate),
        before_unique_rows=None,
        before_rate=None,
    )


def _homogeneity(found: Homogeneity, threshold: int) -> Homogeneity:
    return replace(
        found,
        rate=_percent(found.rate),
        majority_rate=_percent(found.majority_rate),
        certain_rows=_count(found.certain_rows, threshold),
        before_rate=None,
        before_certain_rows=None,
    )


def _uniques(found: Uniques, threshold: int) -> Uniques:
    return replace(
        found,
        sets=tuple(_count(n, threshold) for n in found.sets),
        rows=tuple(_count(n, threshold) for n in found.rows),
        by_column={column: _count(n, threshold) for column, n in found.by_column.items()},
    )


def _utility(found: Utility) -> Utility:
    learners = tuple(
        LearnerErrors(
            learner=each.learner,
            base=_rate(each.base),
            released=_rate(each.released),
            upper=_rate(each.upper),
            removed=_rate(each.removed),
            seconds=0.0,
        )
        for each in found.learners
    )
    return replace(found, learners=learners, majority=_rate(found.majority), notes=(), seconds=0.0)


def _rate(rate: Rate) -> Rate:
    """Return a rate in whole percents; the count of wrong rows is made from them."""
    error = _percent(rate.error)
    return Rate(
        n_wrong=round(error * rate.n_test),
        n_test=rate.n_test,
        error=error,
        low=_percent(rate.low),
        high=_percent(rate.high),
    )


def _count(n: float | None, threshold: int) -> int | None:
    return None if n is None or 0 < n < threshold else int(n)


def _percent(share: float) -> float:
    return round(share, 2)
