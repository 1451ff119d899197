"""`withhold audit`: check any published file."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

__all__ = ["command"]


@click.command(name="audit")
@click.argument("release", type=click.Path(path_type=Path))
@click.option("--policy", required=True, type=click.Path(path_type=Path), help="The policy file (TOML).")
@click.option("--original", type=click.Path(path_type=Path), help="The table it was made from.")
@click.option(
    "--withheld",
    multiple=True,
    metavar="TEXT",
    help='A text that stands for a withheld value, besides "*" and the empty cell; may be repeated.',
)
@click.option("--report", type=click.Path(path_type=Path), help="Also write the findings as an HTML page.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings for machines.")
def command(
    release: Path,
    policy: Path,
    original: Path | None,
    withheld: tuple[str, ...],
    report: Path | None,
    as_json: bool,
) -> None:
    """Check RELEASE, made by withhold or by any other tool, against a policy.

    Says which requirement fails and how small its smallest groups are, never what they hold. Exit code 1 where one
    fails.
    """
    from withhold._staging import check_outputs, write_beside
    from withhold.audit import audit
    from withhold.cli._show import print_audit, print_json
    from withhold.policy import Policy

    loaded = Policy.load(policy)
    if report is not None:
        check_outputs([report], [release, *loaded.files, *([original] if original else [])])
    found = audit(release, loaded, original=original, withheld=withheld)
    if report is not None:
        from withhold.report import write_audit_html

        write_beside(report, partial(write_audit_html, found, release.name))
    if as_json:
        print_json(
            {
                "ok": found.ok,
                "n_rows": found.n_rows,
                "findings": [asdict(f) for f in found.findings],
                "notes": found.notes,
            }
        )
    else:
        print_audit(found)
    if not found.ok:
        raise click.exceptions.Exit(1)
