"""A published table as a frame."""

from importlib.util import find_spec
from typing import Any

import narwhals as nw

from withhold.engines import Cluster, Source
from withhold.errors import DataError, MissingExtraError
from withhold.table import Decision, Recoding

__all__ = ["as_frame", "frame_backend"]

BACKENDS = ("pandas", "polars", "pyarrow")


def as_frame(source: Source, decision: Decision, *, key: str, backend: str | None) -> Any:
    """Return what is published; columns that were not touched keep the type of the frame they came from.

    Categories become text, because their type lists values that no row holds. The index of a frame and whatever else
    it carries beside its cells are left behind.
    """
    if isinstance(source, Cluster):
        return source.published_frame(decision, key=key)
    original = getattr(source, "frame", None)
    if original is None:
        cells = source.published(decision, key=key)
        data = {name: column.tolist() for name, column in cells.items()}
        return nw.from_dict(data, backend=frame_backend(backend)).to_native()
    if backend is not None and backend != str(original.implementation):
        raise DataError(f'the table came as a {original.implementation} frame; `backend` cannot make it "{backend}".')
    names = decision.published(source.names)
    changed = [n for n in names if _is_changed(decision.recoding(n)) or decision.cells_of(n) is not None]
    # The frame itself holds what stood in its columns before the policy read them otherwise.
    reread = [n for n in names if n in getattr(source, "reread", ()) and n not in changed]
    recoded = source.published(decision, key=key, columns=[*changed, *reread])
    frame = original[:, [source.names.index(name) for name in names]]
    if decision.rows == "shuffle":
        frame = frame[source.row_positions(decision, key=key).tolist()]
    frame = nw.maybe_reset_index(frame)
    series = [_series(frame, i, name, recoded, is_text=name in changed) for i, name in enumerate(names)]
    return _bare(frame.with_columns(*series).to_native())


def _is_changed(recoding: Recoding | None) -> bool:
    return recoding is not None and not getattr(recoding, "is_identity", False)


def _series(frame: Any, place: int, name: str, recoded: dict[str, Any], *, is_text: bool) -> Any:
    """Return one column as it is published, under the name it has in the frame."""
    old = frame[:, place]
    if name in recoded:
        dtype = nw.String if is_text else None
        # Rows of a frame with an index were numbered from 0 before, as those of a new column are.
        return nw.new_series(old.name, recoded[name].tolist(), dtype=dtype, backend=frame.implementation)
    return old.cast(nw.String) if old.dtype in (nw.Categorical, nw.Enum) else old


def _bare(native: Any) -> Any:
    """Return the frame without notes that travel beside its cells."""
    if hasattr(native, "replace_schema_metadata"):
        return native.replace_schema_metadata(None)
    if hasattr(native, "attrs"):
        native.attrs = {}
    return native


def frame_backend(asked: str | None) -> Any:
    """Return the library to make a frame with: the one asked for, or the first that is installed."""
    if asked is not None and asked not in BACKENDS:
        raise DataError(f'`backend` must be one of {", ".join(BACKENDS)}; got "{asked}".')
    for name in BACKENDS if asked is None else (asked,):
        if find_spec(name) is not None:
            return name
    raise MissingExtraError(asked or "pandas, polars or pyarrow", extra="", purpose="Release.to_frame")
