"""One session for all tests of the cluster; without Java or pyspark they are skipped."""

from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from withhold.engines.spark._connection import JAVA, java_version

SMALL = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Tables are tiny here, so that compiling queries takes longer than answering them.
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a cluster where there can be none."""
    why = ""
    if find_spec("pyspark") is None:
        why = "pyspark is not installed (extra `spark`)"
    elif (java_version() or 0) < JAVA:
        why = f"there is no Java {JAVA} or later"
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        if why:
            item.add_marker(pytest.mark.skip(reason=why))
        elif version("pyspark").startswith("3."):
            # Its collected rows come over sockets that it leaves to the garbage collector.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from withhold.engines.spark import open_session

    folder = tmp_path_factory.mktemp("warehouse")
    session = open_session(master="local[2]", conf={**SMALL, "spark.sql.warehouse.dir": str(folder)})
    yield session
    session.stop()
