"""What commands show on a terminal, and how they report progress."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from withhold._release import Progress
    from withhold.audit import Audit
    from withhold.metrics import Rate

__all__ = ["console", "print_attacks", "print_audit", "print_json", "print_table", "progress"]


def console(*, err: bool = False) -> "Console":
    """Return a console; imported late, because `--help` needs none."""
    from rich.console import Console

    return Console(stderr=err, highlight=False)


def print_json(data: Mapping[str, Any]) -> None:
    """Print an object for machines."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=1))


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
    """Print a table for people; figures are aligned to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    heading = Text(title, style="bold") if title else None
    shown = console()
    lines = box.SIMPLE_HEAD if shown.encoding.startswith("utf") else box.ASCII
    table = Table(title=heading, title_justify="left", box=lines, show_edge=False, pad_edge=False)
    for i, name in enumerate(header):
        right = bool(rows) and all(isinstance(row[i], int | float) for row in rows)
        table.add_column(Text(name), justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_shown(value)) for value in row))
    shown.print(table)


def print_audit(audit: "Audit") -> None:
    """Print what an audit found, one line a finding."""
    for finding in audit.findings:
        mark = click.style("met    ", fg="green") if finding.ok else click.style("NOT MET", fg="red", bold=True)
        where = f" {finding.where}" if finding.where and finding.where != finding.kind else ""
        click.echo(f"{mark}  {finding.kind}{where}: {finding.says}")
    for note in audit.notes:
        click.echo(f"note     {note}")


def print_attacks(audit: "Audit") -> None:
    """Print what attacks came to, and what analysts lose."""
    from withhold.audit import Homogeneity, Linkage, SetGuess

    for scope, title in (("hidden", "Hidden cells"), ("other", "Other withheld cells")):
        found = [a for a in audit.cell_attacks if a.scope == scope and a.n_tried]
        if found:
            rows = [
                (
                    f"{attack.title} (named)" if attack.is_named else attack.title,
                    _percent(attack.rate),
                    f"{100 * attack.low:.0f}–{100 * attack.high:.0f} %",
                    _percent(attack.majority_rate),
                    _percent(attack.before_rate),
                    "beats a guess" if attack.beats_majority else "",
                )
                for attack in found
            ]
            header = ("attacker", "right", "interval", "guess", "before", "")
            click.echo()
            print_table(header, rows, title=f"{title}: {found[0].n_tried:,} of {found[0].n_cells:,} tried")
    for link in (each for each in audit.attacks if isinstance(each, Linkage)):
        before = "" if link.before_rate is None else f" (original: {link.before_rate:.1%})"
        columns = ", ".join(link.columns)
        click.echo(f"attack   linkage by {columns}: the right row in {link.rate:.1%} of cases{before}")
    for told in (each for each in audit.attacks if isinstance(each, Homogeneity)):
        before = "" if told.before_rate is None else f" (original: {told.before_rate:.1%})"
        known = ", ".join(told.columns)
        click.echo(
            f"attack   {told.column} read off {known}: right in {told.rate:.1%}{before}, "
            f"most frequent value {told.majority_rate:.1%}"
        )
    for each in (each for each in audit.attacks if isinstance(each, SetGuess)):
        among = "few" if each.n_values is None else f"the {each.n_values:,}"
        click.echo(f"attack   {each.column}: a blind guess among {among} values of a * is right in {each.rate:.1%}")
    if audit.utility is not None and audit.utility.learners:
        errors = [
            (e.learner, *(_error(rate) for rate in (e.base, e.released, e.removed, e.upper)))
            for e in audit.utility.learners
        ]
        click.echo()
        tables = ("learner", "original (BE)", "release (SE, AE)", "columns removed (RE)", "all coarsest (UE)")
        print_table(tables, errors, title=f"Error when predicting {audit.utility.target}")


@contextmanager
def progress(*, quiet: bool) -> "Iterator[Progress | None]":
    """Show what is being done while it lasts, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    shown = console(err=True)
    with shown.status("starting") as status:
        n_steps = 0

        def say(what: str, step: Any) -> None:
            nonlocal n_steps
            if step is None:
                status.update(what)
                return
            n_steps += 1
            status.update(f"{what}: step {n_steps}, {step.column}")

        yield say


def _error(rate: "Rate | None") -> str:
    return _percent(None if rate is None else rate.error)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3f}"
    return str(value)
