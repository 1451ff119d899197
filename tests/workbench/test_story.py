"""The whole story in a real browser: from a table to a proven release, by somebody who knows no TOML."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from withhold.cli._main import cli
from withhold.cli.demo import write_clinic

IMAGES = Path(__file__).parents[2] / "docs" / "images" / "workbench"
TAKES_PICTURES = os.environ.get("WITHHOLD_SCREENSHOTS") == "1"
"""Set this to write the pictures of the manual anew."""
SEED = 7


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clinic(tmp_path_factory.mktemp("clinic"), rows=800, seed=0)


@pytest.fixture(scope="module")
def server(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    # Pictures show where files lie: a place that names nobody.
    folder = Path(tempfile.gettempdir(), "clinic") if TAKES_PICTURES else tmp_path_factory.mktemp("workbench")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return serve(folder=folder)


@pytest.fixture(scope="module")
def page(browser: Any, server: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="de-DE", reduced_motion="reduce")
    context.set_default_timeout(20_000)
    tab = context.new_page()
    tab.foreign = []
    tab.faults = []
    tab.on("request", lambda each: tab.foreign.append(each.url) if server.host not in each.url else None)
    tab.on("pageerror", lambda error: tab.faults.append(str(error)))
    tab.on("console", lambda each: tab.faults.append(each.text) if each.type == "error" else None)
    tab.goto(server.address)
    tab.wait_for_selector("section#publish")
    yield tab
    context.close()


def picture(page: Any, step: str) -> None:
    if TAKES_PICTURES:
        IMAGES.mkdir(parents=True, exist_ok=True)
        page.set_viewport_size({"width": 1280, "height": 4200})
        page.wait_for_timeout(400)
        page.locator(f"section#{step}").screenshot(path=IMAGES / f"{step}.png")
        page.set_viewport_size({"width": 1280, "height": 900})


def role(page: Any, column: str, name: str) -> None:
    page.locator(f'[role=radiogroup][aria-label="{column}"] [data-role="{name}"]').click()
    page.wait_for_selector(f'[role=radiogroup][aria-label="{column}"] [data-role="{name}"][aria-checked="true"]')


def state(page: Any, name: str) -> None:
    page.wait_for_selector(f'.run-state [data-state="{name}"]', timeout=60_000)


def test_a_file_that_is_dropped_is_shown_and_looked_at(page: Any, clinic: Path) -> None:
    assert "127.0.0.1" in page.url
    assert "token" not in page.url
    page.locator("section#open input[type=file]").first.set_input_files(clinic)
    page.wait_for_selector("section#open table.cells td")
    page.wait_for_selector("section#look table.list")
    assert "800" in page.locator("section#open").inner_text()
    assert "people" in page.locator("section#look .risk").inner_text()
    picture(page, "open")
    picture(page, "look")


def test_roles_by_a_click_change_the_policy_and_the_other_way_round(page: Any) -> None:
    for column in ("insurance", "admission", "stay_days"):
        role(page, column, "keep")
    role(page, "diagnosis", "sensitive")
    page.wait_for_selector('.cm-line:has-text(\'"age", "sex", "postcode", "occupation"]\')')
    page.wait_for_selector('.says:text-is("10 people share age, sex, postcode, occupation")')
    page.wait_for_selector("section#decide >> text=No promise is about diagnosis yet")
    page.locator("section#decide .field-k input").first.fill("6")
    page.wait_for_selector('.cm-line:has-text("k = 6")')
    line = page.locator('.cm-line:has-text("k = 6")')
    line.click()
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    page.keyboard.type("1")
    page.wait_for_selector("section#decide .toml .bad >> text=at least 2")
    page.keyboard.press("Backspace")
    page.keyboard.type("8")
    page.wait_for_selector('.says:has-text("8 people share")')
    picture(page, "decide")


def test_a_taxonomy_is_made_by_prefix_edited_by_drag_and_undone(page: Any) -> None:
    page.wait_for_selector("section#taxonomies >> text=In use: postcode.taxonomy.csv")
    page.locator("section#taxonomies .make-tree").click()
    page.wait_for_selector(".undo-tree:not([disabled])")  # the tree in use looked alike
    page.wait_for_selector('ul.tree [data-node]:has-text("47***")')
    nodes = page.locator("ul.tree [data-node]")
    before = nodes.all_inner_texts()
    group = page.locator('ul.tree [data-node].group:has-text("01***")').first
    page.locator('ul.tree [data-node].value:has-text("47311")').first.drag_to(group)
    page.wait_for_function(
        "(n) => document.querySelectorAll('ul.tree [data-node]').length && "
        "[...document.querySelectorAll('ul.tree [data-node]')].map(e => e.innerText).join() !== n",
        arg=",".join(before),
    )
    page.locator(".undo-tree").click()
    page.wait_for_function(
        "(n) => [...document.querySelectorAll('ul.tree [data-node]')].map(e => e.innerText).join() === n",
        arg=",".join(before),
    )
    picture(page, "taxonomies")
    page.locator(".use-tree").click()
    page.wait_for_selector('.cm-line:has-text("taxonomy = ")')


def test_a_run_is_stepped_sent_back_paused_and_finished(page: Any) -> None:
    page.locator(".set-recoding").click()
    page.locator('.q-menu .q-item:has-text("global")').click()
    page.wait_for_selector('.cm-line:has-text("global")')
    page.locator(".run-step").click()
    page.wait_for_selector("section#run h3:has-text('The next candidates')")
    state(page, "paused")
    page.locator(".run-step").click()
    page.wait_for_selector("section#run table.list td.num >> text=2")
    page.locator(".run-back").click()
    page.wait_for_function("document.querySelectorAll('section#run .even table.list tbody tr').length === 1")
    page.locator("section#run [data-act=first]").first.click()
    page.wait_for_function("document.querySelectorAll('section#run .even table.list tbody tr').length === 2")
    picture(page, "run")
    page.locator(".run-play").click()
    state(page, "done")


def test_the_frontier_offers_settings_and_takes_one(page: Any) -> None:
    page.locator(".set-recoding").click()
    page.locator('.q-menu .q-item:has-text("local")').click()
    page.wait_for_selector('.cm-line:has-text("local")')
    page.locator("section#compare .settings input").fill("3, 10, 20")
    page.locator(".draw-frontier").click()
    page.wait_for_selector('circle[data-setting="20.0"]', timeout=60_000)
    page.locator('circle[data-setting="10.0"]').click()
    page.wait_for_selector('.says:has-text("10 people share")')


def test_a_release_is_compared_and_a_cell_explained(page: Any) -> None:
    page.locator(".publish-seed input").fill(str(SEED))
    page.locator(".publish-seed input").blur()
    page.locator(".run-play").click()
    page.wait_for_selector("section#run .fine", timeout=60_000)  # no run of an earlier policy any more
    page.wait_for_selector("section#compare td.coarse")
    page.locator("section#compare td.coarse").first.click()
    page.wait_for_selector(".why >> text=10 people share")
    assert "require[" not in page.locator("section#compare").inner_text()
    page.locator(".attack").click()
    page.wait_for_selector("section#compare h3:has-text('Attackers')", timeout=60_000)
    picture(page, "compare")


def test_what_is_published_is_proven_and_made_again_byte_for_byte(page: Any, server: Any, clinic: Path) -> None:
    out = server.folder / "release.csv"
    page.locator(".publish-folder input").fill(str(server.folder))
    page.locator(".publish-file input").fill(out.name)
    page.locator("button.publish").click()
    page.wait_for_selector("section#publish .fine", timeout=180_000)
    picture(page, "publish")
    project = server.folder / "release.csv.project"
    policy = str(project / "policy.toml")
    written = {
        "release.csv.report.json",
        "release.csv.report.html",
        "release.csv.audit.html",
        "release.csv.codebook.csv",
    }
    assert written <= {path.name for path in server.folder.iterdir()}
    assert {"make_again.py", "make_again.ipynb", "postcode.csv"} <= {path.name for path in project.iterdir()}
    proven = withhold("audit", str(out), "--policy", policy, "--original", str(clinic), "--checks-only")
    assert proven.count("met ") >= 5
    again, third = server.folder / "again.csv", server.folder / "third.csv"
    withhold("release", str(clinic), "--policy", policy, "--out", str(again), "--seed", str(SEED), "--quiet")
    assert again.read_bytes() == out.read_bytes()
    script = (project / "make_again.py").read_text().replace(f'"{out}"', repr(str(third)))
    script = script.replace(f', report="{out}.report.html"', "")  # the page takes longer than the release
    exec(compile(script.replace('"patients.csv"', repr(str(clinic))), "make_again.py", "exec"), {})
    assert third.read_bytes() == out.read_bytes()


def test_a_reload_keeps_the_work(page: Any) -> None:
    page.reload()
    page.wait_for_selector("section#publish .fine")
    page.wait_for_selector("section#compare td.coarse")
    assert page.locator("section#look table.list").count() == 1


def test_two_tabs_show_the_same_work_and_a_second_person_is_refused(page: Any, browser: Any, server: Any) -> None:
    tab = page.context.new_page()
    tab.goto(server.base)
    tab.wait_for_selector("section#compare td.coarse")
    tab.locator("section#decide .field-k input").first.fill("7")
    page.wait_for_selector('.says:has-text("7 people share")')
    page.wait_for_selector("section#publish .notice")
    tab.close()
    other = browser.new_context()
    stranger = other.new_page()
    assert stranger.goto(server.address).status == 403
    assert "one person at a time" in stranger.inner_text("body")
    other.close()


def test_the_page_fits_a_narrow_window_and_every_control_has_a_name(page: Any) -> None:
    page.set_viewport_size({"width": 800, "height": 900})
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, input:not([type=file]), [role=button], select, textarea, a[href]')]
          .filter(e => e.offsetParent && !(e.innerText.trim() || e.getAttribute('aria-label') || e.title
            || (e.labels && e.labels.length) || e.getAttribute('aria-labelledby') || e.closest('label')))
          .map(e => e.outerHTML.slice(0, 160))"""
    )
    assert nameless == []
    page.set_viewport_size({"width": 1280, "height": 900})


def test_nothing_was_asked_of_anybody_else_and_nothing_is_kept(page: Any, server: Any) -> None:
    assert page.foreign == []
    assert page.faults == []
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert "pneumonia" not in kept
    assert "47311" not in kept
    folder = [path for path in (server.folder / "tmp").iterdir() if path.name.startswith("withhold-workbench-")]
    assert [path.stat().st_mode & 0o077 for path in folder] == [0]
    server.end()
    assert list((server.folder / "tmp").iterdir()) == []
    assert "pneumonia" not in server.printed + server.log.read_text()


def withhold(*words: str) -> str:
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output
