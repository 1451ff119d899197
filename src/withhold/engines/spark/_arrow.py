"""Rows to and from the cluster as Arrow, in the versions of Spark that have words for it and in those that have not."""

from typing import Any

from withhold.engines.files import imported

__all__ = ["arrow_of", "frame_of"]


def arrow_of(frame: Any) -> Any:
    """Return the rows of a frame as an Arrow table."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    if not hasattr(frame, "_collect_as_arrow"):  # Spark Connect before 4.0
        client = frame._session.client
        return client.to_table(frame._plan.to_proto(client))[0]
    from pyspark.sql.pandas.types import to_arrow_schema

    arrow = imported("pyarrow", purpose="rows of a cluster")
    return arrow.Table.from_batches(frame._collect_as_arrow(), schema=to_arrow_schema(frame.schema))


def frame_of(session: Any, table: Any) -> Any:
    """Return an Arrow table as a frame."""
    import pyspark

    if int(pyspark.__version__.split(".")[0]) >= 4:
        return session.createDataFrame(table)
    from pyspark.sql.pandas.types import from_arrow_schema

    rows = list(zip(*[table.column(i).to_pylist() for i in range(table.num_columns)], strict=True))
    return session.createDataFrame(rows, schema=from_arrow_schema(table.schema))
