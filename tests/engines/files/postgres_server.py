"""A PostgreSQL server of the system's package, for the time of the tests."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["find_programs", "running_server"]


def find_programs() -> Path | None:
    """Return the folder of initdb and pg_ctl, or None."""
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("pg_ctl")
    folders = [*known, *([Path(found).resolve().parent] if found else [])]
    return next((each for each in folders if (each / "initdb").exists() and (each / "pg_ctl").exists()), None)


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """Start a server that listens on a socket in a folder of its own, and yield its URL."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # the path of a socket must be short
    data = folder / "data"
    # The server refuses to run as root.
    as_user: dict[str, object] = {}
    if os.geteuid() == 0:
        shutil.chown(folder, user="nobody")
        as_user = {"user": "nobody", "group": "nogroup", "extra_groups": []}

    def run(program: str, *words: str) -> None:
        subprocess.run([programs / program, *words], check=True, cwd=folder, stdout=subprocess.DEVNULL, **as_user)

    try:
        run("initdb", "-D", str(data), "-U", "tester", "--auth=trust", "-E", "UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        run("pg_ctl", "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
