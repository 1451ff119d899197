"""The same walk on Adult, 45,222 people: opened from the command line, a preset, a run, a cell explained."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from real_data import adult

DROPPED = ["fnlwgt"]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    adult().drop(columns=DROPPED, errors="ignore").to_csv(path, index=False)
    return path


PRESS_PAUSE = """() => {
  const wait = setInterval(() => {
    const button = document.querySelector(".run-pause");
    if (button && !button.disabled) { clearInterval(wait); button.click(); }
  }, 5);
}"""
"""Press it as soon as it can be pressed: the whole run may take less than a second."""


def steer(page: Any) -> None:
    """Run, cancel, run again, pause, make a step, take it back, go on."""
    page.locator(".run-play").click()
    page.wait_for_selector('.run-state [data-state="running"], .run-state [data-state="starting"]')
    page.locator(".run-cancel").click()
    page.wait_for_selector('.run-state [data-state="cancelled"]')
    for _ in range(10):  # a press may come too late for a run that is over at once
        page.wait_for_selector(".run-pause[disabled]")
        page.evaluate(PRESS_PAUSE)
        page.locator(".run-play").click()
        if is_paused(page, within=5_000):
            break
    page.wait_for_selector('.run-state [data-state="paused"]')
    n_made = last_step(page)
    page.wait_for_timeout(1_000)
    assert last_step(page) == n_made
    page.locator(".run-step").click()
    wait_for_step(page, n_made + 1)
    page.locator(".run-back").click()
    wait_for_step(page, n_made)
    assert page.locator('.run-state [data-state="paused"]').count() == 1
    page.locator(".run-play").click()


def is_paused(page: Any, *, within: int) -> bool:
    for _ in range(within // 100):
        if page.locator('.run-state [data-state="paused"]').count():
            return True
        page.wait_for_timeout(100)
    return False


LAST = "section#run .even table.list tbody td.num [data-n]"


def last_step(page: Any) -> int:
    made = page.locator(LAST)
    return int(made.first.get_attribute("data-n")) if made.count() else 0


def wait_for_step(page: Any, n: int) -> None:
    is_there = "([where, n]) => Number(document.querySelector(where)?.dataset.n || 0) === n"
    page.wait_for_function(is_there, arg=[LAST, n])


def test_adult_is_released_by_clicks_alone(browser: Any, serve: Callable[..., Any], people: Path) -> None:
    server = serve(str(people), folder=people.parent)
    page = browser.new_context(
        viewport={"width": 1280, "height": 900}, locale="en-GB", reduced_motion="reduce"
    ).new_page()
    page.set_default_timeout(60_000)
    page.goto(server.address)
    page.wait_for_selector(".card.promise")
    assert "45,222" in page.locator("section#open").inner_text()
    page.locator('.presets button:has-text("researchers")').click()
    page.wait_for_selector('.says:has-text("5 people share age")')
    page.locator(".set-recoding").click()
    page.locator('.q-menu .q-item:has-text("global")').click()
    page.wait_for_selector('.cm-line:has-text("global")')
    steer(page)
    page.wait_for_selector('.run-state [data-state="done"]')
    page.wait_for_selector("section#compare td.coarse")
    page.locator("section#compare td.coarse").first.click()
    page.wait_for_selector(".why .fine")
    assert "Given back by step" in page.locator(".why").inner_text() or "not finer" in page.locator(".why").inner_text()
    page.context.close()
