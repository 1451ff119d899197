"""What may go wrong around a run: kills, disks, folders, files, clocks, limits, another run, odd tables.

Every storm returns how many tries came to what; a key that starts with ``FAILED`` is a failure.
"""

import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from withhold._fingerprint import fingerprint
from withhold._staging import Staging
from withhold.cli.demo import write_clinic
from withhold.record import Record
from withhold.report import read_making

__all__ = ["STORMS", "Storm"]

Outcomes = Counter[str]
Storm = Callable[[Path, random.Random, float], Outcomes]
OLD = "as it was\n"
NO_TRACE = ("Traceback", "unexpected ")
N_KILLS = 200


def run(*words: object, before: Callable[[], None] | None = None, most: float = 600.0) -> tuple[int, str]:
    """Run the command line; return its exit code and what it said on its error stream."""
    command = [sys.executable, "-m", "withhold", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=before, timeout=most, check=False)
    return done.returncode, done.stderr


def clinic(folder: Path, rows: int = 400) -> tuple[Path, Path]:
    """Write a table and a policy."""
    data = write_clinic(folder, rows=rows, seed=0)
    return data, folder / "policy.toml"


def judged(code: int, said: str, folder: Path, out: Path, *, codes: Sequence[int] = (0, 1, 2, 3)) -> str:
    """Return what a run came to, or how it failed: a trace, a foreign exit code, something left, half a release."""
    if any(mark in said for mark in NO_TRACE) or code not in codes:
        return f"FAILED: exit {code}: {said.strip()[-200:]}"
    if list(folder.glob(".*withhold-*")):
        return f"FAILED: exit {code}: something is left behind"
    return state_of(out) or f"exit {code}"


def state_of(out: Path) -> str:
    """Return what is wrong with a destination: it must be as it was, absent, or a whole release."""
    if not out.exists() or out.read_bytes() == OLD.encode():
        return ""
    made: Record | None = read_making(out)
    return "" if made is not None and made.sha256 == fingerprint(out) else "FAILED: half a release"


def forked(work: Callable[[], object]) -> int:
    """Start a process that has everything imported already; return its id."""
    child = os.fork()
    if child:
        return child
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        try:
            work()
        finally:
            os._exit(0)


def _command(words: Sequence[str]) -> Callable[[], object]:
    from withhold.cli._main import cli

    return lambda: cli.main(list(words), standalone_mode=False)


def _bench(data: Path, out: Path, private: Path) -> Callable[[], object]:
    def work() -> None:
        from withhold.workbench import Bench

        private.mkdir(exist_ok=True, mode=0o700)
        bench = Bench(private)
        bench.open(data).wait()
        for name in ("insurance", "admission", "stay_days", "diagnosis"):
            bench.set_role(name, "keep")
        bench.set_field(0, "k", 5)
        bench.start_run(is_playing=True).wait(600)
        bench.start_publish(out).wait()

    return work


def kills(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Kill release, audit and workbench at random moments: the destination is as before or whole, nothing is readable."""
    found, end = Outcomes(), time.monotonic() + seconds
    data, policy = clinic(folder)
    place = folder / "out"
    place.mkdir()
    out, page = place / "out.csv", place / "page.html"
    release = folder / "release.csv"
    run("release", data, "--policy", policy, "--out", release, "--quiet")
    audit = ["audit", str(release), "--policy", str(policy), "--original", str(data), "--report", str(page)]
    works = {
        "release": _command(["release", str(data), "--policy", str(policy), "--out", str(out), "--report", str(page)]),
        "audit": _command(audit),
        "workbench": _bench(data, out, folder / "private"),
    }
    longest = {name: _duration(work) for name, work in works.items()}
    for number in range(N_KILLS):
        if time.monotonic() > end:
            break
        name = list(works)[number % 3]
        shutil.rmtree(place)
        place.mkdir()
        if rng.random() < 0.5:
            out.write_text(OLD, encoding="utf-8")
        child = forked(works[name])
        time.sleep(rng.random() * longest[name])
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found[f"{name}: {_after_kill(place, out, page)}"] += 1
    return found


def _duration(work: Callable[[], object]) -> float:
    begin = time.monotonic()
    os.waitpid(forked(work), 0)
    return time.monotonic() - begin


def _after_kill(place: Path, out: Path, page: Path) -> str:
    """Return what a kill left, once the next run for the same places has begun."""
    was_whole = out.exists() and out.read_bytes() != OLD.encode()
    for path in place.rglob("*"):
        is_public = path == out or path.name.endswith((".codebook.csv", "release.csv", "codebook.csv"))
        is_open = path.is_file() and path.parent == place and stat.S_IMODE(path.stat().st_mode) & 0o077
        if is_open and not is_public:
            return f"FAILED: {path.name} is readable by others"
        if path.is_dir() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            return "FAILED: a private folder is open to others"
    for each in (out, page, out.with_name(f"{out.name}.audit.html")):
        os.waitpid(forked(lambda each=each: Staging(each).__enter__().__exit__(None, None, None)), 0)  # type: ignore[misc]
    if list(place.glob(".*withhold-*")):
        return "FAILED: something is left behind"
    wrong = state_of(out)
    return wrong or ("whole" if was_whole else "as before, or ended by the next run")


def full_disk(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Publish to a small disk that fills at another place each time."""
    found, end = Outcomes(), time.monotonic() + seconds
    data, policy = clinic(folder, 2_000)
    place = folder / "small"
    place.mkdir()
    if os.geteuid() != 0:
        return Outcomes({"skipped: mounting needs root": 1})
    for kilobytes in (64, 128, 192, 256, 320, 400, 512, 800, 1_200, 2_000, 4_000):
        if time.monotonic() > end:
            break
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)], capture_output=True, check=False
        )
        if mounted.returncode:
            return Outcomes({"skipped: nothing can be mounted here": 1})
        try:
            out = place / "out.csv"
            page = ("--report", place / "page.html")
            code, said = run("release", data, "--policy", policy, "--out", out, *page, "--quiet")
            found[judged(code, said, place, out)] += 1
        finally:
            subprocess.run(["umount", str(place)], check=False)
    return found


