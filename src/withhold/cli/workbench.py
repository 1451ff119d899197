"""`withhold workbench`: the window, on this machine only."""

from pathlib import Path

import click

from withhold.cli._places import Place

__all__ = ["command"]


@click.command(name="workbench", short_help="Open the workbench in your browser, on this machine only.")
@click.argument("data", type=Place(), required=False)
@click.option("--project", type=click.Path(path_type=Path, exists=True, file_okay=False), help="A project to open.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where to listen; by default any free port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--i-understand", is_flag=True, help="Listen on an address that others can reach.")
@click.option("--no-browser", is_flag=True, help="Show the address only.")
def command(
    data: Path | str | None, project: Path | None, port: int, host: str, i_understand: bool, no_browser: bool
) -> None:
    """Open a table, decide what outsiders may know, run the search, compare, and publish, all in the browser.

    Nothing leaves this machine. The address that is shown carries a key, which only you have.
    """
    from withhold.errors import InputError
    from withhold.workbench import is_loopback, serve

    if not is_loopback(host) and not i_understand:
        raise InputError(
            f"--host {host}: others on the network could reach the workbench, and what it shows of people would pass "
            "unencrypted. Hint: stay with 127.0.0.1 and forward the port over ssh; or pass --i-understand."
        )
    if isinstance(data, Path) and not data.exists():
        raise InputError(f"{data}: there is no such file.")
    if data is not None and not isinstance(data, Path | str):
        raise InputError("the workbench cannot read standard input. Hint: name a file.")
    serve(data, project=project, host=host, port=port, is_shown=not no_browser, say=click.echo)
