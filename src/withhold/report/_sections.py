"""The sections of the page about an audit: promises, single people, what analysts lose, columns."""

from collections.abc import Iterator, Sequence
from typing import Any

from withhold._markup import paragraph, section, table
from withhold._percent import percent
from withhold.auditing import Audit, Finding, Uniques
from withhold.metrics import ColumnProfile
from withhold.report import _charts
from withhold.requirements import KINDS, class_of

__all__ = ["columns", "promises", "records", "reported_before", "reported_if", "rounded", "share", "utility"]

Parts = Iterator[str]
ERRORS = (
    ("base", "original"),
    ("released", "release"),
    ("removed", "without changed columns"),
    ("upper", "changed columns at their coarsest"),
)
"""The errors of a learner, and what it learned from."""
LEARNERS = {"c4.5": "C4.5", "naive-bayes": "naive Bayes", "boosting": "boosted trees"}


def promises(audit: Audit) -> str:
    """Report what was promised, and what was found."""
    header = ("", "promise", "asked", "reached", "finding")
    rows = [(_mark(finding), _promise(finding), *_figures(finding), finding.says) for finding in audit.findings]
    promises_table = reported_if(header, rows, optional=("asked", "reached"))
    return section("What was promised", [promises_table, *_numbering(audit)])


def _mark(finding: Finding) -> bool | str:
    return "partly" if finding.ok and not finding.is_complete else finding.ok


def _promise(finding: Finding) -> str:
    return finding.kind if finding.where in ("", finding.kind) else f"{finding.kind}\N{NO-BREAK SPACE}{finding.where}"


def _numbering(audit: Audit) -> Parts:
    if any(finding.where.startswith("require[") for finding in audit.findings):
        yield paragraph("require[0] is the first requirement of the policy, require[1] the second.", kind="note")


def _figures(finding: Finding) -> tuple[object, object]:
    """Return what was asked for and reached; for promises that are kept or not, the finding says it all."""
    bound = KINDS[finding.kind].words.bound if finding.kind in KINDS else ""
    if not bound:
        return None, None
    reached = f"{finding.reached:.4g}" if isinstance(finding.reached, float) else finding.reached
    return None if finding.asked is None else f"{bound} {finding.asked:g}", reached


def records(audit: Audit) -> str:
    """Report how exposed single records are."""
    return section("How exposed single people are", _records(audit))


def _records(audit: Audit) -> Parts:
    if audit.uniques:
        after, *before = audit.uniques
        yield paragraph(
            "Who knows a few columns of a person finds them where their row is alone with these values. Counted are "
            "rows that are alone on some choice of at most this many columns, and the choices themselves: a row and "
            f"its columns, none of which can be left out. Columns looked at: {', '.join(after.columns)}."
        )
        yield from _left_out(audit, after)
        sizes = range(1, max(len(each.sets) for each in audit.uniques) + 1)
        yield reported_before(
            ("columns known", "rows alone", "rows alone before", "choices of this many", "choices before"),
            [
                (
                    size,
                    _at(after.rows, size),
                    _at(before[0].rows, size) if before else None,
                    _at(after.sets, size),
                    _at(before[0].sets, size) if before else None,
                )
                for size in sizes
            ],
        )
        if any(after.by_column.values()):
            yield table(("column", "part of this many choices"), list(after.by_column.items()))
    for risk in audit.risks:
        yield section(f"Record risk, {risk.where}", _risk(risk), level=3)


def _left_out(audit: Audit, looked_at: Uniques) -> Parts:
    """Return which published columns were not looked at, and how many rows are alone on those."""
    found = audit.uncovered
    if found is None or not set(found.columns) - set(looked_at.columns):
        return
    names = ", ".join(found.columns)
    yield paragraph(f"Left out, because no requirement names them: {names}; {found.n_unique} unique on all of these.")


def _risk(risk: Any) -> Parts:
    rows = [
        {"risk": class_of(low, high), "records": n, "when": when}
        for when, bars in (("before", risk.before), ("after", risk.after))
        for low, high, n in bars
        if n is not None
    ]
    if _charts.can_draw() and rows:
        yield _charts.draw_risk(rows)
    before = {(low, high): n for low, high, n in risk.before}
    counts = [(class_of(low, high), before.get((low, high)), n) for low, high, n in risk.after]
    yield reported_before(("risk", "records before", "after"), [row for row in counts if row[1] or row[2] != 0])
    was = " Before is the original as it stands: numbers are not in bins." if risk.before else ""
    yield paragraph(f"The policy allows a risk of at most {risk.at_most:g}.{was}", kind="note")


def utility(audit: Audit) -> str:
    """Report what somebody loses who learns to predict the target."""
    return section("What analysts lose", _utility(audit))


