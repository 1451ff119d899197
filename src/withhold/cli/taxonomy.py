"""`withhold taxonomy`: build the taxonomy of a column, or check one."""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from withhold.cli._places import Place, reading_options

if TYPE_CHECKING:
    from withhold.engines import Reading
    from withhold.table import Table

__all__ = ["command"]

BY = ("prefix", "intervals", "quantiles", "dates", "frequency", "codes")


class Numbers(click.ParamType[Any] if TYPE_CHECKING else click.ParamType):  # type: ignore[misc]
    """Numbers with commas between them."""

    name = "n,n,…"

    def __init__(self, kind: type[Any]) -> None:
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the numbers as a list."""
        try:
            return [self._kind(each) for each in value.split(",")] if isinstance(value, str) else value
        except ValueError:
            self.fail(f"{value} is no list of numbers such as 5,10,50.", param, ctx)


@click.command(name="taxonomy", short_help="Build the taxonomy of a column, or check one.")
@click.argument("column")
@click.argument("data", type=Place())
@click.option("--by", type=click.Choice(BY), help="How values are put together.")
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Where it goes: a hierarchy CSV, or .toml or .json.")
@click.option("--check", "checked", type=click.Path(path_type=Path), help="Check this taxonomy against COLUMN instead.")
@click.option("--lengths", type=Numbers(int), help="For prefix: the lengths, such as 3,2,1.")
@click.option("--code", type=click.Choice(["icd10", "isco", "nace", "nuts", "postcode"]), help="For prefix: the code.")
@click.option("--widths", type=Numbers(float), help="For intervals: their widths, such as 5,10,50.")
@click.option("--groups", type=Numbers(int), help="For quantiles: how many groups, halved up to the root; or levels.")
@click.option("--levels", help="For dates: some of day,month,quarter,year,5 years,decade.")
@click.option("--format", "date_format", help="For dates that are not ISO, such as %d.%m.%Y.")
@click.option("--age-at", metavar="DAY", help="For dates of birth: climb to the age on this day, such as 2024-06-30.")
@click.option("--codes", type=click.Path(path_type=Path), help="For codes: a CSV code,label or code,label,parent.")
@click.option(
    "--least",
    type=Numbers(int),
    help="How many rows at least decide an edge or a group [default: 10]; for frequency the threshold, or several.",
)
@click.option("--missing", multiple=True, metavar="TEXT", help="A text that stands for a missing value; may repeat.")
@reading_options(tables=True)
def command(
    column: str,
    data: "Path | str | IO[bytes]",
    by: str | None,
    out: Path | None,
    checked: Path | None,
    missing: tuple[str, ...],
    levels: str | None,
    reading: "Reading",
    **how: Any,
) -> None:
    """Write a taxonomy for COLUMN of DATA, one line a value from leaf to root, for `taxonomy = "T.csv"` in a policy.

    Intervals, quantiles and frequency look at the rows: no edge at a value of the data, and no group that the rows
    decide on, is held by fewer than --least of them. With --check a taxonomy is compared with the column: exit code 1
    where a release would refuse it.
    """
    from withhold.engines import open_source
    from withhold.errors import InputError
    from withhold.table import Table

    if (by is None) == (checked is None) or (by is None) != (out is None):
        raise InputError("taxonomy: needs --by and --out to build one, or --check to check one.")
    table = Table(open_source(data, reading=reading), missing=missing)
    if checked is not None:
        _check(table, column, checked)
        return
    assert out is not None
    given = {key: value for key, value in how.items() if value is not None}
    if levels is not None:
        given["levels"] = [level.strip() for level in levels.split(",")]
    _build(table, column, out, data, {"by": by, **given})


def _build(table: "Table", column: str, out: Path, data: object, given: dict[str, Any]) -> None:
    from withhold._staging import check_outputs
    from withhold.cli._show import print_text
    from withhold.taxonomies import taxonomy

    listed = [Path(given["codes"])] if given.get("codes") else []
    check_outputs([out], [*([data] if isinstance(data, Path) else []), *listed])
    made = taxonomy(table, column, **given)
    made.write(out)
    depth = int(made.depth.max(initial=0))
    print_text(f"{out.name}: {made.n_leaves:,} values of {column} below {made.n_nodes - made.n_leaves:,} groups.")
    print_text("Groups level by level, from the root: " + ", ".join(_sizes(made, depth)) + ".")


def _sizes(made: Any, depth: int) -> list[str]:
    leaves = set(made.leaf_nodes.tolist())
    inner = [node for node in range(made.n_nodes) if node not in leaves]
    return [f"{sum(int(made.depth[node]) == level for node in inner):,}" for level in range(depth)]


def _check(table: "Table", column: str, checked: Path) -> None:
    from withhold.cli._show import print_line, print_text
    from withhold.errors import InputError, did_you_mean
    from withhold.taxonomies import check_taxonomy

    if column not in table.names:
        raise InputError(f'there is no column "{column}"{did_you_mean(column, table.names)}')
    flaws = check_taxonomy(checked, table.store.values(column), missing=table.missing)
    for flaw in flaws:
        print_line("error  " if flaw.is_error else "note   ", flaw.what)
    n_errors = sum(flaw.is_error for flaw in flaws)
    if n_errors:
        print_text(f"{checked.name} does not fit {column}: {n_errors} {'flaw' if n_errors == 1 else 'flaws'}.")
        raise SystemExit(1)
    print_text(f"{checked.name} fits {column}.")
