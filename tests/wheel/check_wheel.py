"""Build the package, install it in an empty environment without the repository, and use it there: ``make dist-check``.

What it shows is printed, line by line: sizes, times, kernels. It ends with 1 at the first thing that is wrong.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "src" / "withhold" / "_kernels"
DEFAULT_EXTRAS = ""
MOST_MB = 400
MOST_SECONDS_OVER_WARM = 5.0
MOST_START = 0.1
KINDS = ("anonymity", "template", "hidden", "risk", "diversity", "closeness")
CORE = ("tests/golden", "tests/policy", "tests/test_release.py", "tests/test_compiled.py", "tests/test_stability.py")
POLICY = 'drop = ["name"]\n[[require]]\nkind = "anonymity"\ncolumns = ["age", "sex", "postcode"]\nk = 5\n'


def main() -> None:
    """Build, install, use."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="a wheel that was built before")
    parser.add_argument("--without-tests", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="withhold-dist-") as name:
        work = Path(name)
        sdist, wheel = (None, options.wheel) if options.wheel else build(work)
        python = install(work, wheel)
        starts_quickly(python, work)
        releases_without_the_repository(python, work)
        compiles_nothing(python, work)
        if sdist is not None and not options.without_tests:
            passes_its_core(python, work, sdist)
    say("the wheel works without the repository")


