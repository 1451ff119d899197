"""Checks of a written release, by code that shares nothing with the methods.

`withhold.audit` is this package and, because people call it, also the function `audit`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from withhold.audit._audit import Audit, audit, check_source
from withhold.audit._finding import Finding
from withhold.policy import Policy

__all__ = ["Audit", "Finding", "audit", "check_source"]


class _CallablePackage(ModuleType):
    """Importing a submodule binds its name on the parent, so the package itself has to answer to ``wh.audit(…)``."""

    def __call__(
        self, release: object, policy: Policy | str | Path, *, original: object = None, withheld: Sequence[str] = ()
    ) -> Audit:
        return audit(release, policy, original=original, withheld=withheld)


sys.modules[__name__].__class__ = _CallablePackage
