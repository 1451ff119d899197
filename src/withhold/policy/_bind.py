"""Bind a policy to a table: unknown names and values fail here, all at once, before any long work."""

from collections.abc import Container, Iterable, Iterator

from withhold.errors import DataError, Mistake, PolicyError, TaxonomyError, did_you_mean
from withhold.policy._anonymity import Anonymity, too_few_rows
from withhold.policy._columns import ColumnSettings
from withhold.policy._hidden import Hidden
from withhold.policy._policy import Policy, Requirement
from withhold.policy._risk import Risk
from withhold.policy._template import Template
from withhold.table import Domain, Numbers, Table, Taxonomy

__all__ = ["bind", "check_names", "contradictions"]


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
            if settings.mask == "suppress" and _is_number(marked, name, settings):
                what = 'a number column is split into intervals: mask = "suppress" needs type = "category".'
                mistakes.append(Mistake(f"columns.{name}.mask", what))
            domain = _domain(policy, marked, name, settings)
            if domain is not None:
                domains[name] = domain
                marked.with_domains({name: domain}, missing=policy.missing)
        except (TaxonomyError, DataError) as error:
            key = "taxonomy" if isinstance(error, TaxonomyError) else "range" if settings.range else "type"
            mistakes.append(Mistake(f"columns.{name}.{key}", str(error)))
    mistakes += contradictions(policy)
    mistakes += mixtures(policy, table.names)
    mistakes += _absent_values(policy, marked)
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    bound = table.with_domains(domains, missing=policy.missing)
    _check_marks(policy, bound)
    _check_rows(policy, bound)
    _check_conditions(policy, bound)
    _check_informed(policy)
    return bound


def check_names(policy: Policy, names: tuple[str, ...], *, published: bool = False) -> Iterator[Mistake]:
    """Yield a mistake for every column the policy names and the table does not have.

    `published` is for a release: there the dropped columns are rightly absent.
    """
    named: list[tuple[str, str]] = []
    for i, requirement in enumerate(policy.require):
        if isinstance(requirement, Template):
            named += [(f"require[{i}].given", name) for name in requirement.given]
            named += [(f"require[{i}].hide", name) for name in requirement.hide]
        elif isinstance(requirement, Hidden):
            named += [(f"require[{i}].column", requirement.column)] if requirement.column is not None else []
            named += [(f"require[{i}].predictors", name) for name in requirement.predictors or ()]
            if isinstance(requirement.cells, tuple):
                named += [(f"require[{i}].cells", name) for name in dict.fromkeys(c for _, c in requirement.cells)]
        elif isinstance(requirement, Risk):
            named += [(f"require[{i}].known", name) for name in requirement.known]
            named += [(f"require[{i}].sensitive", name) for name in requirement.sensitive]
        else:
            named += [(f"require[{i}].columns", name) for name in requirement.columns]
    if not published:
        named += [("drop", name) for name in policy.drop]
        named += [("columns", name) for name in policy.columns]
        named += [("target", policy.target)] if policy.target is not None else []
    for where, name in named:
        if name in policy.drop and where != "drop" and where != "columns":
            yield Mistake(where, f'column "{name}" is dropped, so it cannot be used here.')
        elif name not in names:
            yield Mistake(where, f'no column "{name}"{did_you_mean(name, names)}')


def contradictions(policy: Policy) -> Iterator[Mistake]:
    """Yield a mistake for every column that one requirement masks and another needs as it is."""
    for i, requirement in enumerate(policy.require):
        if not isinstance(requirement, Template):
            continue
        for j, other in enumerate(policy.require):
            for name in other.masked:
                if name in requirement.hide:
                    hint = f' Hint: keep = ["{name}"] in require[{j}].' if isinstance(other, Template) else ""
                    what = f'column "{name}" is hidden here but masked by require[{j}]; it cannot be both.{hint}'
                    yield Mistake(f"require[{i}].hide", what)
                elif name in requirement.keep:
                    yield Mistake(f"require[{i}].keep", f'column "{name}" is kept here but masked by require[{j}].')


