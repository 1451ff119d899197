"""A published table as a frame."""

from importlib.util import find_spec
from typing import Any

import narwhals as nw

from withhold.engines import Source
from withhold.errors import DataError, MissingExtraError
from withhold.table import Decision

__all__ = ["as_frame"]

BACKENDS = ("pandas", "polars", "pyarrow")


def as_frame(source: Source, decision: Decision, *, key: str, backend: str | None) -> Any:
    """Return what is published; columns that were not touched keep the type of the frame they came from."""
    original = getattr(source, "frame", None)
    if original is None:
        cells = source.published(decision, key=key)
        data = {name: column.tolist() for name, column in cells.items()}
        return nw.from_dict(data, backend=_backend(backend)).to_native()
    if backend is not None and backend != str(original.implementation):
        raise DataError(f'the table came as a {original.implementation} frame; `backend` cannot make it "{backend}".')
    names = list(decision.published(source.names))
    recoded = source.published(decision, key=key)
    frame = original.select(names)
    if decision.rows == "shuffle":
        frame = frame[source.row_positions(decision, key=key).tolist()]
    changed = [
        nw.new_series(name, recoded[name].tolist(), dtype=nw.String, backend=original.implementation)
        for name in names
        if decision.recoding(name) is not None
    ]
    return _with_plain_index(frame.with_columns(*_aligned(frame, changed))).to_native()


def _aligned(frame: Any, changed: list[Any]) -> list[Any]:
    if not frame.implementation.is_pandas():
        return changed
    return [nw.maybe_set_index(series, index=nw.maybe_get_index(frame)) for series in changed]


def _with_plain_index(frame: Any) -> Any:
    """Give the rows new numbers: a frame's own index may hold identifiers."""
    return nw.maybe_reset_index(frame)


def _backend(asked: str | None) -> Any:
    if asked is not None and asked not in BACKENDS:
        raise DataError(f'`backend` must be one of {", ".join(BACKENDS)}; got "{asked}".')
    for name in BACKENDS if asked is None else (asked,):
        if find_spec(name) is not None:
            return name
    raise MissingExtraError(asked or "pandas, polars or pyarrow", extra="", purpose="Release.to_frame")