def limited_files(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Let files grow only so far, as a quota does."""
    found, end = Outcomes(), time.monotonic() + seconds
    data, policy = clinic(folder, 2_000)
    for _ in range(12):
        if time.monotonic() > end:
            break
        most = rng.choice((1_000, 5_000, 20_000, 100_000, 150_000, 400_000))
        out = folder / "limited.csv"
        limit = lambda most=most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
        code, said = run("release", data, "--policy", policy, "--out", out, "--quiet", before=limit)
        found[judged(code, said, folder, out)] += 1
    return found


def little_memory(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Give a run less memory than it may need (`ulimit -v`)."""
    found, end = Outcomes(), time.monotonic() + seconds
    data, policy = clinic(folder, 20_000)
    for megabytes in (600, 1_900, 2_048, 2_400, 4_000):
        if time.monotonic() > end:
            break
        most = megabytes << 20
        out = folder / "little.csv"
        limit = lambda most=most: resource.setrlimit(resource.RLIMIT_AS, (most, most))  # noqa: E731
        code, said = run("release", data, "--policy", policy, "--out", out, "--quiet", before=limit)
        # Libraries that cannot even be loaded end the process before the first line of ours.
        is_early = "withhold:" not in said and code != 0
        found["ended while libraries were loaded" if is_early else judged(code, said, folder, out)] += 1
    return found


def closed_folders(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Name destinations that cannot be written, and inputs that are no files."""
    data, policy = clinic(folder)
    found = Outcomes()
    for out in (Path("/proc/out.csv"), Path("/sys/out.csv"), folder / "no" / "such.csv", folder, data / "out.csv"):
        code, said = run("release", data, "--policy", policy, "--out", out, "--quiet")
        is_refused = code == 2 and said.startswith("withhold: ") and "Traceback" not in said
        found["refused" if is_refused else f"FAILED: {out}: exit {code}: {said[-200:]}"] += 1
    return found


def vanished_files(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Take the input away, cut it short or exchange it while it is read."""
    found, end = Outcomes(), time.monotonic() + seconds
    first, policy = clinic(folder, 3_000)
    original = first.read_bytes()
    for number in range(12):
        if time.monotonic() > end:
            break
        data = folder / f"vanishing{number}.csv"
        data.write_bytes(original)
        actions = (data.unlink, lambda data=data: os.truncate(data, 1_000), lambda data=data: data.write_bytes(b"x"))
        timer = threading.Timer(rng.random() * 4, actions[number % 3])
        timer.start()
        out = folder / f"vanished{number}.csv"
        code, said = run("release", data, "--policy", policy, "--out", out, "--quiet")
        timer.join()
        found[judged(code, said, folder, out)] += 1
    return found


JUMPING = """
import itertools, random, sys, time
real, rng = time.time, random.Random(int(sys.argv.pop(1)))
time.time = lambda: real() + rng.choice((-1e9, -3600.0, 0.0, 3600.0, 1e9))
time.time_ns = lambda: int(time.time() * 1e9)
from withhold.cli import main
main()
"""


def clock_jumps(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Let the clock jump back and forth at every look."""
    found, end = Outcomes(), time.monotonic() + seconds
    data, policy = clinic(folder)
    for number in range(5):
        if time.monotonic() > end:
            break
        out = folder / f"jumped{number}.csv"
        words = [sys.executable, "-c", JUMPING, str(number), "release", str(data)]
        words += ["--policy", str(policy), "--out", str(out), "--quiet"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
        found[judged(done.returncode, done.stderr, folder, out, codes=(0,))] += 1
    return found


def two_runs(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Let two runs publish to one destination at once: one of them is whole there, and its report is its own."""
    found, end = Outcomes(), time.monotonic() + seconds
    data, policy = clinic(folder)
    place = folder / "shared"
    place.mkdir()
    out = place / "out.csv"
    words = ["release", str(data), "--policy", str(policy), "--out", str(out)]
    for _ in range(10):
        if time.monotonic() > end:
            break
        children = [forked(_command([*words, "--seed", str(rng.randrange(99))])) for _ in range(2)]
        for child in children:
            os.waitpid(child, 0)
        left = [path.name for path in place.glob(".*")]
        wrong = "FAILED: something is left behind" if left else state_of(out)
        found[wrong or ("whole" if out.exists() else "FAILED: nothing was published")] += 1
    return found


def odd_tables(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Release 10,000 columns, and a cell of 100 MB."""
    found = Outcomes()
    names = [f"c{i}" for i in range(10_000)]
    wide = folder / "wide.csv"
    lines = [",".join(names), *(",".join(str(rng.randrange(4)) for _ in names) for _ in range(20))]
    wide.write_text("\n".join(lines) + "\n", encoding="utf-8")
    policy = folder / "wide.toml"
    policy.write_text('recoding = "local"\n[[require]]\nkind = "anonymity"\ncolumns = ["c0", "c1"]\nk = 3\n')
    begin = time.monotonic()
    code, said = run("release", wide, "--policy", policy, "--out", folder / "wide-out.csv", "--quiet", most=3_000)
    outcome = judged(code, said, folder, folder / "wide-out.csv")
    found[f"10,000 columns: {outcome} after {time.monotonic() - begin:.0f} s"] += 1
    long = folder / "long.csv"
    with long.open("w", encoding="utf-8") as file:
        file.write("c0,c1,c2\n" + "1,2,3\n" * 20 + "1,2," + "x" * 100_000_000 + "\n")
    code, said = run("release", long, "--policy", policy, "--out", folder / "long-out.csv", "--quiet", most=3_000)
    found[f"a cell of 100 MB: {judged(code, said, folder, folder / 'long-out.csv')}"] += 1
    return found


def big(folder: Path, rng: random.Random, seconds: float) -> Outcomes:
    """Release a file of 20 GB with 4 GB of memory, only where it is asked for: one engine may refuse, a cluster not."""
    path = folder / "big.csv"
    line = lambda: f"{rng.randrange(90)},{rng.choice('fm')},{rng.randrange(1000):03d},{rng.randbytes(90).hex()}\n"  # noqa: E731
    block = "".join(line() for _ in range(100_000))
    with path.open("w", encoding="utf-8") as file:
        file.write("age,sex,region,note\n")
        while file.tell() < 20 << 30:
            file.write(block)
    policy = folder / "big.toml"
    columns = '[[require]]\nkind = "anonymity"\ncolumns = ["age", "sex", "region"]\nk = 10\n'
    policy.write_text(f'drop = ["note"]\n[columns.age]\ntype = "number"\n{columns}', encoding="utf-8")
    words = ("release", path, "--policy", policy, "--quiet", "--out")
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # noqa: E731
    found = Outcomes()
    code, said = run(*words, folder / "o.csv", before=limit, most=7_200)
    found[f"one machine: {judged(code, said, folder, folder / 'o.csv')}: {said.strip()[-120:]}"] += 1
    spark = ("--engine", "spark", "--master", "local[2]", "--conf", "spark.driver.memory=3g")
    begin = time.monotonic()
    code, said = run(*words, folder / "o.parquet", *spark, most=7_200)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    is_fine = code == 0 and most < 4_096
    found[f"{'' if is_fine else 'FAILED: '}Spark: exit {code} after {time.monotonic() - begin:.0f} s, {most:,} MB"] += 1
    return found


STORMS: dict[str, Storm] = {
    "kills": kills,
    "full disk": full_disk,
    "limited files": limited_files,
    "little memory": little_memory,
    "closed folders": closed_folders,
    "vanished files": vanished_files,
    "clock jumps": clock_jumps,
    "two runs": two_runs,
    "odd tables": odd_tables,
}


def in_folder(storm: Storm, rng: random.Random, seconds: float) -> Outcomes:
    """Let a storm pass over a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        return storm(Path(folder), rng, seconds)
