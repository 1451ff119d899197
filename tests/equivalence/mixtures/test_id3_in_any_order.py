"""The tree in any order of ties: it says what plain ID3 says with one of all orders, no more and no less."""

import random
from collections import Counter
from itertools import permutations, product
from math import log2

import pytest
from tests.equivalence.mixtures.adversaries import View
from tests.equivalence.mixtures.id3 import Id3
from tests.equivalence.mixtures.meaning import Column

Cells = dict[str, str]
Orders = dict[str, tuple[str, ...]]
NAMES = ("a", "b", "ill")
SAME = 1e-9


def plain_id3(training: list[Cells], row: Cells, columns: tuple[str, ...], orders: Orders) -> str | None:
    """Return what ID3 says of a row, if ties go to the first in the order of columns and of values."""
    labels = Counter(each["ill"] for each in training)
    if not labels:
        return None
    gains = {name: gain(training, name) for name in columns}
    best = max(gains.values(), default=0.0)
    if len(labels) == 1 or best < SAME:
        return first(labels, orders["ill"])
    column = next(name for name in columns if gains[name] > best - SAME)
    parts: dict[str, list[Cells]] = {}
    for each in training:
        if each[column]:
            parts.setdefault(each[column], []).append(each)
    common = first(Counter({value: len(part) for value, part in parts.items()}), orders[column])
    parts[common].extend(each for each in training if not each[column])
    common = first(Counter({value: len(part) for value, part in parts.items()}), orders[column])
    rest = tuple(name for name in columns if name != column)
    return plain_id3(parts[row[column] if row[column] in parts else common], row, rest, orders)


def gain(training: list[Cells], column: str) -> float:
    known = [each for each in training if each[column]]
    parts = [[each for each in known if each[column] == value] for value in {each[column] for each in known}]
    return sum_of_bits(known) - sum(map(sum_of_bits, parts))


def sum_of_bits(rows: list[Cells]) -> float:
    return -sum(n * log2(n / len(rows)) for n in Counter(each["ill"] for each in rows).values())


def first(counts: Counter[str], order: tuple[str, ...]) -> str:
    return next(value for value in order if counts[value] == max(counts.values()))


@pytest.mark.parametrize("seed", range(120))
def test_answers_are_those_of_plain_id3_in_all_orders(seed: int):
    rng = random.Random(seed)
    values = {"a": "xyz", "b": "uv", "ill": "123"}
    table = [{name: rng.choice(["", *values[name]]) for name in NAMES} for _ in range(rng.randint(3, 9))]
    table[0]["ill"] = "*"
    row = table[0]
    training = [each for each in table if each["ill"] not in ("", "*")]
    expected = set()
    for columns in permutations(("a", "b")):
        for orders in product(*(permutations(values[name]) for name in NAMES)):
            expected.add(plain_id3(training, row, columns, dict(zip(NAMES, orders, strict=True))))
    view = View(table, {name: Column(name, {}, (), ()) for name in NAMES})
    assert {answer for answer, _ in Id3(view, "ill", ("a", "b"), but=0).answers(0)} == expected
