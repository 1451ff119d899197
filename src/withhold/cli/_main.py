"""The `withhold` command: errors become one line and an exit code."""

import importlib
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

import click

from withhold._process_limits import memory_limit_of_process
from withhold._version import __version__
from withhold.errors import WithholdError

__all__ = ["cli", "main"]

COMMANDS = {
    "audit": "withhold.cli.audit",
    "demo": "withhold.cli.demo",
    "explain": "withhold.cli.explain",
    "inspect": "withhold.cli.inspect",
    "policy-schema": "withhold.cli.policy_schema",
    "release": "withhold.cli.release",
    "report-schema": "withhold.cli.report_schema",
    "taxonomy": "withhold.cli.taxonomy",
    "unpack": "withhold.cli.unpack",
    "warm": "withhold.cli.warm",
    "workbench": "withhold.cli.workbench",
}
INTERRUPTED = 130
UNEXPECTED = 70
BROKEN_PIPE = 141
LEAST_ADDRESSES = 2 << 30
"""Less than this cannot be worked with, in bytes; addresses are reserved, not used."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 a requirement is not met, 2 bad input, 3 no table can meet the policy.",
)
@click.version_option(__version__, prog_name="withhold")
def cli() -> None:
    """Decide which values of a table about people to hold back, and prove it on the file you publish."""
    limit = memory_limit_of_process()
    if limit is not None and limit < LEAST_ADDRESSES:
        # Libraries that cannot reserve addresses end the process, or ask for them for ever.
        raise WithholdError(
            f"the system lets this process address {limit >> 20:,} MB, and libraries alone take "
            f"{LEAST_ADDRESSES >> 20:,}. Hint: raise `ulimit -v`, or limit memory itself, as a container does."
        )


def main() -> None:
    """Run the command line."""
    _leave_no_core()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except WithholdError as error:
        for line in str(error).splitlines():
            click.echo(f"withhold: {line}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(BROKEN_PIPE)
    except (KeyboardInterrupt, click.exceptions.Abort):
        _leave_interrupted()
    except MemoryError:
        says = "there is not enough memory for this table; nothing was published."
        click.echo(f"withhold: {says} Hint: --engine spark holds distinct rows alone.", err=True)
        sys.exit(WithholdError.exit_code)
    except Exception as error:
        if os.environ.get("WITHHOLD_DEBUG"):
            click.echo(_places_of(error), err=True)
            sys.exit(UNEXPECTED)
        name = type(error).__name__
        click.echo(f"withhold: unexpected {name}. Hint: WITHHOLD_DEBUG=1 shows where.", err=True)
        sys.exit(UNEXPECTED)


def _places_of(error: BaseException) -> str:
    """Return where an error arose, without its message and without lines of code: either may quote a cell."""
    import traceback

    lines = [f"withhold: unexpected {type(error).__name__}, without its message, which may quote a cell; it arose in:"]
    for frame in traceback.extract_tb(error.__traceback__):
        lines.append(f"  {frame.filename}:{frame.lineno} {frame.name}")
    return "\n".join(lines)


def _leave_no_core() -> None:
    """Let a crash of this process leave no image of its memory, which holds cells."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Treat a request to end as an interrupt, so that everything private is removed on the way out."""
    raise KeyboardInterrupt


def _leave_interrupted() -> None:
    """Say so, clean up, and leave at once: threads of the engine that are still at work must not see things go away."""
    from withhold._staging import PUBLISHED, remove_all

    after = f"after {PUBLISHED[0].name} was published" if PUBLISHED else "nothing was published"
    click.echo(f"withhold: interrupted; {after}.", err=True)
    remove_all()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)
