"""The results as a page: what was measured beside what is printed, and which statements hold."""

from collections.abc import Iterable, Sequence
from typing import Any

from experiments._claims import claims
from experiments._plots import TABLES, label
from experiments._printed import ADVERSARIES, SUCCESS, TIMES

__all__ = ["summarize"]

Results = dict[str, Any]
METRICS = ("direct distance", "SKLD", "ACMI", "SCE", "rows deleted", "exposed to naive-bayes", "exposed to id3")


def summarize(results: Results) -> str:
    """Return a page in Markdown."""
    lines = ["# Chapter 5 of the suppression thesis, measured again", ""]
    lines += [f"{results['realisations']} realisations." + (" A sample of the cells." if results["quick"] else ""), ""]
    for table in TABLES:
        lines += [f"## {TABLES[table]}", ""]
        lines += section("Time per confidential value (table 5.2), milliseconds of CPU time", times(results, table))
        lines += section("Success (table 5.3), per cent", success(results, table))
        lines += section("One cell at a time (figures 5.1 and 5.6)", distances(results, table))
        lines += section("Growing numbers of confidential values (figures 5.2 to 5.5)", growing(results, table))
    lines += section("Many-cell versions on Wisconsin (figure 5.7), total direct distance", enhanced(results))
    lines += section("One cell of every row at once, `auto`", at_once(results))
    lines += section("What reproduces", judged(results))
    return "\n".join(lines)


def section(title: str, table: list[str]) -> list[str]:
    """Return a table under a title."""
    return [f"### {title}", "", *table, ""]


def rows_of(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return a table in Markdown."""
    marks = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(str(cell) for cell in row)} |" for row in (head, marks, *rows)]


def times(results: Results, table: str) -> list[str]:
    """Return the time per value of each algorithm."""
    found = results[table]["times"]
    rows = [
        (label(name), TIMES[table].get(name, ""), f"{m['mean']:.3f}", f"{m['median']:.3f}") for name, m in found.items()
    ]
    return rows_of(("algorithm", "printed", "mean", "median"), rows)


def success(results: Results, table: str) -> list[str]:
    """Return the success of each algorithm against each adversary, printed and counted both ways."""
    found = results[table]["cells"]
    rows = []
    for adversary, shown in ADVERSARIES.items():
        for name, m in found.items():
            if adversary in m and name != "nrd":
                printed = SUCCESS[table].get(adversary.partition(",")[0], {}).get(name, "")
                counted = (f"{100 * m[adversary][how]:.0f}" for how in ("with deleted", "rate"))
                rows.append((shown, label(name), printed, *counted, f"{100 * m['deleted']:.0f}"))
    head = ("adversary", "algorithm", "printed", "deleted row = success", "deleted row = failure", "rows deleted")
    return rows_of(head, rows)


def distances(results: Results, table: str) -> list[str]:
    """Return the direct distance of each algorithm, and of `auto` on the cells whose rows it keeps."""
    rows = []
    for name, m in results[table]["cells"].items():
        each = m["direct distance"]
        spread = f"{min(each):.2f} to {max(each):.2f}"
        kept = [figure(m[key]) for key in ("distance where kept", "auto where kept")]
        rows.append((label(name), f"{sum(each) / len(each):.2f}", spread, f"{100 * m['deleted']:.1f} %", *kept))
    head = ("algorithm", "mean distance", "over realisations", "rows deleted", "mean where kept", "`auto` on those")
    return rows_of(head, rows)


def figure(value: float | None) -> str:
    """Return a number in three significant digits, or a dash."""
    return "–" if value is None else f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def growing(results: Results, table: str) -> list[str]:
    """Return every metric for the largest number of values."""
    found = results[table]["growing"]
    rows = []
    for name, of in found.items():
        n = max(of, key=int)
        rows.append((label(name), n, *(figure(of[n][metric]) for metric in METRICS)))
    return rows_of(("algorithm", "values", *METRICS), rows)


def enhanced(results: Results) -> list[str]:
    """Return the total direct distance of the many-cell versions beside the single ones."""
    rows = [
        (label(name), n, *(f"{value:.1f}" for value in m.values()))
        for name, of in results["wisconsin"]["enhanced"].items()
        for n, m in of.items()
    ]
    return rows_of(("algorithm", "values", "each on a fresh copy, summed", "one after the other", "e-version"), rows)


def at_once(results: Results) -> list[str]:
    """Return what `auto` does for one cell of every row."""
    keys = ("cells", *METRICS, "seconds")
    rows = [(TABLES[table], *(figure(results[table]["all at once"][key]) for key in keys)) for table in TABLES]
    return rows_of(("table", *keys), rows)


def judged(results: Results) -> list[str]:
    """Return each statement of the chapter with what was found."""
    rows = [(claim.text, "yes" if claim.holds else "no", claim.found) for claim in claims(results)]
    return rows_of(("statement", "holds", "found"), rows)
