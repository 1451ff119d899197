"""The sections of the page about an audit."""

from collections.abc import Iterator, Sequence
from typing import Any

from withhold._markup import paragraph, section, table
from withhold.audit import Audit, CellAttack, Homogeneity, Linkage, SetGuess
from withhold.metrics import ColumnProfile
from withhold.report import _charts

__all__ = ["attacks", "class_of", "columns", "promises", "records", "utility"]

Parts = Iterator[str]
ERRORS = (
    ("base", "original (BE)"),
    ("released", "release (SE, AE)"),
    ("removed", "columns removed (RE)"),
    ("upper", "all at the coarsest (UE)"),
)
"""The errors of a learner, and what it learned from."""


def promises(audit: Audit) -> str:
    """Tell what was promised, and what was found."""
    rows = [
        (finding.ok, finding.where or finding.kind, finding.kind, ", ".join(finding.columns), *_figures(finding))
        for finding in audit.findings
    ]
    return section(
        "What was promised",
        [table(("", "where", "kind", "columns", "asked", "reached", "finding"), rows)],
    )


def _figures(finding: Any) -> tuple[object, object, str]:
    bounds = {"anonymity": "at least ", "template": "at most ", "risk": "at most "}
    asked = None if finding.asked is None else f"{bounds.get(finding.kind, '')}{_number(finding.asked)}"
    return asked, _number(finding.reached), finding.says


def attacks(audit: Audit) -> str:
    """Tell how the file was attacked."""
    return section("How the file was attacked", _attacks(audit))


def _attacks(audit: Audit) -> Parts:
    for scope, title, says in (
        (
            "hidden",
            "Hidden cells",
            "Each attacker learns from the release alone and guesses the cells that were hidden.",
        ),
        ("other", "Other withheld cells", "Cells that were withheld on the way; no promise covers them."),
    ):
        found = [attack for attack in audit.cell_attacks if attack.scope == scope]
        if found:
            yield section(title, [paragraph(says), *_cell_attacks(found)], level=3)
    links = [attack for attack in audit.attacks if isinstance(attack, Linkage)]
    if links:
        yield section("Finding a person", _linkage(links), level=3)
    told = [attack for attack in audit.attacks if isinstance(attack, Homogeneity)]
    if told:
        yield section("What a group gives away", _homogeneity(told), level=3)
    sets = [attack for attack in audit.attacks if isinstance(attack, SetGuess)]
    if sets:
        yield section("What the published list of withheld values gives away", _sets(sets), level=3)


def _cell_attacks(found: Sequence[CellAttack]) -> Parts:
    rows = [
        {
            "attacker": attack.title,
            "rate": attack.rate,
            "low": attack.low,
            "high": attack.high,
            "before": attack.before_rate,
            "majority": attack.majority_rate,
        }
        for attack in found
        if attack.n_tried
    ]
    if rows and _charts.can_draw():
        yield _charts.draw_attacks(rows)
    header = (
        "attacker",
        "named",
        "cells",
        "recovered",
        "95 % interval",
        "majority guess",
        "before",
        "better than a guess?",
    )
    yield table(header, (_attack_row(attack) for attack in found))
    yield table(("attacker", "what it knows and does"), [(a.title, f"{a.story} {a.note}".strip()) for a in found])


def _attack_row(attack: CellAttack) -> tuple[object, ...]:
    return (
        attack.title,
        "yes" if attack.is_named else "",
        attack.n_tried,
        _share(attack.rate),
        f"{attack.low:.1%} to {attack.high:.1%}",
        _share(attack.majority_rate),
        _share(attack.before_rate),
        f"{'yes' if attack.beats_majority else 'no'} (p = {attack.p_value:.2g})",
    )


def _linkage(links: Sequence[Linkage]) -> Parts:
    yield paragraph(
        "Somebody who knows these columns of a person looks for the rows that agree, and picks one. Told is how often "
        "that is the right row, and to how many rows a person is narrowed on average."
    )
    header = (
        "columns known",
        "right row",
        "before",
        "narrowed to",
        "smallest group",
        "rows alone",
        "rows alone before",
    )
    yield table(
        header,
        [
            (
                ", ".join(link.columns),
                _share(link.rate),
                _share(link.before_rate),
                None if link.narrowed_to is None else f"{link.narrowed_to:,.1f}",
                link.smallest,
                link.unique_rows,
                link.before_unique_rows,
            )
            for link in links
        ],
    )


