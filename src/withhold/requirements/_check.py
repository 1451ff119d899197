"""What a check of a written file is given; checks import neither guards nor methods."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from withhold.auditing import Sight
    from withhold.engines import Source
    from withhold.policy import Policy
    from withhold.table import Table

__all__ = ["Question"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """A written file, and what was promised about it."""

    sight: "Sight"
    """The file and the original side by side: which row is which, and what the texts of a column mean."""
    number: int
    """Which requirement is to be checked."""
    quick: bool = False
    """Whether a check that takes long may stop early, and say so."""
    say: Callable[[str], object] = lambda what: None
    """Hears what is being done."""
    rng: np.random.Generator | None = None
    """Draws what a quick check tries."""

    @property
    def source(self) -> "Source":
        """The file."""
        return self.sight.source

    @property
    def policy(self) -> "Policy":
        """What was promised."""
        return self.sight.policy

    @property
    def original(self) -> "Table | None":
        """The table it was made from, under the policy's domains; None where only the file is there."""
        return self.sight.original

    @property
    def where(self) -> str:
        """The key of the requirement in the policy."""
        return f"require[{self.number}]"
