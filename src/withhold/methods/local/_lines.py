"""Lines: the state of a group of rows, kept so that two groups together are one instruction.

A *line* holds for each column the largest code, and in its second half the largest negative code. The line of two
groups together is the larger of both, lane by lane. Lines are padded to blocks of 32 bytes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.local._lean import woven

__all__ = ["half_of", "lines_of", "merge", "nothing"]

make_array: Any = arrayobj.make_array
gep: Any = cgutils.gep
BYTES = 32
PAD = 8


def _larger(typing: Any, to: Any, i: Any, a: Any, j: Any, b: Any, k: Any) -> Any:
    """Write the larger of two blocks, lane by lane: ``to[i:] = max(a[j:], b[k:])``, offsets in flat arrays."""
    bits = to.dtype.bitwidth

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block = ir.VectorType(ir.IntType(bits), 8 * BYTES // bits).as_pointer()

        def place(n: int) -> Any:
            data = make_array(signature.args[n])(context, builder, arguments[n]).data
            return builder.bitcast(gep(builder, data, arguments[n + 1]), block)

        x, y = (builder.load(place(n), align=bits // 8) for n in (2, 4))
        builder.store(builder.select(builder.icmp_signed(">", x, y), x, y), place(0), align=bits // 8)
        return context.get_dummy_value()

    index = types.int64
    return types.void(to, index, a, index, b, index), code


_write_larger: Any = intrinsic(_larger)


@woven
def merge(to: Array, i: int, a: Array, j: int, b: Array, k: int) -> None:
    """Write line ``a[j]`` and line ``b[k]`` together to line ``to[i]``."""
    width = to.shape[1]
    lanes = BYTES // to.itemsize
    for block in range(0, width, lanes):
        _write_larger(to, i * width + block, a, j * width + block, b, k * width + block)


def half_of(n_columns: int) -> int:
    """Return the number of lanes of half a line."""
    return -(-max(n_columns, 1) // PAD) * PAD


def nothing(lines: Array) -> int:
    """Return the lane of a line without rows."""
    return int(np.iinfo(lines.dtype).min) + 1


def lines_of(low: Array, high: Array, n_leaves: Sequence[int] | Array) -> NDArray[np.int16] | NDArray[np.int32]:
    """Return the lines of ranges of codes, in the smallest type that fits."""
    half = half_of(low.shape[1])
    is_small = max(n_leaves, default=0) < np.iinfo(np.int16).max
    lines = np.zeros((low.shape[0], 2 * half), dtype=np.int16 if is_small else np.int32)
    lines[:, : low.shape[1]] = high
    lines[:, half : half + low.shape[1]] = -low
    return lines
