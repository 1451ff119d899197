"""`withhold warm`: compile now what first use would compile."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from withhold.policy import Policy

__all__ = ["command", "policies_of"]

ROWS = 300
AT_ONCE = 5
"""How many examples of a kind one process compiles; those of a kind share some loops."""
GROUPED: tuple[Literal["local", "global", "levels"], ...] = ("local", "global", "levels")


@click.command(name="warm", short_help="Compile now what first use would compile.")
@click.argument("kinds", nargs=-1, metavar="[KIND]...")
@click.option("--shared", is_flag=True, help="Keep it in the package, for all users and processors of this kind.")
@click.option("--quiet", is_flag=True, help="Print nothing.")
@click.option("--part", type=(int, int), default=(0, 1), hidden=True, help="Which of how many parts of each kind.")
def command(kinds: tuple[str, ...], shared: bool, quiet: bool, part: tuple[int, int]) -> None:
    """Compile the inner loops for requirements of each KIND, or of all kinds, so that the next release starts at once.

    Small releases of a made-up clinic are made in a temporary folder. What is compiled is kept beside the package, in
    the folder that NUMBA_CACHE_DIR names, or in the user's cache, for this processor. With --shared it is compiled for
    what most processors of this kind can do, and kept in the package: run that while an image is built.
    """
    from withhold.requirements import KINDS

    _check(kinds, list(KINDS))
    if shared:
        _compile_shared(kinds, quiet=quiet)
    else:
        _compile_own(kinds or tuple(KINDS), part, quiet=quiet)


def _compile_own(kinds: tuple[str, ...], part: tuple[int, int], *, quiet: bool) -> None:
    import tempfile
    import time
    from itertools import islice

    from withhold.cli._show import progress
    from withhold.cli.demo import write_clinic

    with tempfile.TemporaryDirectory(prefix="withhold-warm-") as name, progress(quiet=quiet) as say:
        patients = write_clinic(Path(name), rows=ROWS, seed=0)
        for kind in kinds:
            begin = time.perf_counter()
            if say is not None:
                say(f"compiling what {kind} needs", None)
            for number, policy in islice(enumerate(policies_of(kind)), part[0], None, part[1]):
                _release(patients, policy, audit=number == 0)
            if not quiet:
                which = kind if part[1] == 1 else f"{kind}, part {part[0] + 1} of {part[1]}"
                click.echo(f"{which}: ready after {time.perf_counter() - begin:.1f} s")


def _compile_shared(kinds: tuple[str, ...], *, quiet: bool) -> None:
    """Compile in processes that numba lets forget their own processor, and move the result into the package."""
    import subprocess
    import tempfile
    from concurrent.futures import ThreadPoolExecutor

    from withhold._kernel_store import baseline, ship

    with tempfile.TemporaryDirectory(prefix="withhold-warm-") as name:
        where = {**os.environ, **baseline(), "NUMBA_CACHE_DIR": name}

        def compile_some(some: tuple[str, ...], part: tuple[int, int]) -> None:
            again = [sys.executable, "-m", "withhold", "warm", *some, *(["--quiet"] if quiet else [])]
            subprocess.run([*again, "--part", *map(str, part)], env=where, check=True)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_some, *zip(*_apart(kinds), strict=True)))
        ship(Path(name))


def _apart(kinds: tuple[str, ...]) -> list[tuple[tuple[str, ...], tuple[int, int]]]:
    """Return kinds that share few loops apart, long ones in parts, so that they can be compiled at the same time."""
    from withhold.requirements import KINDS

    asked = kinds or tuple(KINDS)
    examples = {kind: KINDS[kind].guard.examples() for kind in asked}
    counting = tuple(kind for kind in asked if any(each.refines for each in examples[kind]))
    alone = sorted((kind for kind in asked if kind not in counting), key=lambda kind: -len(examples[kind]))
    parts = {kind: -(-len(examples[kind]) // AT_ONCE) for kind in alone}
    found = [((kind,), (i, parts[kind])) for kind in alone for i in range(parts[kind])]
    return [*found, *([(counting, (0, 1))] if counting else [])]


def _check(kinds: tuple[str, ...], known: list[str]) -> None:
    from withhold.errors import InputError, did_you_mean

    for kind in kinds:
        if kind not in known:
            raise InputError(f'warm: there is no kind "{kind}"{did_you_mean(kind, known)}')


def policies_of(kind: str) -> "Iterator[Policy]":
    """Return policies that between them compile all that a kind needs."""
    from withhold.policy import ColumnSettings, Policy
    from withhold.requirements import KINDS
    from withhold.samples import CLINIC_TAXONOMIES
    from withhold.table import Taxonomy

    trees = {column: ColumnSettings(taxonomy=Taxonomy.from_nested(tree)) for column, tree in CLINIC_TAXONOMIES.items()}
    for example in KINDS[kind].guard.examples():
        bins = None if example.refines else 6
        numbers = {name: ColumnSettings(type="number", bins=bins) for name in ("age", "stay_days")}
        for recoding in GROUPED if example.refines else GROUPED[:1]:
            yield Policy([example], target="readmitted", drop=["name"], columns={**trees, **numbers}, recoding=recoding)


def _release(patients: Path, policy: "Policy", *, audit: bool) -> None:
    from withhold import auditing
    from withhold.releasing import release_file

    out = patients.with_name("warm.csv")
    release_file(patients, policy, out, rng=0)
    if audit:
        auditing.audit(out, policy, original=patients, quick=True, rng=0)
