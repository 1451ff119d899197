"""Bind a policy to a table: unknown names and values fail here, all at once, before any long work."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InputError, Mistake, PolicyError, TaxonomyError, did_you_mean
from withhold.policy._column_settings import ColumnSettings
from withhold.policy._policy import Policy
from withhold.policy._populations import unusable_weights
from withhold.policy._recodings import ignored_settings, unknown_levels
from withhold.policy._shown_numbers import counted_numbers, shown_numbers
from withhold.policy._target_kind import mistaken_target
from withhold.policy._units import joining_columns, misused_unit
from withhold.requirements.hidden import CELLS, Rows, find_cells, unasked_columns
from withhold.table import (
    WITHHELD,
    Bins,
    Domain,
    Numbers,
    Store,
    Table,
    Taxonomy,
    bins_of,
    is_number,
    units_of,
)
from withhold.taxonomies import date_tree

__all__ = ["bin_columns", "bind", "check_names", "contradictions", "hidden_cells", "unanswered_values"]

Cells = NDArray[Any]


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
            key = _blamed(error, settings)
            mistakes.append(Mistake(f"columns.{name}.{key}", str(error)))
    mistakes += [*contradictions(policy, table.names), *ignored_settings(policy), *unknown_levels(policy, domains)]
    mistakes += [*unanswered_values(policy, table.store), *misused_unit(policy), *unusable_weights(policy, table)]
    mistakes += [*counted_numbers(policy), *mistaken_target(policy, table)]
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    bound = table.with_domains(domains, missing=policy.missing)
    mistakes = [each for i, r in enumerate(policy.require) for each in r.mistakes(bound, policy, i)]
    mistakes += [*_marks(policy, bound), *_informed(policy, bound), *joining_columns(policy, bound)]
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    for i, requirement in enumerate(policy.require):
        requirement.feasible(bound, i)
    hidden_cells(policy, bound)
    return bound


def check_names(policy: Policy, names: tuple[str, ...], *, published: bool = False) -> Iterator[Mistake]:
    """Yield a mistake for every column the policy names and the table does not have.

    `published` is for a release: there the dropped columns are rightly absent.
    """
    named = [(f"require[{i}].{key}", name) for i, each in enumerate(policy.require) for key, name in each.named()]
    if not published:
        named += [("drop", name) for name in policy.drop]
        named += [("columns", name) for name in policy.columns]
        named += [("target", policy.target)] if policy.target is not None else []
        named += [("unit", policy.unit)] if policy.unit is not None else []
        named += [("weight", policy.weight)] if policy.weight is not None and policy.weight not in policy.drop else []
    for where, name in named:
        if name in policy.drop and where not in ("drop", "columns", "unit"):
            yield Mistake(where, f'column "{name}" is dropped, so it cannot be used here.')
        elif name not in names:
            yield Mistake(where, f'no column "{name}"{did_you_mean(name, names)}')


def contradictions(policy: Policy, names: tuple[str, ...]) -> Iterator[Mistake]:
    """Yield a mistake for every column that one requirement keeps and another may withhold cells of."""
    published = tuple(name for name in names if name not in policy.drop)
    for i, requirement in enumerate(policy.require):
        for j, other in enumerate(policy.require):
            touched = other.touched(published) if i != j else ()
            for name in [each for each in requirement.kept if each in touched]:
                hint = "" if name in other.columns else " Hint: `predictors` there names the columns it may withhold."
                what = f'column "{name}" is kept here, but require[{j}] may withhold its cells.{hint}'
                yield Mistake(f"require[{i}].keep", what)
    for i, requirement in enumerate(policy.require):
        for name in [each for each in requirement.kept if each in policy.columns]:
            if policy.columns[name].missing == "withhold":
                what = f'column "{name}" is kept here, but columns.{name}.missing withholds its missing cells.'
                yield Mistake(f"require[{i}].keep", what)
    for name, settings in policy.columns.items():
        if settings.missing == "any":
            for j, requirement in enumerate(policy.require):
                if requirement.refines and name in requirement.columns and not requirement.reads_any:
                    what = f'"any" is for columns that anonymity alone counts; require[{j}] counts it too.'
                    yield Mistake(f"columns.{name}.missing", what)


def unanswered_values(policy: Policy, store: Store) -> Iterator[Mistake]:
    """Yield a mistake for every sensitive value that means missing or withheld: no row holds it."""
    for i, requirement in enumerate(policy.require):
        for key, column, value in requirement.sensitive_values():
            settings = policy.columns.get(column, ColumnSettings())
            is_numeric = settings.type == "number" or (column in store.names and store.kind(column) == "number")
            numbers = {float(mark) for mark in policy.missing if is_numeric and is_number(mark)}
            is_missing = value in policy.missing or value in settings.missing_codes
            is_missing = is_missing or (is_number(value) and float(value) in numbers)
            if is_missing or value == WITHHELD:
                stands = "a missing answer (`missing`, `missing_codes`)" if is_missing else "a withheld value"
                what = f'the value "{value}" stands for {stands}, which is nothing to hide.'
                yield Mistake(f"require[{i}].{key}.{column}", what)


def hidden_cells(policy: Policy, table: Table) -> dict[int, Cells]:
    """Return for each requirement that hides cells, by its number, which ones."""
    store: object = table.store
    numbers = [name for name in table.names if isinstance(table.domain(name), Numbers)] if _asks(policy) else []
    found = {}
    for i, requirement in enumerate(policy.require):
        if requirement.needs_rows:
            assert isinstance(store, Rows)
            found[i] = find_cells(store, policy, i, numbers=numbers)
    return found


def bin_columns(table: Table, policy: Policy, hidden: Mapping[int, Cells]) -> Table:
    """Return the table with the columns that the policy puts in bins.

    Edges are taken from cells that are not hidden: one that a hidden value decided would show something of it.
    """
    bins: dict[str, Bins] = {}
    labels = {}
    every = np.concatenate([np.empty(0, dtype=CELLS), *hidden.values()])
    for name, settings in policy.columns.items():
        if settings.changes_numbers and name not in (*policy.drop, *policy.averaged_columns):
            bins[name] = shown_numbers(policy, table, name)
            labels[name] = bins[name].labels()
        if settings.bins is None or name in policy.drop:
            continue
        values = table.store.numbers(name, missing=table.missing)
        if table.weights is None:
            values = values[table.store.cells(name)]
        else:
            (cells,), counts = table.store.counts([name])
            values = np.repeat(values[cells], counts)
        private = np.zeros(values.size, dtype=bool)
        private[every["row"][every["column"] == table.names.index(name)]] = True
        units = None if policy.unit is None or table.weights is not None else units_of(table, policy.unit)
        try:
            least = policy.least_shown(name)
            bins[name] = bins_of(values, settings.bins, private=private, least=least, units=units)
        except InputError as error:
            raise PolicyError([Mistake(f"columns.{name}.bins", str(error))], source=policy.source) from None
        outside = ((values < bins[name].edges[0]) | (values > bins[name].edges[-1])) & ~private
        if outside.any():
            what = f"{int(outside.sum())} values lie outside the edges. Hint: widen them."
            raise PolicyError([Mistake(f"columns.{name}.bins", what)], source=policy.source)
        labels[name] = bins[name].labels(settings.publish)
    return table.with_bins(bins, labels)


def _asks(policy: Policy) -> bool:
    return any(requirement.needs_rows for requirement in policy.require)


def _is_number(table: Table, name: str, settings: ColumnSettings) -> bool:
    if settings.type is not None or settings.taxonomy is not None:
        return settings.type == "number"
    return table.store.kind(name) == "number"


def _blamed(error: Exception, settings: ColumnSettings) -> str:
    """Return the setting of a column that an error is about."""
    if isinstance(error, TaxonomyError) and settings.type != "date":
        return "taxonomy"
    return "range" if settings.range else "format" if settings.format else "type"


def _domain(policy: Policy, table: Table, name: str, settings: ColumnSettings) -> Domain | None:
    if settings.type == "number":
        return table.numbers(name, bounds=settings.range)
    if settings.type == "date":
        store = table.store
        return date_tree(store.values(name), date_format=settings.format, missing=table.missing, name=name, store=store)
    if isinstance(settings.taxonomy, str):
        return Taxonomy.read(policy.folder / settings.taxonomy)
    if settings.taxonomy is not None:
        return settings.taxonomy
    if settings.type == "category":
        return table.flat(name)
    return None


def _marks(policy: Policy, table: Table) -> Iterator[Mistake]:
    """Yield the columns whose own values look like withheld ones."""
    published = tuple(name for name in table.names if name not in policy.drop)
    for i, requirement in enumerate(policy.require):
        for name in requirement.read(published):
            if WITHHELD in table.store.values(name) and WITHHELD not in table.missing:
                what = f'column "{name}" has a value "*", which is how a withheld value is written. Hint: rename it.'
                key = next((key for key, own in requirement.named() if own == name), "kind")
                yield Mistake(f"require[{i}].{key}", what)


def _informed(policy: Policy, table: Table) -> Iterator[Mistake]:
    """Yield what would make other parts of a release depend on hidden values that nothing may depend on."""
    columns = unasked_columns(policy, cells_only=True)
    yield from _reading_what_is_sensitive(policy)
    for i, requirement in enumerate(policy.require):
        if columns and requirement.needs_rows and not requirement.is_informed:
            yield Mistake(f"require[{i}].informed", "must be the same for all requirements about hidden cells.")
    for name in columns:
        settings = policy.columns.get(name)
        if name in policy.refined and isinstance(table.domain(name), Numbers) and not (settings and settings.range):
            what = "needs a `range`: without one, edges depend on its outermost values, hidden ones among them."
            yield Mistake(f"columns.{name}.range", what)


def _reading_what_is_sensitive(policy: Policy) -> Iterator[Mistake]:
    """Yield what reads a column on which, for an informed requirement about groups or risk, nothing may depend."""
    for i, requirement in enumerate(policy.require):
        if not requirement.is_informed or requirement.needs_rows:
            continue
        unread = requirement.sensitive_columns(policy, i)
        if policy.target in unread:
            what = f'"{policy.target}" is sensitive in require[{i}], which is informed: nothing may be chosen by it.'
            yield Mistake("target", what)
        for j, other in enumerate(policy.require):
            shared = [name for _, name in other.named() if name in unread]
            if j != i and shared and (not other.is_informed or {*shared} & {*other.masked}):
                what = (
                    f'reads "{shared[0]}", on which nothing may depend, because require[{i}] is informed. Hint: make '
                    "both informed, or leave the column out of one of them."
                )
                yield Mistake(f"require[{j}]", what)
