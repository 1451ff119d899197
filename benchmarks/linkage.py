"""Linkage by compatibility and releases read together: 1 M x 8 rows, beside one GROUP BY over the same columns.

The people are drawn from eight columns of 40 to 4 values. One release blanks cells at random, as record risk does; one
publishes boxes, as local recoding does. `together` reads the second with another one of the same people.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

import withhold as wh
from benchmarks._measure import in_child, peak_mb
from withhold.auditing import Sight
from withhold.auditing.candidates import find_candidates
from withhold.engines import open_coded
from withhold.table import Table

SIZES = (40, 30, 20, 12, 8, 6, 5, 4)
NAMES = tuple(f"c{i}" for i in range(len(SIZES)))


def run(*, data: Path | None, quick: bool = False) -> None:
    """Measure and print everything."""
    del data
    for n_rows in (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000):
        for kind in ("blanks", "boxes"):
            m = in_child(measure_candidates, n_rows, kind)
            print(
                f"candidates {n_rows:>9,} x {len(SIZES)}, {kind}: {m['seconds']:.1f} s ({m['cpu']:.1f} of it computing), GROUP BY {m['group']:.2f} s, "
                f"ratio {m['seconds'] / m['group']:.0f}; {m['single']:,} could be one row, register {m['register']:,}; "
                f"peak {m['peak']:.0f} MB {m['note']}"
            )
        m = in_child(measure_together, n_rows)
        print(
            f"together   {n_rows:>9,} x {len(SIZES)}: {m['seconds']:.1f} s ({m['cpu']:.1f} computing), GROUP BY {m['group']:.2f} s, ratio "
            f"{m['seconds'] / m['group']:.0f}; {m['exposed']:,} rows exposed; peak {m['peak']:.0f} MB"
        )


def people(n_rows: int) -> np.ndarray:
    """Return the codes of people, rows by columns; skewed, so that some are rare."""
    rng = np.random.default_rng(7)
    return np.column_stack([(rng.beta(1, 2, n_rows) * size).astype(np.int64) for size in SIZES])


def blanks(codes: np.ndarray) -> tuple[dict[str, list[str]], dict[str, np.ndarray]]:
    """Return a release that blanks one cell in ten."""
    rng = np.random.default_rng(8)
    texts = {name: [*map(str, range(size)), "*"] for name, size in zip(NAMES, SIZES, strict=True)}
    is_blank = rng.random(codes.shape) < 0.1
    return texts, {n: np.where(is_blank[:, i], SIZES[i], codes[:, i]) for i, n in enumerate(NAMES)}


def boxes(codes: np.ndarray, k: int = 10, shift: int = 0) -> tuple[dict[str, list[str]], dict[str, np.ndarray]]:
    """Return a release in boxes of `k` people who stand beside each other when sorted by some columns."""
    order = np.lexsort([codes[:, (i + shift) % len(SIZES)] for i in reversed(range(len(SIZES)))])
    starts = np.arange(0, len(codes) - len(codes) % k, k)
    place = np.empty(len(codes), dtype=np.int64)
    place[order] = np.minimum(np.arange(len(codes)) // k, starts.size - 1)
    low = np.minimum.reduceat(codes[order], starts)[place]
    high = np.maximum.reduceat(codes[order], starts)[place]
    texts, cells = {}, {}
    for i, name in enumerate(NAMES):
        pairs, cells[name] = np.unique(low[:, i] * 100 + high[:, i], return_inverse=True)
        texts[name] = [
            f"[{pair // 100}, {pair % 100}]" if pair // 100 != pair % 100 else str(pair % 100) for pair in pairs
        ]
    return texts, cells


def original(codes: np.ndarray) -> Table:
    texts = {name: list(map(str, range(size))) for name, size in zip(NAMES, SIZES, strict=True)}
    return Table(open_coded(texts, {name: codes[:, i] for i, name in enumerate(NAMES)}))


def policy() -> wh.Policy:
    return wh.Policy([wh.Anonymity(columns=list(NAMES), k=10)])


def measure_candidates(n_rows: int, kind: str) -> dict[str, Any]:
    find(blanks, 1_000)  # loads what is compiled
    found, seconds, cpu, group = find(blanks if kind == "blanks" else boxes, n_rows)
    return {
        "seconds": seconds,
        "cpu": cpu,
        "group": group,
        "single": found.single,
        "register": found.register_single if found.register_single is not None else -1,
        "note": found.note,
        "peak": peak_mb(),
    }


def find(make: Any, n_rows: int) -> tuple[Any, float, float, float]:
    codes = people(n_rows)
    source = open_coded(*make(codes))
    sight = Sight(source, policy(), original(codes))
    begin = time.perf_counter()
    source.small_groups(NAMES, 10)
    group = time.perf_counter() - begin
    begin, cpu = time.perf_counter(), time.process_time()
    (found,) = find_candidates(sight, rng=np.random.default_rng(0))
    return found, time.perf_counter() - begin, time.process_time() - cpu, group


def measure_together(n_rows: int) -> dict[str, Any]:
    codes = people(n_rows)
    new, old = (Table(open_coded(*boxes(codes, shift=shift))) for shift in (0, 3))
    begin = time.perf_counter()
    new.store.small_groups(NAMES, 10)  # type: ignore[attr-defined]
    group = time.perf_counter() - begin
    begin, cpu = time.perf_counter(), time.process_time()
    found = wh.audit(new, policy(), original=original(codes), earlier=[old], attack=False)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    assert found.together is not None
    exposed = sum(int(str(each.details["rows_in_small_groups"])) for each in found.together.exposed)
    return {"seconds": seconds, "cpu": cpu, "group": group, "exposed": exposed, "peak": peak_mb()}
