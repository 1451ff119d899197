"""Where random choices come from: the system's secure source, unless another is injected."""

import secrets
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np

__all__ = ["Choices", "RandomChoices", "choices_from"]


class Choices(Protocol):
    """What an algorithm asks for when it must not be predictable."""

    def guess(self, candidates: Sequence[int], probability: Callable[[int], Fraction]) -> int:
        """Return one of `candidates`; `probability` gives how probable an adversary finds each."""

    def coin(self) -> bool:
        """Return whether to go on protecting a value that has only one alternative."""

    def below(self, bound: int) -> int:
        """Return a whole number below `bound`."""


class RandomChoices:
    """Uniform choices.

    Parameters
    ----------
    rng
        A seed or generator, for choices that can be repeated. The default is the system's secure source.

    Examples
    --------
    >>> RandomChoices(7).guess([2, 5, 9], Fraction) in (2, 5, 9)
    True
    """

    def __init__(self, rng: int | np.random.Generator | None = None) -> None:
        self._rng = None if rng is None else np.random.default_rng(rng)

    def guess(self, candidates: Sequence[int], probability: Callable[[int], Fraction]) -> int:
        """Return one of `candidates`, each as likely as the others."""
        return candidates[self.below(len(candidates))]

    def coin(self) -> bool:
        """Return true or false."""
        return bool(self.below(2))

    def below(self, bound: int) -> int:
        """Return a whole number below `bound`."""
        return secrets.randbelow(bound) if self._rng is None else int(self._rng.integers(bound))


def choices_from(rng: "int | np.random.Generator | Choices | None") -> Choices:
    """Return a source of choices: the one given, or a random one from a seed or generator."""
    return RandomChoices(rng) if rng is None or isinstance(rng, int | np.integer | np.random.Generator) else rng
