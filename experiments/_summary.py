"""The results as a page: what was measured beside what is printed, and which statements hold."""

from collections.abc import Sequence
from statistics import fmean

from experiments._cells import NO_COIN
from experiments._claims import claims
from experiments._markdown import figure
from experiments._markdown import table as in_markdown
from experiments._plots import TABLES, label
from experiments._printed import SUCCESS, TIMES
from experiments._registry import Results, Section

__all__ = ["report"]

METRICS = ("direct distance", "SKLD", "ACMI", "SCE", "rows deleted", "exposed to naive-bayes", "exposed to id3")
HOW = """
- *Cells.* One known cell of each row, drawn at random from the columns with more than two values, each protected on a
  fresh copy of the table. The thesis says as much, and not which cells it drew. The degree of suppression k, of which
  it prints no value, is the number of values: the next best guess is drawn from all of them.
- *Coin.* Where two candidate values are left, the thesis tosses a coin whether to suppress at all (sections 4.1.2 and
  4.1.4): else whoever knows the algorithm knows the value. Here it is tossed once for a cell. Table 5.3 has 100 % for
  the -G algorithms all the same, which the coin does not allow. So both are here: -G as the pseudocode has it, and
  *no coin*, which always goes on; lines are drawn of the first only. The deleting algorithms never meet two values in
  these columns.
- *Tree.* The thesis does not print the taxonomy of the scores of Wisconsin. Ours is 1–10 over 1–5 and 6–10, over 1–2,
  3–5, 6–7 and 8–10. How often the coin is tossed depends on its pairs, 1–2 and 6–7, and 1 and 2 are the most frequent
  scores. All figures of the -G algorithms depend on it.
- *Success.* Section 5.2 counts a deleted row as a failure. With the rows that are deleted here, table 5.3 can only be
  had by counting it as a success. Both are shown; the number in brackets counts it as a failure.
- *SVM.* Linear, trained on all other rows. The thesis does not say how values became numbers. On Wisconsin both are
  here: a feature for each value, and the scores as numbers, which is nearer to the printed rows.
- *Many cells.* For figures 5.2 to 5.5 the same cells are protected one after the other, each on what the ones before
  left, all hidden first. For figure 5.7 cells are drawn as the algorithms need them: e-DECP cells of one column with
  the same value, e-DROPP cells of one row; several sets of each size in a realisation. The thesis says only that they
  are random.
- *Why figures differ.* The cells, the tree, the degree and how ties between equally good choices are broken are not
  printed, and each may move them; how much was not measured. Times are of counts that are kept up to date, so that
  their order need not be that of the thesis.
"""


def report(results: Results) -> Section:
    """Report what was measured beside what is printed, and which statements hold."""
    text = f"{results['realisations']} realisations." + (" A sample of the cells." if results["quick"] else "") + "\n"
    text += HOW + "\n#### The tables (table 5.1)\n\n" + sizes(results)
    for name, shown in TABLES.items():
        text += f"#### {shown}: time per confidential value (table 5.2), milliseconds of CPU time\n\n"
        text += times(results, name)
        text += f"#### {shown}: success (table 5.3), per cent\n\n" + success(results, name)
        text += f"#### {shown}: one cell at a time (figures 5.1 and 5.6)\n\n" + distances(results, name)
        text += f"#### {shown}: growing numbers of confidential values (figures 5.2 to 5.5)\n\n"
        text += growing(results, name)
    text += "#### Many-cell versions on Wisconsin (figure 5.7), total direct distance\n\n" + enhanced(results)
    text += "#### One cell of every row at once, `auto`\n\n" + at_once(results)
    return Section(markdown=text, claims=tuple(claims(results)))


def sizes(results: Results) -> str:
    """Return the size of each table."""
    keys = ("rows", "columns", "unknown", "pairs", "pairs without information")
    rows = [(shown, *(f"{results[name][key]:,}" for key in keys)) for name, shown in TABLES.items()]
    head = ("table", "rows", "columns", "unknown cells", "pairs of columns", "of these without mutual information")
    return in_markdown(head, rows)


