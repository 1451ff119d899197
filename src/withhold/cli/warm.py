"""`withhold warm`: compile now what first use would compile."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from withhold.policy import Policy

__all__ = ["command"]

ROWS = 300
GROUPED: tuple[Literal["local", "global", "levels"], ...] = ("local", "global", "levels")


@click.command(name="warm", short_help="Compile now what first use would compile.")
@click.argument("kinds", nargs=-1, metavar="[KIND]...")
@click.option("--quiet", is_flag=True, help="Print nothing.")
def command(kinds: tuple[str, ...], quiet: bool) -> None:
    """Compile the inner loops for requirements of each KIND, or of all kinds, so that the next release starts at once.

    Small releases of a made-up clinic are made in a temporary folder. What is compiled stays in numba's cache: beside
    the package, or in the folder that NUMBA_CACHE_DIR names. Run it once after an installation, and while an image is
    built.
    """
    import tempfile
    import time

    from withhold.cli._show import progress
    from withhold.cli.demo import write_clinic
    from withhold.requirements import KINDS

    _check(kinds, list(KINDS))
    with tempfile.TemporaryDirectory(prefix="withhold-warm-") as name, progress(quiet=quiet) as say:
        patients = write_clinic(Path(name), rows=ROWS, seed=0)
        for kind in kinds or KINDS:
            begin = time.perf_counter()
            if say is not None:
                say(f"compiling what {kind} needs", None)
            for policy in _policies(kind):
                _release(patients, policy)
            if not quiet:
                click.echo(f"{kind}: ready after {time.perf_counter() - begin:.1f} s")


def _check(kinds: tuple[str, ...], known: list[str]) -> None:
    from withhold.errors import InputError, did_you_mean

    for kind in kinds:
        if kind not in known:
            raise InputError(f'warm: there is no kind "{kind}"{did_you_mean(kind, known)}')


def _policies(kind: str) -> "Iterator[Policy]":
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


def _release(patients: Path, policy: "Policy") -> None:
    from withhold.releasing import release_file

    release_file(patients, policy, patients.with_name("warm.csv"), rng=0)
