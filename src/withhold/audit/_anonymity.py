"""The check of an anonymity requirement: one GROUP BY over the written file."""

from withhold.audit._finding import Finding
from withhold.engines import SmallGroups, Source
from withhold.policy import Anonymity

__all__ = ["check_anonymity"]


def check_anonymity(source: Source, requirement: Anonymity, number: int) -> Finding:
    """Count the rows of every combination; each must be shared by at least k of them."""
    groups = source.small_groups(requirement.columns, requirement.k)
    ok = groups.smallest >= requirement.k
    names = ", ".join(requirement.columns)
    if ok:
        says = f"every combination of {names} is shared by at least {groups.smallest:,} rows (asked: {requirement.k:,})"
    else:
        combinations, has = ("combination", "has") if groups.n_small == 1 else ("combinations", "have")
        rows = "row" if groups.n_small_rows == 1 else "rows"
        says = (
            f"{groups.n_small:,} {combinations} of {names} ({groups.n_small_rows:,} {rows}) {has} fewer than "
            f"{requirement.k:,} rows{_smallest(groups)}"
        )
    return Finding(
        kind="anonymity",
        where=f"require[{number}]",
        columns=requirement.columns,
        asked=requirement.k,
        reached=groups.smallest,
        ok=ok,
        says=says,
        details={
            "groups": groups.n_groups,
            "small_groups": groups.n_small,
            "rows_in_small_groups": groups.n_small_rows,
            "single_rows": groups.n_single,
            "smallest_sizes": list(groups.sizes),
            "discernibility": groups.sum_of_squares,
        },
    )


def _smallest(groups: SmallGroups) -> str:
    """Tell how many of the small groups are single rows, and how large the next ones are."""
    if groups.n_single == groups.n_small:
        return ", each a single row" if groups.n_single > 1 else ": a single row"
    larger = ", ".join(str(size) for size in groups.sizes if size > 1)
    if not groups.n_single:
        return f"; the smallest: {larger}"
    of = f"; of which {groups.n_single:,} {'is a single row' if groups.n_single == 1 else 'are single rows'}"
    return f"{of}; then: {larger}" if larger else of
