"""The session: the one that is there, or a quiet one of our own; its errors lose their text, which may hold cells."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from withhold.errors import DataError, MissingExtraError, OutputError, WithholdError

__all__ = ["JAVA", "asking", "is_remote", "open_session", "writing"]

JAVA = 17
"""The oldest version of Java that the cluster's own driver runs on."""
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.eventLog.enabled": "false",
    "spark.sql.debug.maxToStringFields": "1",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
"""What a session of our own is given first: plans and errors may quote cells, so neither is printed nor kept; and a
folder called ``zip=01234`` holds the text 01234."""


def open_session(*, master: str | None = None, conf: Mapping[str, str] | None = None) -> Any:
    """Return the session that exists, or a new one.

    Parameters
    ----------
    master
        Where a new session runs: ``local[2]``, ``spark://host:7077``, ``yarn``, or ``sc://host`` for Spark Connect.
        Without one an existing session is used, and otherwise all cores of this machine.
    conf
        Settings of Spark, such as ``spark.executor.memory``.
    """
    session_of = _builder()
    if master is None and not conf:
        found = session_of.getActiveSession()
        if found is not None:
            return found
    builder = session_of.builder.appName("withhold")
    if master is not None and master.startswith("sc://"):
        if any(find_spec(name) is None for name in ("grpc", "grpc_status")):
            raise DataError('Spark Connect needs a package that is not here. Hint: pip install "pyspark[connect]".')
        builder = builder.remote(master)
    else:
        _check_java()
        builder = builder.master(master) if master else builder
        for key, value in QUIET.items():
            builder = builder.config(key, value)
    for key, value in (conf or {}).items():
        builder = builder.config(key, value)
    with asking("the cluster"), _silence():
        session = builder.getOrCreate()
    if not is_remote(session):
        session.sparkContext.setLogLevel("OFF")
    return session


@contextmanager
def _silence() -> Iterator[None]:
    """Start Java with nowhere to print: what it says there, also later, may quote cells."""
    error = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(error, 2)
        os.close(nowhere)
        os.close(error)


def is_remote(session: Any) -> bool:
    """Return whether a session speaks Spark Connect, so that nothing of Java is at hand here."""
    return ".connect." in type(session).__module__


@contextmanager
def asking(what: str) -> Iterator[None]:
    """Run jobs; an error of the cluster becomes ours, without its text, which may quote cells."""
    try:
        yield
    except (WithholdError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise DataError(f"{what}: the cluster could not do its work ({_named(error)}).") from None


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Run a job that writes."""
    try:
        yield
    except (WithholdError, KeyboardInterrupt):
        raise
    except Exception as error:
        hint = "Hint: is the disk full, or may the executors not write there?"
        raise OutputError(f"{what}: the release cannot be written by the cluster ({_named(error)}). {hint}") from None


def _named(error: Exception) -> str:
    """Return which error it is: the cluster's own name for it where there is one, never its text."""
    condition = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
    try:
        name = condition() if condition is not None else None
    except Exception:
        name = None
    return str(name or type(error).__name__)


def _builder() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("pyspark", extra="spark", purpose='engine "spark"') from None
    return SparkSession


def _check_java() -> None:
    """Refuse where a session of our own would fail for want of Java."""
    hint = f"Hint: install Java {JAVA} or later, or set JAVA_HOME."
    found = java_version()
    if found is None:
        raise DataError(f"Spark needs Java {JAVA} or later, and there is no Java here. {hint}")
    if found < JAVA:
        raise DataError(f"Spark needs Java {JAVA} or later, and here is Java {found}. {hint}")


@cache
def java_version() -> int | None:
    """Return the version of Java that Spark would run on, None where there is none."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if program is None:
        return None
    try:
        printed = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    quoted = printed.partition('"')[2].partition('"')[0]
    parts = quoted.split(".")
    number = parts[1] if parts[0] == "1" and len(parts) > 1 else parts[0]
    return int(number) if number.isdigit() else None
