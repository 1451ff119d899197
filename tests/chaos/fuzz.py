"""Fuzz the readers in a process of their own, guided by the lines that an input reaches."""

import mmap
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from tests.chaos.corpus import seeds
from tests.chaos.mutate import mutate, mutate_json
from tests.chaos.readers import read_one

__all__ = ["fuzz"]

MOST_BYTES = 6 << 30
MOST_CPU_SECONDS = 20
"""For one input."""
MOST_WAIT = 300.0
"""Seconds without an input that ended, on however busy a machine, after which a reader hangs."""
TRACED = 16
"""One of this many inputs is traced; one that reaches a new line is kept to make others of."""
MOST_KEPT = 2_000
ROOM = 1 << 20


def fuzz(reader: str, *, seconds: float, most: int, seed: int) -> tuple[Counter[str], list[tuple[str, bytes]]]:
    """Return how many inputs came to what, and the inputs that failed with how they did."""
    outcomes: Counter[str] = Counter()
    failures: list[tuple[str, bytes]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end and sum(outcomes.values()) < most and len(failures) < 20:
        left = most - sum(outcomes.values())
        _one_process(reader, end - time.monotonic(), left, seed + len(failures), outcomes, failures)
    return outcomes, failures


def _one_process(
    reader: str, seconds: float, most: int, seed: int, outcomes: Counter[str], failures: list[tuple[str, bytes]]
) -> None:
    """Fuzz until the time is over or an input fails; what the child was doing stands in shared memory."""
    shared = mmap.mmap(-1, ROOM + 64)
    child = os.fork()
    if child == 0:
        _child(reader, seconds, most, seed, shared)
    status = _wait(child, shared)
    n_read, n_refused, size, kind_size = struct.unpack_from("<4q", shared, 0)
    outcomes["read"] += n_read
    outcomes["refused"] += n_refused
    if status != 0:
        says = (
            bytes(shared[32 + size : 32 + size + kind_size]).decode(errors="replace") or f"ended with status {status}"
        )
        outcomes[says.splitlines()[-1][:80]] += 1
        failures.append((says, bytes(shared[32 : 32 + size])))
    shared.close()


def _wait(child: int, shared: mmap.mmap) -> int:
    before, since = None, time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        now = bytes(shared[:16])
        if now != before:
            before, since = now, time.monotonic()
        elif time.monotonic() - since > MOST_WAIT:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -1
        time.sleep(0.2)


def _child(reader: str, seconds: float, most: int, seed: int, shared: mmap.mmap) -> None:
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        signal.signal(signal.SIGPROF, _too_long)
        shm = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: PTH112
        with tempfile.TemporaryDirectory(dir=shm) as folder:
            code = _loop(reader, Path(folder), seconds, most, random.Random(seed), shared)
    finally:
        os._exit(code)


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {MOST_CPU_SECONDS} CPU seconds")


def _loop(reader: str, folder: Path, seconds: float, most: int, rng: random.Random, shared: mmap.mmap) -> int:
    kept, lines = [*seeds(reader, folder)], set[Any]()
    counts = Counter[str]()
    end = time.monotonic() + seconds
    for number in range(most):
        if time.monotonic() > end:
            break
        data = rng.choice(kept)
        is_json = reader in ("sidecar", "tree-json") and rng.random() < 0.8
        made = mutate_json(data, rng) if is_json else mutate(data, kept, rng)
        made = made[: ROOM // 2]
        struct.pack_into("<4q", shared, 0, counts["read"], counts["refused"], len(made), 0)
        shared[32 : 32 + len(made)] = made
        signal.setitimer(signal.ITIMER_PROF, MOST_CPU_SECONDS)
        try:
            is_new = False
            if number % TRACED == 0:
                outcome, is_new = _traced(reader, made, folder, lines)
            else:
                outcome = read_one(reader, made, folder)
        except BaseException:
            says = traceback.format_exc()[-4_000:].encode()
            struct.pack_into("<q", shared, 24, len(says))
            shared[32 + len(made) : 32 + len(made) + len(says)] = says
            return 1
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        counts[outcome] += 1
        if is_new and len(kept) < MOST_KEPT:
            kept.append(made)
    struct.pack_into("<4q", shared, 0, counts["read"], counts["refused"], 0, 0)
    return 0


def _traced(reader: str, data: bytes, folder: Path, lines: set[Any]) -> tuple[str, bool]:
    """Read an input and note the lines of the package that it reaches."""
    before = len(lines)

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        if "withhold" not in frame.f_code.co_filename:
            return None
        lines.add((frame.f_code, frame.f_lineno))
        return trace

    sys.settrace(trace)
    try:
        outcome = read_one(reader, data, folder)
    finally:
        sys.settrace(None)
    return outcome, len(lines) > before
