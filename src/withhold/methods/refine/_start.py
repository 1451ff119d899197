"""From promises and a table to a search."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InfeasibleError, Mistake, PolicyError
from withhold.methods.refine._column_moves import Column, DisclosureColumn, Kept, NumberColumn, TaxonomyColumn
from withhold.methods.refine._counted_rows import CountedRows
from withhold.methods.refine._counter import Counter
from withhold.methods.refine._information import ClassCounts
from withhold.methods.refine._promises import Promise
from withhold.methods.refine._search_board import Board
from withhold.methods.refine._target_sums import TargetNumbers, TargetSums, scaled_numbers
from withhold.methods.refine._top_down import Score, Search, Splits, Term
from withhold.table import Numbers, Table, Taxonomy

__all__ = ["Mask", "Promising", "TargetKind", "masked_columns", "start_search"]

MOST_CLASSES = 1_000
MOST_CELLS = 50_000_000
Mask = Literal["generalize", "suppress"]
TargetKind = Literal["class", "number"]


class Promising(Protocol):
    """A requirement whose promises a search can keep."""

    def promise(self) -> Sequence[Promise]:
        """Return what it asks of groups, one promise for each sensitive column or one alone."""


def start_search(
    table: Table,
    requirements: Sequence[Promising],
    *,
    target: str | None = None,
    target_kind: TargetKind = "class",
    score: Score | None = None,
    splits: Splits = "best",
    masks: Mapping[str, Mask] | None = None,
    numbers: Sequence[int] | None = None,
    rows: CountedRows | None = None,
) -> Search:
    """Return the search before its first step, to be stepped by hand.

    Parameters
    ----------
    table
        The table; its domains say how columns may be refined.
    requirements
        Requirements that count groups, such as `Anonymity` and `Template`, in any mixture.
    target
        The column that analysts will want to predict.
    target_kind
        ``"class"``: steps keep information about the target's values. ``"number"``: they keep its variance, as
        regression trees do.
    score
        How moves are ranked; by default as in the papers: ``"ratio"`` for anonymity, ``"ratio+1"`` with others.
    splits
        Whether an interval whose best split is invalid is given up or split elsewhere.
    masks
        For a column ``"generalize"`` (taxonomy or intervals) or ``"suppress"`` (values disclosed one by one). By
        default columns of numbers and columns that anonymity, diversity or closeness name are generalised, others
        suppressed.
    numbers
        The place of each requirement in its policy, for messages; in order where None.
    rows
        The rows to count, where some cells are withheld whatever the search does; all where None.

    Notes
    -----
    Where several kinds are present, the loss of a move is the mean over all promises that name its column, with lost
    anonymity as a share of what there was.

    Examples
    --------
    >>> from withhold import Anonymity, samples
    >>> search = start_search(samples.tds_table1(), [Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    >>> search.step().value, [c.value for c in search.candidates() if c.is_valid]
    ('ANY_Edu', ['ANY_Sex', 'Secondary', 'University'])
    """
    if not isinstance(table, Table):
        raise DataError(f"a search needs a Table; got {type(table).__name__}. Hint: withhold.read makes one.")
    _check(requirements, score, splits)
    promises = [(i, promise) for i, each in enumerate(requirements) for promise in each.promise()]
    names = masked_columns([promise for _, promise in promises])
    read = [name for _, promise in promises for name in (*promise.given, *promise.sensitive)]
    table.prepare([*names, *(name for name in read if name not in names), *([] if target is None else [target])])
    counted = rows or CountedRows(table)
    is_number = target is not None and target_kind == "number"
    counts = _sums(counted, names, str(target)) if is_number else _class_counts(counted, names, target)
    columns = [_column(table, name, counts[name], [promise for _, promise in promises], masks or {}) for name in names]
    layout = _Layout(promises, names, counted)
    are_sizes = [promise.is_size for _, promise in promises]
    try:
        return Search(
            columns,
            layout.counters,
            terms=layout.terms(),
            score=score or ("ratio" if all(are_sizes) else "ratio+1"),
            splits=splits,
            as_shares=any(are_sizes) and not all(are_sizes),
        )
    except InfeasibleError as error:
        place = layout.requirement_of(error)
        number = place if numbers is None else numbers[place]
        raise InfeasibleError(
            f"require[{number}]: {error}", requirement=number, asked=error.asked, reached=error.reached
        ) from None


def masked_columns(promises: Sequence[Promise]) -> list[str]:
    """Return the columns that may be masked, in the order of their first mention."""
    return list(dict.fromkeys(name for promise in promises for name in promise.masked))


class _Layout:
    """Which counter holds which promise: promises with the same key share one."""

    def __init__(self, promises: Sequence[tuple[int, Promise]], names: Sequence[str], rows: CountedRows) -> None:
        self._promises = promises
        self._places = {name: i for i, name in enumerate(names)}
        self._rows = rows
        self._by_key: dict[Hashable, list[Promise]] = {}
        # Promises about sizes come first, as the papers' order of averages has them.
        for _, promise in sorted(promises, key=lambda each: not each[1].is_size):
            self._by_key.setdefault(promise.key, []).append(promise)

    def counters(self, board: Board) -> list[Counter]:
        """Return the counters of all promises."""
        return [alike[0].counter(alike, board, self._places, self._rows) for alike in self._by_key.values()]

    def terms(self) -> list[Term]:
        """Return where the figure of each promise is found, in the order of the policy."""
        keys = list(self._by_key)
        found: list[Term] = []
        for _, promise in self._promises:
            lanes = self._lanes(promise.key)
            found += [(keys.index(promise.key), lanes.index(term)) for term in promise.terms]
        return found

    def requirement_of(self, error: InfeasibleError) -> int:
        """Return the number of the requirement that an error is about."""
        counter, term = error.term
        alike = list(self._by_key.values())[counter]
        for number, promise in self._promises:
            if any(promise is each for each in alike) and promise.is_at_fault(term, error.asked):
                return number
        return -1

    def _lanes(self, key: Hashable) -> list[Hashable]:
        return list(dict.fromkeys(term for promise in self._by_key[key] for term in promise.terms))


def _column(table: Table, name: str, counts: Kept, promises: Sequence[Promise], masks: Mapping[str, Mask]) -> Column:
    domain = table.domain(name)
    generalizes = any(promise.generalizes and name in promise.masked for promise in promises)
    by_default: Mask = "generalize" if generalizes or isinstance(domain, Numbers) else "suppress"
    if masks.get(name, by_default) == "suppress":
        by_value = any(not promise.generalizes and name in promise.masked for promise in promises)
        choice: Literal["score", "gain"] = "score" if by_value else "gain"
        if isinstance(domain, Numbers):
            raise DataError(f'column "{name}" holds numbers: mask = "suppress" needs type = "category".')
        return DisclosureColumn(name, domain.leaves, counts, choice=choice)
    if isinstance(domain, Taxonomy):
        return TaxonomyColumn(name, domain, counts)
    return NumberColumn(name, domain, counts)


def _sums(rows: CountedRows, names: Sequence[str], target: str) -> dict[str, Kept]:
    """Return for each column the records and the target's sums of each code."""
    table = rows.table
    numbers = _target_numbers(rows, target)
    found: dict[str, Kept] = {}
    for name in names:
        counted = rows.distinct([name, target] if name != target else [name], as_text=[target])
        codes = counted.codes[0] if name != target else table.lookup(name)[counted.codes[0]]
        found[name] = TargetSums(codes, counted.codes[-1], counted.weights, table.n_codes(name), numbers)
    return found


def _target_numbers(rows: CountedRows, target: str) -> TargetNumbers:
    values = np.asarray(rows.table.store.numbers(target, missing=rows.table.missing), dtype=np.float64)
    counted = rows.distinct([target], as_text=[target])
    held = np.bincount(counted.codes[0], weights=counted.weights, minlength=values.size).astype(np.int64)
    return scaled_numbers(values, held)


def _class_counts(rows: CountedRows, names: Sequence[str], target: str | None) -> dict[str, Kept]:
    from withhold.methods.refine._gain_kernels import class_counts

    table = rows.table
    n_classes = 1 if target is None else table.n_codes(target)
    if n_classes > MOST_CLASSES:
        numbers = target is not None and isinstance(table.domain(target), Numbers)
        hint = 'target_kind = "number" keeps its variance' if numbers else "choose a target with fewer values"
        raise DataError(
            f'target "{target}" has {n_classes} distinct values; at most {MOST_CLASSES} are classes. Hint: {hint}.'
        )
    found: dict[str, Kept] = {}
    for name in names:
        if table.n_codes(name) * n_classes > MOST_CELLS:
            raise DataError(f'column "{name}" has too many distinct values for a target of {n_classes} classes.')
        # A column that is its own target reads the cells once.
        chosen = [name] if target is None else [name, target]
        counted = rows.distinct(chosen if len(set(chosen)) == len(chosen) else [name])
        classes: NDArray[np.unsignedinteger] = (
            np.zeros(len(counted.weights), dtype=np.uint8) if target is None else counted.codes[-1]
        )
        counts = np.zeros((table.n_codes(name), n_classes), dtype=np.int64)
        class_counts(counted.codes[0], classes, counted.weights, counts)
        found[name] = ClassCounts(counts, class_free=target is None)
    return found


def _check(requirements: Sequence[Promising], score: Score | None, splits: Splits) -> None:
    if not requirements:
        raise PolicyError([Mistake("", "`requirements` must name at least one; got none.")])
    for name, value, choices in (("score", score, get_args(Score)), ("splits", splits, get_args(Splits))):
        if value is not None and value not in choices:
            options = ", ".join(f'"{choice}"' for choice in choices)
            raise PolicyError([Mistake("", f'`{name}` must be one of {options}; got "{value}".')])
