"""HTML in names of columns, in values and in taxonomies is shown as text, in a real browser and without one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from withhold.workbench._compared import PageOfRows
from withhold.workbench._look import Bars
from withhold.workbench._tree_editor import TreeEditor
from withhold.workbench.pages import _drawings as drawings

EVIL = '<img src=x onerror="window.owned=1">'
SCRIPT = "</script><script>window.owned=2</script>"


def test_drawings_escape_every_text() -> None:
    page = PageOfRows(first=0, names=(EVIL,), before=[(EVIL,)], after=[(SCRIPT,)], fates=[("coarser",)])
    drawn = [
        drawings.preview_table([EVIL], [[SCRIPT]], 0),
        drawings.before_table(page, is_after=False),
        drawings.before_table(page, is_after=True),
        drawings.bars(Bars(counts=(1,), labels=(EVIL,)), SCRIPT),
        drawings.tree(TreeEditor.over("c", [EVIL, SCRIPT])),
        drawings.said(EVIL),
        drawings.meter(0.5, "", EVIL),
        drawings.listed([EVIL], []),
    ]
    for each in drawn:
        assert "<img" not in each
        assert "<script" not in each


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evil") / "t<b>.csv"
    rows = [f'"{EVIL.replace(chr(34), chr(34) * 2)}",{SCRIPT},{i % 3}' for i in range(30)]
    head = f'"{EVIL.replace(chr(34), chr(34) * 2)}1",{SCRIPT},{{{{7*7}}}}'
    path.write_text("\n".join([head, *rows, "a,b,4", "c,d,5"]) + "\n")
    return path


def test_hostile_names_and_values_do_nothing_on_the_page(browser: Any, serve: Callable[..., Any], table: Path) -> None:
    server = serve(str(table))
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.goto(server.address)
    page.wait_for_selector("section#look table.list", timeout=30_000)
    page.wait_for_selector(".card.promise", timeout=30_000)
    page.locator('[role=radiogroup] [data-role="sensitive"]').first.click()
    page.wait_for_selector("section#decide .notice")
    page.locator(".run-play").click()
    page.wait_for_selector('.run-state [data-state="done"]', timeout=60_000)
    page.wait_for_selector("section#compare td[data-c]")
    page.locator("section#compare td[data-c]").nth(1).click()
    page.wait_for_selector(".why .fine")
    assert page.evaluate("window.owned") is None
    assert page.locator("main img").count() == 0
    assert EVIL in page.locator("section#open").inner_text()
    assert "{{7*7}}" in page.locator("section#look").inner_text()
    assert "<b>" in page.locator("header").inner_text()
    page.context.close()


def test_a_page_of_another_origin_cannot_reach_the_workbench(
    browser: Any, serve: Callable[..., Any], table: Path
) -> None:
    server = serve()
    context = browser.new_context()
    own = context.new_page()
    own.goto(server.address)
    own.wait_for_selector("section#open")
    other = context.new_page()
    other.route("http://evil.example/", lambda route: route.fulfill(body="<h1>evil</h1>", content_type="text/html"))
    other.goto("http://evil.example/")
    reached = other.evaluate(
        """async (base) => {
          const found = [];
          try { await fetch(base, {credentials: 'include'}); found.push('fetch'); } catch {}
          try { const r = await fetch(base, {mode: 'no-cors', credentials: 'include'}); found.push(r.type); } catch {}
          await new Promise((done) => {
            const s = new WebSocket(base.replace('http', 'ws') + '_nicegui_ws/socket.io/?EIO=4&transport=websocket');
            s.onopen = () => { found.push('socket'); done(); };
            s.onerror = () => done();
          });
          return found;
        }""",
        server.base,
    )
    assert "fetch" not in reached
    assert "socket" not in reached
    context.close()