def build(work: Path) -> tuple[Path, Path]:
    """Build an sdist, and from it alone a wheel with kernels and one without."""
    python = environment(work / "building")
    pip(python, "hatchling>=1.26", *dependencies())
    out = work / "dist"
    run([python, "-m", "hatchling", "build", "-t", "sdist", "-d", str(out)], cwd=ROOT)
    (sdist,) = out.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(work / "source", filter="data")
    (source,) = (work / "source").iterdir()
    hatch = [python, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    run(hatch, cwd=source)
    if KERNELS.is_dir():  # of `make setup`; a stamp decides whether they fit, others are compiled
        shutil.copytree(KERNELS, source / KERNELS.relative_to(ROOT))
    begin = cpu()
    run(hatch, cwd=source, WITHHOLD_KERNELS="1")
    say(f"the wheel with kernels took {cpu() - begin:.0f} CPU s")
    pure, native = sorted(out.glob("*.whl"), key=lambda path: not path.name.endswith("none-any.whl"))
    require(pure.name.endswith("py3-none-any.whl"), "a wheel without kernels serves every platform")
    require("none-any" not in native.name, "a wheel with kernels names its platform")
    for path in (sdist, pure, native):
        say(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    return sdist, native


def dependencies() -> list[str]:
    """Return what the package needs at run time."""
    import tomllib

    with (ROOT / "pyproject.toml").open("rb") as file:
        found = tomllib.load(file)["project"]["dependencies"]
    return [str(each) for each in found]


def install(work: Path, wheel: Path) -> str:
    """Install the wheel in an empty environment, and look at the size of what came."""
    python = environment(work / "empty")
    before = size_mb(work / "empty")
    pip(python, f"{wheel}{DEFAULT_EXTRAS}")
    packages = next((work / "empty").rglob("site-packages"))
    whole = size_mb(work / "empty") - before
    sizes = sorted(((size_mb(path), path.name) for path in packages.iterdir()), reverse=True)
    say(f"installed: {whole:.0f} MB; " + ", ".join(f"{name} {size:.0f}" for size, name in sizes[:6]))
    require(whole < MOST_MB, f"the installation stays below {MOST_MB} MB")
    return python


def starts_quickly(python: str, work: Path) -> None:
    """Compare an import and the help with a Python that does nothing."""
    for what, code in (("import withhold", ["-c", "import withhold"]), ("--help", ["-m", "withhold", "--help"])):
        took = quickest([python, *code], work) - quickest([python, "-c", "pass"], work)
        say(f"{what}: {took:.3f} CPU s over an empty Python")
        require(took < MOST_START, f"{what} takes less than {MOST_START} s")


def releases_without_the_repository(python: str, work: Path) -> None:
    """Release, audit and check exit codes in a folder of its own."""
    folder = work / "clinic"
    folder.mkdir()
    run([python, "-m", "withhold", "demo", "--help"], cwd=folder)
    made = (
        "from pathlib import Path; from withhold.cli.demo import write_clinic; write_clinic(Path(), rows=300, seed=0)"
    )
    run([python, "-c", made], cwd=folder)
    (folder / "own.toml").write_text(POLICY, encoding="utf-8")
    release = [python, "-m", "withhold", "release", "patients.csv", "--policy", "own.toml", "--out", "out.csv"]
    run(release, cwd=folder)
    run([python, "-m", "withhold", "audit", "out.csv", "--policy", "own.toml", "--checks-only"], cwd=folder)
    wrong = subprocess.run([*release[:4], "absent.csv", *release[5:]], cwd=folder, capture_output=True, check=False)
    require(wrong.returncode == 2, "bad input ends with 2")


def compiles_nothing(python: str, work: Path) -> None:
    """Use every kind from an empty cache: nothing is compiled, and it takes no longer than again."""
    for kind in KINDS:
        cache = work / "caches" / kind
        cache.mkdir(parents=True)
        warm = [python, "-m", "withhold", "warm", "--quiet", kind]
        first, again = (spent(warm, work, NUMBA_CACHE_DIR=str(cache)) for _ in range(2))
        compiled = [path.name for path in cache.rglob("*") if path.is_file()]
        say(f"{kind}: {first:.1f} CPU s, then {again:.1f}; {len(compiled)} kernels compiled")
        require(not compiled, f"the wheel holds every kernel; not {', '.join(compiled)}")
        require(first - again < MOST_SECONDS_OVER_WARM, f"{kind} is ready at once")


def passes_its_core(python: str, work: Path, sdist: Path) -> None:
    """Run the core of the tests out of the sdist, with the package that was installed."""
    (source,) = (work / "source").iterdir()
    shutil.rmtree(source / "src")
    pip(python, "hypothesis", "jsonschema", "pandas", "polars", "pyarrow", "pytest")
    tests = [name for name in CORE if (source / name).exists()]
    run([python, "-m", "pytest", "-q", *tests], cwd=source)


def environment(folder: Path) -> str:
    """Return the Python of a new environment."""
    venv.create(folder, with_pip=True)
    return str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")


def pip(python: str, *what: str) -> None:
    """Install with the versions that the project pins."""
    quiet = ["--quiet", "--quiet", "--disable-pip-version-check"]
    run([python, "-m", "pip", "install", *quiet, "--constraint", str(ROOT / "constraints.txt"), *what], cwd=ROOT)


def run(command: Sequence[str], *, cwd: Path, **variables: str) -> None:
    """Run a command without the repository in reach of its imports; end where it fails."""
    where = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    done = subprocess.run(command, cwd=cwd, env=where, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"dist-check: failed: {' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")


def spent(command: Sequence[str], cwd: Path, **variables: str) -> float:
    """Return the CPU seconds of a command."""
    begin = cpu()
    run(command, cwd=cwd, **variables)
    return cpu() - begin


def quickest(command: Sequence[str], cwd: Path) -> float:
    """Return the fewest CPU seconds of five runs."""
    return min(spent(command, cwd) for _ in range(5))


def cpu() -> float:
    """Return the CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def size_mb(path: Path) -> float:
    """Return the size of a file, or of all files of a folder."""
    return sum(each.stat().st_size for each in files(path)) / 1e6


def files(path: Path) -> Iterator[Path]:
    """Yield the files of a folder, links left out."""
    for each in (path, *path.rglob("*")):
        if each.is_file() and not each.is_symlink():
            yield each


def say(text: str) -> None:
    """Print a line at once."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def require(holds: bool, what: str) -> None:
    """End where something does not hold."""
    if not holds:
        raise SystemExit(f"dist-check: not so: {what}")


if __name__ == "__main__":
    sys.exit(main())
