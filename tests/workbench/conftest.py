"""A workbench that runs as users run it, and a real browser before it."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Server:
    """A workbench in a process of its own."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self.folder = folder
        environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
        (folder / "tmp").mkdir(exist_ok=True)
        self.log = folder / "stderr.txt"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-u", "-m", "withhold", "workbench", *words, "--no-browser"],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
                cwd=folder,
            )
        self.printed = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed += line
            found = re.search(r"(http://([\d.]+:\d+)/)\?token=(\S+)", line)
            if found:
                self.address, self.base, self.host, self.token = found[0], found[1], found[2], found[3]
                return
        pytest.fail(f"the workbench did not start: {self.log.read_text()}")

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        assert self.process.stdout is not None
        self.printed += self.process.stdout.read()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    if importlib.util.find_spec("nicegui") is None:
        pytest.skip("the extra `app` is not installed: the workbench is not tested here")
    servers = []

    def start(*words: str, folder: Path | None = None) -> Server:
        servers.append(Server(list(words), folder or tmp_path_factory.mktemp("workbench")))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium on this machine: the pages of the workbench are not tested here")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as toolkit:
        chromium = toolkit.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()
