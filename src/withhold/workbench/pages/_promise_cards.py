"""The promises of a policy as cards, a form each; a card is drawn anew only when its own promise changed elsewhere."""

from html import escape
from typing import Any

from nicegui import ui

from withhold.workbench._forms import Form, FormField, form_of, forms
from withhold.workbench.pages._drawings import said
from withhold.workbench.pages._field import fill_in
from withhold.workbench.pages._part import Part, carefully, markup

__all__ = ["Card", "CardsPart"]


class CardsPart(Part):
    """The promises, a card each, with a form from its schema."""

    watches = ("decide", "data")

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        self._cards: list[Card] = []
        self._table = -1
        with self.box:
            markup("<h3 style='margin-top:.6rem'>What must hold of the release</h3>")
            self._none = markup('<div class="empty">Nothing must hold yet. Add a promise below.</div>')
            self._list = ui.element("div").classes("part")
            with ui.element("div").classes("row-of"):
                markup('<span class="soft">Add a promise:</span>')
                for form in forms():
                    self._adder(form)

    def _adder(self, form: Form) -> None:
        add = ui.button(form.title, icon="add", on_click=carefully(lambda: self.bench.add_card(form.kind)))
        add.props("outline dense no-caps").classes(f"add-{form.kind}")
        add.tooltip(f"{form.question} {form.sentence}")

    def draw(self) -> None:
        """Show them; cards that show the right thing already stay as they are, with the focus that may be in them."""
        bench = self.bench
        self.box.set_visibility(bench.data is not None)
        if self._table != bench.versions["data"]:  # forms name the columns of the table
            self._table = bench.versions["data"]
            self._replace(0, len(self._cards), [])
        kinds = {form.kind for form in forms()}
        wanted = [
            (i, each) for i, each in enumerate(bench.keys.get("require", [])) if _is_card(each, kinds) and bench.data
        ]
        self._follow(wanted)
        self._none.set_visibility(not wanted)
        for card in self._cards:
            card.note()

    def _follow(self, wanted: list[tuple[int, dict[str, Any]]]) -> None:
        """Keep the cards before and after what has changed, and draw what lies between."""
        old, new = [card.keys for card in self._cards], [keys for _, keys in wanted]
        first = 0
        while first < min(len(old), len(new)) and old[first] == new[first]:
            first += 1
        last = 0
        while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
            last += 1
        self._replace(first, len(old) - last, new[first : len(new) - last])
        for (number, _), card in zip(wanted, self._cards, strict=True):
            card.number = number

    def _replace(self, first: int, end: int, by: list[dict[str, Any]]) -> None:
        for card in self._cards[first:end]:
            card.box.delete()
        made = []
        with self._list:
            for i, keys in enumerate(by):
                made.append(Card(self, first + i, keys))
                made[-1].box.move(target_index=first + i)
        self._cards[first:end] = made


class Card:
    """One promise."""

    def __init__(self, part: CardsPart, number: int, keys: dict[str, Any]) -> None:
        self.part, self.bench, self.number = part, part.bench, number
        self.keys = dict(keys)
        """What the card shows."""
        self.form = form_of(keys["kind"])
        with ui.element("div").classes("card promise") as self.box:
            with ui.element("div").classes("row-of").style("justify-content: space-between; flex-wrap: nowrap"):
                self._says = markup("")
                remove = ui.button(icon="delete_outline", on_click=carefully(self._remove))
                remove.props(f'flat dense round aria-label="Remove this promise: {self.form.title}"')
            self._fields()

    def _fields(self) -> None:
        shown = [field for field in self.form.fields if field.is_required or field.key in self.keys]
        rest = [field for field in self.form.fields if field not in shown]
        with ui.element("div").classes("fields"):
            for field in shown:
                fill_in(self, field, self.keys.get(field.key))
        if rest:
            with ui.expansion("More").props("dense").style("width: 100%"), ui.element("div").classes("fields"):
                for field in rest:
                    fill_in(self, field, None)

    def _remove(self) -> None:
        self.bench.remove_card(self.number)

    def changed(self, field: FormField, value: Any) -> None:
        """Take a field that was filled in; the card stays as it is, so that nobody loses the focus."""
        if value is None:
            self.keys.pop(field.key, None)
        else:
            self.keys[field.key] = value
        self.bench.set_field(self.number, field.key, value)

    def note(self) -> None:
        """Write above the card what it promises, or what is wrong with it."""
        policy = self.bench.read.policy
        wrong = [m.what for m in self.bench.mistakes if m.requirement == self.number]
        is_read = policy is not None and self.number < len(policy.require)
        title = policy.require[self.number].says if policy is not None and is_read else self.form.title
        lines = "".join(f'<div class="bad small">{said(each)}</div>' for each in wrong)
        asked = f'<span class="soft small">answers: <i>{escape(self.form.question)}</i></span>'
        self._says.set_content(f'<div class="says">{said(title)}</div>{asked}{lines}')
        self.box.classes(add="late" if wrong else "", remove="" if wrong else "late")


def _is_card(each: Any, kinds: set[str]) -> bool:
    return isinstance(each, dict) and each.get("kind") in kinds
