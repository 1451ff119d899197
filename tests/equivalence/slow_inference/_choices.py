"""Random choices, scripted and drawn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol


class Choices(Protocol):
    """The source of the random choices."""

    def pick(self, candidates: list[str], posterior: dict[str, Fraction]) -> str:
        """The random next best guess among the candidates."""

    def coin(self) -> bool:
        """Whether to go on although only two values are possible."""


class MostProbable:
    """The most probable candidate, the first in domain order on ties; the coin says go on."""

    def pick(self, candidates: list[str], posterior: dict[str, Fraction]) -> str:
        return max(candidates, key=lambda value: posterior[value])

    def coin(self) -> bool:
        return True


class Scripted:
    """Answers from a list, in order. `left` holds those not asked for yet."""

    def __init__(self, answers: Sequence[tuple[str, Any]]) -> None:
        self.left = list(answers)

    def _next(self, kind: str) -> Any:
        expected, answer = self.left.pop(0)
        if expected != kind:
            raise AssertionError(f"asked for {kind}, the next answer is a {expected}")
        return answer

    def pick(self, candidates: list[str], posterior: dict[str, Fraction]) -> str:
        answer = str(self._next("rnbg"))
        if answer not in candidates:
            raise AssertionError(f"{answer!r} is not among {candidates}")
        return answer

    def coin(self) -> bool:
        return bool(self._next("coin"))


class Seeded:
    """Choices at random."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, candidates: list[str], posterior: dict[str, Fraction]) -> str:
        return self.random.choice(candidates)

    def coin(self) -> bool:
        return self.random.random() < 0.5


class _Coin:
    """The coin of one confidential value: tossed at most once."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.answer: bool | None = None

    def go_on(self) -> bool:
        if self.answer is None:
            self.answer = self.choices.coin()
        return self.answer
