"""``python -m tests.chaos --minutes 60``: every kind of bad weather in turn; the log counts what each came to.

Half the time goes to fuzzed readers, each until its share of a million inputs or of the time is used up; then come
random pairs through the command line, and the storms. Exit code 1 where anything failed; inputs that a reader failed on
are kept beside the log.
"""

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.chaos.fuzz import fuzz
from tests.chaos.pairs import pairs
from tests.chaos.storms import STORMS, big, in_folder

INPUTS = {
    "policy": 450_000,
    "tree-csv": 350_000,
    "tree-json": 150_000,
    "tree-toml": 100_000,
    "sidecar": 50_000,
    "csv": 50_000,
    "parquet": 50_000,
}
"""At most so many; a million in an hour, more where reading is quick."""


def main() -> int:
    """Run everything; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", nargs="*", default=[], help="names of readers and storms, and pairs")
    parser.add_argument("--big", action="store_true", help="also a file of 20 GB on 4 GB of memory")
    parser.add_argument("--log", type=Path, default=Path("chaos.log"))
    asked = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 30) if asked.seed is None else asked.seed
    n_failed = 0
    with asked.log.open("w", encoding="utf-8") as log:

        def say(line: str) -> None:
            print(line, flush=True)
            log.write(line + "\n")
            log.flush()

        say(f"seed {seed}, {asked.minutes:g} minutes")
        for name, found, seconds in _weather(asked, seed):
            is_failed = any(not _is_fine(outcome) for outcome in found)
            n_failed += is_failed
            say(f"{name}: {sum(found.values()):,} tries in {seconds:.0f} s{'  FAILED' if is_failed else ''}")
            for outcome, n in found.most_common():
                say(f"    {n:>9,}  {outcome}")
        say("every outcome is as it should be" if not n_failed else f"{n_failed} kinds of weather did damage")
    return 1 if n_failed else 0


def _is_fine(outcome: str) -> bool:
    return "FAILED" not in outcome


def _weather(asked: argparse.Namespace, seed: int) -> Iterator[tuple[str, Counter[str], float]]:
    rng, total = random.Random(seed), asked.minutes * 60
    readers = [name for name in INPUTS if not asked.only or name in asked.only]
    for number, name in enumerate(readers):
        begin = time.monotonic()
        seconds = total / 2 / len(INPUTS) if not asked.only else total / len(asked.only)
        outcomes, failures = fuzz(name, seconds=seconds, most=INPUTS[name], seed=seed + number)
        for place, (says, data) in enumerate(failures):
            kept = asked.log.with_name(f"{asked.log.name}.{name}-{place}")
            kept.write_bytes(data)
            kept.with_name(f"{kept.name}.txt").write_text(says, encoding="utf-8")
        fine = ("read", "refused")
        found = Counter({key if key in fine else f"FAILED: {key}": n for key, n in outcomes.items() if n})
        yield f"reader {name}", found, time.monotonic() - begin
    if not asked.only or "pairs" in asked.only:
        begin = time.monotonic()
        yield "pairs", _apart(partial(pairs, total / 10, rng)), time.monotonic() - begin
    for name, storm in {**STORMS, **({"big": big} if asked.big else {})}.items():
        if not asked.only or name in asked.only or name == "big":
            begin = time.monotonic()
            share = total / 5 if name == "kills" else total / 5 / len(STORMS)
            yield name, _apart(partial(in_folder, storm, rng, share)), time.monotonic() - begin


def _apart(work: Callable[[], Counter[str]]) -> Counter[str]:
    """Do something in a process of its own: this one starts others, so it must never have threads of the engine."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        try:
            sender.send(work())
        except BaseException as error:
            sender.send(Counter({f"FAILED: {type(error).__name__}: {error}": 1}))
        finally:
            os._exit(0)
    sender.close()
    try:
        found: Counter[str] = receiver.recv()
    except EOFError:
        found = Counter({"FAILED: ended without a word": 1})
    os.waitpid(child, 0)
    return found


if __name__ == "__main__":
    sys.exit(main())
