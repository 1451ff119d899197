"""One field of a form, as its schema has it."""

import contextlib
import tomllib
from typing import TYPE_CHECKING, Any

from nicegui import ui

from withhold.workbench._forms import FormField
from withhold.workbench._policy_text import toml_value
from withhold.workbench.pages._part import carefully

if TYPE_CHECKING:
    from withhold.workbench.pages._promise_cards import Card

__all__ = ["fill_in"]

MOST_VALUES = 500


def fill_in(card: "Card", field: FormField, now: Any) -> None:
    """Show what a field is filled in with."""
    value = field.default if now is None else now
    columns = list(card.bench.data.table.names) if card.bench.data else []
    change = carefully(lambda found: card.changed(field, found))
    if field.widget == "columns":
        chosen = [each for each in value or [] if each in columns]
        made: Any = ui.select(columns, label=field.label, value=chosen, multiple=True)
        made.props("use-chips outlined dense").classes("wide")
        made.on_value_change(lambda event: change(list(event.value) if event.value or field.is_required else None))
    elif field.widget == "column":
        made = ui.select(
            columns, label=field.label, value=value if value in columns else None, clearable=not field.is_required
        )
        made.props("outlined dense").on_value_change(lambda event: change(event.value))
    elif field.widget == "number":
        made = ui.number(label=field.label, value=value, min=field.low, format="%.0f" if field.is_whole else None)
        made.props("outlined dense debounce=300").on_value_change(lambda event: change(_number(event.value, field)))
    elif field.widget == "choice":
        made = ui.select(list(field.choices), label=field.label, value=value if value in field.choices else None)
        made.props("outlined dense").on_value_change(lambda event: change(event.value))
    elif field.widget == "switch":
        made = ui.switch(field.label, value=bool(value)).on_value_change(lambda event: change(bool(event.value)))
    elif field.widget == "choices":
        named = [each[field.item_key] if isinstance(each, dict) else each for each in value or []]
        made = ui.select(list(field.choices), label=field.label, value=named, multiple=True).props(
            "use-chips outlined dense"
        )
        made.on_value_change(lambda event: change(list(event.value) or None))
    elif field.widget in ("shares", "values"):
        _per_column(card, field, value or {}, columns, change)
        return
    else:
        made = ui.input(label=field.label, value="" if value is None else str(value)).props(
            "outlined dense debounce=400"
        )
        made.on_value_change(lambda event: change(event.value or None))
    made.tooltip(field.help).classes(f"field-{field.key}")


def _per_column(card: "Card", field: FormField, now: Any, columns: list[str], change: Any) -> None:
    """Show a number, or some values, for each of some columns."""
    held = dict(now) if isinstance(now, dict) else {}
    box = ui.element("div").classes("wide fields")
    detail = ui.element("div").classes("wide fields")

    def show() -> None:
        detail.clear()
        with detail:
            for name in held:
                _one(card, field, held, name, change)

    def choose(names: list[str]) -> None:
        start: Any = 1.0 if field.widget == "shares" else []
        kept = {name: held.get(name, start) for name in names}
        held.clear()
        held.update(kept)
        change(dict(held))
        show()

    with box:
        chosen = ui.select(columns, label=field.label, value=[n for n in held if n in columns], multiple=True)
        chosen.props("use-chips outlined dense").classes(f"wide field-{field.key}").tooltip(field.help)
        chosen.on_value_change(lambda event: choose(list(event.value)))
    show()


def _one(card: "Card", field: FormField, held: dict[str, Any], name: str, change: Any) -> None:
    def put(value: Any) -> None:
        held[name] = value
        change(dict(held))

    if field.widget == "values":
        options = card.bench.values(name)[:MOST_VALUES]
        extra = [each for each in held[name] if each not in options]
        made: Any = ui.select([*options, *extra], label=f"values of {name}", value=list(held[name]), multiple=True)
        made.props("use-chips outlined dense").on_value_change(lambda event: put(list(event.value)))
    elif isinstance(held[name], int | float):
        made = ui.number(label=name, value=held[name], min=0, max=1, step=0.05).props("outlined dense debounce=300")
        made.on_value_change(lambda event: put(float(event.value or 0)))
    else:
        made = ui.input(label=name, value=toml_value(held[name])).props("outlined dense debounce=400")
        made.on_value_change(lambda event: put(_toml(event.value, held[name])))


def _number(value: Any, field: FormField) -> Any:
    if value is None:
        return None
    return int(value) if field.is_whole or (float(value).is_integer() and field.low == 1) else float(value)


def _toml(text: str, otherwise: Any) -> Any:
    with contextlib.suppress(tomllib.TOMLDecodeError):
        return tomllib.loads(f"value = {text}")["value"]
    return otherwise