def _utility(audit: Audit) -> Parts:
    found = audit.utility
    if found is None:
        return
    if found.majority is None:
        yield paragraph(
            f"Models learn to predict {found.target} from two thirds of the file, tested on the rest of it. The table "
            f"shows how often they are wrong.{rounded(found.step)}"
        )
    else:
        yield paragraph(
            f"Models learn to predict {found.target} from {found.n_train:,} rows; {found.n_test:,} others test them. "
            "The table shows how often they are wrong. They learn from the original, from the release, without the "
            "columns that the release changed, and with these columns at their coarsest (in the papers BE, SE or AE, "
            f"RE, UE). Always saying the most frequent value is wrong on {share(found.majority.error)}."
        )
    rates = [[getattr(each, kind) for kind, _ in ERRORS] for each in found.learners]
    if _charts.can_draw() and found.learners and found.majority is not None:
        rows = [
            {"learner": _learner(each), "table": title, **_rate(rate)}
            for each, own in zip(found.learners, rates, strict=True)
            for (_, title), rate in zip(ERRORS, own, strict=True)
            if rate is not None
        ]
        yield _charts.draw_errors(rows)
    rows_of = [
        (_learner(each), *(share(rate and rate.error, found.step) for rate in own), _points(each.loss))
        for each, own in zip(found.learners, rates, strict=True)
    ]
    if found.majority is None and found.majority_released is not None:
        blind = share(found.majority_released.error, found.step)
        rows_of.append(("always the most frequent value", None, blind, *[None] * 3))
    titles = [title for _, title in ERRORS]
    header = ("learner", *titles, "the release adds")
    yield reported_if(header, rows_of, optional=[*titles, "the release adds"])
    yield from (paragraph(note, kind="note") for note in found.notes)


def columns(audit: Audit) -> str:
    """Show each column before and after."""
    return section("Columns before and after", _columns(audit))


def _columns(audit: Audit) -> Parts:
    rows = [(each.column, each.kind, share(_lost(each)), share(_moved(each))) for each in audit.columns]
    if rows:
        yield table(("column", "kind", "withheld or missing", "distribution changed by"), rows)
        yield paragraph(
            "Coarsening counts as change: a coarser value has a bar of its own, beside those of the values below it. "
            "Drawn are the columns whose distribution changed.",
            kind="note",
        )
    if not _charts.can_draw():
        if rows:
            yield paragraph("Plots need the extra report: pip install 'withhold[report]'.", kind="note")
        return
    if rows:
        plots = "".join(_profile(each) for each in audit.columns if _moved(each) > 0)
        yield f'<div class="columns">{plots}</div>' if plots else ""
    if audit.dependence:
        after, before = audit.dependence
        yield _charts.draw_dependence(after.columns, before.matrix, after.matrix)


def _profile(profile: ColumnProfile) -> str:
    if profile.kind == "number":
        bounds = zip(profile.edges[:-1], profile.edges[1:], strict=True)
        bars: list[dict[str, Any]] = [
            {"low": low, "high": high, "before": was, "after": now}
            for (low, high), was, now in zip(bounds, profile.before, profile.after, strict=False)
        ]
        return _charts.draw_column(profile.column, bars, is_number=True)
    bars = [
        {"value": label, "before": was, "after": now}
        for label, was, now in zip(profile.labels, profile.before, profile.after, strict=True)
    ]
    return _charts.draw_column(profile.column, bars, is_number=False)


def _lost(profile: ColumnProfile) -> float:
    return profile.after[-1] if profile.labels and profile.labels[-1] == "withheld" else 0.0


def _moved(profile: ColumnProfile) -> float:
    """Return half the sum of the differences: the share of rows that a plot shows elsewhere."""
    return sum(abs(was - now) for was, now in zip(profile.before, profile.after, strict=True)) / 2


def _rate(rate: Any) -> dict[str, float]:
    return {"error": rate.error, "low": rate.low, "high": rate.high}


def _points(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:+.1f} points"


def _at(counts: Sequence[int | None], size: int) -> int | None:
    return counts[size - 1] if size <= len(counts) else None


def _learner(errors: Any) -> str:
    name: str = errors.learner
    return LEARNERS.get(name, name)


def reported_before(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table without the columns about the original, where nothing is reported of it."""
    return reported_if(header, rows, optional=[name for name in header if "before" in name])


def reported_if(header: Sequence[str], rows: Sequence[Sequence[object]], *, optional: Sequence[str]) -> str:
    """Return a table without those optional columns in which nothing is reported."""
    kept = [i for i, name in enumerate(header) if name not in optional or any(row[i] is not None for row in rows)]
    return table([header[i] for i in kept], [[row[i] for i in kept] for row in rows])


def share(rate: float | None, step: float | None = None) -> str | None:
    """Return a share as a table reports it; in a public report it is rounded to `step`."""
    return None if rate is None else percent(rate, step=step)


def rounded(step: float | None) -> str:
    """Return the sentence that shares are rounded, where they are."""
    return "" if step is None else f" Shares are rounded to steps of {100 * step:g}%."
