"""Groups that are made without a look at what is sensitive, for outsiders who know the method.

Who knows how groups were made learns from a coarse group that a finer one would have broken the promise. So with
`informed` groups are made by their sizes alone. Every table whose sensitive values are exchanged within groups is then
published in the same way, and the share of a value in a group is all that anybody can infer about its people.
"""

from typing import TYPE_CHECKING, Any

from withhold.errors import InfeasibleError

if TYPE_CHECKING:
    from withhold.table import Table

__all__ = ["check_unread", "too_few_rows", "too_small"]


def check_unread(informed: bool, groups_of: int | None, keep: tuple[str, ...] = ()) -> None:
    """Refuse `informed` without a size of groups, a size without it, and columns that sizes cannot be made with."""
    if informed and groups_of is None:
        raise ValueError(
            "`informed` needs `groups_of`: groups are then made by their size alone, without a look at what is "
            "sensitive. Hint: groups_of = 50 is a start; a release that breaks the promise is refused."
        )
    if groups_of is not None and not informed:
        raise ValueError("`groups_of` goes with `informed = true`.")
    if informed and keep:
        raise ValueError("`keep` and `informed` exclude each other: a kept column may leave groups too small.")


def too_few_rows(table: "Table", groups_of: int | None, number: int) -> None:
    """Raise where a table has fewer rows than a group."""
    if groups_of is not None and table.n_rows < groups_of:
        raise InfeasibleError(
            f"require[{number}].groups_of: the table has {table.n_rows} rows, fewer than the {groups_of} of a group. "
            "Hint: ask for smaller groups.",
            requirement=number,
            asked=groups_of,
            reached=table.n_rows,
        )


def too_small(requirement: Any, figure: float) -> str:
    """Return what would be wrong with the size of a group that is made by its size, or nothing."""
    if figure >= requirement.groups_of:
        return ""
    return f"a group would hold {figure:g} rows where {requirement.groups_of} are asked for"
