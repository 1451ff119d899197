"""A slow reference of TDS (Fung, Wang and Yu: Top-Down Specialization, ICDE 2005).

Every number is recomputed from the rows at every step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeVar, cast

DIGITS = 50
GAIN_UNIT = Decimal("1e-30")
SCORES = ("ratio", "ratio+1", "gain")
SPLITS = ("best", "valid")

Row = dict[str, object]
Requirement = tuple[tuple[str, ...], int]
Option = TypeVar("Option")


@dataclass(frozen=True)
class Tree:
    """A node of the taxonomy of a categorical attribute."""

    label: str
    children: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Range:
    """The published bounds of a numeric attribute."""

    low: float
    high: float
    has_missing: bool = False


@dataclass(frozen=True)
class Interval:
    """A node of the growing tree of a numeric attribute. It is closed if it holds the upper bound of the domain."""

    low: float
    high: float
    closed: bool

    @property
    def label(self) -> str:
        """The interval as text."""
        return f"[{_number(self.low)}, {_number(self.high)}{']' if self.closed else ')'}"


@dataclass(frozen=True)
class Missing:
    """A missing number."""

    label = "missing"


@dataclass(frozen=True)
class Whole:
    """All numbers and missing ones."""

    numbers: Interval
    label = "*"


Node = Tree | Interval | Missing | Whole
Cuts = dict[str, list[Node]]


@dataclass
class SlowStep:
    """One performed specialization. The anonymity is the one after it."""

    column: str
    value: str
    children: list[str]
    gain: float
    loss: float
    score: float
    anonymity: list[int]


@dataclass
class SlowResult:
    """What a run found."""

    feasible: bool
    steps: list[SlowStep]
    cuts: dict[str, list[str]]
    released: list[dict[str, str]]
    anonymity: list[int]


@dataclass(frozen=True)
class Problem:
    """The input of a run."""

    rows: list[Row]
    requirements: list[Requirement]
    target: str | None
    score: str
    splits: str
    target_kind: str = "class"


@dataclass(frozen=True)
class Candidate:
    """A valid and beneficial specialization with the cuts it leads to."""

    step: SlowStep
    cuts: Cuts


def slow_tds(
    rows: list[Row],
    *,
    domains: dict[str, Tree | Range],
    requirements: list[Requirement],
    target: str | None,
    score: str = "ratio",
    splits: str = "best",
    max_steps: int | None = None,
    target_kind: str = "class",
) -> SlowResult:
    """Specialize from the top as long as a candidate is left and the steps are not used up."""
    _check_option("score", score, SCORES)
    _check_option("splits", splits, SPLITS)
    problem = Problem(rows, requirements, target, score, splits, target_kind)
    cuts: Cuts = {column: [_root(domains[column])] for column in _columns(requirements)}
    feasible = _satisfied(problem, cuts)
    steps: list[SlowStep] = []
    while feasible and (max_steps is None or len(steps) < max_steps):
        candidates = list(_candidates(problem, cuts))
        if not candidates:
            break
        best = _first_best(candidates, lambda candidate: round_to_9_digits(candidate.step.score))
        steps.append(best.step)
        cuts = best.cuts
    return SlowResult(
        feasible=feasible,
        steps=steps,
        cuts={column: [node.label for node in cut] for column, cut in cuts.items()},
        released=[{column: cut[_position(cut, row[column])].label for column, cut in cuts.items()} for row in rows],
        anonymity=_anonymity(problem, cuts),
    )


def round_to_9_digits(number: float) -> float:
    """The number with 9 significant digits."""
    return float(f"{number:.8e}")


def _check_option(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse an unknown option."""
    if value not in known:
        raise ValueError(f"{name} must be one of {known}, not {value!r}")


def _number(number: float) -> str:
    """An integral number as an int, any other as it is."""
    return str(int(number)) if float(number).is_integer() else repr(number)


def _columns(requirements: list[Requirement]) -> list[str]:
    """The columns of the requirements in the order of their first mention."""
    return list(dict.fromkeys(column for columns, _ in requirements for column in columns))


