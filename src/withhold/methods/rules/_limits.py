"""The thresholds of an adversarial rule, checked."""

import math
from collections.abc import Collection
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Literal

from withhold.errors import InputError, did_you_mean
from withhold.methods.rules._mine_kernel import READINGS, Limits

__all__ = ["PRUNING", "Counting", "Pruning", "limits_of"]

Counting = Literal["public", "antecedent", "joint"]
Pruning = Literal["privacy-free", "non-discriminative", "contrast"]
PRUNING: tuple[Pruning, ...] = ("privacy-free", "non-discriminative", "contrast")


def limits_of(
    who: str,
    n_rows: int,
    n_columns: int,
    *,
    confidence: float,
    support: float,
    min_antecedent: int = 1,
    max_antecedent: int | None = None,
    counting: Counting = "public",
    pruning: Collection[Pruning] = PRUNING,
) -> Limits:
    """Return the thresholds in the form that the search takes; `who` names the caller in errors."""
    if not _is(confidence, Real) or not 0 < confidence <= 1:
        raise InputError(f"{who}: `confidence` must be above 0 and at most 1; got {confidence!r}.")
    least = _least_support(who, support, n_rows)
    if not _is(min_antecedent, Integral) or min_antecedent < 0:
        raise InputError(f"{who}: `min_antecedent` must be an integer of at least 0; got {min_antecedent!r}.")
    longest = max(n_columns - 1, 0)
    if max_antecedent is not None:
        if not _is(max_antecedent, Integral) or max_antecedent < min_antecedent:
            raise InputError(
                f"{who}: `max_antecedent` must be an integer of at least `min_antecedent`, {min_antecedent}; "
                f"got {max_antecedent!r}."
            )
        longest = min(longest, int(max_antecedent))
    if counting not in READINGS:
        raise InputError(f'{who}: `counting` is "{counting}"{did_you_mean(str(counting), READINGS)}.')
    for rule in pruning:
        if rule not in PRUNING:
            raise InputError(f'{who}: `pruning` names "{rule}"{did_you_mean(str(rule), PRUNING)}.')
    # One row more than the support is public: a rule needs a row that it predicts.
    cover = max(least, 2) if counting == "antecedent" else least + 1
    return Limits(
        confidence=float(confidence),
        support=least,
        reading=READINGS.index(counting),
        least_cover=cover,
        least_y={"public": _least_y(float(confidence), least), "antecedent": 1, "joint": least}[counting],
        shortest=int(min_antecedent),
        longest=longest,
        near_public=0,
        near_hidden=0,
        prune_free="privacy-free" in pruning,
        prune_single="non-discriminative" in pruning,
        prune_contrast="contrast" in pruning,
    )


def _least_support(who: str, support: float, n_rows: int) -> int:
    """Return the support as a number of rows."""
    is_count = _is(support, Integral)
    if not _is(support, Real) or not ((support >= 1 and is_count) or 0 < support < 1):
        raise InputError(
            f"{who}: `support` must be a fraction between 0 and 1, or a count of at least 1; got {support!r}."
        )
    if support > n_rows:
        raise InputError(f"{who}: `support` must be at most the number of rows, {n_rows:,}; got {support:,}.")
    if is_count:
        return int(support)
    exact = Fraction(support) if isinstance(support, Rational) else Fraction(repr(float(support)))
    return max(1, math.ceil(exact * n_rows))


def _least_y(confidence: float, support: int) -> int:
    """Return the fewest of `support` rows that reach the confidence."""
    least = max(int(confidence * support) - 1, 1)
    while least / support < confidence:
        least += 1
    return least


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
