"""Add the rows of a file to a stream: the part that can be published, and the stream's private file, at once."""

from pathlib import Path

import narwhals as nw

from withhold._staging import Staging, check_outputs
from withhold.engines import Reading, open_columns, open_source
from withhold.errors import OutputError
from withhold.policy import Policy
from withhold.releasing._stream import Stream
from withhold.table import Decision, Table

__all__ = ["append_file"]

AS_IT_IS = Decision(recodings=(), drop=(), rows="keep", cells=())


def append_file(data: object, policy: Policy, out: Path, stream: Path, *, reading: Reading) -> tuple[Stream, int]:
    """Publish what can be published of a stream and the rows of a file; return the stream, and how many rows that is.

    The part and the new state of the stream take their places together. Where no row can be published yet, there is no
    part, and the rows wait in the stream's file.
    """
    if out.exists():
        raise OutputError(f"{out.name}: is there already, and a part must not be lost. Hint: choose another name.")
    check_outputs([out.resolve(), stream.resolve()], [*([data] if isinstance(data, Path) else []), *policy.files])
    loaded = Stream.load(stream, policy)
    source = open_source(data, reading=reading)
    try:
        frame = nw.from_native(loaded.apply(Table(source)), eager_only=True)
    finally:
        source.close()
    with Staging(out.resolve()) as staging:
        loaded.save(staging.path("stream.json"))
        files = {"stream.json": stream.resolve()}
        if len(frame):
            made = staging.path(f"part{''.join(out.suffixes)}")
            part = open_columns({name: frame[name].to_list() for name in frame.columns})
            try:
                part.write(AS_IT_IS, made, key="")
            finally:
                part.close()
            files = {**files, made.name: out.resolve()}
        staging.publish(files)
    return loaded, len(frame)
