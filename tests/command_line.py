"""The command line within this process: what a command writes and how it ends, without the start of a process.

What a process is (signals, standard streams, the environment) is tested with processes.
"""

import io
import os
import signal
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from withhold.cli import main

SIGNALS = ("SIGTERM", "SIGHUP")


def run_here(*words: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command as ``withhold`` would in a folder."""
    line = ["withhold", *map(str, words)]
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    handlers = {name: signal.getsignal(getattr(signal, name)) for name in SIGNALS if hasattr(signal, name)}
    code: object = 0
    with (
        chdir(folder or Path.cwd()),
        mock.patch.object(sys, "argv", line),
        mock.patch.dict(os.environ),
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
        finally:
            for name, handler in handlers.items():
                signal.signal(getattr(signal, name), handler)
    out, err = (stream.buffer.getvalue().decode().replace("\r\n", "\n") for stream in streams)  # type: ignore[attr-defined]
    assert code is None or isinstance(code, int)
    return subprocess.CompletedProcess(line, code or 0, out, err)


def run_process(*words: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, as a person does."""
    line = [sys.executable, "-m", "withhold", *map(str, words)]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True)
