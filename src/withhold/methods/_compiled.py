"""Numba, imported late, with an on-disk cache where one can be written."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numpy.typing import NDArray

__all__ = ["Array", "compiled", "inlined", "pasted"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Array = NDArray[Any]


def compiled(function: Kernel) -> Kernel:
    """Compile with an on-disk cache, or without one where none can be written."""
    try:
        return cast(Kernel, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:
        return cast(Kernel, numba.njit(nogil=True)(function))


def inlined(function: Kernel) -> Kernel:
    """Compile into the machine code of every caller: for look-ups inside of loops."""
    return cast(Kernel, numba.njit(forceinline=True, nogil=True)(function))


def pasted(function: Kernel) -> Kernel:
    """Compile as if it stood in its only caller: for the parts of a long loop, which share many arrays."""
    return cast(Kernel, numba.njit(inline="always", nogil=True)(function))
