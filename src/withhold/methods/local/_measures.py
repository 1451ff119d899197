"""Measure a group of rows from its histogram, exactly.

Every form is kept by a union of two groups that keep it, so that a search may coarsen without a check. The figures are
floats for people; whether a rule is met is decided by integers. Only the entropy has no integers that fit: there floats
decide where the two sides are clearly apart, and `is_met` decides the rest.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd

import numpy as np

from withhold._compiled import Array, compiled
from withhold.methods.local._forms import (
    DISTINCT,
    ENTROPY,
    EQUAL,
    ORDERED,
    RECURSIVE,
    SHARE,
    SIZE,
    SUM,
    TAXONOMY,
    Rule,
)
from withhold.methods.local._lean import lean, woven

__all__ = ["MET", "NEAR", "UNMET", "figure_of", "is_met", "measure"]

UNMET, MET, NEAR = 0, 1, -1
APART = 1e-9
LARGEST = 4.0e18
DIGITS = 60
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


def figure_of(rule: Rule, counts: Array) -> float:
    """Return the figure that a rule limits: rows, share, number of values, entropy, ratio or distance.

    Examples
    --------
    >>> from withhold.methods.local import at_most_share
    >>> figure_of(at_most_share(2, [0], 0.5), np.array([4, 1, 3]))
    0.25
    """
    return float(measure(np.ascontiguousarray(counts, dtype=np.int64), rule)[0])


def is_met(rule: Rule, counts: Array) -> bool:
    """Decide exactly whether a histogram meets a rule.

    Examples
    --------
    >>> from withhold.methods.local import entropy_of
    >>> is_met(entropy_of(2, 2), np.array([6, 3, 3])), is_met(entropy_of(2, 2), np.array([7, 4, 3]))
    (True, False)
    """
    line = np.ascontiguousarray(counts, dtype=np.int64)
    answer = int(measure(line, rule)[1])
    if answer != NEAR:
        return answer == MET
    held = [int(held) for held in line[rule.first : rule.first + rule.n_lanes]]
    if rule.form == ENTROPY:
        return _entropy_is_met([each for each in held if each], rule.upper, rule.lower)
    return _distance(rule, held) <= Fraction(rule.upper, rule.lower)


@compiled
def measure(counts: Array, rule: Rule) -> tuple[float, int]:
    """Return the figure of a histogram and whether the rule is met: MET, UNMET, or NEAR where floats cannot say.

    A group without any answered row meets every rule about a sensitive column.
    """
    if rule.form == SIZE:
        return float(counts[0]), MET if counts[0] >= rule.least else UNMET
    lanes = counts[rule.first : rule.first + rule.n_lanes]
    total = 0
    for i in range(lanes.size):
        total += lanes[i]
    if total == 0:
        return 0.0, MET
    if rule.form == SUM:
        return _together(lanes, rule)
    if rule.form == SHARE:
        return _share(lanes, total, rule)
    if rule.form == DISTINCT:
        return _distinct(lanes, rule)
    if rule.form == ENTROPY:
        return _entropy(lanes, total, rule)
    if rule.form == RECURSIVE:
        return _recursive(lanes, total, rule)
    return _far(lanes, total, rule)


@woven
def _together(lanes: Array, rule: Rule) -> tuple[float, int]:
    found = 0
    for i in range(lanes.size):
        found += lanes[i] * rule.whole[i]
    return float(found), MET if found >= rule.least else UNMET


@woven
def _share(lanes: Array, total: int, rule: Rule) -> tuple[float, int]:
    worst = 0
    for i in range(rule.listed.size):
        worst = max(worst, lanes[rule.listed[i]])
    share = worst / total
    return share, MET if share <= rule.at_most else UNMET


@woven
def _distinct(lanes: Array, rule: Rule) -> tuple[float, int]:
    found = 0
    for i in range(lanes.size):
        found += lanes[i] > 0
    return float(found), MET if found >= rule.least else UNMET


@lean
def _entropy(lanes: Array, total: int, rule: Rule) -> tuple[float, int]:
    spread, found, most, least = 0.0, 0, 0, total
    for i in range(lanes.size):
        if lanes[i]:
            spread += lanes[i] * np.log(lanes[i])
            found += 1
            most = max(most, lanes[i])
            least = min(least, lanes[i])
    entropy = np.log(total) - spread / total
    if most == least:  # all values equally frequent: the entropy is the log of their number
        return entropy, MET if found * rule.lower >= rule.upper else UNMET
    asked = np.log(rule.upper / rule.lower)
    if abs(entropy - asked) <= APART * (1.0 + np.log(total)):
        return entropy, NEAR
    return entropy, MET if entropy > asked else UNMET


@lean
def _recursive(lanes: Array, total: int, rule: Rule) -> tuple[float, int]:
    most, head, last, where = 0, 0, np.iinfo(np.int64).max, -1
    for i in range(max(rule.least - 1, 1)):
        # the next largest: smaller than the last one, or equal and behind it
        here, at = -1, -1
        for j in range(lanes.size):
            if lanes[j] > here and (lanes[j] < last or (lanes[j] == last and j > where)):
                here, at = lanes[j], j
        if at < 0:
            break
        last, where = here, at
        most = max(most, here)
        if i < rule.least - 1:
            head += here
    tail = total - head
    figure = most / tail if tail else np.inf
    return figure, UNMET if product_at_most(rule.upper, tail, most, rule.lower) else MET


@lean
def _far(lanes: Array, total: int, rule: Rule) -> tuple[float, int]:
    """Measure the distance from the whole table, in units of 1 / (scale * total * whole)."""
    whole = 0
    for i in range(rule.whole.size):
        whole += rule.whole[i]
    if whole == 0:
        return 0.0, MET
    scale = 2 if rule.form == EQUAL else max(lanes.size - 1, 1) if rule.form == ORDERED else 2 * rule.height
    unit = float(scale) * total * whole
    if 2.0 * unit < LARGEST:
        moved = int(_moved(lanes, total, rule, whole))
        exact = scale * total * whole
        return moved / exact, MET if product_at_most(moved, rule.lower, exact, rule.upper) else UNMET
    figure = _moved(lanes, float(total), rule, float(whole)) / unit
    asked = rule.upper / rule.lower
    if abs(figure - asked) <= APART:
        return figure, NEAR
    return figure, MET if figure < asked else UNMET


@lean
def _moved(lanes: Array, total: float, rule: Rule, whole: float) -> float:
    """Return what is moved, in whole numbers or floats as `total` and `whole` are."""
    moved = running = total - total
    if rule.form == TAXONOMY:
        for node in range(rule.begin.size):
            extra = total - total
            for i in range(rule.begin[node], rule.end[node]):
                extra += lanes[i] * whole - rule.whole[i] * total
            moved += rule.step[node] * abs(extra)
        return moved
    for i in range(lanes.size):
        extra = lanes[i] * whole - rule.whole[i] * total
        running = running + extra if rule.form == ORDERED else extra
        moved += abs(running)
    return moved


@lean
def product_at_most(a: int, b: int, c: int, d: int) -> bool:
    """Return whether ``a * b <= c * d`` for integers from 0 to 2**63 - 1, in 128 bits."""
    high_left, low_left = _product(a, b)
    high_right, low_right = _product(c, d)
    return bool(high_left < high_right or (high_left == high_right and low_left <= low_right))


@woven
def _product(a: int, b: int) -> tuple[np.uint64, np.uint64]:
    x, y = np.uint64(a), np.uint64(b)
    x0, x1, y0, y1 = x & LOW, x >> HALF, y & LOW, y >> HALF
    low = x0 * y0
    middle = x1 * y0 + (low >> HALF)
    other = x0 * y1 + (middle & LOW)
    return x1 * y1 + (middle >> HALF) + (other >> HALF), (other << HALF) | (low & LOW)


def _entropy_is_met(held: list[int], upper: int, lower: int) -> bool:
    """Decide n^n * lower^n >= upper^n * prod(c^c): equality by prime factors, all else by enough digits."""
    shared = gcd(*held)
    counts = [each // shared for each in held]
    total = sum(counts)
    powers: dict[int, int] = {}
    for base, exponent in [(total, total), (lower, total), (upper, -total), *((c, -c) for c in counts)]:
        for prime, times in _factors(base):
            powers[prime] = powers.get(prime, 0) + times * exponent
    if not any(powers.values()):
        return True
    digits = DIGITS
    while True:
        with localcontext() as context:
            context.prec = digits
            terms = [times * Decimal(prime).ln() for prime, times in powers.items() if times]
            difference, size = sum(terms, Decimal(0)), sum((abs(term) for term in terms), Decimal(0))
            if abs(difference) > size * Decimal(10) ** (5 - digits):
                return difference > 0
        digits *= 2


def _factors(number: int) -> list[tuple[int, int]]:
    found, prime = [], 2
    while prime * prime <= number:
        times = 0
        while number % prime == 0:
            number //= prime
            times += 1
        if times:
            found.append((prime, times))
        prime += 1
    return [*found, (number, 1)] if number > 1 else found


def _distance(rule: Rule, held: list[int]) -> Fraction:
    total, whole = sum(held), int(rule.whole.sum())
    extra = [Fraction(mine, total) - Fraction(int(all_), whole) for mine, all_ in zip(held, rule.whole, strict=True)]
    if rule.form == EQUAL:
        return sum((abs(each) for each in extra), Fraction(0)) / 2
    if rule.form == ORDERED:
        running, moved = Fraction(0), Fraction(0)
        for each in extra:
            running += each
            moved += abs(running)
        return moved / max(len(held) - 1, 1)
    moved = sum((int(step) * abs(sum(extra[begin:end], Fraction(0))) for begin, end, step in _nodes(rule)), Fraction(0))
    return moved / (2 * rule.height)


def _nodes(rule: Rule) -> list[tuple[int, int, int]]:
    return list(zip(rule.begin.tolist(), rule.end.tolist(), rule.step.tolist(), strict=True))
