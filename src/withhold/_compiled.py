"""Numba, imported late, with an on-disk cache where one can be written."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numpy.typing import NDArray

__all__ = ["Array", "compiled", "dated", "inlined", "inner", "is_compiled", "pasted"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Array = NDArray[Any]


def compiled(function: Kernel) -> Kernel:
    """Compile with an on-disk cache, or without one where none can be written.

    A compiled function must not call itself: numba cannot load such a one from its cache.
    """
    return _compile(function)


def is_compiled(function: Callable[..., Any]) -> bool:
    """Return whether the cache holds a compiled function; no where there is no cache, or it cannot be read."""
    kernel: Any = function
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    try:
        return file is not None and bool(file._load_index())
    except (AttributeError, OSError):
        return False


def inner(function: Kernel) -> Kernel:
    """Compile a function that only compiled ones call: without what Python would need, in half the time."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compile(function: Kernel, **options: Any) -> Kernel:
    njit: Any = numba.njit
    try:
        return cast(Kernel, dated(njit(cache=True, nogil=True, **options)(function)))
    except RuntimeError:
        return cast(Kernel, njit(nogil=True, **options)(function))


def dated(kernel: Any) -> Any:
    """Let the cache of a kernel hold for these sources of all kernels only.

    Numba looks at the file of a kernel alone. One that compiles others into itself would outlive their next version,
    and an index that names a class of an earlier version could not even be read.
    """
    file: Any = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if isinstance(getattr(file, "_version", None), str):
        file._version = f"{file._version} {_sources()}"
    return kernel


@cache
def _sources() -> str:
    """Return a short name for the text of all files that hold kernels."""
    found = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        text = path.read_bytes()
        if b"_compiled import" in text or b"_lean import" in text or b"import numba" in text:
            found.update(path.name.encode() + text)
    return found.hexdigest()


def inlined(function: Kernel) -> Kernel:
    """Compile into the machine code of every caller: for look-ups inside of loops."""
    return cast(Kernel, numba.njit(forceinline=True, nogil=True)(function))


def pasted(function: Kernel) -> Kernel:
    """Compile as if it stood in its only caller: for the parts of a long loop, which share many arrays."""
    return cast(Kernel, numba.njit(inline="always", nogil=True)(function))
