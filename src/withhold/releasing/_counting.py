"""A table behind a cluster: methods work on its distinct rows with counts, or on all its rows where they must."""

from collections.abc import Sequence
from contextlib import suppress

from withhold.engines import Cluster, Source
from withhold.errors import RowsNeededError
from withhold.policy import Policy
from withhold.table import Table

__all__ = ["count_for_proof", "counted_table", "read_columns", "with_rows_or_counts"]


def with_rows_or_counts(table: Table, policy: Policy) -> Table:
    """Return the table as its release is made from: a cluster counts it once, or sends its rows where that is needed.

    Raises
    ------
    RowsNeededError
        Where rows are needed and there are more than the cluster may send.
    """
    source = table.store
    if not isinstance(source, Cluster):
        return table
    why = _why_rows(policy)
    if not why:
        _count(source, policy, read_columns(policy, table.names))
        return table
    return table.on(source.rows(why))


def counted_table(table: Table, policy: Policy) -> Table:
    """Return the distinct rows over the columns that the policy reads; the table itself where its rows are there."""
    if not isinstance(table.store, Cluster):
        return table
    names = read_columns(policy, table.names)
    return table.counted(names) if table.store.fits(names) else table.partial(names)


def _count(source: Cluster, policy: Policy, names: Sequence[str]) -> None:
    """Count distinct rows; where they are too many, each column with the target, for a search that asks for more."""
    try:
        source.prepare(names)
    except RowsNeededError:
        if policy.recoding != "global" or any(not requirement.refines for requirement in policy.require):
            raise  # distinct rows are compared with each other
        for name in names:
            source.prepare([name] if policy.target in (None, name) else [name, str(policy.target)])


def read_columns(policy: Policy, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that a release or its proof depends on."""
    binned = [name for name, settings in policy.columns.items() if settings.bins is not None]
    asked = {*policy.read(names), *policy.refined, *policy.counted, policy.target, *binned} - {*policy.drop}
    for i, requirement in enumerate(policy.require):
        asked.update(requirement.sensitive_columns(policy, i))
    return tuple(name for name in names if name in asked)


def count_for_proof(source: Source, policy: Policy) -> None:
    """Let a cluster count at once what the requirements' checks read of a written table, where so much may come."""
    if not isinstance(source, Cluster):
        return
    asked = {*policy.read(source.names), *policy.refined, *policy.counted}
    for i, requirement in enumerate(policy.require):
        asked.update(requirement.sensitive_columns(policy, i))
    names = tuple(name for name in source.names if name in asked)
    if names:
        with suppress(RowsNeededError):  # each check asks for itself then
            source.prepare(names)


def _why_rows(policy: Policy) -> str:
    """Return what cannot be done with counts; nothing where all can."""
    for i, requirement in enumerate(policy.require):
        if requirement.why_rows:
            return f"require[{i}]{requirement.why_rows}"
    for key in ("unit", "weight", "sample", "population"):
        if getattr(policy, key) is not None:
            return f"`{key}` says something of single rows"
    if policy.recoding == "global" and policy.most_rows_withheld:
        return "`most_rows_withheld` withholds single rows"
    for name, settings in policy.columns.items():
        if settings.age_at is not None or settings.shift is not None:
            return f"columns.{name} computes single dates"
        if settings.changes_numbers:
            return f"columns.{name} changes single numbers"
        if settings.missing in ("withhold", "any"):
            return f'columns.{name}.missing = "{settings.missing}" withholds single cells'
    return ""
