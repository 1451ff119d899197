"""Compile the innermost loops without counting references to arrays.

Numba counts the references that a function holds to each array it is handed. In a function that is called for every
cut of every group, that takes longer than its work. These functions allocate nothing, so that they need no counting.

Numba also compiles what a function calls once more into the function. A chain of calls is compiled again for each of
its links, which takes most of the time: large functions are `pasted` into one caller instead.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from withhold._compiled import kept, pasted

__all__ = ["entry", "lean", "pasted", "woven"]

njit: Any = numba.njit
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def entry(function: Kernel) -> Kernel:
    """Compile a function that Python calls and that allocates nothing, and keep the result."""
    return cast(Kernel, kept(njit(nogil=True, _nrt=False)(function)))


def lean(function: Kernel) -> Kernel:
    """Compile a function that only compiled ones call, and that allocates nothing."""
    return cast(Kernel, njit(nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def woven(function: Kernel) -> Kernel:
    """Compile into the machine code of every caller a function that allocates nothing."""
    return cast(Kernel, njit(forceinline=True, nogil=True, _nrt=False)(function))
