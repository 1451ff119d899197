"""The fourth step: trees over the values of a column, made and edited."""

from pathlib import Path
from typing import Any

from nicegui import ui

from withhold.workbench._tree_editor import TreeEditor
from withhold.workbench._tree_makers import MAKERS, from_file
from withhold.workbench.pages._drawings import number, said, tree
from withhold.workbench.pages._part import DETAIL, Part, carefully, markup

__all__ = ["TreesPart"]

SHOWN = 8
MOST_VALUES = 20_000


class TreesPart(Part):
    """The columns that may be coarsened, and the tree of the one that is chosen."""

    watches = ("trees", "tree", "look", "data", "decide")
    _column: str | None = None
    _sought = ""

    def shows(self) -> object:
        """Return what it depends on: the table, the column's settings, and the trees as saved and as edited."""
        bench = self.bench
        settings = repr(bench.keys.get("columns", {}).get(self._column))
        versions = [bench.versions[name] for name in ("data", "trees", "tree")]
        return versions, bench.look is None, settings

    def render(self) -> None:
        """Show them."""
        bench = self.bench
        if bench.data is None or bench.look is None:
            markup('<div class="empty">Open a table first.</div>')
            return
        names = list(bench.data.table.names)
        if self._column not in names:
            known = [name for name in bench.with_roles("known") if self._looks(name) in ("category", "code")]
            many = sorted(known, key=lambda name: -self._distinct(name))
            self._column = (many or names)[0]
        self._picked: list[str] = []
        if self._distinct(self._column) > MOST_VALUES:
            self._too_many(names)
            return
        with ui.element("div").classes("two").style("grid-template-columns: minmax(0, 2fr) minmax(0, 3fr)"):
            with ui.element("div").classes("card"):
                self._choose(names)
                self._make()
            with ui.element("div").classes("card"):
                self._edit()

    def _choose(self, names: list[str]) -> None:
        select = ui.select(names, label="Column", value=self._column).props("outlined dense").style("width: 100%")
        select.classes("choose-column").on_value_change(carefully(lambda event: self._to(event.value)))
        settings = self.bench.keys.get("columns", {}).get(self._column, {})
        named = settings.get("taxonomy") if isinstance(settings, dict) else None
        if isinstance(settings, dict) and settings.get("type") == "number":
            words = "A number: it is published as intervals that grow by themselves. It needs no tree."
        elif named:
            words = f"In use: {named}."
        else:
            words = "No taxonomy: small sets of values are published, such as {clerk, cook}, or *."
        markup(f'<p class="soft small" style="margin:.5rem 0">{said(words)}</p>')
        if named:
            ui.button("Use none", on_click=carefully(lambda: self.bench.drop_tree(str(self._column)))).props(
                "flat dense"
            )

    def _too_many(self, names: list[str]) -> None:
        with ui.element("div").classes("card"):
            self._choose(names)
            n = number(self._distinct(str(self._column)))
            words = "too many for a tree that is shown. Drop the column, or read it as a number."
            markup(f'<p class="soft">It has {n} values: {words}</p>')

    def _make(self) -> None:
        markup("<h3>Make one</h3>")
        how = ui.select(MAKERS, label="How", value=self._guess())
        how.props("outlined dense").style("width: 100%").classes("make-how")
        with ui.element("div").classes("row-of").style("margin-top: .4rem"):
            lengths = ui.input("Letters of each level", value="3, 2").props("outlined dense").style("width: 11rem")
            lengths.bind_visibility_from(how, "value", lambda value: value == "prefix")
            pieces = (
                ui.number("Intervals", value=8, min=2, max=200, format="%.0f")
                .props("outlined dense")
                .style("width: 8rem")
            )
            pieces.bind_visibility_from(how, "value", lambda value: value == "quantiles")
            make = ui.button(
                "Make", on_click=carefully(lambda: self._made(how.value, lengths.value, int(pieces.value or 8)))
            )
            make.props("unelevated").classes("make-tree")
        markup(
            '<p class="soft small" style="margin:.8rem 0 .3rem">Or from a file: one line a value, leaf to root (the '
            "CSV that ARX reads).</p>"
        )
        upload = ui.upload(label="Drop a taxonomy", auto_upload=True, on_upload=carefully(self._upload))
        upload.props('flat bordered aria-label="Drop a taxonomy"').style("width: 100%; max-height: 6.5rem")

    def _guess(self) -> str:
        looks = self._looks(str(self._column))
        return {"date": "dates", "code": "prefix", "number": "intervals", "amount": "intervals"}.get(looks, "hand")

    def _edit(self) -> None:
        editor = self._tree()
        with ui.element("div").classes("row-of"):
            name = ui.input("New group").props("outlined dense").style("width: 11rem").classes("group-name")
            ui.button("Group the marked", on_click=carefully(lambda: self._group(name.value))).props("outline").classes(
                "group-marked"
            )
            ui.button("Rename", on_click=carefully(lambda: self._rename(name.value))).props("flat")
            ui.button("Dissolve", on_click=carefully(self._dissolve)).props("flat")
            self._undo = ui.button(icon="undo", on_click=carefully(lambda: self._again(editor.undo)))
            self._undo.props('flat dense aria-label="Undo"').classes("undo-tree")
            self._redo = ui.button(icon="redo", on_click=carefully(lambda: self._again(editor.redo)))
            self._redo.props('flat dense aria-label="Redo"')
        with ui.element("div").classes("row-of").style("margin: .4rem 0"):
            seek = (
                ui.input("Find", value=self._sought).props("outlined dense clearable debounce=250").style("width: 9rem")
            )
            seek.on_value_change(carefully(lambda event: self._seek(event.value or "")))
            self._targets = ui.select([], label="Move the marked to …").props("outlined dense").style("width: 13rem")
            self._targets.on_value_change(carefully(lambda event: self._move_marked(event.value)))
        self._drawn = markup("")
        self._drawn.on("moved", carefully(self._moved), js_handler=DETAIL)
        self._drawn.on("picked", carefully(self._pick), js_handler=DETAIL)
        self._covers = markup("")
        with ui.element("div").classes("row-of").style("margin-top: .6rem"):
            self._cover = ui.button(
                "Put the rest below the top", on_click=carefully(lambda: self._again(editor.cover))
            ).props("outline")
            save = ui.button("Use this tree", on_click=carefully(self._use))
            save.props("unelevated").classes("use-tree")
        self._show()

    def _use(self) -> None:
        path = self.bench.save_tree(str(self._column))
        ui.notify(f"The policy uses {path.name} for {self._column}.", type="positive")

    def _tree(self) -> TreeEditor:
        return self.bench.tree(str(self._column))

    def _edited(self) -> None:
        """Show what was changed here; other tabs draw it anew."""
        self.bench.touch("tree")
        self.settle()
        self._shown = self.shows()
        self._show()

    def _show(self) -> None:
        editor = self._tree()
        self._drawn.set_content(tree(editor, self._picked, self._sought))
        groups = [name for name in editor.parent if name not in editor.leaves]
        self._targets.set_options(groups, value=None)
        self._undo.set_enabled(editor.can_undo)
        self._redo.set_enabled(editor.can_redo)
        found = editor.coverage()
        self._cover.set_visibility(bool(found.uncovered))
        words = f'<span class="good">✓ Every one of the {number(len(editor.values))} values is covered.</span>'
        if found.uncovered:
            some = ", ".join(found.uncovered[:SHOWN]) + (" …" if len(found.uncovered) > SHOWN else "")
            words = f'<span class="bad">{number(len(found.uncovered))} values are not covered: {said(some)}</span>'
        elif found.empty:
            words = f'<span class="bad">Groups that hold nothing: {said(", ".join(found.empty[:SHOWN]))}</span>'
        self._covers.set_content(f'<p class="small" style="margin:.5rem 0 0" role="status">{words}</p>')

    def _to(self, column: str) -> None:
        self._column, self._sought = column, ""
        self.draw()

    def _seek(self, sought: str) -> None:
        self._sought = sought
        self._show()

    def _made(self, how: str, lengths: str, n: int) -> None:
        chosen = [int(each) for each in lengths.replace(",", " ").split() if each.isdigit()]
        made = self.bench.make_tree(str(self._column), how, lengths=chosen, groups=n)
        self._tree().replace(made)
        self._picked = []
        self._edited()

    async def _upload(self, event: Any) -> None:
        place = self.bench.receive(f"taxonomy-{event.file.name}")
        await event.file.save(place)
        self._tree().replace(from_file(str(self._column), self.bench.values(str(self._column)), Path(place)))
        self._edited()

    def _name(self, node: int) -> str:
        return list(self._tree().parent)[node]

    def _moved(self, event: Any) -> None:
        name, to = self._name(int(event.args["node"])), self._name(int(event.args["to"]))
        editor = self._tree()
        for each in self._picked if name in self._picked else [name]:
            editor.move(each, to)
        self._picked = []
        self._edited()

    def _move_marked(self, to: str | None) -> None:
        if to is None:
            return
        for name in self._picked:
            self._tree().move(name, to)
        self._picked = []
        self._edited()

    def _pick(self, event: Any) -> None:
        self._picked = [self._name(int(node)) for node in event.args["nodes"]]

    def _group(self, name: str) -> None:
        editor = self._tree()
        under = editor.parent[self._picked[0]] if self._picked else None
        editor.group(name, self._picked, under=under)
        self._picked = []
        self._edited()

    def _rename(self, name: str) -> None:
        for each in self._picked[:1]:
            self._tree().rename(each, name)
        self._picked = []
        self._edited()

    def _dissolve(self) -> None:
        for each in self._picked:
            self._tree().dissolve(each)
        self._picked = []
        self._edited()

    def _again(self, change: Any) -> None:
        change()
        self._picked = []
        self._edited()

    def _looks(self, name: str) -> str:
        look = self.bench.look
        return next((c.profile.looks for c in look.columns if c.profile.name == name), "") if look else ""

    def _distinct(self, name: str) -> int:
        look = self.bench.look
        return next((c.profile.n_distinct for c in look.columns if c.profile.name == name), 0) if look else 0
