"""From requirements and a table to a search."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InfeasibleError, Mistake, PolicyError
from withhold.methods.refine._board import Board
from withhold.methods.refine._counter import Counter
from withhold.methods.refine._information import ClassCounts
from withhold.methods.refine._moves import Column, DisclosureColumn, NumberColumn, TaxonomyColumn
from withhold.methods.refine._search import Score, Search, Splits, Term
from withhold.policy import Anonymity, Mask, Masking, Template
from withhold.table import Numbers, Table, Taxonomy

__all__ = ["masked_columns", "start_search"]

MOST_CLASSES = 1_000
MOST_CELLS = 50_000_000


def start_search(
    table: Table,
    requirements: Sequence[Masking],
    *,
    target: str | None = None,
    score: Score | None = None,
    splits: Splits = "best",
    masks: Mapping[str, Mask] | None = None,
    numbers: Sequence[int] | None = None,
) -> Search:
    """Return the search before its first step, to be stepped by hand.

    Parameters
    ----------
    table
        The table; its domains say how columns may be refined.
    requirements
        `Anonymity` and `Template` requirements, in any mixture.
    target
        The column that analysts will want to predict.
    score
        How moves are ranked; by default as in the papers: ``"ratio"`` for anonymity, ``"ratio+1"`` with templates.
    splits
        Whether an interval whose best split is invalid is given up or split elsewhere.
    masks
        For a column ``"generalize"`` (taxonomy or intervals) or ``"suppress"`` (values disclosed one by one). By
        default columns of numbers and columns that an anonymity requirement names are generalised, others suppressed.
    numbers
        The place of each requirement in its policy, for messages; in order where None.

    Notes
    -----
    Where both kinds are present, the loss of a move is the mean over all promises that name its column, with lost
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
    names = masked_columns(requirements)
    templates = [r for r in requirements if isinstance(r, Template)]
    sensitive = [column for template in templates for column in template.hide]
    kept = [column for template in templates for column in template.keep]
    table.prepare([*names, *kept, *sensitive, *([] if target is None else [target])])
    counts = _class_counts(table, names, target)
    columns = [_column(table, name, counts[name], requirements, masks or {}) for name in names]
    layout = _Layout(table, requirements, names)
    is_mixed = 0 < len(templates) < len(requirements)
    try:
        return Search(
            columns,
            layout.counters,
            terms=layout.terms(),
            score=score or ("ratio+1" if templates else "ratio"),
            splits=splits,
            as_shares=is_mixed,
        )
    except InfeasibleError as error:
        place = layout.requirement_of(error)
        number = place if numbers is None else numbers[place]
        raise InfeasibleError(
            f"require[{number}]: {error}", requirement=number, asked=error.asked, reached=error.reached
        ) from None


def masked_columns(requirements: Sequence[Masking]) -> list[str]:
    """Return the columns that may be masked, in the order of their first mention."""
    return list(dict.fromkeys(name for r in requirements for name in r.masked))


