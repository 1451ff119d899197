"""`withhold audit`: check any published file, and attack it."""

from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from withhold.cli._places import Place, engine_options, reading_options

if TYPE_CHECKING:
    from withhold.engines import Engine, Reading

__all__ = ["command"]


@click.command(name="audit", short_help="Check a release against a policy, and attack it.")
@click.argument("release", type=Place())
@click.option("--policy", required=True, type=click.Path(path_type=Path), help="The policy file (TOML).")
@click.option("--original", type=Place(), help="The table it was made from; attacks need it.")
@click.option(
    "--with",
    "earlier",
    multiple=True,
    type=Place(),
    help="An earlier release of the same or overlapping people; may be repeated.",
)
@click.option(
    "--with-original",
    "earlier_originals",
    multiple=True,
    type=Place(),
    help="The table that an earlier release was made from, in the order of --with; --key needs it.",
)
@click.option("--key", metavar="COLUMN", help="With --with: the column of the originals by which you know people.")
@click.option(
    "--withheld",
    multiple=True,
    metavar="TEXT",
    help='A text that stands for a withheld value, besides "*" and the empty cell; may be repeated.',
)
@click.option(
    "--report",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Also write a report: a page (.html) or JSON (.json). May be given twice.",
)
@click.option("--checks-only", is_flag=True, help="Check the requirements, attack nothing.")
@click.option("--quick", is_flag=True, help="Work on samples; intervals, and the verdict, show what that leaves open.")
@click.option("--public", is_flag=True, help="Make reports that may be published: no value, no small count.")
@click.option(
    "--threshold",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="With --public: counts above 0 and below this are not published.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Repeat samples and learners.")
@engine_options
@reading_options(tables=False)
@click.option("--json", "as_json", is_flag=True, help="Print the report for machines; values are in files only.")
@click.option("--quiet", is_flag=True, help="No progress.")
def command(
    release: "Path | str | IO[bytes]",
    policy: Path,
    original: Path | str | None,
    earlier: tuple[Path | str, ...],
    earlier_originals: tuple[Path | str, ...],
    key: str | None,
    withheld: tuple[str, ...],
    report: tuple[Path, ...],
    checks_only: bool,
    quick: bool,
    public: bool,
    threshold: int,
    seed: int | None,
    engine: "Engine",
    as_json: bool,
    quiet: bool,
    reading: "Reading",
) -> None:
    """Check RELEASE, made by withhold or by any other tool, against a policy, and attack it.

    Says which requirement fails and how small its smallest groups are, never what they hold. With --original it also
    lets attackers guess what was withheld, and measures what analysts lose. Exit code 1 where a requirement fails, and
    where one is not proven: some need --original, and --quick may stop early. Attacks that the policy does not name
    never change the exit code. With --with the promises are counted again on what all releases say together: exit code
    1 where that breaks one.
    """
    from withhold._staging import check_outputs, write_beside
    from withhold.auditing import audit
    from withhold.cli._places import paired
    from withhold.cli._show import print_attacks, print_audit, print_json, print_verdict, progress
    from withhold.engines import name_of
    from withhold.policy import Policy
    from withhold.report import audit_report, check_suffix, read_making, report_json, write_report

    loaded = Policy.load(policy)
    inputs = [place for place in (release, original, *earlier, *earlier_originals) if isinstance(place, Path)]
    listed = paired(earlier, earlier_originals)
    check_outputs(report, [*inputs, *loaded.files])
    for path in report:
        check_suffix(path)
    with progress(quiet=quiet or as_json, engine=engine) as say:
        found = audit(
            release,
            loaded,
            original=original,
            earlier=listed,
            key=key,
            withheld=withheld,
            attack=not checks_only,
            quick=quick,
            progress=None if say is None else lambda what: say(what, None),
            engine=engine,
            reading=reading,
            rng=seed,
        )
    audited = audit_report(
        found,
        name_of(release),
        making=read_making(release) if isinstance(release, Path) else None,
        public=public,
        threshold=threshold,
        path=release if isinstance(release, Path) else None,
        policy=policy.name,
        original=name_of(original) if original else "",
    )
    for path in report:
        write_beside(path, partial(write_report, audited, suffix=path.suffix))
    if as_json:
        # A terminal may end up in a log: the values of columns are for the file that only its owner may read.
        print_json({**report_json(audited), "columns": [], "making": None})
    else:
        print_audit(audited.audit)
        print_attacks(audited.audit, public=public)
        print_verdict(audited)
    if found.ok and not found.is_complete:
        click.echo("Not proven is not met: exit code 1.", err=True)
    is_exposed = found.together is not None and bool(found.together.exposed)
    if is_exposed:
        click.echo("Broken together with an earlier release: exit code 1.", err=True)
    if is_exposed or not (found.ok and found.is_complete):
        raise click.exceptions.Exit(1)
