"""The check of what is asked of the population, on the written file: sums of weights, or people counted in a table."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from withhold.auditing import Finding, people_covered, weights_of_rows
from withhold.population import negative_binomial_risk, poisson_risk
from withhold.requirements._check import Question
from withhold.requirements.anonymity._population import least_people
from withhold.requirements.anonymity._requirement import Anonymity

__all__ = ["population_findings"]

NEAR = 1e-9
"""Sums of weights this close to what is asked for are added up as fractions."""
EXACT = 2**53
UNKNOWN = "the file holds no weights and the original is not there, so people of the population were not estimated"


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The combinations of the file."""

    rows: NDArray[np.int64]
    """How many rows hold each."""
    people: NDArray[np.float64]
    """How many people share each."""
    has_enough: NDArray[np.bool_]
    """Whether these are as many as asked for, decided in integers or fractions."""


def population_findings(question: Question, requirement: Anonymity) -> list[Finding]:
    """Return what is found about the people of the population who share each combination."""
    policy = question.policy
    if policy.population is not None:
        return [_counted(question, requirement)]
    groups = _weighted(question, requirement.columns, requirement.k_map)
    if groups is None:
        asked = requirement.k_map or requirement.individual_risk
        return [_finding(question, asked=asked, reached=None, ok=True, says=UNKNOWN, is_complete=False)]
    by = "the share of the population in the file" if policy.weight is None else "the sum of the weights"
    found = []
    if requirement.k_map is not None:
        ok = bool(groups.has_enough.all())
        reached = float(groups.people.min()) if groups.people.size else 0.0
        says = _shared(question, requirement.k_map, groups.has_enough, f"an estimate: {by}")
        found.append(_finding(question, asked=requirement.k_map, reached=reached, ok=ok, says=says))
    if requirement.individual_risk is not None:
        found.append(_risk(question, requirement, groups))
    return found


def _risk(question: Question, requirement: Anonymity, groups: _Groups) -> Finding:
    others = np.maximum(groups.people - groups.rows, 0.0)
    is_poisson = requirement.estimator == "poisson"
    risks = poisson_risk(groups.rows, others) if is_poisson else negative_binomial_risk(groups.rows, groups.people)
    asked = requirement.individual_risk
    assert asked is not None
    is_high = risks > asked
    method = "a Poisson model" if is_poisson else "Benedetti and Franconi's method"
    names = ", ".join(requirement.columns)
    says = (
        f"who knows {names} links a row to the right person with a chance of at most {asked:g} (an estimate: {method})"
    )
    if is_high.any():
        n_rows = int(groups.rows[is_high].sum())
        verb = "row is" if n_rows == 1 else "rows are"
        says = f"{n_rows:,} {verb} linked by {names} with a chance above {asked:g} (an estimate: {method})"
    largest = float(risks.max(initial=0.0))
    return _finding(question, asked=asked, reached=largest, ok=not is_high.any(), says=says)


def _weighted(question: Question, columns: tuple[str, ...], k_map: int | None) -> _Groups | None:
    """Return the people of each combination by weights or by the share; None where there are no weights."""
    sight, asked = question.sight, k_map or 0
    groups = sight.groups(columns)
    rows = np.bincount(groups).astype(np.int64) if groups.size else np.zeros(0, dtype=np.int64)
    if question.policy.sample is not None:
        share = Fraction(str(question.policy.sample))
        sizes, place = np.unique(rows, return_inverse=True)
        enough = np.array([n >= asked * share for n in sizes.tolist()], dtype=bool)
        expected = rows.astype(np.float64) / np.float64(share)
        return _Groups(rows, expected, enough[place])
    found = weights_of_rows(sight)
    if found is None:
        return None
    people, enough = _sums(*found, groups, rows.size, asked)
    return _Groups(rows, people, enough)


def _sums(
    weights: list[Fraction], cells: NDArray[np.int64], groups: NDArray[np.int64], n_groups: int, asked: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the sum of the weights of each group, and whether it is at least what is asked for, exactly."""
    parts = lcm(1, *(each.denominator for each in weights))
    if parts * max(weights, default=Fraction(0)) * max(cells.size, 1) < EXACT and parts * asked < EXACT:
        # Sums of whole numbers below 2⁵³ are exact.
        whole = np.array([float(each * parts) for each in weights], dtype=np.float64)
        sums = np.bincount(groups, weights=whole[cells], minlength=n_groups).astype(np.float64)
        return sums / parts, sums >= parts * asked
    floats = np.array([float(each) for each in weights], dtype=np.float64)
    people = np.bincount(groups, weights=floats[cells], minlength=n_groups).astype(np.float64)
    enough = people >= asked
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(n_groups + 1))
    for group in np.flatnonzero(np.abs(people - asked) <= NEAR * max(asked, 1)).tolist():
        held, times = np.unique(cells[order[starts[group] : starts[group + 1]]], return_counts=True)
        total = sum(n * weights[code] for code, n in zip(held.tolist(), times.tolist(), strict=True))
        enough[group] = total >= asked
    return people, enough


def _counted(question: Question, requirement: Anonymity) -> Finding:
    """Count for every combination the people of the population that it may stand for."""
    people, _, register = people_covered(question.sight, requirement.columns)
    asked = least_people(requirement)
    enough = people >= asked
    says = _shared(question, asked, enough, f"counted among {register.n_rows:,}")
    reached = int(people.min(initial=register.n_rows))
    return _finding(question, asked=asked, reached=reached, ok=bool(enough.all()), says=says)


def _shared(question: Question, asked: int, enough: NDArray[np.bool_], how: str) -> str:
    names = ", ".join(question.policy.require[question.number].columns)
    if enough.all():
        return f"every combination of {names} is shared by at least {asked:,} people of the population ({how})"
    n_few = int((~enough).sum())
    combinations, verb = ("combination", "is") if n_few == 1 else ("combinations", "are")
    return f"{n_few:,} {combinations} of {names} {verb} shared by fewer than {asked:,} people of the population ({how})"


def _finding(
    question: Question,
    *,
    asked: float | None,
    reached: float | None,
    ok: bool,
    says: str,
    is_complete: bool = True,
) -> Finding:
    columns = question.policy.require[question.number].columns
    return Finding(
        kind="population",
        where=question.where,
        columns=columns,
        asked=asked,
        reached=reached,
        ok=ok,
        says=says,
        is_complete=is_complete,
    )
