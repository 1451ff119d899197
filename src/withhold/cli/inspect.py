"""`withhold inspect`: look at a table before writing its policy."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from withhold.table import Table

__all__ = ["command"]


@click.command(name="inspect")
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--policy-out", type=click.Path(path_type=Path), help="Write the first policy to this file.")
@click.option("--policy", type=click.Path(path_type=Path), help="Also count what the templates of this policy find.")
@click.option(
    "--private", type=click.Path(path_type=Path), help="Cells to be hidden (row,column): what rules tell of them."
)
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True), default=0.8, show_default=True, help="For --private."
)
@click.option(
    "--support",
    type=click.FloatRange(0, min_open=True),
    default=0.01,
    show_default=True,
    help="For --private: a share, or a number of rows.",
)
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
def command(
    data: Path,
    policy_out: Path | None,
    policy: Path | None,
    private: Path | None,
    confidence: float,
    support: float,
    as_json: bool,
) -> None:
    """Show the columns of DATA, how identifying they are, and a first policy to edit.

    Tells counts only, no value of any person. With --policy it also counts the inferences that its templates are about:
    groups that imply a sensitive value with a confidence above 10, 30, 50, 70 and 90 %.

    With --private it lists instead, for the owner only, the strongest association rules by which an outsider could fill
    in cells that will be hidden.
    """
    from dataclasses import asdict

    from withhold._inspect import first_policy, header_note, inspect_table
    from withhold._read import read
    from withhold.cli._show import print_json, print_table

    table = read(data)
    columns = inspect_table(table)
    first = first_policy(columns, n_rows=table.n_rows)
    found = None if policy is None else _inferences(table, policy)
    if private is not None:
        _show_rules(table, private, confidence, support, as_json=as_json)
        return
    if policy_out is not None:
        _write(first, policy_out)
    if as_json:
        profiles = [asdict(column) for column in columns]
        print_json({"n_rows": table.n_rows, "columns": profiles, "policy": first, "inferences": found})
        return
    rows = [(c.name, c.looks, c.n_distinct, c.n_unique, c.n_missing, c.note) for c in columns]
    header = ("column", "looks like", "distinct values", "rows unique on it", "missing", "note")
    print_table(header, rows, title=f"{data.name}: {table.n_rows:,} rows, {len(columns)} columns")
    if note := header_note(columns):
        click.echo(f"\nnote: {note}")
    if found is not None:
        click.echo("\nGroups that imply a sensitive value of the policy's templates, by confidence:")
        click.echo("\n".join(f"  above {float(share):.0%}: {count:,}" for share, count in found.items()))
        return
    click.echo(f"\nA first policy{f' (written to {policy_out})' if policy_out else ' to edit'}:\n\n{first}")


def _inferences(table: "Table", path: Path) -> dict[str, int]:
    from withhold.errors import InputError
    from withhold.metrics import count_inferences
    from withhold.policy import Policy, Template, bind

    policy = Policy.load(path)
    templates = [requirement for requirement in policy.require if isinstance(requirement, Template)]
    if not templates:
        raise InputError(f"{path}: has no template, so there is no inference to count.")
    found = count_inferences(bind(policy, table), templates, (0.1, 0.3, 0.5, 0.7, 0.9))
    return {str(share): count for share, count in found.items()}


def _show_rules(table: "Table", path: Path, confidence: float, support: float, *, as_json: bool) -> None:
    """Show the strongest rules that predict cells which will be hidden."""
    from withhold.cli._show import print_json, print_table
    from withhold.methods import fair
    from withhold.policy._cells import cell_grid, read_cells
    from withhold.policy._hidden import whole

    cells = read_cells(path, table.names, table.n_rows)
    grid = cell_grid(table, table.names, {}, where="--private", source=path.name)
    rules = fair(grid, cells, confidence=confidence, support=whole(support))
    if as_json:
        print_json({"rules": len(rules), "private": rules.n_private, "strongest": rules.strongest(20).to_columns()})
        return
    n_predicted = len(rules.predictable[0])
    click.echo(
        f"{len(rules):,} rules predict {n_predicted:,} of {rules.n_private:,} private cells. For the owner only:\n"
    )
    told = rules.strongest(20).to_columns()
    print_table(tuple(told), list(zip(*told.values(), strict=True)))


def _write(policy: str, path: Path) -> None:
    from withhold.errors import OutputError

    if path.exists():
        raise OutputError(f"{path.name}: exists already and is not overwritten.")
    try:
        path.write_text(policy, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path.name}: cannot be written ({error.strerror}).") from None
