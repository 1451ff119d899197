"""`withhold release`: the main job."""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from withhold.cli._places import Place, engine_options, reading_options

if TYPE_CHECKING:
    from withhold.auditing import Audit
    from withhold.engines import Engine, Reading
    from withhold.policy import Policy
    from withhold.releasing import Destination

__all__ = ["command"]


@click.command(name="release", short_help="Withhold as little as a policy allows, and prove it.")
@click.argument("data", type=Place())
@click.option("--policy", required=True, type=click.Path(path_type=Path), help="The policy file (TOML).")
@click.option("--out", required=True, type=Place(), help="Where the published table goes.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write an HTML report, private to you.")
@click.option(
    "--with",
    "earlier",
    multiple=True,
    type=Place(),
    help="An earlier release of the same or overlapping people, to be safe with; may be repeated.",
)
@click.option(
    "--with-original",
    "earlier_originals",
    multiple=True,
    type=Place(),
    help="The table that an earlier release was made from, in the order of --with; --key needs it.",
)
@click.option("--hold-back", is_flag=True, help="With --with: leave out newcomers while they are too few.")
@click.option("--key", metavar="COLUMN", help="With --with: the column of the tables by which you know people.")
@click.option(
    "--stream",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A private file: a new one begins a stream of parts, an existing one adds DATA, and OUT is the next part.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Repeat a shuffled order and random choices; the report says so. For tests, not for publication.",
)
@click.option("--max-steps", type=click.IntRange(min=0), help="Stop the search after this many steps.")
@engine_options
@reading_options(tables=True)
@click.option("--json", "as_json", is_flag=True, help="Print the outcome for machines.")
@click.option("--quiet", is_flag=True, help="No progress.")
def command(
    data: "Path | str | IO[bytes]",
    policy: Path,
    out: Path | str,
    report: Path | None,
    earlier: tuple[Path | str, ...],
    earlier_originals: tuple[Path | str, ...],
    hold_back: bool,
    key: str | None,
    stream: Path | None,
    seed: int | None,
    max_steps: int | None,
    engine: "Engine",
    as_json: bool,
    quiet: bool,
    reading: "Reading",
) -> None:
    """Withhold as little of DATA as the policy allows; write OUT once every requirement is proven on the file.

    DATA is a file, "-" for standard input, or the URL of a database; OUT is a file or the URL of a table. Kinds of
    files go by their suffix: .csv, .csv.gz, .parquet, .arrow, .dta, .sav, .xlsx …
    OUT.report.json, private to you, says what was withheld and why.
    """
    from withhold.cli._places import paired
    from withhold.cli._show import announce_compiling, progress
    from withhold.policy import Policy
    from withhold.releasing import destination_of, release_file

    listed = paired(earlier, earlier_originals)
    if stream is not None and (listed or engine != "duckdb"):
        raise click.UsageError("--stream goes neither with --with nor with another engine.")
    loaded = Policy.load(policy)
    if stream is not None and stream.exists():
        _append(data, loaded, out, stream, reading, has_page=report is not None)
        return
    if not quiet and not as_json:
        announce_compiling(loaded)
    with progress(quiet=quiet or as_json, engine=engine) as say:
        made, audit = release_file(
            data,
            loaded,
            out,
            page=report,
            earlier=listed,
            key=key,
            hold_back=hold_back,
            stream=stream,
            max_steps=max_steps,
            progress=say,
            rng=seed,
            engine=engine,
            reading=reading,
        )
    place = destination_of(out, is_folder=engine == "spark")
    try:
        assert made.summary is not None
        _show(made.summary.to_json(), audit, place, as_json=as_json)
    except OSError:
        click.echo(f"withhold: {place.name} was published, but the summary could not be shown.", err=True)


def _append(
    data: object, policy: "Policy", out: Path | str, stream: Path, reading: "Reading", *, has_page: bool
) -> None:
    """Publish the next part of a stream."""
    from withhold.cli._show import print_line, print_text
    from withhold.releasing import append_file

    if has_page or not isinstance(out, Path):
        raise click.UsageError("a part of a stream goes into a file, and has no page. Hint: audit --report makes one.")
    made, n_rows = append_file(data, policy, out, stream, reading=reading)
    published = f"{out.name}: {n_rows:,} rows" if n_rows else "no row can be published yet, so there is no part"
    print_text(f"{published}; {made.n_published:,} in all parts, over which every requirement is proven.")
    if made.n_held:
        rows = "1 row is" if made.n_held == 1 else f"{made.n_held:,} rows are"
        print_line("note   ", f"{rows} held back until their group is large enough.")
    print_line("note   ", f"{stream.name} is private to you: do not publish it.")


def _show(summary: dict[str, Any], audit: "Audit", out: "Destination", *, as_json: bool) -> None:
    from dataclasses import replace

    from withhold.cli._show import print_audit, print_json, print_line, print_table, print_text
    from withhold.releasing import without_repeats

    if as_json:
        print_json({"out": out.shown, "ok": audit.ok, **_without_values(summary)})
        return
    header, rows = _columns(summary)
    if rows:
        print_table(header, rows, title=f"{out.name}: {audit.n_rows:,} rows")
    else:
        click.echo(f"{out.name}: {audit.n_rows:,} rows")
    for sentence in _single_cells(summary):
        print_text(sentence)
    click.echo()
    print_audit(replace(audit, notes=tuple(without_repeats(audit.notes, summary["notes"]))))
    for note in summary["notes"]:
        if note not in audit.notes and note not in {each.says for each in audit.disclosures}:
            print_line("note   ", note)
    if summary["withheld_sets"]:
        print_line("note   ", f"{out.beside.name}.withheld.json belongs to the release: publish it with the file.")
    print_line("note   ", f"{out.beside.name}.report.json is private to you: do not publish it.")


def _without_values(summary: dict[str, Any]) -> dict[str, Any]:
    """Return a report for a terminal or a log: by column alone; the file has hidden cells and withheld values too."""
    requirements = [{k: v for k, v in entry.items() if k != "classes"} for entry in summary["requirements"]]
    printed = {key: value for key, value in summary.items() if key not in ("cells", "withheld_sets")}
    stopped = [
        stop | {"value": "*"} if stop["column"] in summary["withheld_sets"] else stop for stop in printed["stopped"]
    ]
    return {**printed, "requirements": requirements, "stopped": stopped}


def _single_cells(report: dict[str, Any]) -> list[str]:
    """Say what was withheld cell by cell, for each requirement that does so."""
    from withhold.requirements import KINDS

    said = [KINDS[entry["kind"]].words.summary(entry, i) for i, entry in enumerate(report["requirements"])]
    return [sentence for sentence in said if sentence]


def _columns(report: dict[str, Any]) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return what each refined column lost: how many values are left where they are published alike in all rows."""
    penalties = report["metrics"]["ncp"]["columns"]
    if report["recoding"] == "local":
        lost = report["withheld"]["columns"]
        rows: list[tuple[object, ...]] = [
            (name, lost[name]["blanked"], lost[name]["coarsened"], penalty)
            for name, penalty in penalties.items()
            if name in lost
        ]
        return ("column", "blanked cells", "coarsened cells", "NCP"), rows
    variance = report["metrics"].get("target_variance", {}).get("columns", {})
    bits = report["metrics"].get("target_information", variance)
    rows = []
    for column, values in report["metrics"]["distinct_values"].items():
        kept = f"{bits[column]['share']:.0%}" if column in bits else "–"
        rows.append((column, values["before"], values["after"], penalties[column], kept))
    kind = "target variance kept" if variance else "target information kept"
    return ("column", "values before", "after", "NCP", kind), rows
