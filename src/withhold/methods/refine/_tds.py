"""Top-down specialization (TDS): anonymity for several column sets, information kept for a target."""

from collections.abc import Callable, Iterable, Mapping

from withhold.methods.refine._refinement import Refinement, run
from withhold.methods.refine._start import Mask, Promising, TargetKind, start_search
from withhold.methods.refine._top_down import Score, Splits, Step
from withhold.table import Table

__all__ = ["tds"]


def tds(
    table: Table,
    requirements: Iterable[Promising],
    *,
    target: str | None = None,
    target_kind: TargetKind = "class",
    score: Score = "ratio",
    splits: Splits = "best",
    masks: Mapping[str, Mask] | None = None,
    max_steps: int | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> Refinement:
    """Specialize a table from the top until any further step would break an anonymity requirement.

    Every column that a requirement names starts as one withheld value. The step that is most informative about the
    target for the least anonymity lost is made first; intervals of number columns grow as they are split.

    Parameters
    ----------
    table
        The table; its domains say how columns may be refined.
    requirements
        One or more `Anonymity` requirements.
    target
        The column that analysts will want to predict. Without one, steps are ranked by the records they touch.
    target_kind
        ``"number"`` keeps the variance of a target that is a number, as regression trees do, instead of information.
    score
        ``"ratio"`` is the paper's two-case formula: gain / loss, or gain where nothing is lost. ``"ratio+1"`` is the
        authors' later gain / (loss + 1). ``"gain"`` ignores privacy when ranking (never when checking).
    splits
        ``"best"`` gives an interval up when its most informative split is invalid, as the paper does. ``"valid"``
        takes the most informative split that is valid.
    masks
        ``"suppress"`` for a column lets one value at a time leave the withheld rest, the one of largest gain, instead
        of following its taxonomy.
    max_steps
        Stop after this many steps; any number of them leaves a valid table.
    on_step
        Called after each step, for progress.

    Returns
    -------
    Refinement
        Steps, cuts, what was reached, and a decision that can be applied.

    Raises
    ------
    InfeasibleError
        Where the table has fewer than `k` rows.

    Notes
    -----
    Score and loss are compared in 9 significant digits; ties go to the column named first, then to the smaller value.
    Missing values are a value of their own. A step costs the rows of the refined value times the open columns.

    References
    ----------
    B. C. M. Fung, K. Wang, P. S. Yu: Top-Down Specialization for Information and Privacy Preservation, ICDE 2005.

    Examples
    --------
    >>> from withhold import Anonymity, samples
    >>> table = samples.tds_table1()
    >>> result = tds(table, [Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    >>> result.cuts["Education"]
    ('Junior Sec.', '11th', '12th', 'Bachelors', 'Grad School')
    >>> result.reached
    (4,)
    """
    search = start_search(
        table, list(requirements), target=target, target_kind=target_kind, score=score, splits=splits, masks=masks
    )
    return run(search, table, max_steps=max_steps, on_step=on_step)
