"""The page: a list of steps on the left, the steps from top to bottom, what is going on above them."""

from pathlib import Path

from fastapi import FastAPI
from nicegui import app as toolkit
from nicegui import ui

from withhold.workbench._bench import Bench
from withhold.workbench.pages._compare_step import AuditPart, ComparePart, FrontierPart
from withhold.workbench.pages._decide_step import PresetsPart, RolesPart, SettingsPart, TomlPart
from withhold.workbench.pages._look_step import LookPart
from withhold.workbench.pages._open_step import OpenPart, PreviewPart
from withhold.workbench.pages._part import Part, carefully, markup
from withhold.workbench.pages._promise_cards import CardsPart
from withhold.workbench.pages._publish_step import PublishPart
from withhold.workbench.pages._run_step import RunPart
from withhold.workbench.pages._taxonomies_step import TreesPart

__all__ = ["Page", "build"]

ASSETS = Path(__file__).parent / "assets"
TICK = 0.2
"""How often, in seconds, a page looks for what has changed."""
STEPS = (
    ("open", "Open", "A table about people. It stays on this machine; nothing of it leaves this window."),
    ("look", "Look", "What the columns hold, and how few of them make a person unique."),
    ("decide", "Decide", "What an outsider may know, what nobody may learn, and what must hold of the release."),
    ("taxonomies", "Taxonomies", "How values may be coarsened: a clerk is an office worker, 01234 lies in the North."),
    (
        "run",
        "Run",
        "Values are given back as far as the promises allow. Every state is valid: stop when it is good enough.",
    ),
    ("compare", "Compare", "Before and after. Click a cell to see why it is what it is."),
    ("publish", "Publish", "The file is written, read back and proven; only then it appears at its place."),
)


class Page:
    """One tab of the browser; all tabs show the same bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.parts: list[Part] = []
        ui.add_head_html(f"<style>{(ASSETS / 'workbench.css').read_text(encoding='utf-8')}</style>")
        ui.add_head_html(f"<script>{(ASSETS / 'workbench.js').read_text(encoding='utf-8')}</script>")
        ui.colors(primary="#24567f", positive="#1d6b3f", negative="#a82a1f", warning="#8a5300")
        self.dark = ui.dark_mode(None)
        markup('<a class="skip" href="#open">Skip to the first step</a>')
        Bar(self)
        with ui.element("div").classes("shell"):
            Steps(self)
            with ui.element("div").classes("steps-of-it"):
                self._steps()
        ui.timer(TICK, self.poll)
        self.poll()

    def _steps(self) -> None:
        made: dict[str, tuple[type[Part], ...]] = {
            "open": (OpenPart, PreviewPart),
            "look": (LookPart,),
            "decide": (),
            "taxonomies": (TreesPart,),
            "run": (RunPart,),
            "compare": (ComparePart, AuditPart, FrontierPart),
            "publish": (PublishPart,),
        }
        for i, (key, name, lead) in enumerate(STEPS):
            with ui.element("section").classes("step").props(f'id="{key}" aria-labelledby="{key}-title"'):
                markup(f'<h2 id="{key}-title">{i + 1}. {name}</h2><p class="lead">{lead}</p>')
                for part in made[key]:
                    part(self)
                if key == "decide":
                    self._decide()

    def _decide(self) -> None:
        PresetsPart(self)
        with ui.element("div").classes("two").style("margin-top: 1rem"):
            with ui.element("div").classes("part"):
                RolesPart(self)
                CardsPart(self)
                SettingsPart(self)
            TomlPart(self)

    def poll(self) -> None:
        """Draw what is out of date."""
        for part in self.parts:
            part.poll()


class Bar(Part):
    """What is open, what is going on, and the way to stop it."""

    watches = ("open", "job")

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.box.classes(add="topbar")
        with self.box, ui.element("header").classes("bar"):
            markup('<h1 class="brand">withhold <em>workbench</em></h1>')
            self._file = ui.label().classes("file")
            ui.element("span").classes("fill")
            self._turns = ui.spinner(size="1.3rem")
            self._says = ui.label().classes("soft small").props('role="status" aria-live="polite"')
            self._cancel = ui.button("Cancel", on_click=carefully(self._end)).props("flat dense").classes("cancel-job")
            markup(
                '<span class="bad small">Others on the network can reach this page</span>'
                if self.bench.is_reached
                else '<span class="soft small">Private: this machine only</span>'
            )
            self._mode()

    def draw(self) -> None:
        """Show what is open and what is going on."""
        self._file.set_text(self.bench.data.name if self.bench.data else "no table is open")
        for each in (self._turns, self._says, self._cancel):
            each.set_visibility(self.bench.jobs.is_busy)

    def poll(self) -> None:
        """Follow what the job says."""
        super().poll()
        job = self.bench.jobs.last
        if job is not None and job.is_running:
            self._says.set_text(f"{job.name}: {job.says}" if job.says != job.name else job.name)

    def _end(self) -> None:
        if self.bench.jobs.last is not None:
            self.bench.jobs.last.cancel()

    def _mode(self) -> None:
        modes = {None: ("brightness_auto", False), False: ("light_mode", True), True: ("dark_mode", None)}

        def turn() -> None:
            self.page.dark.value = modes[self.page.dark.value][1]
            button.props(f"icon={modes[self.page.dark.value][0]}")

        button = ui.button(icon=modes[self.page.dark.value][0], on_click=turn)
        button.props('flat dense round aria-label="Light or dark"')


class Steps(Part):
    """The list of steps; those that are done are filled."""

    watches = ("open", "look", "decide", "trees", "run", "compare", "publish")

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.box.classes(replace="stepbox")
        with self.box:
            self._nav = markup("", "stepnav")

    def draw(self) -> None:
        """Fill the list."""
        bench = self.bench
        done = {
            "open": bench.data is not None,
            "look": bench.look is not None,
            "decide": bench.data is not None and bench.read.policy is not None and not bench.mistakes,
            "taxonomies": bool(bench.taxonomies),
            "run": bench.compared is not None and not bench.is_stale,
            "compare": bench.audit is not None,
            "publish": bench.published is not None,
        }
        late = {"decide": bench.data is not None and bool(bench.mistakes)}
        links = []
        for i, (key, name, _) in enumerate(STEPS):
            kind, mark = ("late", "!") if late.get(key) else ("done", "✓") if done[key] else ("", str(i + 1))
            word = " (has mistakes)" if kind == "late" else " (done)" if kind else ""
            hidden = f'<span style="position:absolute;left:-999px">{word}</span>'
            links.append(
                f'<li class="{kind}"><a href="#{key}"><span class="dot" aria-hidden="true">{mark}</span>'
                f"{name}{hidden}</a></li>"
            )
        self._nav.set_content(f'<nav class="steps" aria-label="Steps"><ol>{"".join(links)}</ol></nav>')


def build(app: FastAPI, bench: Bench) -> None:
    """Add the page to an application."""

    @ui.page("/", title="withhold workbench", language="en-GB")
    def page() -> None:
        Page(bench)

    toolkit.on_exception(carefully(lambda error: None))
    ui.run_with(
        app,
        title="withhold workbench",
        dark=None,
        tailwind=False,
        favicon="🔒",
        gzip_middleware_factory=None,
        show_welcome_message=False,
        message_history_length=0,
        reconnect_timeout=30.0,
    )
