"""Bind a policy to a table: unknown names and values fail here, all at once, before any long work."""

from collections.abc import Iterator

from withhold.errors import DataError, InfeasibleError, Mistake, PolicyError, TaxonomyError, did_you_mean
from withhold.policy._columns import ColumnSettings
from withhold.policy._policy import Policy
from withhold.table import Domain, Table, Taxonomy

__all__ = ["bind", "check_names"]


def bind(policy: Policy, table: Table) -> Table:
    """Return the table under the policy's domains.

    Raises
    ------
    PolicyError
        With every mistake: columns that do not exist, taxonomies that do not fit, numbers out of range.
    InfeasibleError
        Where the table has too few rows for any release.
    """
    mistakes = list(check_names(policy, table.names))
    marked = table.with_domains({}, missing=policy.missing)
    domains: dict[str, Domain] = {}
    for name, settings in policy.columns.items():
        if name not in table.names:
            continue
        try:
            domain = _domain(policy, marked, name, settings)
            if domain is not None:
                domains[name] = domain
                marked.with_domains({name: domain}, missing=policy.missing)
        except (TaxonomyError, DataError) as error:
            key = "taxonomy" if isinstance(error, TaxonomyError) else "range" if settings.range else "type"
            mistakes.append(Mistake(f"columns.{name}.{key}", str(error)))
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    bound = table.with_domains(domains, missing=policy.missing)
    _check_marks(policy, bound)
    _check_rows(policy, bound)
    return bound


def check_names(policy: Policy, names: tuple[str, ...], *, published: bool = False) -> Iterator[Mistake]:
    """Yield a mistake for every column the policy names and the table does not have.

    `published` is for a release: there the dropped columns are rightly absent.
    """
    named = [(f"require[{i}].columns", name) for i, r in enumerate(policy.require) for name in r.columns]
    if not published:
        named += [("drop", name) for name in policy.drop]
        named += [("columns", name) for name in policy.columns]
        named += [("target", policy.target)] if policy.target is not None else []
    for where, name in named:
        if name in policy.drop and where != "drop" and where != "columns":
            yield Mistake(where, f'column "{name}" is dropped, so it cannot be used here.')
        elif name not in names:
            yield Mistake(where, f'no column "{name}"{did_you_mean(name, names)}')


def _domain(policy: Policy, table: Table, name: str, settings: ColumnSettings) -> Domain | None:
    if settings.type == "number":
        return table.numbers(name, bounds=settings.range)
    if isinstance(settings.taxonomy, str):
        return Taxonomy.read(policy.folder / settings.taxonomy)
    if settings.taxonomy is not None:
        return settings.taxonomy
    if settings.type == "category":
        return table.flat(name)
    return None


def _check_marks(policy: Policy, table: Table) -> None:
    """Refuse a column whose own values look like withheld ones."""
    mistakes = []
    for i, requirement in enumerate(policy.require):
        for name in requirement.columns:
            domain = table.domain(name)
            if isinstance(domain, Taxonomy) and "*" in domain.leaves:
                what = f'column "{name}" has a value "*", which is how a withheld value is written. Hint: rename it.'
                mistakes.append(Mistake(f"require[{i}].columns", what))
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)


def _check_rows(policy: Policy, table: Table) -> None:
    for i, requirement in enumerate(policy.require):
        if requirement.k > table.n_rows:
            raise InfeasibleError(
                f"require[{i}] (anonymity, k = {requirement.k}) cannot be met: the table has only {table.n_rows} rows, "
                f"{requirement.k - table.n_rows} too few. Hint: lower k, or publish more rows together.",
                requirement=i,
                asked=requirement.k,
                reached=table.n_rows,
            )
