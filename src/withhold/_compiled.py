"""Numba, imported late. Compiled kernels are kept where one can be written, and come with the wheel of a platform."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numpy.typing import NDArray

from withhold._kernel_store import KernelCache

__all__ = ["Array", "compiled", "inlined", "inner", "is_compiled", "kept", "pasted"]

njit: Any = numba.njit
Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Array = NDArray[Any]


def compiled(function: Kernel) -> Kernel:
    """Compile on first use, and keep the result where a folder for it can be written.

    A compiled function must not call itself: numba cannot load such a one again.
    """
    return cast(Kernel, kept(njit(nogil=True)(function)))


def is_compiled(function: Callable[..., Any]) -> bool:
    """Return whether a compiled version of a function is kept; no where nothing can be kept."""
    kernel: Any = function
    store = getattr(kernel, "_cache", None)
    return isinstance(store, KernelCache) and store.is_kept()


def inner(function: Kernel) -> Kernel:
    """Compile a function that only compiled ones call: without what Python would need, in half the time."""
    return cast(Kernel, njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def kept(kernel: Any) -> Any:
    """Keep what is compiled of a kernel, and look there first."""
    kernel._cache = KernelCache(kernel.py_func)
    return kernel


def inlined(function: Kernel) -> Kernel:
    """Compile into the machine code of every caller: for look-ups inside of loops."""
    return cast(Kernel, njit(forceinline=True, nogil=True)(function))


def pasted(function: Kernel) -> Kernel:
    """Compile as if it stood in its only caller: for the parts of a long loop, which share many arrays."""
    return cast(Kernel, njit(inline="always", nogil=True)(function))
