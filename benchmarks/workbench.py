"""How long the workbench takes on a large table, as a person sees it, and how much memory its server holds.

Run ``python benchmarks/workbench.py --rows 1000000``; it starts a server and a Chromium, and prints one line a figure.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
from playwright.sync_api import sync_playwright

from withhold.cli.demo import write_clinic

GOALS = {"open to preview": 3.0, "look": 10.0, "a step appears": 0.5, "paging": 0.3}
BASE_ROWS = 20_000


def write_table(folder: Path, rows: int) -> Path:
    """Return a clinic of many rows: a small one repeated, with ages of its own."""
    small = write_clinic(folder, rows=min(rows, BASE_ROWS), seed=0)
    if rows <= BASE_ROWS:
        return small
    place = folder / "large.csv"
    with duckdb.connect() as database:
        database.execute(
            f"COPY (SELECT small.* REPLACE ((age + copy) % 90 + 1 AS age) FROM read_csv('{small}') AS small, "
            f"range({-(-rows // BASE_ROWS)}) AS copies(copy) LIMIT {rows}) TO '{place}' (HEADER)"
        )
    return place


def start(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Return a server and its address."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "withhold", "workbench", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"http://\S+token=\S+", line)
        if found:
            return process, found[0]
    raise SystemExit("the workbench did not start")


def memory(process: subprocess.Popen[str]) -> int:
    """Return the most memory that the server has held, in megabytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) // 1024


def measure(page: Any, place: Path) -> dict[str, float]:
    """Open a table, look, page through it, and make steps."""
    page.get_by_text("Pick a file on this machine").click()
    begun = time.perf_counter()
    page.locator(f".q-dialog button:has-text('{place.name}')").click()
    page.wait_for_selector("section#open table.cells td")
    took = {"open to preview": time.perf_counter() - begun}
    page.wait_for_selector("section#look table.list")
    took["look"] = time.perf_counter() - begun - took["open to preview"]
    page.wait_for_selector(".card.promise")
    took["paging"] = max(_turn(page, label) for label in ("Last rows", "Rows before", "First rows"))
    page.locator(".set-recoding").click()
    page.locator('.q-menu .q-item:has-text("global")').click()
    page.wait_for_selector('.cm-line:has-text("global")')
    page.locator(".run-step").click()
    page.wait_for_selector('.run-state [data-state="paused"]')
    page.wait_for_selector("section#run h3:has-text('The next candidates')")
    took["a step appears"] = min(_step(page) for _ in range(3))
    return took


def _turn(page: Any, label: str) -> float:
    where = page.locator("section#open .row-of .soft.small").last
    before, begun = where.inner_text(), time.perf_counter()
    page.locator(f'section#open [aria-label="{label}"]').click()
    while where.inner_text() == before:
        page.wait_for_timeout(5)
    return time.perf_counter() - begun


def _step(page: Any) -> float:
    """Return how long a press on One step takes until the step is seen, the step itself included."""
    last = page.locator("section#run .even table.list tbody td.num").first
    before, begun = last.inner_text() if last.count() else "", time.perf_counter()
    page.locator(".run-step").click()
    while not last.count() or last.inner_text() == before:
        page.wait_for_timeout(5)
    return time.perf_counter() - begun


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name:
        place = write_table(Path(name), rows)
        process, address = start(place.parent)
        try:
            with sync_playwright() as toolkit:
                browser = toolkit.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
                page = browser.new_context(reduced_motion="reduce").new_page()
                page.set_default_timeout(600_000)
                page.goto(address)
                page.wait_for_selector(".open-sample")
                took = measure(page, place)
                browser.close()
            for what, seconds in took.items():
                print(f"{rows:>10,} rows  {what:<16} {seconds:7.2f} s   goal {GOALS[what]:g} s")
            print(f"{rows:>10,} rows  memory of the server, at most {memory(process):,} MB")
        finally:
            process.terminate()
            process.wait(60)
            if process.stdout is not None:
                process.stdout.close()


if __name__ == "__main__":
    main()