def times(results: Results, table: str) -> str:
    """Return the time per value of each algorithm."""
    found = results[table]["times"]
    rows = [
        (label(name), TIMES[table].get(name.removesuffix(NO_COIN), ""), f"{m['mean']:.3f}", f"{m['median']:.3f}")
        for name, m in found.items()
    ]
    return in_markdown(("algorithm", "printed", "mean", "median"), rows)


def success(results: Results, table: str) -> str:
    """Return the success of each algorithm against each adversary, printed and counted both ways."""
    found = results[table]["cells"]
    numbers = ["svm, numbers"] if "svm, numbers" in found["hid3"] else []
    rows = []
    for name, m in found.items():
        if name == "nrd":
            continue
        cells: list[object] = [label(name), f"{100 * m['deleted']:.0f}", f"{100 * m['stopped by the coin']:.0f}"]
        for model in ("naive-bayes", "id3", "svm"):
            cells.append(SUCCESS[table][model].get(name.removesuffix(NO_COIN), ""))
            cells += [counted(m, each) for each in ([model, *numbers] if model == "svm" else [model])]
        rows.append(cells)
    head = ["algorithm", "rows deleted", "coin stopped", "naive Bayes printed", "ours", "ID3 printed", "ours"]
    head += ["SVM printed", "a feature a value", *("numbers" for _ in numbers)]
    return in_markdown(head, rows)


def counted(m: Results, model: str) -> str:
    """Return a rate with a deleted row as a success, and as a failure."""
    if model not in m:
        return ""
    return f"{100 * m[model]['with deleted']:.0f} ({100 * m[model]['rate']:.0f})"


def distances(results: Results, table: str) -> str:
    """Return the direct distance of each algorithm, and of `auto` on the cells whose rows it keeps."""
    rows = []
    for name, m in results[table]["cells"].items():
        each = m["direct distance"]
        spread = f"{min(each):.2f} to {max(each):.2f}"
        kept = [figure(m[key]) for key in ("distance where kept", "auto where kept")]
        rows.append((label(name), f"{fmean(each):.2f}", spread, f"{100 * m['deleted']:.1f} %", *kept))
    head = ("algorithm", "mean distance", "over realisations", "rows deleted", "mean where kept", "`auto` on those")
    return in_markdown(head, rows)


def growing(results: Results, table: str) -> str:
    """Return every metric for the largest number of values."""
    found = results[table]["growing"]
    rows = []
    for name, of in found.items():
        n = max(of, key=int)
        rows.append((label(name), n, *(mean_of(of[n][metric]) for metric in METRICS)))
    return in_markdown(("algorithm", "values", *METRICS), rows)


def mean_of(values: Sequence[float | None]) -> str:
    """Return the mean of the finite values, and how many are not."""
    finite = [value for value in values if value is not None]
    shown = figure(fmean(finite)) if finite else "∞"
    missing = len(values) - len(finite)
    return shown if not (missing and finite) else f"{shown}, ∞ in {missing} of {len(values)}"


def enhanced(results: Results) -> str:
    """Return the total direct distance of the many-cell versions beside the single ones."""
    rows = [
        (label(name), n, *(f"{fmean(values):.1f}" for values in m.values()))
        for name, of in results["wisconsin"]["enhanced"].items()
        for n, m in of.items()
    ]
    return in_markdown(("algorithm", "values", "fresh copies, summed", "one after the other", "e-version"), rows)


def at_once(results: Results) -> str:
    """Return what `auto` does for one cell of every row."""
    keys = ("cells", *METRICS, "seconds")
    rows = [(TABLES[table], *(mean_of(results[table]["all at once"][key]) for key in keys)) for table in TABLES]
    return in_markdown(("table", *keys), rows)
