"""The checks of what a release looks like: no identifier, no foreign column, no row added."""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import normalize

from withhold._percent import percent
from withhold.auditing._finding import Finding
from withhold.auditing._sight import Sight
from withhold.engines import Source
from withhold.policy import Policy

__all__ = [
    "Uncovered",
    "blank_columns",
    "check_columns",
    "check_dropped",
    "check_rows",
    "lost_columns",
    "lost_rows",
    "uncovered_columns",
]

MOST_MARKS = 3
"""The most texts of a column that holds nothing but marks: ``*``, an empty cell, another tool's."""
PLAIN = "published as they are, because no requirement masks them:"


def check_dropped(source: Source, policy: Policy) -> list[Finding]:
    """Check that no column that the policy drops is published, in whichever letters its name is written."""
    if not policy.drop:
        return []
    dropped = {_letters(name) for name in policy.drop}
    published = tuple(name for name in source.names if _letters(name) in dropped)
    says = f"the release holds {', '.join(published)}" if published else "no dropped column is published"
    return [
        Finding(
            kind="drop",
            where="drop",
            columns=policy.drop,
            asked=0,
            reached=len(published),
            ok=not published,
            says=says,
        )
    ]


def _letters(name: str) -> str:
    return normalize("NFKC", name).casefold().strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncovered:
    """The published columns by which no requirement keeps people from being recognised."""

    columns: tuple[str, ...]
    """The columns."""
    is_plain: bool
    """Whether they are published as they are, as far as the policy says."""
    n_rows: int
    """The rows of the file."""
    unique_rows: int | None
    """How many rows are unique on all of them together; None where only a share is published."""
    unique_share: float
    """The same as a share; rounded in a public report."""
    step: float | None = None
    """What the share is rounded to; None where it is not."""

    @property
    def says(self) -> str:
        """The same in words."""
        why = PLAIN if self.is_plain else "no requirement keeps people from being recognised by"
        return f"{why} {', '.join(self.columns)}; {self.n_unique} unique on them."

    @property
    def n_unique(self) -> str:
        """How many rows are unique, as a sentence needs it."""
        if self.unique_rows is not None:
            return f"{self.unique_rows:,} of {self.n_rows:,} rows are"
        about = percent(self.unique_share, step=self.step)
        return f"{about if about.startswith('below') else f'about {about}'} of all rows are"


def uncovered_columns(source: Source, policy: Policy) -> Uncovered | None:
    """Name the columns that no requirement masks, and report how identifying they are together."""
    masked = {name for requirement in policy.require for name in requirement.guarded(source.names)}
    names = tuple(name for name in source.names if name not in masked and name not in policy.drop)
    if not names:
        return None
    n_unique = source.small_groups(names, 2).n_small_rows
    is_changed = _needs_rows(policy) or any(name in _binned(policy) for name in names)
    return Uncovered(
        columns=names,
        is_plain=not is_changed,
        n_rows=source.n_rows,
        unique_rows=n_unique,
        unique_share=n_unique / max(source.n_rows, 1),
    )


def _binned(policy: Policy) -> set[str]:
    columns = policy.columns.items()
    return {name for name, each in columns if each.bins is not None or each.changes_numbers or each.is_reread}


def check_rows(source: Source, policy: Policy, n_rows: int) -> list[Finding]:
    """Check that the release has no more rows than the original, and no fewer where hidden cells are found by row.

    Otherwise no promise is about rows that are not published; `lost_rows` reports them.
    """
    if source.n_rows < n_rows and not _needs_rows(policy):
        return []
    return [
        Finding(
            kind="rows",
            where="",
            columns=(),
            asked=n_rows,
            reached=source.n_rows,
            ok=source.n_rows == n_rows,
            says=f"the release has {source.n_rows:,} rows, the original {n_rows:,}",
        )
    ]


def lost_rows(sight: Sight) -> list[str]:
    """Say how many rows of the original are not published, where no promise is about that, and what follows from it."""
    assert sight.original is not None
    n_lost = sight.original.n_rows - sight.source.n_rows
    if n_lost <= 0 or _needs_rows(sight.policy):
        return []
    rows = "1 row of the original is" if n_lost == 1 else f"{n_lost:,} rows of the original are"
    how = "; which ones is not known, so each column was compared as a whole" if sight.rows is None else ""
    return [f"{rows} not in the file{how}."]


def _needs_rows(policy: Policy) -> bool:
    return any(requirement.needs_rows for requirement in policy.require)


def check_columns(source: Source, names: Sequence[str]) -> Finding:
    """Check that the release has no column that the original does not have, such as row numbers or a copy."""
    foreign = tuple(name for name in source.names if name not in names)
    says = "every column is one of the original"
    if foreign:
        says = f"the original has no column {', '.join(foreign)}, so nothing is known about what it holds"
    return Finding(
        kind="columns",
        where="",
        columns=foreign or source.names,
        asked=0,
        reached=len(foreign),
        ok=not foreign,
        says=says,
    )


def blank_columns(sight: Sight) -> list[str]:
    """Say which columns of the file hold nothing but withheld cells, though the original held something."""
    # A cluster would count every other column for this alone.
    looked_at = sight.names if sight.has_rows else [name for name in sight.names if name in sight.policy.counted]
    few = [name for name in looked_at if len(sight.source.values(name)) <= MOST_MARKS]
    blank = [name for name in few if _is_blank(sight, name)]
    return [f"withheld altogether: {', '.join(blank)}."] if blank else []


def _is_blank(sight: Sight, name: str) -> bool:
    meaning = sight.meaning(name)
    held = sight.n_texts(name) > 0
    is_lost = bool(meaning.is_blank[held].all() and meaning.is_withheld[held].any())
    return is_lost and (sight.original is None or not meaning.was_missing.all())


def lost_columns(source: Source, policy: Policy, names: Sequence[str]) -> list[str]:
    """Return which columns of the original are not published, though the policy does not drop them."""
    lost = [name for name in names if name not in source.names and name not in policy.drop]
    return [f"not published, though the policy does not drop them: {', '.join(lost)}."] if lost else []
