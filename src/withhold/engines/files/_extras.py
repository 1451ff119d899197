"""Packages that only some kinds of files need."""

import importlib
from typing import Any

from withhold.errors import MissingExtraError

__all__ = ["imported"]


def imported(module: str, *, purpose: str, extra: str = "files", package: str = "") -> Any:
    """Return a module of an extra; where it is not installed the error names the extra.

    Examples
    --------
    >>> try:
    ...     imported("no_such_module", purpose="reading .xyz files")
    ... except MissingExtraError as error:
    ...     error.extra
    'files'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(package or module, extra=extra, purpose=purpose) from None
