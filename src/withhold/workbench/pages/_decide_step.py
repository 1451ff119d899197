"""The third step: roles by one click, promises as cards, and the policy as text, all three the same thing."""

import time
from html import escape
from typing import Any

from nicegui import ui

from withhold.policy import policy_schema
from withhold.workbench._presets import PRESETS
from withhold.workbench._roles import ROLES, sensitive_columns
from withhold.workbench.pages._drawings import said
from withhold.workbench.pages._part import DETAIL, Part, carefully, markup

__all__ = ["PresetsPart", "RolesPart", "SettingsPart", "TomlPart"]

IDLE = 0.8
"""How long nobody has typed, in seconds, before the editor is touched from here."""
SETTINGS = {
    "recoding": "How rows are coarsened",
    "effort": "How long to look for less loss",
    "rows": "The order of rows",
}
WORDS = {
    "local": "local: each row as finely as its group allows",
    "global": "global: a value alike in all rows, step by step",
    "levels": "levels: one level for a whole column",
    "keep": "keep",
    "shuffle": "shuffle: break the link by position",
}


class PresetsPart(Part):
    """Usual kinds of publication, a sentence each."""

    watches = ("data",)

    def shows(self) -> object:
        """Return what it depends on."""
        return self.bench.data is None

    def render(self) -> None:
        """Show them."""
        if self.bench.data is None:
            markup('<div class="empty">Open a table first; a first policy is made for it.</div>')
            return
        buttons = "".join(
            f'<button type="button" data-act="preset" data-at="{i}"><b>{escape(preset.name)}</b>'
            f"<span>{escape(preset.sentence)}</span></button>"
            for i, preset in enumerate(PRESETS)
        )
        markup("<h3>Start from a usual kind of publication</h3>")
        markup(f'<div class="presets">{buttons}</div>').on("act", carefully(self._use), js_handler=DETAIL)

    def _use(self, event: Any) -> None:
        preset = PRESETS[int(event.args["at"])]
        self.bench.use_preset(preset)
        if preset.is_about_sensitive and not self.bench.with_roles("sensitive"):
            words = "no column is sensitive yet, so what a group has in common is not protected. Mark one first."
            ui.notify(f"{preset.name}: {words}", type="warning", multi_line=True, timeout=12_000)
            return
        ui.notify(f"{preset.name}: the promises were set.", type="positive")


class RolesPart(Part):
    """For every column a role by one click."""

    watches = ("decide",)

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        self._drawn: dict[str, str] = {}
        with self.box:
            with ui.element("div").classes("card") as self._card:
                markup("<h3>What is each column to an outsider?</h3>")
                self._roles = markup("").on("role", carefully(self._set), js_handler=DETAIL)
            self._open = markup("").on("act", carefully(self._protect), js_handler=DETAIL)

    def draw(self) -> None:
        """Show them; buttons that show the right role already are left alone, so that no click on them is lost."""
        bench = self.bench
        self._card.set_visibility(bench.data is not None)
        roles: dict[str, str] = dict(bench.roles)
        if roles != self._drawn:
            self._drawn = roles
            lines = "".join(self._line(i, name, role) for i, (name, role) in enumerate(roles.items()))
            self._roles.set_content(f'<div class="roles">{lines}</div>')
        policy = bench.read.policy
        bare = [n for n in bench.with_roles("sensitive") if n not in sensitive_columns(policy)] if policy else []
        self._bare = bare
        lines = "".join(
            f'<div class="notice">No promise is about <b>{escape(name)}</b> yet: whoever finds a group of people may '
            "read off what all of them have in common. "
            f'<button type="button" class="mini" data-act="protect" data-at="{i}">Protect it</button></div>'
            for i, name in enumerate(bare)
        )
        self._open.set_content(lines)

    def _protect(self, event: Any) -> None:
        self.bench.protect(self._bare[int(event.args["at"])])

    def _line(self, i: int, name: str, now: str) -> str:
        buttons = "".join(
            f'<button type="button" role="radio" data-role="{role}" aria-checked="{str(role == now).lower()}" '
            f'tabindex="{0 if role == now else -1}" title="{escape(help_)}">{escape(label)}</button>'
            for role, (label, help_) in ROLES.items()
        )
        label = f'<span class="name" title="{escape(name)}">{escape(name)}</span>'
        group = f'<div class="radios" role="radiogroup" aria-label="{escape(name)}" data-column="{i}">'
        return f"{label}{group}{buttons}</div>"

    def _set(self, event: Any) -> None:
        assert self.bench.data is not None
        name, role = self.bench.data.table.names[int(event.args["column"])], str(event.args["role"])
        if role in ROLES:
            self._drawn[name] = role
            self.bench.set_role(name, role)