def mixtures(policy: Policy, names: tuple[str, ...]) -> Iterator[Mistake]:
    """Yield a mistake where single cells of a column would be withheld that another requirement masks or counts.

    Blanks would make groups of their own there, and break what was promised about groups.
    """
    columns = {
        name: j
        for j, requirement in enumerate(policy.require)
        if isinstance(requirement, Anonymity | Template)
        for name in (*requirement.columns, *(requirement.hide if isinstance(requirement, Template) else ()))
    }
    for i, requirement in enumerate(policy.require):
        if isinstance(requirement, Anonymity | Template):
            continue
        touched = requirement.columns
        if isinstance(requirement, Hidden):
            if policy.rows == "shuffle":
                what = 'hidden cells are checked by their rows, so the rows must stay in order: rows = "keep".'
                yield Mistake("rows", what)
            if requirement.predictors is None:
                touched = tuple(name for name in names if name not in policy.drop)
        shared = next((name for name in touched if name in columns), None)
        if shared is not None:
            key = "predictors" if isinstance(requirement, Hidden) else "known"
            what = (
                f'single cells of column "{shared}" would be withheld, which require[{columns[shared]}] counts groups '
                f"of: blanks would make groups of their own. Hint: {_apart(requirement, touched, columns)}, or release "
                "in two steps."
            )
            yield Mistake(f"require[{i}].{key}", what)
    masked = {name for requirement in policy.require for name in requirement.masked}
    is_needed = any(not isinstance(requirement, Anonymity | Template) for requirement in policy.require)
    for name, settings in policy.columns.items():
        if settings.bins is not None and (name in masked or not is_needed):
            yield Mistake(f"columns.{name}.bins", "bins are for requirements about single cells, not for masks.")


def _apart(requirement: Requirement, touched: Iterable[str], counted: Container[str]) -> str:
    """Return how single cells can keep away from columns in which groups are counted."""
    if not isinstance(requirement, Hidden) or requirement.predictors is not None:
        return "leave it out here"
    left = [f'"{name}"' for name in touched if name not in counted and name not in requirement.columns]
    return f"without `predictors` every published column counts; write predictors = [{', '.join(left)}]"


def _absent_values(policy: Policy, table: Table) -> Iterator[Mistake]:
    """Yield a mistake for every sensitive value that does not occur."""
    for i, requirement in enumerate(policy.require):
        if not isinstance(requirement, Template):
            continue
        for column, values in requirement.hide.items():
            if column not in table.names:
                continue
            occurring = [value for value in table.store.values(column) if value is not None]
            for value in values:
                if value not in occurring:
                    what = f'the value "{value}" does not occur in the column. Hint: values are compared as text.'
                    yield Mistake(f"require[{i}].hide.{column}", what)


def _is_number(table: Table, name: str, settings: ColumnSettings) -> bool:
    if settings.type is not None or settings.taxonomy is not None:
        return settings.type == "number"
    return table.store.kind(name) == "number"


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
        names = requirement.masked
        if not isinstance(requirement, Anonymity | Template):
            names = tuple(name for name in table.names if name not in policy.drop)
        for name in names:
            domain = table.domain(name)
            if isinstance(domain, Taxonomy) and "*" in domain.leaves:
                what = f'column "{name}" has a value "*", which is how a withheld value is written. Hint: rename it.'
                key = {"template": "given", "anonymity": "columns"}.get(requirement.kind, "kind")
                mistakes.append(Mistake(f"require[{i}].{key}", what))
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)


def _check_conditions(policy: Policy, table: Table) -> None:
    """Ask every condition once, so that a wrong one fails before any long work."""
    from withhold.policy._cells import Rows, find_cells

    store: object = table.store
    if not any(isinstance(each, Hidden) and each.where for each in policy.require) or not isinstance(store, Rows):
        return
    numbers = [name for name in table.names if isinstance(table.domain(name), Numbers)]
    for i, requirement in enumerate(policy.require):
        if isinstance(requirement, Hidden) and requirement.where:
            find_cells(store, policy, i, numbers=numbers)


def _check_informed(policy: Policy) -> None:
    """Refuse what would make other parts of a release hang on hidden values that nothing may hang on."""
    from withhold.policy._cells import unasked_columns

    hidden = {i: each for i, each in enumerate(policy.require) if isinstance(each, Hidden)}
    if not any(each.informed for each in hidden.values()):
        return
    mistakes = [
        Mistake(f"require[{i}].informed", "must be the same for all requirements about hidden cells.")
        for i, each in hidden.items()
        if not each.informed
    ]
    columns = unasked_columns(policy)
    if policy.target in columns and any(each.masked for each in policy.require):
        what = f'steps are chosen by the column "{policy.target}", of which cells are hidden from the informed.'
        mistakes.append(Mistake("target", f"{what} Hint: release in two steps."))
    for i, requirement in enumerate(policy.require):
        shared = [name for name in columns if isinstance(requirement, Risk) and name in requirement.columns]
        if shared:
            what = f'the risk hangs on the column "{shared[0]}", of which cells are hidden from the informed.'
            mistakes.append(Mistake(f"require[{i}]", f"{what} Hint: release in two steps."))
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)


def _check_rows(policy: Policy, table: Table) -> None:
    for i, requirement in enumerate(policy.require):
        if isinstance(requirement, Anonymity) and requirement.k > table.n_rows:
            raise too_few_rows(requirement.columns, requirement.k, table.n_rows, number=i)
