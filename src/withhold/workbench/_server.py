"""The server of the workbench: on this machine only, for one person, leaving nothing behind."""

import atexit
import contextlib
import ipaddress
import logging
import os
import secrets
import shutil
import socket
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path

from withhold.errors import InputError, MissingExtraError
from withhold.workbench._bench import Bench
from withhold.workbench._gate import Gate

__all__ = ["is_loopback", "serve"]

LOUD = ("nicegui", "uvicorn", "uvicorn.error", "uvicorn.access", "socketio", "engineio", "asyncio")
"""Loggers that may quote what passed through them."""


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine only.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(
    data: Path | str | None,
    *,
    project: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    is_shown: bool = True,
    say: Callable[[str], object] = print,
) -> None:
    """Serve the workbench until it is interrupted.

    Parameters
    ----------
    data
        A table to open at once.
    project
        A project folder to open at once.
    host, port
        Where to listen; by default on this machine only, on any free port.
    is_shown
        Whether to open a browser.
    say
        Called with the address.
    """
    folder = Path(tempfile.mkdtemp(prefix="withhold-workbench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # What the toolkit, the engine or a form keeps outside memory lies where everything is removed.
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    os.environ["NICEGUI_STORAGE_PATH"] = str(folder / "storage")
    bench = Bench(folder)
    try:
        if project is not None:
            bench.open_project(project)
        if data is not None:
            bench.open(data)
        _listen(bench, host, port, is_shown=is_shown, say=say)
    finally:
        bench.close()
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


def _listen(bench: Bench, host: str, port: int, *, is_shown: bool, say: Callable[[str], object]) -> None:
    try:
        import uvicorn
        from fastapi import FastAPI

        from withhold.workbench.pages import build
    except ImportError:
        raise MissingExtraError("NiceGUI", extra="app", purpose="The workbench") from None
    own = _bind(host, port)
    port = own.getsockname()[1]
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    bench.is_reached = not is_loopback(host)
    build(app, bench)
    token = secrets.token_urlsafe(32)
    gate = Gate(app, token=token, hosts=_hosts(host, port))
    for name in LOUD:
        logging.getLogger(name).handlers = [logging.NullHandler()]
        logging.getLogger(name).propagate = False
    server = uvicorn.Server(
        uvicorn.Config(
            gate, log_config=None, access_log=False, lifespan="on", ws_max_size=16 << 20, timeout_graceful_shutdown=1
        )
    )
    address = f"http://{_in_address(host)}:{port}/?token={token}"
    say(f"The workbench is open at\n\n  {address}\n\nThe address is the key: give it to nobody. End with Ctrl-C.")
    if is_shown:
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[own])


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    own = socket.socket(family, socket.SOCK_STREAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        own.bind((host, port))
        own.listen(128)  # a browser that comes before the server is ready waits
    except OSError as error:
        own.close()
        raise InputError(f"{host}:{port}: cannot be listened on ({error.strerror}). Hint: another --port.") from None
    return own


def _hosts(host: str, port: int) -> list[str]:
    """Return the names under which the server may be called."""
    names = {host, "localhost"} if is_loopback(host) else {host, socket.gethostname(), socket.getfqdn()}
    return [f"{_in_address(name)}:{port}" for name in names]


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
