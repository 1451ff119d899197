"""The sensitive values that a person may hold, to whoever finds the person's group in each of several releases."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._finding import Finding
from withhold.auditing._meaning import Meaning
from withhold.auditing.earlier._layers import Layer
from withhold.policy import Policy
from withhold.requirements import Requirement
from withhold.table import MemoryStore, Table

__all__ = ["ValueSets", "check_value_sets", "possible_values", "sets_of_groups", "sizes_of"]

_Ints = NDArray[np.int64]
Bits = NDArray[np.uint8]
"""Sets of values, one a line, a bit for each value."""
FULL, ANYTHING = 255, 1 << 31


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueSets:
    """For each person the values that no release excludes."""

    bit_of: dict[str | None, int]
    """For each published text its value; -1 where it names none."""
    n_values: int
    """How many values there are."""
    sets: Bits
    """The sets that occur, each once …"""
    place: _Ints
    """… and for each person the place among these."""
    n_releases: _Ints
    """For each person how many releases the person is in."""

    @property
    def sizes(self) -> _Ints:
        """How many values each set holds."""
        return sizes_of(self.sets)


def sizes_of(sets: Bits) -> _Ints:
    """Return how many values each set holds; one that excludes nothing is larger than any promise."""
    sizes = np.bitwise_count(sets).sum(axis=1)
    return np.where((sets == FULL).all(axis=1), ANYTHING, sizes).astype(np.int64)


def possible_values(
    layers: Sequence[Layer],
    columns: Sequence[str],
    sensitive: str,
    policy: Policy,
    original: Table | None,
    *,
    texts: Sequence[str | None] = (),
) -> ValueSets:
    """Return the values that each person may hold by all releases.

    In each release a person holds one of the values that the person's group publishes: rows with the same texts in
    `columns`. A blank cell names no value and a coarse one is a value of its own, as diversity is counted. A group that
    names no value at all, and a release without the column, excludes none. Nothing is assumed of a person whom a
    release does not hold.

    Parameters
    ----------
    layers
        The releases.
    columns, sensitive
        The columns of the groups, and the sensitive one.
    policy, original
        What texts mean.
    texts
        Further texts of the sensitive column, to be numbered with the others.

    Examples
    --------
    >>> from withhold.requirements import Diversity
    >>> policy = Policy([Diversity(columns=["age"], sensitive="ill", l=2)])
    >>> who, texts = np.arange(3), {"age": ("old", "*"), "ill": ("flu", "hiv", "cold")}
    >>> first = Layer(people=who, texts=texts, codes={"age": np.array([0, 0, 0]), "ill": who})
    >>> second = Layer(people=who, texts=texts, codes={"age": np.array([0, 0, 1]), "ill": who})
    >>> found = possible_values([first, second], ["age"], "ill", policy, None)
    >>> found.sizes[found.place].tolist()
    [2, 2, 1]
    """
    held = [each for each in layers if sensitive in each.texts and set(columns) <= set(each.texts)]
    published = [text for each in held for text in each.texts[sensitive]]
    bit_of, n_values = _numbered(sensitive, [*published, *texts], policy, original)
    n_people = max((int(each.people.max(initial=-1)) + 1 for each in layers), default=0)
    sets, place = np.full((1, (n_values + 7) // 8), FULL, dtype=np.uint8), np.zeros(n_people, dtype=np.int64)
    for layer in held:
        groups, n_groups = _groups(layer, columns)
        bits = np.array([bit_of[text] for text in layer.texts[sensitive]], dtype=np.int64)[layer.codes[sensitive]]
        own = sets_of_groups(groups, n_groups, bits, n_values)
        pairs, of_row = np.unique(place[layer.people] * n_groups + groups, return_inverse=True)
        place[layer.people] = len(sets) + of_row.reshape(-1)
        sets = np.concatenate([sets, sets[pairs // n_groups] & own[pairs % n_groups]])
        sets, place = _each_once(sets, place)
    n_releases = np.zeros(n_people, dtype=np.int64)
    for layer in layers:
        n_releases[layer.people] += 1
    return ValueSets(bit_of=bit_of, n_values=n_values, sets=sets, place=place, n_releases=n_releases)


def sets_of_groups(groups: _Ints, n_groups: int, bits: _Ints, n_values: int) -> Bits:
    """Return the values that each group holds; every value where it names none."""
    found = np.zeros((n_groups, (n_values + 7) // 8), dtype=np.uint8)
    is_named = bits >= 0
    pairs = np.unique(groups[is_named] * n_values + bits[is_named])
    group, bit = pairs // max(n_values, 1), pairs % max(n_values, 1)
    np.bitwise_or.at(found, (group, bit // 8), (1 << (bit % 8)).astype(np.uint8))
    found[~found.any(axis=1)] = FULL
    return found


def check_value_sets(layers: Sequence[Layer], policy: Policy, original: Table | None) -> list[Finding]:
    """Count people for whom the releases together leave fewer sensitive values than a requirement promises."""
    return [
        finding
        for number, requirement in enumerate(policy.require)
        if requirement.least_values is not None
        for finding in [_check(layers, policy, original, requirement, number, requirement.least_values)]
        if finding is not None
    ]


def _check(
    layers: Sequence[Layer], policy: Policy, original: Table | None, requirement: Requirement, number: int, least: int
) -> Finding | None:
    sensitive = requirement.sensitive_columns(policy, number)[0]
    if sum(sensitive in each.texts for each in layers) < 2:
        return None
    found = possible_values(layers, requirement.columns, sensitive, policy, original)
    left = found.sizes[found.place][found.n_releases > 1]
    if not left.size:
        return None
    n_narrowed, fewest = int(np.count_nonzero(left < least)), int(left.min())
    reached = min(fewest, found.n_values)
    who = "1 person is" if n_narrowed == 1 else f"{n_narrowed:,} people are"
    says = (
        f"by the groups of all releases {who} left with fewer than {least} possible values of {sensitive}"
        if n_narrowed
        else f"the groups of all releases leave everybody at least {reached} possible values of {sensitive}"
    )
    return Finding(
        kind=requirement.kind,
        where=f"require[{number}]",
        columns=requirement.columns,
        asked=least,
        reached=reached,
        ok=not n_narrowed,
        says=says,
        details={"sensitive": sensitive, "people_narrowed": n_narrowed},
    )


def _numbered(
    name: str, texts: Sequence[str | None], policy: Policy, original: Table | None
) -> tuple[dict[str | None, int], int]:
    """Return for each text the number of the value that it spells, -1 where it is blank, and how many there are."""
    known = list(dict.fromkeys(texts))
    store = MemoryStore({name: known}, {name: np.arange(len(known), dtype=np.uint32)})
    numbers: dict[str, int] = {}
    keys = Meaning(store, policy, original, name).keys
    return {
        text: -1 if key is None else numbers.setdefault(key, len(numbers))
        for text, key in zip(known, keys, strict=True)
    }, len(numbers)


def _groups(layer: Layer, columns: Sequence[str]) -> tuple[_Ints, int]:
    key = np.zeros(layer.n_rows, dtype=np.int64)
    for name in columns:
        key = key * len(layer.texts[name]) + layer.codes[name]
        key = np.unique(key, return_inverse=True)[1].reshape(-1)
    return key, int(key.max(initial=-1)) + 1


def _each_once(sets: Bits, place: _Ints) -> tuple[Bits, _Ints]:
    used, place = np.unique(place, return_inverse=True)
    found, of_set = np.unique(sets[used], axis=0, return_inverse=True)
    return found, of_set.reshape(-1)[place.reshape(-1)]
