"""Where a command reads from and writes to, and how it reads."""

import sys
from collections.abc import Callable, Sequence
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from withhold.auditing import Earlier

    AnyType = click.ParamType[Any]
else:
    AnyType = click.ParamType  # generic in later versions only

Command = Callable[..., Any]

__all__ = ["Place", "engine_options", "paired", "reading_options"]


def paired(earlier: Sequence[object], originals: Sequence[object]) -> "list[Earlier]":
    """Return earlier releases, each with the table that it was made from where these were named."""
    from withhold.auditing import Earlier

    if originals and len(originals) != len(earlier):
        raise click.UsageError("--with-original must be given as often as --with.")
    its = originals or (None,) * len(earlier)
    return [Earlier(release=release, original=original) for release, original in zip(earlier, its, strict=True)]


class Place(AnyType):
    """A path, ``-`` for standard input, or the URL of a database, which a path would spoil."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a path, the stream, or the URL as it stands."""
        if value == "-" and isinstance(param, click.Argument):
            return sys.stdin.buffer
        return value if not isinstance(value, str) or "://" in value else Path(value)


def engine_options(command: Command) -> Command:
    """Add the options of the engine; the command gets `engine`, its session being open."""
    options = [
        click.option(
            "--engine",
            type=click.Choice(["duckdb", "spark"]),
            default="duckdb",
            show_default=True,
            help="What holds the rows: this machine, or a cluster.",
        ),
        click.option("--master", metavar="URL", help="With --engine spark: where it runs, such as local[4] or yarn."),
        click.option("--conf", multiple=True, metavar="KEY=VALUE", help="A setting of Spark; may be repeated."),
    ]

    def with_engine(**words: Any) -> Any:
        master, conf = words.pop("master"), words.pop("conf")
        _open_session(words["engine"], master, conf)
        return command(**words)

    return _with_options(command, with_engine, options)


def _open_session(engine: str, master: str | None, conf: tuple[str, ...]) -> None:
    if engine != "spark":
        if master or conf:
            raise click.UsageError("--master and --conf need --engine spark.")
        return
    pairs = [each.partition("=") for each in conf]
    if any(not mark for _, mark, _ in pairs):
        raise click.UsageError("--conf needs KEY=VALUE.")
    from withhold.engines.spark import open_session

    open_session(master=master, conf={key: value for key, _, value in pairs})


def reading_options(*, tables: bool) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of how files are read; the command gets them as `reading`."""
    options = [
        click.option("--encoding", metavar="NAME", help="The encoding of text that is not UTF-8, such as latin-1."),
        click.option("--decimal", type=click.Choice([".", ","]), help="What stands before the decimals in text files."),
        click.option(
            "--values",
            type=click.Choice(["labels", "codes"]),
            default="labels",
            show_default=True,
            help="Read the coded values of Stata, SPSS and SAS files as this.",
        ),
    ]
    if tables:
        options += [
            click.option("--table", metavar="NAME", help="The table of a database, or the sheet of a workbook."),
            click.option("--query", metavar="SQL", help="The query whose rows are read from a database."),
        ]

    def decorate(command: Command) -> Command:
        def with_reading(**words: Any) -> Any:
            from withhold.engines import Reading

            names = ("encoding", "decimal", "values", *(("table", "query") if tables else ()))
            reading = Reading(**{name: words.pop(name) for name in names})
            return command(**words, reading=reading)

        return _with_options(command, with_reading, options)

    return decorate


def _with_options(command: Command, wrapper: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """Return what calls a command, as that command with some options before its own."""
    wrapper = update_wrapper(wrapper, command)
    for option in reversed(options):
        wrapper = option(wrapper)
    return wrapper
