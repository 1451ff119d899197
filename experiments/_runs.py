"""Run an experiment: keep its raw results beside a manifest, resume what was stopped, leave what is finished."""

import hashlib
import importlib.metadata
import json
import platform
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import withhold
from experiments._registry import Context, Experiment, Results, Spec

__all__ = ["Plan", "Stored", "missing_data", "perform", "plan_of", "read"]

PACKAGES = ("numpy", "duckdb", "scikit-learn")
UNKNOWN = "an unknown commit"
SAID_AGAIN = 15.0
"""How many seconds a part may take before its end is reported."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What a run will do; two plans that agree give the same results."""

    name: str
    """The experiment."""
    quick: bool
    """Whether it is a quick run."""
    parameters: Results
    """The parameters of this run."""
    seeds: tuple[int, ...]
    """The seeds of this run."""
    data: dict[str, str]
    """The SHA-256 of each data file."""
    version: str
    """The version of withhold."""
    code: str | None = None
    """The commit of the code, with a mark where files differ from it; None outside a repository."""

    @property
    def fingerprint(self) -> str:
        """A short name of the plan. A commit changes nothing here: most leave the results as they are."""
        asked = (self.name, self.quick, self.parameters, self.seeds, self.data, self.version)
        return hashlib.sha256(_text(asked).encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """What a finished run left."""

    results: Results
    """The raw results."""
    manifest: Results
    """How they came about."""


def missing_data(spec: Spec, data: Path) -> list[str]:
    """Return the data files that are not there."""
    return [name for name in spec.data if not (data / name).is_file()]


def plan_of(spec: Spec, data: Path, *, quick: bool) -> Plan:
    """Return what a run of an experiment will do."""
    changed = dict(spec.quick) if quick else {}
    seeds = tuple(changed.pop("seeds", spec.seeds))
    files = {name: hashlib.sha256((data / name).read_bytes()).hexdigest() for name in spec.data}
    parameters = json.loads(_text({**spec.parameters, **changed}))
    return Plan(
        name=spec.name,
        quick=quick,
        parameters=parameters,
        seeds=seeds,
        data=files,
        version=withhold.__version__,
        code=_code(),
    )


def _code() -> str | None:
    """Return the commit of the code that runs, with a mark where it was changed since."""
    git = ["git", "-C", str(Path(__file__).resolve().parents[1])]
    try:
        commit = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, check=True, text=True)
        status = [*git, "status", "--porcelain", "--", "src", "experiments", "benchmarks"]
        changed = subprocess.run(status, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit.stdout.strip() + (", changed" if changed.stdout.strip() else "")


def read(folder: Path) -> Stored | None:
    """Return what a finished run left in a folder, or None."""
    results, manifest = folder / "results.json", folder / "manifest.json"
    if not (results.is_file() and manifest.is_file()):
        return None
    return Stored(results=json.loads(results.read_text("utf-8")), manifest=json.loads(manifest.read_text("utf-8")))


def perform(
    experiment: Experiment, plan: Plan, *, data: Path, folder: Path, say: Callable[[str], None], again: bool = False
) -> bool:
    """Run an experiment and keep what it gives; return False where a finished run of the same plan is there."""
    stored = None if again else read(folder)
    if stored is not None and stored.manifest.get("fingerprint") == plan.fingerprint:
        if (code := stored.manifest.get("code")) != plan.code:
            say(f"it ran with the code of {code or UNKNOWN}, not {plan.code}; --again runs it once more")
        return False
    parts = _Parts(folder=folder / "parts", fingerprint=plan.fingerprint, code=plan.code, say=say)
    if again:
        parts.forget()
    context = Context(data=data, parameters=plan.parameters, seeds=plan.seeds, say=say, part=parts)
    begin = time.perf_counter()
    results = experiment.run(context)
    seconds = time.perf_counter() - begin + parts.saved
    # A manifest says that the results beside it are whole: it goes first and comes last.
    (folder / "manifest.json").unlink(missing_ok=True)
    _write(folder / "results.json", results)
    _write(folder / "manifest.json", _manifest(plan, seconds, parts.codes))
    parts.forget()
    return True


@dataclass(kw_only=True, slots=True)
class _Parts:
    """The parts of a run, kept one by one so that a stopped run resumes."""

    folder: Path
    fingerprint: str
    code: str | None
    say: Callable[[str], None]
    saved: float = field(default=0.0, init=False)
    codes: set[str] = field(default_factory=set, init=False)

    def __call__(self, key: str, work: Callable[[], Any]) -> Any:
        path = self.folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', key)}.json"
        kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        if kept.get("fingerprint") == self.fingerprint and kept.get("key") == key:
            self.saved += kept["seconds"]
            if kept.get("code") != self.code:
                self.codes.add(kept.get("code") or UNKNOWN)
                self.say(f"{key}: kept from the code of {kept.get('code') or UNKNOWN}, not {self.code}")
            return kept["result"]
        begin = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - begin
        stored = {"fingerprint": self.fingerprint, "key": key, "code": self.code, "seconds": seconds}
        _write(path, stored | {"result": result})
        if seconds > SAID_AGAIN:
            self.say(f"{key}: {seconds:.0f} s")
        return json.loads(path.read_text("utf-8"))["result"]

    def forget(self) -> None:
        """Delete every part."""
        for path in self.folder.glob("*.json"):
            path.unlink()
        if self.folder.is_dir():
            self.folder.rmdir()


def _manifest(plan: Plan, seconds: float, other: set[str]) -> Results:
    return {
        "experiment": plan.name,
        "fingerprint": plan.fingerprint,
        "code": " and ".join(sorted({plan.code or UNKNOWN} | other)) if plan.code or other else None,
        "quick": plan.quick,
        "parameters": plan.parameters,
        "seeds": plan.seeds,
        "data": plan.data,
        "versions": {"withhold": plan.version, "python": platform.python_version()}
        | {name: _version(name) for name in PACKAGES},
        "seconds": round(seconds, 2),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _write(path: Path, value: Any) -> None:
    """Write JSON in one step: a stopped run leaves no half of a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    beside.write_text(_text(value, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def _text(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False, default=_plain)


def _plain(value: Any) -> Any:
    """Return a number or an array of NumPy, or another mapping, as plain Python."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "items"):
        return dict(value)
    raise TypeError(f"An experiment must return what JSON can hold; got {type(value).__name__}.")
