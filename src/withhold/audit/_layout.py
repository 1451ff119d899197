"""The checks of what a release looks like: no identifier, no row lost or added."""

from withhold.audit._finding import Finding
from withhold.engines import Source
from withhold.policy import Policy, Risk

__all__ = ["check_dropped", "check_rows", "unmasked_columns"]


def check_dropped(source: Source, policy: Policy) -> list[Finding]:
    """Check that no column that the policy drops is published."""
    if not policy.drop:
        return []
    dropped = {name.casefold() for name in policy.drop}
    published = tuple(name for name in source.names if name.casefold() in dropped)
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


def unmasked_columns(source: Source, policy: Policy) -> tuple[str, ...]:
    """Name the columns that no requirement masks, and tell how identifying they are together."""
    masked = {name for r in policy.require for name in (r.known if isinstance(r, Risk) else r.masked)}
    names = [name for name in source.names if name not in masked and name not in policy.drop]
    if not names:
        return ()
    n_unique = source.small_groups(names, 2).n_small_rows
    return (
        f"published as they are, because no requirement masks them: {', '.join(names)}; {n_unique} of "
        f"{source.n_rows} rows are unique on them. Name in a requirement what an outsider may know.",
    )


def check_rows(source: Source, n_rows: int) -> Finding:
    """Check that the release has as many rows as the original."""
    return Finding(
        kind="rows",
        where="",
        columns=(),
        asked=n_rows,
        reached=source.n_rows,
        ok=source.n_rows == n_rows,
        says=f"the release has {source.n_rows} rows, the original {n_rows}",
    )
