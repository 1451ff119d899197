"""Progressive disclosure (PDA): no group implies a sensitive value, information kept for a target."""

from collections.abc import Callable, Iterable, Mapping

from withhold.methods.refine._refinement import Refinement, run
from withhold.methods.refine._start import Mask, Promising, TargetKind, start_search
from withhold.methods.refine._top_down import Score, Splits, Step
from withhold.table import Table

__all__ = ["pda"]


def pda(
    table: Table,
    templates: Iterable[Promising],
    *,
    target: str | None = None,
    target_kind: TargetKind = "class",
    score: Score = "ratio+1",
    splits: Splits = "best",
    masks: Mapping[str, Mask] | None = None,
    max_steps: int | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> Refinement:
    """Disclose the values of the given columns one by one, until any further one would break a template.

    Every column that some template names as given, and does not keep, starts as one withheld value. The value that
    is most informative about the target for the least growth of a confidence is disclosed first.

    Parameters
    ----------
    table
        The table.
    templates
        One or more `Template` requirements.
    target
        The column that analysts will want to predict. Without one, values are ranked by how many records hold them.
    target_kind
        ``"number"`` keeps the variance of a target that is a number, as regression trees do, instead of information.
    score
        ``"ratio+1"`` is the paper's gain / (loss + 1); ``"ratio"`` and ``"gain"`` as in `tds`.
    splits
        For number columns: as in `tds`.
    masks
        ``"generalize"`` specialises a column along its taxonomy instead of disclosing single values. Number columns are
        always split into intervals.
    max_steps
        Stop after this many steps; any number of them leaves a valid table.
    on_step
        Called after each step, for progress.

    Raises
    ------
    InfeasibleError
        Where a sensitive value is too common in the whole table for any release.

    Notes
    -----
    Confidences are fractions, compared in integers with each other and by one division with `at_most`. The withheld
    values of a column all read ``*``; `Refinement.withheld` says which they are, because a lone one reveals itself.

    References
    ----------
    K. Wang, B. C. M. Fung, P. S. Yu: Template-Based Privacy Preservation in Classification Problems, ICDM 2005.

    Examples
    --------
    >>> from withhold import Template, samples
    >>> template = Template(given=["Job", "Country"], hide={"Bankruptcy": ["Discharged"]}, at_most=0.75)
    >>> result = pda(samples.pda_table1(), [template], target="Rating")
    >>> result.withheld
    {'Job': ('Clerk', 'Trader'), 'Country': ('Canada', 'UK')}
    >>> result.reached
    (0.5,)
    """
    search = start_search(
        table, list(templates), target=target, target_kind=target_kind, score=score, splits=splits, masks=masks
    )
    return run(search, table, max_steps=max_steps, on_step=on_step)
