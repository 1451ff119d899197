"""A part of the page that is drawn anew when what it shows has changed."""

import inspect
from collections.abc import Callable
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, run, ui

from withhold.errors import WithholdError
from withhold.workbench._bench import Bench
from withhold.workbench._policy_text import spoken

if TYPE_CHECKING:
    from withhold.workbench.pages._page import Page

__all__ = ["Pager", "Part", "carefully", "markup"]

DETAIL = "(event) => emit(event.detail)"
"""What a page hears of an event of its own script."""
TYPED_IN = "(event) => event.target.matches('input, textarea') && emit(event.type === 'focusin')"


class Part:
    """A part of the page; it watches parts of the bench and changes when what it shows has changed.

    A part either keeps its controls and changes them in place (it overrides `draw`), or is drawn anew (it overrides
    `render`); the latter waits while somebody types into it.
    """

    watches: tuple[str, ...] = ()

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.bench: Bench = page.bench
        self.box = ui.element("div").classes("part")
        self.seen = -1
        self._shown: object = None
        self._is_typed_in = False
        if type(self).draw is Part.draw:
            self.box.on("focusin", self._typing, js_handler=TYPED_IN).on("focusout", self._typing, js_handler=TYPED_IN)
        page.parts.append(self)

    def _typing(self, event: Any) -> None:
        self._is_typed_in = event.args is True

    @property
    def version(self) -> int:
        """What the bench has of it."""
        return sum(self.bench.versions[name] for name in self.watches)

    def shows(self) -> object:
        """Return what a drawing of it depends on: while that is equal, nothing is drawn."""
        return self.version

    def poll(self) -> None:
        """Change it, if it shows what is no more."""
        now = self.version
        if now == self.seen or self._is_typed_in:
            return
        self.seen = now
        try:
            shows = self.shows()
            if shows != self._shown:
                self._shown = shows
                self.draw()
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Say that the part cannot be shown; the others go on. The text of an error may hold cells."""
        says = str(error) if isinstance(error, WithholdError) else f"({type(error).__name__})"
        with self.box:
            markup(f'<div class="wrong" role="alert">This part cannot be shown: {escape(says)}</div>')

    def settle(self) -> None:
        """Note that it shows what the bench has, because this very part made the change."""
        self.seen = self.version

    def draw(self) -> None:
        """Draw it anew."""
        self._is_typed_in = False  # a control that goes with the focus says nothing of it
        self.box.clear()
        with self.box:
            self.render()

    def render(self) -> None:
        """Fill the box."""
        raise NotImplementedError

    def say(self, sentence: str) -> str:
        """Return a sentence in which requirements are called by what they promise."""
        return spoken(sentence, self.bench.read.policy)


def carefully(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler whose errors are shown as a sentence; foreign ones without their text, which may hold cells."""

    def report(error: Exception) -> None:
        is_ours = isinstance(error, WithholdError)
        ui.notify(
            str(error) if is_ours else f"Something unexpected happened ({type(error).__name__}); nothing was changed.",
            type="warning" if is_ours else "negative",
            multi_line=True,
            timeout=8000,
        )

    if inspect.iscoroutinefunction(handler):

        @wraps(handler)
        async def later(*words: Any, **named: Any) -> Any:
            try:
                return await handler(*words, **named)
            except Exception as error:
                report(error)

        return later

    @wraps(handler)
    def now(*words: Any, **named: Any) -> Any:
        try:
            return handler(*words, **named)
        except Exception as error:
            report(error)

    return now


def markup(content: str, classes: str = "") -> ui.html:
    """Show markup in which every text is escaped already."""
    return ui.html(content, sanitize=False).classes(classes)


class Pager:
    """A table that is shown a page at a time; pages are fetched beside the work of the server."""

    def __init__(self, n_rows: int, fetch: Callable[[int, int], Any], show: Callable[[Any], object], size: int) -> None:
        self.n_rows, self.size, self.first = n_rows, size, 0
        self._fetch, self._show = fetch, show
        with ui.element("div").classes("row-of"):
            for icon, label, move in (
                ("first_page", "First rows", lambda: 0),
                ("chevron_left", "Rows before", lambda: self.first - self.size),
                ("chevron_right", "Rows after", lambda: self.first + self.size),
                ("last_page", "Last rows", lambda: self.n_rows - self.size),
            ):
                button = ui.button(icon=icon, on_click=lambda _, to=move: self.go(to()))
                button.props(f'flat dense aria-label="{label}"')
            self._where = ui.html("", sanitize=False).classes("soft small")
            self._at = (
                ui.number(label="Go to row", min=1, max=n_rows, format="%.0f")
                .props("dense outlined")
                .style("width: 8rem")
            )
            self._at.on("keydown.enter", lambda: self.go(int(self._at.value or 1) - 1))

    def go(self, first: int) -> None:
        """Show the page that begins with a row."""
        self.first = max(0, min(first, self.n_rows - self.size))
        background_tasks.create(self._load())

    async def _load(self) -> None:
        from withhold.workbench.pages._drawings import number

        wanted = self.first
        found = await run.io_bound(self._fetch, wanted, self.size)
        if found is None or wanted != self.first or self._where.is_deleted:
            return
        last = min(wanted + self.size, self.n_rows)
        self._where.set_content(f"rows {number(wanted + 1)} – {number(last)} of {number(self.n_rows)}")
        self._show(found)
