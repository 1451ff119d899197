"""Kernels for a common processor beside kernels for this one: ``python -m benchmarks.processors [JOB]...``.

The jobs of `benchmarks.ratios` run twice, each in a process of its own: with the kernels that ``withhold warm --shared``
left in the package, and without them, with such as numba compiles for this processor. What is compiled is not measured.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from withhold._kernel_store import shipped_folder

DEFAULT = ("anonymity local", "anonymity cells", "hidden cells 1", "risk registry")
CODE = """
import json, sys
from pathlib import Path
from withhold import _kernel_store
if sys.argv[1] == "native":
    _kernel_store.shipped_folder = lambda: None
from benchmarks import ratios
chosen = tuple(sys.argv[3:])
found = {name: ratios.measure(name, job, None) for name, job in ratios.jobs(Path(sys.argv[2])) if name.startswith(chosen)}
print(json.dumps(found))
"""


def main() -> None:
    """Print the ratios of each job with both kinds of kernels."""
    if shipped_folder() is None:
        raise SystemExit("processors: there are no shared kernels. Hint: withhold warm --shared.")
    jobs = sys.argv[1:] or DEFAULT
    shared, native = (measured(kernels, jobs) for kernels in ("shared", "native"))
    for name, ratio in shared.items():
        print(f"{name:>24}: shared {ratio:.2f}, native {native[name]:.2f}; {ratio / native[name]:.2f} times")


def measured(kernels: str, jobs: tuple[str, ...] | list[str]) -> dict[str, float]:
    """Return the ratios of jobs in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", CODE, kernels, folder, *jobs]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent)
    found: dict[str, float] = json.loads(out.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
