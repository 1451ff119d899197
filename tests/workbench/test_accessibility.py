"""What axe, an engine that looks for obstacles, finds on every step: nothing serious, in light and in dark."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from withhold.cli.demo import write_clinic

GRAVE = ("serious", "critical")


@pytest.fixture(scope="module")
def axe() -> Any:
    found = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe-playwright-python is not installed: obstacles on the page are not looked for",
    )
    return found.Axe()


@pytest.fixture(scope="module")
def page(axe: Any, browser: Any, serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("workbench")
    server = serve(str(write_clinic(folder, rows=400, seed=0)), folder=folder)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    tab = context.new_page()
    tab.goto(server.address)
    tab.wait_for_selector("section#publish")
    yield tab
    context.close()


def faults(axe: Any, page: Any, within: str, **options: Any) -> list[str]:
    found = axe.run(page, within, {"resultTypes": ["violations"], **options}).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]} ({node.get('failureSummary', '')[:300]})"
        for each in found
        if each["impact"] in GRAVE
        for node in each["nodes"]
    ]


def everywhere(axe: Any, page: Any) -> list[str]:
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.mouse.move(2, 400)  # what is under the mouse has a colour of its own
        page.wait_for_timeout(600)  # colours fade
        found += [f"{scheme}: {each}" for each in faults(axe, page, "body")]
    page.emulate_media(color_scheme="light")
    return found


def test_nothing_is_in_the_way_before_and_after_a_release(axe: Any, page: Any) -> None:
    page.wait_for_selector("section#look table.list")
    assert everywhere(axe, page) == []
    page.locator('.presets button:has-text("researchers")').click()
    page.wait_for_selector('.says:has-text("5 people share")')
    page.locator(".set-recoding").click()
    page.wait_for_selector('.q-menu .q-item:has-text("local")')
    assert everywhere(axe, page) == []
    page.locator('.q-menu .q-item:has-text("local")').click()
    page.locator(".run-play").click()
    page.wait_for_selector("section#compare td.coarse")
    page.locator("section#compare td.coarse").first.click()
    page.locator("section#compare .settings input").fill("3, 10")
    page.locator(".draw-frontier").click()
    page.wait_for_selector('circle[data-setting="10.0"]')
    page.locator("button.publish").click()
    page.wait_for_selector("section#publish .fine", timeout=180_000)
    assert everywhere(axe, page) == []


def test_nothing_is_in_the_way_in_a_narrow_window_with_mistakes(axe: Any, page: Any) -> None:
    page.set_viewport_size({"width": 800, "height": 900})
    page.locator("section#decide .field-k input").first.fill("1")
    page.wait_for_selector("section#decide .toml .bad")
    assert everywhere(axe, page) == []
    page.set_viewport_size({"width": 1280, "height": 900})


def test_nothing_is_in_the_way_where_a_file_is_picked(axe: Any, page: Any) -> None:
    page.locator('button:has-text("Pick a file")').click()
    page.wait_for_selector(".q-dialog .treebox button")
    # The layer below a dialog confuses its measure of colours, which are those of the page.
    assert faults(axe, page, ".q-dialog", rules={"color-contrast": {"enabled": False}}) == []
    page.keyboard.press("Escape")