def _root(domain: Tree | Range) -> Node:
    """The top most value of a domain."""
    if not isinstance(domain, Range):
        return domain
    numbers = Interval(domain.low, domain.high, closed=True)
    return Whole(numbers) if domain.has_missing else numbers


def _covers(node: Node, value: object) -> bool:
    """Whether the node generalizes the value."""
    if isinstance(node, Missing):
        return value is None
    if isinstance(node, Whole):
        return value is None or _covers(node.numbers, value)
    if isinstance(node, Interval):
        return isinstance(value, int | float) and _holds(node, value)
    if not node.children:
        return node.label == value
    return any(_covers(child, value) for child in node.children)


def _holds(interval: Interval, number: float) -> bool:
    """Whether the number lies in the interval."""
    return interval.low <= number < interval.high or (interval.closed and number == interval.high)


def _position(cut: list[Node], value: object) -> int:
    """Where the node that generalizes the value stands in the cut."""
    positions = [position for position, node in enumerate(cut) if _covers(node, value)]
    if len(positions) != 1:
        raise ValueError(f"{value!r} is generalized by {len(positions)} values of the cut, not by one")
    return positions[0]


def _anonymity(problem: Problem, cuts: Cuts) -> list[int]:
    """The size of the smallest group for each requirement, 0 without rows."""
    smallest = []
    for columns, _ in problem.requirements:
        groups = Counter(tuple(_position(cuts[column], row[column]) for column in columns) for row in problem.rows)
        smallest.append(min(groups.values(), default=0))
    return smallest


def _satisfied(problem: Problem, cuts: Cuts) -> bool:
    """Whether every requirement holds for the table generalized to the cuts."""
    return all(found >= k for found, (_, k) in zip(_anonymity(problem, cuts), problem.requirements, strict=True))


def _candidates(problem: Problem, cuts: Cuts) -> Iterator[Candidate]:
    """The valid and beneficial specializations by attribute, then by place in the cut."""
    for column, cut in cuts.items():
        for node in cut:
            if not _beneficial(problem, _records(problem, column, node)):
                continue
            children = _children(problem, cuts, column, node)
            if children and _satisfied(problem, _specialized(cuts, column, node, children)):
                yield _candidate(problem, cuts, column, node, children)


def _records(problem: Problem, column: str, node: Node) -> list[Row]:
    """The records generalized to the node."""
    return [row for row in problem.rows if _covers(node, row[column])]


def _beneficial(problem: Problem, records: list[Row]) -> bool:
    """Whether the records hold at least two classes. Without a class, whether there are records."""
    if problem.target is None:
        return len(records) > 0
    return len({row[problem.target] for row in _counted(problem, records)}) > 1


def _counted(problem: Problem, records: list[Row]) -> list[Row]:
    """The records that count: all, but where the target is a number only those that have one."""
    if problem.target is None or problem.target_kind == "class":
        return records
    return [row for row in records if row[problem.target] is not None]


def _children(problem: Problem, cuts: Cuts, column: str, node: Node) -> list[Node]:
    """The values that replace the node, none if it cannot be specialized."""
    if isinstance(node, Tree):
        return list(node.children)
    if isinstance(node, Missing):
        return []
    if isinstance(node, Whole):
        return _first_children(problem, cuts, column, node)
    points = sorted({cast(float, row[column]) for row in _counted(problem, _records(problem, column, node))})[1:]
    options = [_halves(node, point) for point in points]
    if problem.splits == "valid":
        options = [halves for halves in options if _satisfied(problem, _specialized(cuts, column, node, halves))]
    if not options:
        return []
    return _first_best(options, lambda halves: _split_quality(problem, column, node, halves))


def _first_children(problem: Problem, cuts: Cuts, column: str, node: Whole) -> list[Node]:
    """The numbers, split where that is best, and the missing ones. If that is not valid, the numbers unsplit."""
    if not _records(problem, column, node.numbers):
        return []
    unsplit: list[Node] = [node.numbers, Missing()]
    without_search = replace(problem, splits="best")
    split = [*_children(without_search, cuts, column, node.numbers), Missing()]
    if len(split) == 1:
        return unsplit
    is_valid = _satisfied(problem, _specialized(cuts, column, node, split))
    return split if is_valid else unsplit


