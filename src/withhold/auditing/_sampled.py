"""A published file as a sample: the people of the population who share what it publishes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._meaning import Meaning
from withhold.auditing._sight import Sight
from withhold.errors import DataError
from withhold.population import (
    Basis,
    People,
    PopulationRisk,
    matching_people,
    open_register,
    people_of,
    positive_numbers,
    risk_of_counted,
    risk_of_rows,
)
from withhold.table import Table

__all__ = ["SampledRisk", "people_covered", "sampled_risks", "weights_of_rows"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledRisk:
    """How exposed the people of a file are in the population it was drawn from."""

    where: str
    """The requirement whose columns are known."""
    columns: tuple[str, ...]
    """What is known of a person."""
    after: PopulationRisk
    """By what the file publishes."""
    before: PopulationRisk | None = None
    """By what the original holds, where it was given."""


def sampled_risks(sight: Sight, known: Sequence[tuple[str, tuple[str, ...]]]) -> list[SampledRisk]:
    """Estimate, or count, who is found in the population by each set of columns; nothing where no weights are there."""
    policy = sight.policy
    if policy.weight is None and policy.sample is None and policy.population is None:
        return []
    found = []
    for where, columns in known:
        after = _risk_of_file(sight, columns)
        if after is not None:
            before = _risk_of_original(sight, columns)
            found.append(SampledRisk(where=where, columns=columns, after=after, before=before))
    return found


def weights_of_rows(sight: Sight) -> tuple[list[Fraction], Ints] | None:
    """Return the weights that occur, and which of them each row has: of the original, else as published; else None."""
    name, original = sight.policy.weight, sight.original
    assert name is not None
    if original is not None and sight.rows is not None and name in original.names:
        return positive_numbers(original.store.values(name), name), sight.was(name)
    if name not in sight.source.names:
        return None
    return positive_numbers(sight.source.values(name), name), sight.cells(name).astype(np.int64)


def people_covered(sight: Sight, columns: Sequence[str]) -> tuple[Ints, Ints, Table]:
    """Return for each combination of the file how many people it may stand for, and its rows; and the population.

    A coarse value, an interval and a set stand for all values below; a blank stands for every value.
    """
    register = open_register(sight.policy)
    positions, weights = sight.source.counts(columns)
    keys, place = np.unique(np.stack(positions, axis=1).astype(np.int64), axis=0, return_inverse=True)
    rows = np.zeros(len(keys), dtype=np.int64)
    np.add.at(rows, place.reshape(-1), weights)
    allowed = [_stands_for(sight, register, name) for name in columns]
    return matching_people(keys, allowed, [register.store.cells(name) for name in columns]), rows, register


def _stands_for(sight: Sight, register: Table, name: str) -> NDArray[np.bool_]:
    """Return for each text of the file and each value of the population whether one may stand for the other."""
    if name not in register.names:
        raise DataError(f'the population has no column "{name}", so nobody can be looked up by it.')
    meaning = Meaning(sight.source, sight.policy, register, name, withheld=sight.withheld)
    flags = np.ones((len(meaning.texts), len(meaning.values)), dtype=bool)
    for place, text in enumerate(meaning.texts):
        if text is not None and not meaning.is_blank[place]:
            flags[place] = meaning.covered(text, slice(0, len(meaning.values)))
    return flags


def _risk_of_file(sight: Sight, columns: tuple[str, ...]) -> PopulationRisk | None:
    policy = sight.policy
    if policy.population is not None:
        if not set(columns) <= set(open_register(policy).names):
            return None
        people, rows, register = people_covered(sight, columns)
        return risk_of_counted(rows, people, columns=columns, n_people=register.n_rows)
    cells = [sight.cells(name).astype(np.int64) for name in columns]
    if policy.sample is not None:
        each = 1 / Fraction(str(policy.sample))
        amounts = np.full(sight.source.n_rows, each.numerator, dtype=np.int64)
        return risk_of_rows(cells, People(amounts=amounts, unit=each.denominator), columns=columns, basis="share")
    known = weights_of_rows(sight)
    if known is None:
        return None
    weights, codes = known
    own = People.of_weights(weights, codes, name=str(policy.weight))
    return risk_of_rows(cells, own, columns=columns, basis="weights")


def _risk_of_original(sight: Sight, columns: tuple[str, ...]) -> PopulationRisk | None:
    original, policy = sight.original, sight.policy
    needed = {*columns, *([] if policy.weight is None else [policy.weight])}
    if original is None or not needed <= set(original.names):
        return None
    if policy.population is not None:
        own = Sight(sight.source, policy, original).of_original()
        people, rows, register = people_covered(own, columns)
        return risk_of_counted(rows, people, columns=columns, n_people=register.n_rows)
    people_of_original = people_of(original, weight=policy.weight, sample=policy.sample)
    cells = [original.store.cells(name).astype(np.int64) for name in columns]
    basis: Basis = "share" if policy.weight is None else "weights"
    return risk_of_rows(cells, people_of_original, columns=columns, basis=basis)