class SettingsPart(Part):
    """How the release is made: keys of the policy with few choices, from its schema."""

    watches = ("decide", "data")

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        schema = policy_schema()["properties"]
        self._selects = {}
        with self.box, ui.element("div").classes("card"):
            markup("<h3>How it is made</h3>")
            with ui.element("div").classes("fields"):
                for key, label in SETTINGS.items():
                    choices = {each: WORDS.get(each, each) for each in schema[key]["enum"]}
                    select = ui.select(choices, label=label).props("outlined dense").classes(f"set-{key}")
                    select.on_value_change(carefully(lambda event, key=key: self._set(key, event.value)))
                    self._selects[key] = (select, schema[key]["default"])

    def draw(self) -> None:
        """Show them."""
        self.box.set_visibility(self.bench.data is not None)
        for key, (select, _) in self._selects.items():
            now = self._now(key)
            select.set_value(now if now in select.options else None)

    def _now(self, key: str) -> Any:
        return self.bench.keys.get(key, self._selects[key][1])

    def _set(self, key: str, value: Any) -> None:
        if value is not None and value != self._now(key):
            self.bench.set_key(key, value)


class TomlPart(Part):
    """The policy as text, live both ways, with mistakes at their lines."""

    watches = ("decide",)

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        self.box.classes(add="toml").style("position: sticky; top: 4.5rem")
        with self.box, ui.element("div").classes("card"):
            markup("<h3>The same as a file</h3><p class='soft small'>Edit either side; the other follows.</p>")
            self._editor = ui.codemirror("", language="TOML", theme="githubLight", line_wrapping=True)
            self._editor.on_value_change(carefully(self._typed))
            self._wrong = markup("")

    def draw(self) -> None:
        """Show the text, unless it is the one that stands there."""
        self.box.set_visibility(self.bench.data is not None)
        if self._editor.value != self.bench.read.text:
            self._is_own = True
            self._editor.set_value(self.bench.read.text)
            self._is_own = False
        self._mark()

    _is_own = False
    _typed_at = 0.0
    _marked: tuple[int, ...] = ()

    def poll(self) -> None:
        """Mark lines once nobody types: an update of the editor would take back what is on its way here."""
        super().poll()
        if time.monotonic() - self._typed_at < IDLE or not hasattr(self._editor, "decorations"):
            return
        n_lines = self._editor.value.count("\n") + 1
        mistakes = self.bench.mistakes if self.bench.data else ()
        at = tuple(sorted({mistake.line for mistake in mistakes if mistake.line <= n_lines}))
        if at != self._marked:
            self._marked = at
            self._editor.decorations = [{"kind": "line", "line": line, "class": "cm-mistake"} for line in at]

    def _typed(self, event: Any) -> None:
        if not self._is_own and event.value != self.bench.read.text:
            self._typed_at = time.monotonic()
            self.bench.set_text(event.value)
            self.settle()
            self._mark()

    def _mark(self) -> None:
        mistakes = self.bench.mistakes if self.bench.data else ()
        lines = "".join(f"<li><b>line {mistake.line}</b>: {said(self.say(mistake.what))}</li>" for mistake in mistakes)
        fine = '<p class="good small" style="margin:.5rem 0 0">✓ No mistakes.</p>' if self.bench.data else ""
        self._wrong.set_content(f'<div role="alert"><ul class="files bad small">{lines}</ul></div>' if lines else fine)
