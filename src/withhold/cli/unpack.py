"""`withhold unpack`: a release with the ends of intervals and the levels of categories as columns."""

from pathlib import Path

import click

__all__ = ["command"]


@click.command(name="unpack", short_help="Split intervals and levels of a release into columns.")
@click.argument("release", type=click.Path(path_type=Path))
@click.option(
    "--out", "-o", required=True, type=click.Path(path_type=Path), help="Where the table goes: CSV or Parquet."
)
@click.option(
    "--codebook",
    type=click.Path(path_type=Path),
    help="The codebook of the release; by default RELEASE.codebook.csv.",
)
@click.option("--midpoints", is_flag=True, help="Also write NAME_mid, the number halfway between the ends.")
def command(release: Path, out: Path, codebook: Path | None, midpoints: bool) -> None:
    """Write RELEASE with columns that analysts can compute with.

    Numbers become NAME_low and NAME_high (the upper end does not belong to the interval), categories get NAME_level
    beside them: 0 is withheld. Only what was published is used.
    """
    from withhold._staging import check_outputs
    from withhold._unpack import unpack_file
    from withhold.cli._show import print_text

    book = codebook or release.with_name(f"{release.name}.codebook.csv")
    check_outputs([out], [release, book])
    columns = unpack_file(release, book, out, midpoints=midpoints)
    print_text(f"{out.name}: {len(columns)} columns: {', '.join(columns)}.")
