"""What a published list of possible values leaves to guess."""

from collections.abc import Iterable, Sized

from withhold.errors import InputError

__all__ = ["set_guess"]


def set_guess(sets: Iterable[Sized | int]) -> float:
    """Return how often a blind guess is right where the release says which values each blank may stand for.

    The attacker knows for every withheld cell the set of values it may hold, and nothing else; it takes any of them,
    each with the same chance. It succeeds with chance ``1 / |set|`` in each cell, and so at the mean of that.

    Parameters
    ----------
    sets
        For each cell the set of possible values, or its size, at least 1.

    Returns
    -------
    float
        The expected share of right guesses; 0 without cells.

    Examples
    --------
    >>> set_guess([{"flu", "asthma"}, 4])
    0.375
    """
    sizes = [each if isinstance(each, int) else len(each) for each in sets]
    if any(size < 1 for size in sizes):
        raise InputError("set_guess: every set must hold at least one value.")
    return sum(1 / size for size in sizes) / len(sizes) if sizes else 0.0
