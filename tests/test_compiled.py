"""Compilation where no cache can be written."""

import numba
import pytest

from withhold import _compiled


def test_kernels_compile_without_a_cache_where_none_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit

    def njit(*functions: object, **options: object) -> object:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*functions, **options)

    monkeypatch.setattr(_compiled.numba, "njit", njit)

    @_compiled.compiled
    def double(number: int) -> int:
        return 2 * number

    assert double(21) == 42
