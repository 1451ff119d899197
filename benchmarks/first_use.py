"""What first use costs: ``python -m benchmarks.first_use [KIND]... [--kernels] [--native]``.

Each kind is warmed twice in a process of its own: from an empty cache, and again. The difference of the CPU seconds is
what a user waits for once, or in each fresh container. ``--kernels`` lists what each kernel takes to compile.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter

WARM = "import sys; from withhold.cli import main; sys.argv = ['withhold', 'warm', '--quiet', {kind!r}]; main()"
LISTED = """
import atexit, json, sys
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    try:
        exec({code!r})
    except SystemExit:
        pass
began = {{}}
spans = []
for when, each in recorder.buffer:
    where = each.data["dispatcher"].py_func
    name = where.__module__.removeprefix("withhold.") + "." + where.__name__
    if each.is_start:
        began.setdefault(name, []).append([when, 0.0])
    elif each.is_end:
        start, inside = began[name].pop()
        took = when - start
        for other in began.values():
            for span in other:
                span[1] += took
        spans.append((name, took - inside))
print(json.dumps(spans))
"""


def cpu_of(code: str, cache: str) -> tuple[float, str]:
    """Return the CPU seconds of a process, those of its children included, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    where = {**os.environ, "NUMBA_CACHE_DIR": cache}
    out = subprocess.run([sys.executable, "-c", code], env=where, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def kernels_of(kind: str) -> None:
    """Print the CPU seconds and the number of signatures of each kernel, longest first; callees are not counted twice."""
    with tempfile.TemporaryDirectory() as cache:
        _, out = cpu_of(LISTED.format(code=WARM.format(kind=kind)), cache)
    spent: Counter[str] = Counter()
    number: Counter[str] = Counter()
    for name, took in json.loads(out.splitlines()[-1]):
        spent[name] += took
        number[name] += 1
    for name, took in spent.most_common():
        print(f"  {took:7.2f} s  {number[name]:2d} signatures  {name}")


def main() -> None:
    """Print a table of the kinds."""
    from withhold.requirements import KINDS

    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_use", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("--kernels", action="store_true", help="list what each kernel takes")
    options = parser.parse_args()
    for kind in options.kinds:
        with tempfile.TemporaryDirectory() as cache:
            cold, _ = cpu_of(WARM.format(kind=kind), cache)
            warm, _ = cpu_of(WARM.format(kind=kind), cache)
        print(f"{kind}: first {cold:.1f}, then {warm:.1f} CPU s; {cold - warm:.1f} over a warm start", flush=True)
        if options.kernels:
            kernels_of(kind)


if __name__ == "__main__":
    main()
