"""What of an audit may be published: nothing that the file itself does not show, and no small count."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from withhold.auditing import Audit, Candidates, CellAttack, Finding, Homogeneity, Linkage, SetGuess, Uncovered, Uniques
from withhold.metrics import LearnerErrors, Rate, Utility
from withhold.requirements import KINDS

__all__ = ["THRESHOLD", "public_audit"]

THRESHOLD = 10
"""Counts above 0 and below this are not published."""
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""What shares are rounded to: the first that is at least `threshold` rows, else a small count could be read off."""
PRIVATE_NOTE = "Attacks on withheld cells were judged with the original; how often they are right is not published."
OTHERS_NOTE = "Adversaries that the policy does not name may do better; this page does not say how well."


def public_audit(audit: Audit, *, threshold: int = THRESHOLD) -> Audit:
    """Return what may be published of an audit.

    Left out are figures that only the owner of the original can know: how often attacks on withheld cells are right,
    whom a register finds, what gives withheld values away, how things were before, distributions, reasons and times.
    Of the notes those stay that the file itself shows. Of the rest no value is published. Shares are rounded to whole
    percents, in small tables to more, so that a step is at least `threshold` rows. Counts above 0 and below `threshold`
    become None, and so do those from which they would follow: no two counts that are published, nor one of them and the
    number of rows, differ by so little.

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
    uncovered = None if audit.uncovered is None else _uncovered(audit.uncovered, threshold)
    counts = _Counts(audit.n_rows, threshold)
    return Audit(
        findings=tuple(_finding(finding, counts) for finding in audit.findings),
        n_rows=audit.n_rows,
        notes=tuple(_notes(audit, uncovered)),
        uncovered=uncovered,
        attacks=tuple(_attack(each, counts) for each in audit.attacks if not isinstance(each, CellAttack | Candidates)),
        uniques=tuple(_uniques(each, counts) for each in audit.uniques[:1]),
        risks=tuple(
            replace(each, after=_bars(each.after, counts), before=(), above_before=None) for each in audit.risks
        ),
        utility=None if audit.utility is None else _utility(audit.utility, audit.n_rows, threshold),
        quick=audit.quick,
    )


def _notes(audit: Audit, uncovered: Uncovered | None) -> Iterator[str]:
    """Yield what is not promised, as far as anybody can see it in the file and the policy."""
    if uncovered is not None:
        yield uncovered.says
    if audit.cell_attacks:
        yield PRIVATE_NOTE
    if any(KINDS[finding.kind].requirement.needs_rows for finding in audit.findings if finding.kind in KINDS):
        yield OTHERS_NOTE


def _uncovered(found: Uncovered, threshold: int) -> Uncovered:
    """Return the columns, with the share of unique rows rounded; none at all may be published."""
    step = _step(found.n_rows, threshold)
    share = _share(found.unique_share, found.n_rows, threshold)
    return found if found.unique_rows == 0 else replace(found, unique_rows=None, unique_share=share, step=step)


class _Counts:
    """Which counts may be published beside the number of rows, and beside those that were published already."""

    def __init__(self, n_rows: int, threshold: int) -> None:
        self.threshold = threshold
        self._n_rows = n_rows
        self._published = {0, n_rows}

    def publish(self, n: float | None) -> int | None:
        """Return a count, or None where it is small, or too near to another one: their difference would be small."""
        if n is None or any(0 < abs(n - other) < self.threshold for other in self._published):
            return None
        self._published.add(int(n))
        return int(n)

    def are_apart(self, bars: Sequence[int], *, left: Sequence[int] = (), only: int | None = None) -> bool:
        """Return whether bars, the first `only` of them, may be published beside each other and all that was.

        `left` are those that would be left out, which everybody can add up: they must be two or more.
        """
        if not bars:
            return True
        if len(left) == 1:
            return False
        total = [sum(left)] if left else []
        known = [*self._published, *bars, *total]
        return not any(0 < abs(n - other) < self.threshold for n in [*bars[:only], *total] for other in known)

    def publish_size(self, n: float | None) -> int | None:
        """Return the size or the number of groups, which is kept apart from counts of rows."""
        return _count(n, self.threshold, of=self._n_rows)


def _finding(finding: Finding, counts: _Counts) -> Finding:
    """Return a finding; where cells or rows were compared with the original, only whether it is as promised."""
    public = replace(
        finding,
        reached=_reached(finding, counts),
        says=_says(finding),
        n_checked=counts.publish(finding.n_checked),
        is_informed=None,
        details={},
    )
    if finding.kind == "units":
        return replace(public, asked=None, columns=())
    if finding.ok:
        return public
    if finding.kind == "rows":
        return replace(public, asked=None)
    return replace(public, columns=()) if finding.kind == "cells" else public


def _reached(finding: Finding, counts: _Counts) -> float | None:
    if finding.kind in KINDS:
        return KINDS[finding.kind].words.public_figure(finding, counts.publish_size)
    if finding.kind == "units":
        return None
    if finding.kind == "cells":
        return 0 if finding.ok else None
    return finding.reached if finding.kind == "rows" else counts.publish_size(finding.reached)


def _says(finding: Finding) -> str:
    """Return what was found, without a value and without a count of people."""
    if not finding.ok:
        return "this promise is broken"
    if finding.kind in KINDS:
        return KINDS[finding.kind].words.public(finding)
    if finding.kind == "units":
        return "rows of a unit are not put together again by what is published of them, or protected as a whole"
    return "no row was lost or added" if finding.kind == "rows" else finding.says


def _attack(found: Linkage | Homogeneity | SetGuess, counts: _Counts) -> Linkage | Homogeneity | SetGuess:
    if isinstance(found, Linkage):
        return _linkage(found, counts)
    if isinstance(found, Homogeneity):
        return _homogeneity(found, counts)
    n_cells, n_values = counts.publish(found.n_cells), _count(found.n_values, counts.threshold)
    return replace(found, n_cells=n_cells, n_values=n_values, rate=round(found.rate, 2), best_rate=None)


def _linkage(found: Linkage, counts: _Counts) -> Linkage:
    narrowed_to = None if found.narrowed_to is None else _count(round(found.narrowed_to), counts.threshold)
    return replace(
        found,
        n_groups=counts.publish_size(found.n_groups),
        smallest=counts.publish_size(found.smallest),
        unique_rows=counts.publish(found.unique_rows),
        rate=_share(found.rate, found.n_rows, counts.threshold),
        narrowed_to=narrowed_to,
        before_unique_rows=None,
        before_rate=None,
        step=_step(found.n_rows, counts.threshold),
    )


def _homogeneity(found: Homogeneity, counts: _Counts) -> Homogeneity:
    n_rows = found.n_rows or 0
    return replace(
        found,
        n_rows=counts.publish(n_rows),
        rate=_share(found.rate, n_rows, counts.threshold),
        majority_rate=_share(found.majority_rate, n_rows, counts.threshold),
        certain_rows=counts.publish(found.certain_rows),
        single_rows=counts.publish(found.single_rows),
        before_rate=None,
        before_certain_rows=None,
        step=_step(n_rows, counts.threshold),
    )


def _uniques(found: Uniques, counts: _Counts) -> Uniques:
    """Return the counts; the sets of all columns add up to those of all sizes, so both are published or only one."""
    rows = tuple(counts.publish(n) for n in found.rows)
    sets = tuple(counts.publish(n) for n in found.sets)
    by_column = {column: counts.publish(n) for column, n in found.by_column.items()}
    if None in sets or None in by_column.values():
        by_column = {column: None if n else 0 for column, n in found.by_column.items()}
    return replace(found, sets=sets, rows=rows, by_column=by_column)


Bars = tuple[tuple[float, float | None, int | None], ...]


def _bars(bars: Bars, counts: _Counts) -> Bars:
    """Return counts that add up to the rows; what is left out together is no small count, and more than one.

    They are counts like all others: none is near another one, nor is the sum of those that are left out.
    """
    n_by_place = {place: n or 0 for place, (_, _, n) in enumerate(bars)}
    shown = [place for place, n in n_by_place.items() if n]
    while not counts.are_apart([n_by_place[place] for place in shown], left=_left(n_by_place, shown)):
        shown.remove(_to_hide(n_by_place, shown, counts))
    for place in shown:
        counts.publish(n_by_place[place])
    if 0 < len(shown) < sum(1 for n in n_by_place.values() if n):
        counts.publish(sum(_left(n_by_place, shown)))
    return tuple(
        (low, high, n_by_place[place] if place in shown or not n else None) for place, (low, high, n) in enumerate(bars)
    )


def _left(n_by_place: dict[int, int], shown: list[int]) -> list[int]:
    return [n for place, n in n_by_place.items() if n and place not in shown]


def _to_hide(n_by_place: dict[int, int], shown: list[int], counts: _Counts) -> int:
    """Return the smallest bar that is too near to something; where none is, the smallest of all."""
    ranked = sorted(shown, key=n_by_place.__getitem__)
    others = {place: [n_by_place[each] for each in shown if each != place] for place in ranked}
    near = (place for place in ranked if not counts.are_apart([n_by_place[place], *others[place]], only=1))
    return next(near, ranked[0])


def _utility(found: Utility, n_rows: int, threshold: int) -> Utility:
    """Return the errors of models that learn from the file; how well the original does is not published."""
    learners = tuple(
        LearnerErrors(
            learner=each.learner,
            base=None,
            released=_rate(each.published or each.released, n_rows, threshold),
            upper=None,
            removed=None,
            seconds=0.0,
        )
        for each in found.learners
    )
    majority = found.majority_released
    n_test = min((_n_test(each.released, n_rows) for each in found.learners), default=n_rows // 3)
    return Utility(
        target=found.target,
        learners=learners,
        majority=None,
        n_train=None,
        n_test=None,
        notes=(),
        seconds=0.0,
        majority_released=None if majority is None else _rate(majority, n_rows, threshold),
        step=_step(n_test, threshold),
    )


def _rate(rate: Rate, n_rows: int, threshold: int) -> Rate:
    n_test = _n_test(rate, n_rows)
    error, low, high = (_share(share, n_test, threshold) for share in (rate.error, rate.low, rate.high))
    return Rate(n_wrong=None, n_test=None, error=error, low=low, high=high)


def _n_test(rate: Rate, n_rows: int) -> int:
    return n_rows // 3 if rate.n_test is None else rate.n_test


def _count(n: float | None, threshold: int, *, of: int | None = None) -> int | None:
    """Return a count, or None where it is small, or where what is left of all rows is."""
    is_small = n is None or 0 < n < threshold or (of is not None and 0 < of - n < threshold)
    return None if is_small or n is None else int(n)


def _share(share: float, n_rows: int, threshold: int) -> float:
    """Return a share of this many rows, rounded."""
    step = _step(n_rows, threshold)
    return round(round(share / step) * step, 2)


def _step(n_rows: int, threshold: int) -> float:
    return next((each for each in STEPS if each * n_rows >= threshold), 1.0)
