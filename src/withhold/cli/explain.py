"""`withhold explain`: why a cell of a release is what it is."""

from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from withhold.cli._places import Place, reading_options

if TYPE_CHECKING:
    from withhold.engines import Reading

__all__ = ["command"]


@click.command(name="explain", short_help="Report why a cell of a release is what it is.")
@click.argument("data", type=Place())
@click.argument("release", type=click.Path(path_type=Path))
@click.option(
    "--row", required=True, type=click.IntRange(min=0), help="The row of DATA; the first below the header is 0."
)
@click.option("--column", required=True, help="The column.")
@reading_options(tables=False)
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
def command(
    data: "Path | str | IO[bytes]", release: Path, row: int, column: str, as_json: bool, reading: "Reading"
) -> None:
    """Report which requirement and which step made a cell of RELEASE what it is.

    For the owner: it reads DATA and RELEASE.report.json, and shows what is published, never what was withheld.
    """
    from dataclasses import asdict

    from withhold.cli._show import print_json, print_text
    from withhold.releasing import explain_file

    found = explain_file(data, release, row=row, column=column, reading=reading)
    if as_json:
        print_json({key: value for key, value in asdict(found).items() if key != "was"})
    else:
        print_text(str(found))