def _homogeneity(told: Sequence[Homogeneity]) -> Parts:
    yield paragraph(
        "Somebody who knows these columns guesses another one: the most frequent value among the rows that agree. "
        "Certain are rows whose whole group holds the same value."
    )
    header = ("columns known", "guessed", "right", "before", "majority guess", "certain rows", "certain before")
    yield table(
        header,
        [
            (
                ", ".join(each.columns),
                each.column,
                _share(each.rate),
                _share(each.before_rate),
                _share(each.majority_rate),
                each.certain_rows,
                each.before_certain_rows,
            )
            for each in told
        ],
    )


def _sets(found: Sequence[SetGuess]) -> Parts:
    yield paragraph("Somebody reads which values a * may stand for, and guesses one; or knows which is most frequent.")
    header = ("column", "withheld cells", "possible values", "blind guess right", "most frequent right")
    rows = [(each.column, each.n_cells, each.n_values, _share(each.rate), _share(each.best_rate)) for each in found]
    yield table(header, rows)


def records(audit: Audit) -> str:
    """Tell how exposed single records are."""
    return section("How exposed single people are", _records(audit))


def _records(audit: Audit) -> Parts:
    if audit.uniques:
        after, *before = audit.uniques
        yield paragraph(
            f"Rows that are alone on few columns are easy to find. Columns looked at: {', '.join(after.columns)}."
        )
        sizes = range(1, max(len(each.sets) for each in audit.uniques) + 1)
        yield table(
            ("columns together", "minimal unique sets", "sets before", "rows alone on so many or fewer", "rows before"),
            [
                (
                    size,
                    _at(after.sets, size),
                    _at(before[0].sets, size) if before else None,
                    _at(after.rows, size),
                    _at(before[0].rows, size) if before else None,
                )
                for size in sizes
            ],
        )
        yield table(("column", "takes part in so many of these sets"), list(after.by_column.items()))
    for risk in audit.risks:
        yield section(f"Record risk, {risk.where}", _risk(risk), level=3)


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
    yield table(
        ("risk", "records before", "after"),
        [(class_of(low, high), before.get((low, high)), n) for low, high, n in risk.after],
    )
    yield paragraph(f"Allowed: {risk.at_most:g}.", kind="note")


def utility(audit: Audit) -> str:
    """Tell what somebody loses who learns to predict the target."""
    return section("What analysts lose", _utility(audit))


def _utility(audit: Audit) -> Parts:
    found = audit.utility
    if found is None:
        return
    if found.majority is None:
        yield paragraph(
            f"Models learn to predict {found.target} from two thirds of the file, tested on the rest of it."
        )
    else:
        yield paragraph(
            f"Models learn to predict {found.target} from {found.n_train:,} rows, tested on {found.n_test:,} others. "
            f"Guessing the most frequent class is wrong on {found.majority.error:.1%}."
        )
    rates = [[getattr(each, kind) for kind, _ in ERRORS] for each in found.learners]
    if _charts.can_draw() and found.learners:
        rows = [
            {"learner": each.learner, "table": title, **_rate(rate)}
            for each, own in zip(found.learners, rates, strict=True)
            for (_, title), rate in zip(ERRORS, own, strict=True)
            if rate is not None
        ]
        yield _charts.draw_errors(rows)
    yield table(
        ("learner", *(title for _, title in ERRORS), "lost by the release"),
        [
            (each.learner, *(_share(rate and rate.error) for rate in own), _points(each.loss))
            for each, own in zip(found.learners, rates, strict=True)
        ],
    )
    yield from (paragraph(note, kind="note") for note in found.notes)


def columns(audit: Audit) -> str:
    """Show each column before and after."""
    return section("Columns before and after", _columns(audit))


def _columns(audit: Audit) -> Parts:
    rows = [(each.column, each.kind, _share(_lost(each)), _share(_moved(each))) for each in audit.columns]
    if rows:
        yield table(("column", "kind", "withheld or missing", "rows whose place in the plot changed"), rows)
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


def class_of(low: float, high: float | None) -> str:
    """Return the name of a class of risk."""
    if high is None:
        return f"above {low:g}"
    return "none" if high == 0 else f"{low:g} to {high:g}"


def _at(counts: Sequence[int | None], size: int) -> int | None:
    return counts[size - 1] if size <= len(counts) else None


def _share(share: float | None) -> str | None:
    return None if share is None else f"{share:.1%}"


def _number(number: object) -> object:
    return f"{number:.4g}" if isinstance(number, float) else number
