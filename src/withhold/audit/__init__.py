"""Checks of a written release, by code that shares nothing with the methods.

`withhold.audit` is this package and, because people call it, also the function `audit`.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from withhold.audit._audit import audit, check_source
from withhold.audit._examine import describe_source
from withhold.audit._finding import Finding
from withhold.audit._layout import Uncovered
from withhold.audit._linkage import Homogeneity, Linkage
from withhold.audit._result import Audit, CellAttack, RiskSpread
from withhold.audit._sets import SetGuess
from withhold.audit._undone import Undone
from withhold.audit._uniques import Uniques
from withhold.policy import Policy

__all__ = [
    "Audit",
    "CellAttack",
    "Finding",
    "Homogeneity",
    "Linkage",
    "RiskSpread",
    "SetGuess",
    "Uncovered",
    "Undone",
    "Uniques",
    "audit",
    "check_source",
    "describe_source",
]


class _CallablePackage(ModuleType):
    """Importing a submodule binds its name on the parent, so the package itself has to answer to ``wh.audit(…)``."""

    def __call__(
        self,
        release: object,
        policy: Policy | str | Path,
        *,
        original: object = None,
        withheld: Sequence[str] = (),
        attack: bool = True,
        quick: bool = False,
        progress: Callable[[str], object] | None = None,
        rng: int | np.random.Generator | None = None,
    ) -> Audit:
        settings: Any = {"attack": attack, "quick": quick, "progress": progress, "rng": rng}
        return audit(release, policy, original=original, withheld=withheld, **settings)


sys.modules[__name__].__class__ = _CallablePackage
