"""A slow reference of the search that joins PDA and TDS.

PDA (Wang, Fung and Yu: Template-Based Privacy Preservation, ICDM 2005) discloses suppressed values one by one.
TDS (Fung, Wang and Yu: Top-Down Specialization, ICDE 2005) specializes values of a taxonomy or of a range.
Every number is recomputed from the rows at every step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import cast

from slow_tds import (
    DIGITS,
    GAIN_UNIT,
    SCORES,
    SPLITS,
    Cuts,
    Node,
    Range,
    Row,
    Tree,
    _check_option,
    _covers,
    _entropy,
    _first_best,
    _halves,
    _position,
    _root,
    _score,
    _specialized,
    round_to_9_digits,
)

MISSING = "missing"
MARK = "*"
WITHHELD = object()  # the cell of a suppressed value: equal to no value of any table


@dataclass(frozen=True)
class Values:
    """A column whose values are suppressed and disclosed one by one. Its domain is the values that occur."""


@dataclass(frozen=True)
class SlowTemplate:
    """In no group of equal `given` may any of the `values` be more frequent than `at_most`."""

    given: tuple[str, ...]
    column: str
    values: tuple[str, ...]
    at_most: Fraction
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class SlowAnonymity:
    """Every group of equal `columns` holds at least k records."""

    columns: tuple[str, ...]
    k: int


SlowRequirement = SlowTemplate | SlowAnonymity


@dataclass
class SlowMove:
    """One performed specialization or disclosure. What is reached is the state after it."""

    column: str
    value: str
    children: list[str]
    gain: float
    loss: float
    score: float
    reached: list[float]


@dataclass
class SlowRefined:
    """What a run found."""

    feasible: bool
    steps: list[SlowMove]
    cuts: dict[str, list[str]]
    withheld: dict[str, list[str]]
    released: list[dict[str, str]]
    reached: list[float]


@dataclass(frozen=True)
class Term:
    """IC -> pi, the unit that a confidence is taken of."""

    given: frozenset[str]
    column: str
    value: str


@dataclass(frozen=True)
class Problem:
    """The input of a run."""

    rows: list[Row]
    requirements: list[SlowRequirement]
    target: str | None
    score: str
    splits: str


@dataclass(frozen=True)
class State:
    """How far every masked column is refined: its cut, or its values that are still withheld."""

    cuts: Cuts
    withheld: dict[str, list[object]]


@dataclass(frozen=True)
class Option:
    """A move that might be made.

    The records of `whole` hold the refined value or the withheld mark. The move splits them into `parts`.
    The records of `touched` show something new: all of `whole`, or those with the disclosed value.
    """

    column: str
    value: str
    children: list[str]
    whole: list[Row]
    parts: list[list[Row]]
    touched: list[Row]
    after: State


def slow_refine(
    rows: list[Row],
    *,
    domains: dict[str, Tree | Range | Values],
    requirements: list[SlowRequirement],
    target: str | None,
    score: str | None = None,
    splits: str = "best",
    max_steps: int | None = None,
) -> SlowRefined:
    """Refine from the top as long as a candidate is left and the steps are not used up."""
    if score is None:
        score = "ratio+1" if any(isinstance(each, SlowTemplate) for each in requirements) else "ratio"
    _check_option("score", score, SCORES)
    _check_option("splits", splits, SPLITS)
    _check_requirements(requirements)
    problem = Problem(rows, requirements, target, score, splits)
    state = _start(problem, domains)
    feasible = _valid(problem, state)
    steps: list[SlowMove] = []
    while feasible and (max_steps is None or len(steps) < max_steps):
        candidates = [(_move(problem, state, option), option.after) for option in _candidates(problem, state)]
        if not candidates:
            break
        move, state = _first_best(candidates, lambda candidate: round_to_9_digits(candidate[0].score))
        steps.append(move)
    return SlowRefined(
        feasible=feasible,
        steps=steps,
        cuts={column: [node.label for node in cut] for column, cut in state.cuts.items()},
        withheld={column: [_text(value) for value in values] for column, values in state.withheld.items()},
        released=[{column: _shown(state, column, row) for column in _masked(requirements)} for row in rows],
        reached=_reached(problem, state),
    )


def meets(
    released_rows: Sequence[Mapping[str, object]], original_rows: list[Row], requirements: list[SlowRequirement]
) -> bool:
    """Whether a released table meets every requirement, found from its cells alone.

    The released rows stand in the order of the original ones. A column they lack is as in the original.
    Groups are formed by the released cells; the sensitive values are those of the original.
    """
    pairs = [
        ({**original, **released}, original) for released, original in zip(released_rows, original_rows, strict=True)
    ]
    return all(_met(pairs, requirement) for requirement in requirements)


def _met(pairs: list[tuple[Row, Row]], requirement: SlowRequirement) -> bool:
    """Whether pairs of released and original rows meet one requirement. No rows are not anonymous, as in TDS."""
    if isinstance(requirement, SlowAnonymity):
        groups = _equal_cells(pairs, requirement.columns)
        return len(groups) > 0 and all(len(group) >= requirement.k for group in groups)
    groups = _equal_cells(pairs, (*requirement.given, *requirement.keep))
    return all(
        Fraction(len([row for row in group if row[requirement.column] == value]), len(group)) <= requirement.at_most
        for group in groups
        for value in requirement.values
    )


def _equal_cells(pairs: list[tuple[Row, Row]], columns: tuple[str, ...]) -> list[list[Row]]:
    """The original rows whose released rows are equal on the columns."""
    found = {tuple(released[column] for column in columns) for released, _ in pairs}
    return [
        [original for released, original in pairs if tuple(released[column] for column in columns) == cells]
        for cells in found
    ]


def _check_requirements(requirements: list[SlowRequirement]) -> None:
    """Refuse a column that is both masked and kept, and a template without values."""
    masked = _masked(requirements)
    for template in _templates(requirements):
        if set(template.keep) & set(masked):
            raise ValueError(f"{template} keeps a column that is masked")
        if not template.values:
            raise ValueError(f"{template} has no values")


def _templates(requirements: list[SlowRequirement]) -> list[SlowTemplate]:
    """The templates among the requirements."""
    return [each for each in requirements if isinstance(each, SlowTemplate)]


def _anonymities(requirements: list[SlowRequirement]) -> list[SlowAnonymity]:
    """The anonymity requirements among the requirements."""
    return [each for each in requirements if isinstance(each, SlowAnonymity)]


def _masked_by(requirement: SlowRequirement) -> list[str]:
    """The columns that a requirement masks."""
    if isinstance(requirement, SlowAnonymity):
        return list(requirement.columns)
    return [column for column in requirement.given if column not in requirement.keep]


def _masked(requirements: list[SlowRequirement]) -> list[str]:
    """The masked columns in the order of their first mention."""
    return list(dict.fromkeys(column for requirement in requirements for column in _masked_by(requirement)))


def _terms(requirements: list[SlowRequirement]) -> dict[Term, Fraction]:
    """The largest confidence allowed for each term. A term given twice counts once, with the smaller one."""
    terms: dict[Term, Fraction] = {}
    for template in _templates(requirements):
        for value in template.values:
            term = _term(template, value)
            terms[term] = min(template.at_most, terms.get(term, template.at_most))
    return terms


def _term(template: SlowTemplate, value: str) -> Term:
    """The term of one value of a template."""
    return Term(frozenset((*template.given, *template.keep)), template.column, value)


def _text(value: object) -> str:
    """A value as text."""
    return MISSING if value is None else str(value)


def _as_string(value: object) -> tuple[bool, str]:
    """The place of a value in the order of strings. A missing value comes last."""
    return (value is None, _text(value))


def _start(problem: Problem, domains: dict[str, Tree | Range | Values]) -> State:
    """The state with everything withheld."""
    cuts: Cuts = {}
    withheld: dict[str, list[object]] = {}
    for column in _masked(problem.requirements):
        domain = domains[column]
        if isinstance(domain, Values):
            withheld[column] = sorted({row[column] for row in problem.rows}, key=_as_string)
        else:
            cuts[column] = [_root(domain)]
    return State(cuts, withheld)


def _in_domain(value: object) -> object:
    """A value as a taxonomy or range knows it. A missing value is the leaf `missing`."""
    return MISSING if value is None else value


def _cell(state: State, column: str, row: Row) -> object:
    """What distinguishes the records of a column: a place in the cut, the withheld mark or the value."""
    if column in state.cuts:
        return _position(state.cuts[column], _in_domain(row[column]))
    if row[column] in state.withheld.get(column, []):
        return WITHHELD
    return row[column]


def _shown(state: State, column: str, row: Row) -> str:
    """The released text of a masked column."""
    if column in state.cuts:
        return state.cuts[column][_position(state.cuts[column], _in_domain(row[column]))].label
    return MARK if row[column] in state.withheld[column] else _text(row[column])


def _groups(problem: Problem, state: State, columns: list[str]) -> list[list[Row]]:
    """The records that are equal on the columns."""
    groups: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in problem.rows:
        groups[tuple(_cell(state, column, row) for column in columns)].append(row)
    return list(groups.values())


def _anonymity(problem: Problem, state: State, requirement: SlowAnonymity) -> int:
    """A(QID), the size of the smallest group, 0 without rows."""
    return min((len(group) for group in _groups(problem, state, list(requirement.columns))), default=0)


def _confidence(problem: Problem, state: State, term: Term) -> Fraction:
    """Conf(IC -> pi), the largest share of the value in a group, 0 without rows."""
    confidence = Fraction(0)
    for group in _groups(problem, state, sorted(term.given)):
        with_value = [row for row in group if row[term.column] == term.value]
        confidence = max(confidence, Fraction(len(with_value), len(group)))
    return confidence


def _reached(problem: Problem, state: State) -> list[float]:
    """The smallest group of each anonymity requirement and the largest confidence of each value of a template."""
    reached: list[float] = []
    for requirement in problem.requirements:
        if isinstance(requirement, SlowAnonymity):
            reached.append(float(_anonymity(problem, state, requirement)))
        else:
            terms = [_term(requirement, value) for value in requirement.values]
            reached.extend(float(_confidence(problem, state, term)) for term in terms)
    return reached


def _valid(problem: Problem, state: State) -> bool:
    """Whether every requirement holds."""
    anonymous = all(_anonymity(problem, state, each) >= each.k for each in _anonymities(problem.requirements))
    terms = _terms(problem.requirements)
    return anonymous and all(_confidence(problem, state, term) <= at_most for term, at_most in terms.items())


def _candidates(problem: Problem, state: State) -> Iterator[Option]:
    """The valid and beneficial moves by column, then by place in the cut or by value."""
    for column in _masked(problem.requirements):
        for option in _options(problem, state, column):
            if _beneficial(problem, option) and _valid(problem, option.after):
                yield option


def _options(problem: Problem, state: State, column: str) -> list[Option]:
    """The moves on a column that are to be considered, valid or not."""
    if column in state.cuts:
        return [option for node in state.cuts[column] for option in _refinements(problem, state, column, node)]
    options = [_disclosure(problem, state, column, value) for value in state.withheld[column]]
    if any(column in _masked_by(template) for template in _templates(problem.requirements)):
        return options
    return _only_the_best(problem, options, lambda option: round_to_9_digits(_gain(problem, option)))


def _only_the_best(problem: Problem, options: list[Option], quality: Callable[[Option], float]) -> list[Option]:
    """The first option of the highest quality, sought among the valid ones only if asked for."""
    if problem.splits == "valid":
        options = [option for option in options if _valid(problem, option.after)]
    return [_first_best(options, quality)] if options else []


def _refinements(problem: Problem, state: State, column: str, node: Node) -> list[Option]:
    """How a node of a cut is refined: in one way or not at all."""
    if isinstance(node, Tree):
        return [_refinement(problem, state, column, node, list(node.children))] if node.children else []
    points = sorted({cast(float, row[column]) for row in _records(problem, column, node)})[1:]
    options = [_refinement(problem, state, column, node, _halves(node, point)) for point in points]
    return _only_the_best(problem, options, lambda option: _split_quality(problem, option))


def _split_quality(problem: Problem, option: Option) -> float:
    """The gain of a split of an interval. Without a class, how equal its sides are."""
    if problem.target is None:
        left, right = (len(part) for part in option.parts)
        return -abs(left - right)
    return round_to_9_digits(_gain(problem, option))


def _records(problem: Problem, column: str, node: Node) -> list[Row]:
    """The records generalized to the node."""
    return [row for row in problem.rows if _covers(node, _in_domain(row[column]))]


def _refinement(problem: Problem, state: State, column: str, node: Node, children: list[Node]) -> Option:
    """The replacement of a node by its children."""
    records = _records(problem, column, node)
    return Option(
        column=column,
        value=node.label,
        children=[child.label for child in children],
        whole=records,
        parts=[_records(problem, column, child) for child in children],
        touched=records,
        after=State(_specialized(state.cuts, column, node, children), state.withheld),
    )


def _disclosure(problem: Problem, state: State, column: str, value: object) -> Option:
    """The disclosure of a withheld value."""
    whole = [row for row in problem.rows if row[column] in state.withheld[column]]
    with_value = [row for row in whole if row[column] == value]
    rest = [row for row in whole if row[column] != value]
    still_withheld = [other for other in state.withheld[column] if other != value]
    return Option(
        column=column,
        value=_text(value),
        children=[_text(value)],
        whole=whole,
        parts=[with_value, rest],
        touched=with_value,
        after=State(state.cuts, {**state.withheld, column: still_withheld}),
    )


def _beneficial(problem: Problem, option: Option) -> bool:
    """Whether the records that are split hold at least two classes. Without a class, whether any are touched."""
    if problem.target is None:
        return len(option.touched) > 0
    return len({row[problem.target] for row in option.whole}) > 1


def _gain(problem: Problem, option: Option) -> float:
    """InfoGain(v). Without a class, the number of records touched.

    It is computed with 50 digits and rounded to 30 places, so that a gain of zero is zero.
    """
    if problem.target is None:
        return float(len(option.touched))
    with localcontext() as context:
        context.prec = DIGITS
        gain = _entropy(option.whole, problem.target)
        for part in option.parts:
            if part:
                gain -= Decimal(len(part)) / len(option.whole) * _entropy(part, problem.target)
        return float(max(Decimal(0), gain.quantize(GAIN_UNIT)))


def _loss(problem: Problem, before: State, option: Option) -> Fraction:
    """AnonyLoss(v), PrivLoss(v), or the average of both kinds with the anonymity lost as a share of what was there."""
    anonymities, terms = _anonymities(problem.requirements), _terms(problem.requirements)
    both_kinds = len(anonymities) > 0 and len(terms) > 0
    losses: list[Fraction] = []
    for requirement in anonymities:
        if option.column in requirement.columns:
            old, new = (_anonymity(problem, state, requirement) for state in (before, option.after))
            losses.append(Fraction(old - new, old) if both_kinds else Fraction(old - new))
    for term in terms:
        if option.column in term.given:
            losses.append(_confidence(problem, option.after, term) - _confidence(problem, before, term))
    return sum(losses, Fraction(0)) / len(losses)


def _move(problem: Problem, before: State, option: Option) -> SlowMove:
    """The option with its gain, loss and score."""
    gain = _gain(problem, option)
    loss = float(_loss(problem, before, option))
    return SlowMove(
        column=option.column,
        value=option.value,
        children=option.children,
        gain=gain,
        loss=loss,
        score=_score(problem.score, gain, loss),
        reached=_reached(problem, option.after),
    )
