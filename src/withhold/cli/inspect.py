"""`withhold inspect`: look at a table before writing its policy."""

from pathlib import Path

import click

__all__ = ["command"]


@click.command(name="inspect")
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--policy-out", type=click.Path(path_type=Path), help="Write the first policy to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
def command(data: Path, policy_out: Path | None, as_json: bool) -> None:
    """Show the columns of DATA, how identifying they are, and a first policy to edit.

    Tells counts only, no value of any person.
    """
    from dataclasses import asdict

    from withhold._inspect import first_policy, inspect_table
    from withhold._read import read
    from withhold.cli._show import print_json, print_table

    table = read(data)
    columns = inspect_table(table)
    policy = first_policy(columns, n_rows=table.n_rows)
    if policy_out is not None:
        _write(policy, policy_out)
    if as_json:
        print_json({"n_rows": table.n_rows, "columns": [asdict(column) for column in columns], "policy": policy})
        return
    rows = [(c.name, c.looks, c.n_distinct, c.n_unique, c.n_missing, c.note) for c in columns]
    header = ("column", "looks like", "distinct values", "rows unique on it", "missing", "note")
    print_table(header, rows, title=f"{data.name}: {table.n_rows:,} rows, {len(columns)} columns")
    click.echo(f"\nA first policy{f' (written to {policy_out})' if policy_out else ' to edit'}:\n\n{policy}")


def _write(policy: str, path: Path) -> None:
    from withhold.errors import OutputError

    if path.exists():
        raise OutputError(f"{path.name}: exists already and is not overwritten.")
    try:
        path.write_text(policy, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path.name}: cannot be written ({error.strerror}).") from None
