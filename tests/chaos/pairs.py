"""Random tables and policies through the command line; each release is judged by the oracle, which was written apart."""

import csv
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from click.testing import CliRunner
from tests.equivalence.mixtures.generate import Case, case_of, policy_text
from tests.equivalence.mixtures.oracle import violations

from withhold.cli._main import cli
from withhold.errors import WithholdError

__all__ = ["one_pair", "pairs"]


def pairs(seconds: float, rng: random.Random, most: int = 100_000) -> Counter[str]:
    """Return what random pairs came to."""
    found, end = Counter[str](), time.monotonic() + seconds
    for _ in range(most):
        if time.monotonic() > end:
            break
        seed = rng.randrange(1 << 30)
        outcome = one_pair(seed)
        found[outcome if not outcome.startswith("FAILED") else f"{outcome} (seed {seed})"] += 1
    return found


def one_pair(seed: int) -> str:
    """Release the case of a seed by the command line; return what it came to."""
    case = case_of(seed)
    with tempfile.TemporaryDirectory(prefix="pair-") as name:
        folder = Path(name)
        source, policy, out = folder / "table.csv", folder / "policy.toml", folder / "out.csv"
        _write(case, source, policy)
        words = ["release", str(source), "--policy", str(policy), "--out", str(out), "--quiet", "--seed", "1"]
        error = CliRunner().invoke(cli, words).exception
        left = sorted(path.name for path in folder.glob(".*"))
        if left:
            return "FAILED: something is left behind"
        if isinstance(error, WithholdError):
            return f"exit {error.exit_code}" if not out.exists() else "FAILED: refused, and published"
        if error is not None and not (isinstance(error, SystemExit) and not error.code):
            return f"FAILED: {type(error).__name__}"
        with out.open(newline="", encoding="utf-8") as file:
            published = list(csv.DictReader(file))
        return "FAILED: the oracle refutes it" if violations(case.rows, published, case.policy) else "met"


def _write(case: Case, source: Path, policy: Path) -> None:
    with source.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(case.rows[0]))
        writer.writeheader()
        writer.writerows(case.rows)
    policy.write_text(policy_text(case.policy), encoding="utf-8")