def _halves(interval: Interval, point: float) -> list[Node]:
    """The two intervals below the point and from the point on."""
    return [Interval(interval.low, point, closed=False), Interval(point, interval.high, closed=interval.closed)]


def _split_quality(problem: Problem, column: str, node: Node, halves: list[Node]) -> float:
    """The gain of a split. Without a class, how equal its sides are."""
    if problem.target is None:
        left, right = (len(_records(problem, column, half)) for half in halves)
        return -abs(left - right)
    return round_to_9_digits(_gain(problem, column, node, halves))


def _specialized(cuts: Cuts, column: str, node: Node, children: list[Node]) -> Cuts:
    """The cuts with the node replaced by its children."""
    position = [other is node for other in cuts[column]].index(True)
    return {**cuts, column: cuts[column][:position] + children + cuts[column][position + 1 :]}


def _candidate(problem: Problem, cuts: Cuts, column: str, node: Node, children: list[Node]) -> Candidate:
    """The specialization with its gain, loss and score."""
    after = _specialized(cuts, column, node, children)
    gain = _gain(problem, column, node, children)
    loss = _loss(problem, cuts, after, column)
    score = _score(problem.score, gain, loss)
    labels = [child.label for child in children]
    return Candidate(SlowStep(column, node.label, labels, gain, loss, score, _anonymity(problem, after)), after)


def _gain(problem: Problem, column: str, node: Node, children: list[Node]) -> float:
    """InfoGain(v). Without a class, the number of records of v.

    It is computed with 50 digits and rounded to 30 places, so that a gain of zero is zero.
    """
    records = _records(problem, column, node)
    if problem.target is None:
        return float(len(records))
    if problem.target_kind == "number":
        left = sum((_squares(problem, _records(problem, column, child)) for child in children), Fraction(0))
        whole = _squares(problem, problem.rows)
        return float((_squares(problem, records) - left) / whole) if whole else 0.0
    with localcontext() as context:
        context.prec = DIGITS
        gain = _entropy(records, problem.target)
        for child in children:
            part = _records(problem, column, child)
            gain -= Decimal(len(part)) / len(records) * _entropy(part, problem.target)
        return float(max(Decimal(0), gain.quantize(GAIN_UNIT)))


def _squares(problem: Problem, records: list[Row]) -> Fraction:
    """The sum of squared distances of the target's numbers to their mean, exactly."""
    numbers = [Fraction(str(row[str(problem.target)])) for row in _counted(problem, records)]
    mean = sum(numbers, Fraction(0)) / max(len(numbers), 1)
    return sum(((number - mean) ** 2 for number in numbers), Fraction(0))


def _entropy(records: list[Row], target: str) -> Decimal:
    """I(R), the entropy of the classes of the records in bits."""
    entropy = Decimal(0)
    for count in Counter(row[target] for row in records).values():
        share = Decimal(count) / len(records)
        entropy -= share * share.ln() / Decimal(2).ln()
    return entropy


def _loss(problem: Problem, before: Cuts, after: Cuts, column: str) -> float:
    """AnonyLoss(v), the average loss of anonymity over the requirements with the column."""
    pairs = zip(problem.requirements, _anonymity(problem, before), _anonymity(problem, after), strict=True)
    losses = [old - new for (columns, _), old, new in pairs if column in columns]
    return sum(losses) / len(losses)


def _score(kind: str, gain: float, loss: float) -> float:
    """The value that candidates are ranked by."""
    if kind == "gain":
        return gain
    if kind == "ratio+1":
        return gain / (loss + 1)
    return gain / loss if loss != 0 else gain


def _first_best(options: list[Option], quality: Callable[[Option], float]) -> Option:
    """The first option of the highest quality."""
    qualities = [quality(option) for option in options]
    return options[qualities.index(max(qualities))]