class _Layout:
    """Which counter holds which promise: one for each anonymity requirement, one for each set of given columns."""

    def __init__(self, table: Table, requirements: Sequence[Masking], names: Sequence[str]) -> None:
        self._table = table
        self._requirements = requirements
        self._place = {name: i for i, name in enumerate(names)}
        self._sets: dict[frozenset[str], dict[tuple[str, str], float]] = {}
        self._given: dict[frozenset[str], Template] = {}
        for template in requirements:
            if isinstance(template, Template):
                key = frozenset(template.given)
                self._given.setdefault(key, template)
                promises = self._sets.setdefault(key, {})
                for term in template.terms:
                    promises[term] = min(template.at_most, promises.get(term, 1.0))
        self._anonymity = [r for r in requirements if isinstance(r, Anonymity)]

    def counters(self, board: Board) -> list[Counter]:
        from withhold.methods.refine._anonymity import AnonymityCounter

        found: list[Counter] = [
            AnonymityCounter(board, [self._place[c] for c in r.columns], r.k, self._table.distinct(r.columns))
            for r in self._anonymity
        ]
        return found + [self._template_counter(board, key) for key in self._sets]

    def terms(self) -> list[Term]:
        """Return where the figure of each promise is found, in the order of the policy."""
        found: list[Term] = []
        n_anonymity = 0
        keys = list(self._sets)
        for requirement in self._requirements:
            if isinstance(requirement, Anonymity):
                found.append((n_anonymity, 0))
                n_anonymity += 1
            else:
                key = frozenset(requirement.given)
                lanes = list(self._sets[key])
                found += [(len(self._anonymity) + keys.index(key), lanes.index(term)) for term in requirement.terms]
        return found

    def requirement_of(self, error: InfeasibleError) -> int:
        """Return the number of the requirement that an error is about."""
        for i, requirement in enumerate(self._requirements):
            if isinstance(requirement, Anonymity):
                is_it = error.term is None and requirement.k == error.asked
            else:
                key, term = error.term or (frozenset(), None)
                same = key == frozenset(requirement.given) and term in requirement.terms
                is_it = same and requirement.at_most == error.asked
            if is_it:
                return i
        return -1

    def _template_counter(self, board: Board, key: frozenset[str]) -> Counter:
        from withhold.methods.refine._template import Lane, TemplateCounter

        template, promises = self._given[key], self._sets[key]
        masked = [name for name in template.given if name in self._place]
        kept = [name for name in template.given if name not in self._place]
        sensitive = list(dict.fromkeys(column for column, _ in promises))
        rows = self._table.distinct([*masked, *kept, *sensitive], as_text=[*kept, *sensitive])
        codes = dict(zip(rows.columns, rows.codes, strict=True))
        lanes = [Lane(column, value, at_most) for (column, value), at_most in promises.items()]
        weights = np.zeros((len(rows.weights), 1 + len(lanes)), dtype=np.int64)
        weights[:, 0] = rows.weights
        for i, lane in enumerate(lanes, start=1):
            is_it = np.array([text == lane.value for text in self._table.store.values(lane.column)])
            weights[:, i] = rows.weights * is_it[codes[lane.column]]
        given = [codes[name] for name in [*masked, *kept]]
        sizes = [len(self._table.store.values(name)) for name in kept]
        return TemplateCounter(board, [self._place[c] for c in masked], given, weights, lanes, kept=sizes, key=key)


def _column(
    table: Table, name: str, counts: ClassCounts, requirements: Sequence[Masking], masks: Mapping[str, Mask]
) -> Column:
    domain = table.domain(name)
    is_anonymised = any(isinstance(r, Anonymity) and name in r.columns for r in requirements)
    by_default: Mask = "generalize" if is_anonymised or isinstance(domain, Numbers) else "suppress"
    if masks.get(name, by_default) == "suppress":
        in_template = any(isinstance(r, Template) and name in r.masked for r in requirements)
        choice: Literal["score", "gain"] = "score" if in_template else "gain"
        if isinstance(domain, Numbers):
            raise DataError(f'column "{name}" holds numbers: mask = "suppress" needs type = "category".')
        return DisclosureColumn(name, domain.leaves, counts, choice=choice)
    if isinstance(domain, Taxonomy):
        return TaxonomyColumn(name, domain, counts)
    return NumberColumn(name, domain, counts)


def _class_counts(table: Table, names: Sequence[str], target: str | None) -> dict[str, ClassCounts]:
    from withhold.methods.refine._gain_kernels import class_counts

    n_classes = 1 if target is None else table.n_codes(target)
    if n_classes > MOST_CLASSES:
        raise DataError(
            f'target "{target}" has {n_classes} distinct values; at most {MOST_CLASSES} are classes. '
            "Hint: choose a target of categories, or publish it in bins."
        )
    found = {}
    for name in names:
        if table.n_codes(name) * n_classes > MOST_CELLS:
            raise DataError(f'column "{name}" has too many distinct values for a target of {n_classes} classes.')
        rows = table.distinct([name] if target is None else [name, target])
        classes: NDArray[np.unsignedinteger] = (
            np.zeros(len(rows.weights), dtype=np.uint8) if target is None else rows.codes[1]
        )
        counts = np.zeros((table.n_codes(name), n_classes), dtype=np.int64)
        class_counts(rows.codes[0], classes, rows.weights, counts)
        found[name] = ClassCounts(counts, class_free=target is None)
    return found


def _check(requirements: Sequence[Masking], score: Score | None, splits: Splits) -> None:
    if not requirements:
        raise PolicyError([Mistake("", "`requirements` must name at least one; got none.")])
    for name, value, choices in (("score", score, get_args(Score)), ("splits", splits, get_args(Splits))):
        if value is not None and value not in choices:
            options = ", ".join(f'"{choice}"' for choice in choices)
            raise PolicyError([Mistake("", f'`{name}` must be one of {options}; got "{value}".')])
