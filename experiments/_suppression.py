"""What Figures 3a and 3b of the paper on PDA have in common: errors after suppression, Top1 to Top4."""

import statistics
from collections.abc import Sequence
from pathlib import Path

from experiments._errors import Judge, percent
from experiments._markdown import line_plot, save, table
from experiments._registry import Context, Results
from experiments._tables import Columns, encoded
from experiments._templates import suppressed
from withhold.table import Grid

__all__ = ["draw_errors", "feasible", "mean_error", "run_all", "shown_errors"]


def run_all(context: Context, columns: Columns, n_train: int, target: str, top4: Sequence[str]) -> Results:
    """Suppress for every number of sensitive columns and every threshold, and measure BE, SE and RE."""
    data = encoded(columns)
    grid, judge = Grid.of(data), Judge(n_train, target)
    found: Results = {"base": context.part("base", lambda: judge.error(grid)), "removed": {}, "settings": []}
    for n_sensitive in context.parameters["sensitive"]:
        chosen = top4[:n_sensitive]
        removed = context.part(f"removed top{n_sensitive}", lambda chosen=chosen: judge.error(grid, drop=chosen))
        found["removed"][str(n_sensitive)] = removed["error"]
        for at_most in context.parameters["at most"]:

            def work(chosen: Sequence[str] = chosen, at_most: float = at_most) -> Results:
                return suppressed(data, grid, judge, columns, chosen, at_most)

            found["settings"].append(context.part(f"top{n_sensitive} h{at_most}", work))
        context.say(f"Top{n_sensitive}")
    return found


def feasible(results: Results, n_sensitive: int | None = None) -> list[Results]:
    """Return the settings that can be met."""
    settings = [each for each in results["settings"] if not each["infeasible"]]
    return [each for each in settings if n_sensitive in (None, each["sensitive"])]


def mean_error(results: Results, n_sensitive: int) -> float:
    """Return SE, averaged over the thresholds that can be met."""
    return statistics.fmean(each["error"] for each in feasible(results, n_sensitive))


def shown_errors(results: Results) -> str:
    """Return the table of errors."""
    thresholds = list(dict.fromkeys(each["at most"] for each in results["settings"]))
    rows = []
    for n, removed in results["removed"].items():
        own = {each["at most"]: each for each in results["settings"] if each["sensitive"] == int(n)}
        cells = ["infeasible" if own[h]["infeasible"] else percent(own[h]["error"]) for h in thresholds]
        mean = mean_error(results, int(n))
        rows.append((f"Top{n}", *cells, percent(mean), percent(removed), f"{100 * (removed - mean):.1f}"))
    head = ("", *(f"SE, h = {share:.0%}" for share in thresholds), "SE, mean", "RE", "RE − SE, points")
    return table(head, rows)


def draw_errors(results: Results, path: Path) -> list[Path]:
    """Draw BE, SE and RE against the number of sensitive columns."""
    rows = []
    for n, removed in results["removed"].items():
        errors = {"BE": results["base"]["error"], "SE": mean_error(results, int(n)), "RE": removed}
        rows += [{"series": series, "N": int(n), "error": error} for series, error in errors.items()]
    return [save(line_plot(rows, x=("N", "N of TopN"), y=("error", "error")), path)]
