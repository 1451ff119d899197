"""Forms made from the schema of a requirement, so that a new kind of promise appears by itself."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from withhold.policy import policy_schema
from withhold.requirements import KINDS

__all__ = ["Form", "FormField", "blank_card", "form_of", "forms", "known_key"]

Widget = Literal["columns", "column", "number", "choice", "switch", "shares", "values", "choices", "text"]
"""How a field is filled in: columns; one column; a number; one of a few words; yes or no; a number a column; values of
columns; some of a few words; anything else as a text."""
QUESTION = re.compile(r"\*([^*]+\?)\*")
ONE_COLUMN = re.compile(r"(The|One)( \w+)? column\b")
CODE = re.compile(r"`+([^`]*)`+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One field of a form."""

    key: str
    """The key in the policy file."""
    label: str
    """What it is called on the page."""
    help: str
    """What it means."""
    widget: Widget
    """How it is filled in."""
    is_required: bool
    """Whether a requirement needs it."""
    default: Any = None
    """What holds where it is left out."""
    low: float | None = None
    """The smallest number."""
    high: float | None = None
    """The largest number."""
    is_whole: bool = False
    """Whether the number is whole."""
    choices: tuple[str, ...] = ()
    """The words to choose from."""
    item_key: str = ""
    """Where the words stand inside tables: the key of the word in each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The form of one kind of requirement."""

    kind: str
    """The kind."""
    title: str
    """Its name on the page."""
    question: str
    """What the outsider asks whom it answers."""
    sentence: str
    """What it promises."""
    fields: tuple[FormField, ...]
    """What is filled in, required ones first."""


@cache
def forms() -> tuple[Form, ...]:
    """Return the form of every kind that there is.

    Examples
    --------
    >>> [form.kind for form in forms()][:2]
    ['anonymity', 'template']
    """
    return tuple(form_of(kind) for kind in KINDS)


@cache
def form_of(kind: str) -> Form:
    """Return the form of a kind.

    Examples
    --------
    >>> form = form_of("anonymity")
    >>> form.question, [field.key for field in form.fields]
    ('who is this row?', ['columns', 'k', 'unit_k', 'k_map', 'individual_risk', 'estimator', 'blanks'])
    """
    schema = policy_schema()["$defs"][KINDS[kind].requirement.__name__]
    text = str(schema.get("description", ""))
    asked = QUESTION.search(text)
    needed = schema.get("required", ())
    fields = [_field(key, each, key in needed) for key, each in schema["properties"].items() if key != "kind"]
    return Form(
        kind=kind,
        title=str(schema["title"]),
        question=asked[1] if asked else "",
        sentence=_plain(text.split("\n\n")[0]),
        fields=tuple(sorted(fields, key=lambda field: not field.is_required)),
    )


def known_key(kind: str) -> str | None:
    """Return the key under which a kind lists what an outsider may know: its first required field, if it lists columns.

    Examples
    --------
    >>> known_key("template"), known_key("risk"), known_key("hidden")
    ('given', 'known', None)
    """
    needed = [field for field in form_of(kind).fields if field.is_required]
    return needed[0].key if needed and needed[0].widget in ("columns", "shares") else None


def blank_card(kind: str, *, known: Sequence[str], sensitive: Sequence[str]) -> dict[str, Any]:
    """Return a requirement to start from: the columns that an outsider may know, the sensitive ones, usual figures.

    Examples
    --------
    >>> blank_card("anonymity", known=["age", "sex"], sensitive=[])
    {'kind': 'anonymity', 'columns': ['age', 'sex'], 'k': 10}
    """
    card: dict[str, Any] = {"kind": kind}
    first = known_key(kind)
    for field in form_of(kind).fields:
        if field.is_required:
            card[field.key] = _start(field, known if field.key == first else sensitive)
        elif field.widget == "column" and first is None and sensitive:
            card[field.key] = sensitive[0]
    return card


def _start(field: FormField, columns: Sequence[str]) -> Any:
    if field.widget == "columns":
        return list(columns)
    if field.widget == "column":
        return columns[0] if columns else ""
    if field.widget == "shares":
        return dict.fromkeys(columns, 1.0)
    if field.widget == "values":
        return {name: [] for name in columns[:1]}
    if field.widget == "number":
        return _usual(field)
    return field.default


def _usual(field: FormField) -> float:
    if field.is_whole:
        return max(10, int(field.low or 0))
    if field.high == 1:
        return 0.3
    return 2 if field.low == 1 else 1.0


def _field(key: str, schema: Mapping[str, Any], is_required: bool) -> FormField:
    text = str(schema.get("description", ""))
    default = schema.get("default")
    options = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    only = options[0]
    item = _definition(only.get("items", {}))
    words: tuple[str, ...] = tuple(only.get("enum", ()))
    item_key = next((name for name in item.get("required", ()) if "enum" in item["properties"][name]), "")
    if item_key:
        words = tuple(item["properties"][item_key]["enum"])
    return FormField(
        key=key,
        label=key.replace("_", " "),
        help=_plain(text),
        widget=_widget(only, text, words, item_key, is_only=len(options) == 1),
        is_required=is_required,
        default=default,
        low=only.get("minimum", only.get("exclusiveMinimum")),
        high=only.get("maximum", only.get("exclusiveMaximum")),
        is_whole=only.get("type") == "integer",
        choices=words,
        item_key=item_key,
    )


def _widget(schema: Mapping[str, Any], text: str, words: tuple[str, ...], item_key: str, *, is_only: bool) -> Widget:
    kind = schema.get("type")
    if item_key:
        return "choices"
    if words:
        return "choice"
    if kind in ("integer", "number"):
        return "number"
    if kind == "boolean":
        return "switch"
    if kind == "array" and schema.get("items", {}).get("type") == "string":
        return "columns"
    if kind == "object":
        value = schema.get("additionalProperties", {})
        return "values" if value.get("type") == "array" else "shares"
    return "column" if kind == "string" and is_only and ONE_COLUMN.match(text) else "text"


def _definition(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found: Mapping[str, Any] = policy_schema()["$defs"][name] if name else schema
    return found


def _plain(text: str) -> str:
    """Return a description without the marks of a docstring."""
    return CODE.sub(r"\1", " ".join(text.split()))
