"""What commands show on a terminal, and how they report progress."""

import json
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from withhold.auditing import Audit
    from withhold.metrics import Rate
    from withhold.policy import Policy
    from withhold.releasing import Progress
    from withhold.report import AuditReport

__all__ = [
    "announce_compiling",
    "console",
    "print_attacks",
    "print_audit",
    "print_json",
    "print_line",
    "print_table",
    "print_text",
    "print_verdict",
    "progress",
]

MARK = 9
"""How wide a mark is, with the blanks behind it."""


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
        met = click.style("met    ", fg="green") if finding.is_complete else click.style("partly ", fg="yellow")
        mark = met if finding.ok else click.style("NOT MET", fg="red", bold=True)
        where = f" {finding.where}" if finding.where and finding.where != finding.kind else ""
        print_line(mark, f"{finding.kind}{where}: {finding.says}")
    for each in audit.disclosures:
        mark = (
            click.style("RED    ", fg="red", bold=True) if each.level == "red" else click.style("AMBER  ", fg="yellow")
        )
        print_line(mark, each.says)
    for note in audit.notes:
        print_line("note   ", note)


def print_line(mark: str, text: str) -> None:
    """Print a sentence beside its mark: in one line for other programs, folded below itself on a terminal."""
    if sys.stdout.isatty():
        width = max(40, shutil.get_terminal_size().columns - MARK)
        lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
        text = f"\n{' ' * MARK}".join(lines)
    click.echo(f"{mark}  {text}")


def print_verdict(report: "AuditReport") -> None:
    """Print the verdict: the sentence that decides, what was not proven or covered, and what attackers came to."""
    click.echo()
    colour = {"green": "green", "amber": "yellow", "red": "red", "none": None}[report.level]
    print_text(report.verdict[0], bold=True, fg=colour)
    if report.level != "none":
        print_text(report.meaning)
    for sentence in report.verdict[2:] if report.ok else ():
        print_text(sentence)


def print_text(text: str, **style: Any) -> None:
    """Print a sentence, folded between words on a terminal."""
    if sys.stdout.isatty():
        text = textwrap.fill(text, shutil.get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)
    click.echo(click.style(text, **style))


def print_attacks(audit: "Audit", *, public: bool = False) -> None:
    """Print what attacks came to, and what analysts lose; public shares are whole percents."""
    from withhold.auditing import Candidates, Homogeneity, Linkage, SetGuess
    from withhold.report import candidate_sentence, trained_on

    digits = 0 if public else 1
    for where in dict.fromkeys(attack.where for attack in audit.cell_attacks):
        found = [attack for attack in audit.cell_attacks if attack.where == where and attack.n_tried]
        title = f"Hidden cells ({where})" if where else "Other withheld cells"
        if found:
            rows = [
                (
                    f"{attack.title} (named)" if attack.is_named else attack.title,
                    _percent(attack.rate, digits),
                    _interval(attack.low, attack.high),
                    _percent(attack.majority_rate, digits),
                    _percent(attack.before_rate, digits),
                    "beats a guess" if attack.beats_majority else "far ahead" if attack.is_ahead else "",
                )
                for attack in found
            ]
            header = ("attacker", "right", "interval", "guess", "before", "")
            click.echo()
            print_table(header, rows, title=f"{title}: {found[0].n_tried:,} of {found[0].n_cells:,} tried")
            if sampled := trained_on(found):
                print_text(sampled)
    for link in (each for each in audit.attacks if isinstance(each, Linkage)):
        before = "" if link.before_rate is None else f" (original: {link.before_rate:.1%})"
        columns, right = ", ".join(link.columns), _percent(link.rate, digits, link.step)
        print_line("attack ", f"linkage by {columns}: the right row in {right} of cases{before}")
    for candidates in (each for each in audit.attacks if isinstance(each, Candidates)):
        print_line("attack ", candidate_sentence(candidates))
    for attack in (each for each in audit.attacks if isinstance(each, Homogeneity)):
        before = "" if attack.before_rate is None else f" (original: {attack.before_rate:.1%})"
        known, right = ", ".join(attack.columns), _percent(attack.rate, digits, attack.step)
        says = f"{attack.column} read off {known}: right in {right} of rows{before}; "
        blind = _percent(attack.majority_rate, digits, attack.step)
        print_line("attack ", f"{says}always saying the most frequent value: {blind}")
    for each in (each for each in audit.attacks if isinstance(each, SetGuess)):
        among = "few" if each.n_values is None else f"the {each.n_values:,}"
        says = f"{each.column}: a blind guess among {among} values of a * is right in "
        print_line("attack ", f"{says}{each.rate:.{digits}%}")
    for sampled_risk in audit.populations:
        print_line("people ", sampled_risk.after.says)
    if audit.utility is not None and audit.utility.learners:
        step = audit.utility.step
        always = [_error(rate, digits, step) for rate in (audit.utility.majority, audit.utility.majority_released)]
        errors = [
            (e.learner, *(_error(rate, digits, step) for rate in (e.base, e.released, e.removed, e.upper)))
            for e in audit.utility.learners
        ]
        click.echo()
        tables = ("learner", "original", "release", "without changed columns", "these at the coarsest")
        errors.append(("majority", *always, "–", "–"))
        about = "" if step is None else f" (rounded to steps of {100 * step:g}%)"
        print_table(tables, errors, title=f"Error when predicting {audit.utility.target}{about}")


@contextmanager
def progress(*, quiet: bool, engine: str = "duckdb") -> "Iterator[Progress | None]":
    """Show what is being done while it lasts, on a terminal only; beside it, how far a cluster is."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    shown = console(err=True)
    line = ProgressLine(_cluster_work() if engine == "spark" else lambda: "")
    with shown.status(line):
        n_steps = 0

        def say(what: str, step: Any) -> None:
            nonlocal n_steps
            if step is None:
                line.what = what
                return
            n_steps += 1
            line.what = f"{what}: step {n_steps}, {step.column}"

        yield say


class ProgressLine:
    """What is being done, and how far others are with it, who are asked once a second while the line is shown."""

    def __init__(self, asked: Callable[[], str]) -> None:
        self.what = "starting"
        self._asked = asked
        self._beside, self._at = "", 0.0

    def __rich__(self) -> str:
        now = time.monotonic()
        if now - self._at >= 1:
            self._beside, self._at = self._asked(), now
        return f"{self.what} ({self._beside})" if self._beside else self.what


def _cluster_work() -> Callable[[], str]:
    """Return what asks the session that is there how far it is."""
    from withhold.engines.spark import open_session, work_done

    session = open_session()
    return lambda: work_done(session)


def _interval(low: float, high: float) -> str:
    """Return an interval in whole percents; one that rounds to 0 or to 100 is given by its other side."""
    if high < 0.01:
        return "below 1 %"
    return "above 99 %" if low > 0.99 else f"{100 * low:.0f}–{100 * high:.0f} %"


def announce_compiling(policy: "Policy") -> None:
    """Say that inner loops are compiled, where a policy needs such that no run before has left in the cache."""
    from withhold._compiled import is_compiled

    kernels = [kernel for each in policy.require for kernel in getattr(each.home.guard, "kernels", lambda r: [])(each)]
    if not all(map(is_compiled, kernels)):
        click.echo("withhold: compiling once, about half a minute", err=True)


def _error(rate: "Rate | None", digits: int, step: float | None) -> str:
    return _percent(None if rate is None else rate.error, digits, step)


def _percent(share: float | None, digits: int, step: float | None = None) -> str:
    from withhold._percent import percent

    return "–" if share is None else percent(share, step=step, digits=digits)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3f}"
    return str(value)
