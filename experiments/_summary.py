"""The results as a page: what was measured beside what is printed, and which statements hold."""

from experiments._claims import claims
from experiments._markdown import figure
from experiments._markdown import table as in_markdown
from experiments._plots import TABLES, label
from experiments._printed import ADVERSARIES, SUCCESS, TIMES
from experiments._registry import Results, Section

__all__ = ["report"]

METRICS = ("direct distance", "SKLD", "ACMI", "SCE", "rows deleted", "exposed to naive-bayes", "exposed to id3")


def report(results: Results) -> Section:
    """Tell what was measured beside what is printed, and which statements hold."""
    text = f"{results['realisations']} realisations." + (" A sample of the cells." if results["quick"] else "") + "\n\n"
    for name, shown in TABLES.items():
        text += f"#### {shown}: time per confidential value (table 5.2), milliseconds of CPU time\n\n"
        text += times(results, name)
        text += f"#### {shown}: success (table 5.3), per cent\n\n" + success(results, name)
        text += f"#### {shown}: one cell at a time (figures 5.1 and 5.6)\n\n" + distances(results, name)
        text += f"#### {shown}: growing numbers of confidential values (figures 5.2 to 5.5)\n\n" + growing(
            results, name
        )
    text += "#### Many-cell versions on Wisconsin (figure 5.7), total direct distance\n\n" + enhanced(results)
    text += "#### One cell of every row at once, `auto`\n\n" + at_once(results)
    return Section(markdown=text, claims=tuple(claims(results)))


def times(results: Results, table: str) -> str:
    """Return the time per value of each algorithm."""
    found = results[table]["times"]
    rows = [
        (label(name), TIMES[table].get(name, ""), f"{m['mean']:.3f}", f"{m['median']:.3f}") for name, m in found.items()
    ]
    return in_markdown(("algorithm", "printed", "mean", "median"), rows)


def success(results: Results, table: str) -> str:
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
    return in_markdown(head, rows)


def distances(results: Results, table: str) -> str:
    """Return the direct distance of each algorithm, and of `auto` on the cells whose rows it keeps."""
    rows = []
    for name, m in results[table]["cells"].items():
        each = m["direct distance"]
        spread = f"{min(each):.2f} to {max(each):.2f}"
        kept = [figure(m[key]) for key in ("distance where kept", "auto where kept")]
        rows.append((label(name), f"{sum(each) / len(each):.2f}", spread, f"{100 * m['deleted']:.1f} %", *kept))
    head = ("algorithm", "mean distance", "over realisations", "rows deleted", "mean where kept", "`auto` on those")
    return in_markdown(head, rows)


def growing(results: Results, table: str) -> str:
    """Return every metric for the largest number of values."""
    found = results[table]["growing"]
    rows = []
    for name, of in found.items():
        n = max(of, key=int)
        rows.append((label(name), n, *(figure(of[n][metric]) for metric in METRICS)))
    return in_markdown(("algorithm", "values", *METRICS), rows)


def enhanced(results: Results) -> str:
    """Return the total direct distance of the many-cell versions beside the single ones."""
    rows = [
        (label(name), n, *(f"{value:.1f}" for value in m.values()))
        for name, of in results["wisconsin"]["enhanced"].items()
        for n, m in of.items()
    ]
    return in_markdown(("algorithm", "values", "fresh copies, summed", "one after the other", "e-version"), rows)


def at_once(results: Results) -> str:
    """Return what `auto` does for one cell of every row."""
    keys = ("cells", *METRICS, "seconds")
    rows = [(TABLES[table], *(figure(results[table]["all at once"][key]) for key in keys)) for table in TABLES]
    return in_markdown(("table", *keys), rows)
