"""Frozen dataclasses whose fields are checked, with our sentences for mistakes."""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform

import pydantic
from pydantic.dataclasses import dataclass as pydantic_dataclass

from withhold.errors import Mistake, PolicyError, did_you_mean

__all__ = ["checked", "mistakes_of"]

Class = TypeVar("Class", bound=type)

CONFIG = pydantic.ConfigDict(
    extra="forbid",
    strict=False,
    allow_inf_nan=False,
    arbitrary_types_allowed=True,
    use_attribute_docstrings=True,
)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(dataclasses.field, pydantic.Field))
def checked(cls: Class) -> Class:
    """Make a frozen, keyword-only, slotted dataclass that checks its fields when it is made by hand or from a file."""
    made: Any = pydantic_dataclass(frozen=True, kw_only=True, slots=True, config=CONFIG)(cls)
    made.__init__ = _with_our_errors(made.__init__, cls.__name__)
    return made  # type: ignore[no-any-return]


def _with_our_errors(init: Callable[..., None], name: str) -> Callable[..., None]:
    def __init__(self: object, *args: object, **fields: object) -> None:  # noqa: N807
        try:
            init(self, *args, **fields)
        except pydantic.ValidationError as error:
            found = [Mistake("", f"{name.removesuffix('Fields')}: {_sentence(m)}") for m in _errors(error)]
            raise PolicyError(found) from None

    __init__.__wrapped__ = init  # type: ignore[attr-defined]
    return __init__


def mistakes_of(error: pydantic.ValidationError, known: Callable[[tuple[Any, ...]], list[str]]) -> list[Mistake]:
    """Return the mistakes of a policy file; `known` lists the legal keys at a location, for hints."""
    found = []
    mistakes = _errors(error)
    places = [tuple(mistake["loc"]) for mistake in mistakes]
    for mistake in mistakes:
        here = tuple(mistake["loc"])
        if mistake["type"] == "too_short" and any(len(p) > len(here) and p[: len(here)] == here for p in places):
            continue  # a list of which no entry is right also counts as too short
        where = tuple(part for part in mistake["loc"] if part not in _kinds())
        if mistake["type"].startswith("union_tag"):
            where = (*where, "kind")
        found.append(Mistake(_path(where), _located(mistake, known)))
    return found


def _errors(error: pydantic.ValidationError) -> list[Any]:
    """Return the mistakes; where bins are neither a number nor edges, both were tried and one sentence says so."""
    found: list[Any] = []
    for mistake in error.errors(include_url=False):
        here = tuple(mistake["loc"])
        if "bins" not in here[:-1]:
            found.append(mistake)
            continue
        place = here[: here.index("bins") + 1]
        if not any(tuple(each["loc"]) == place for each in found):
            found.append({"type": "bins", "loc": place, "input": mistake["input"]})
    return found


def _kinds() -> tuple[str, ...]:
    from withhold.requirements._registry import KINDS

    return tuple(KINDS)


def _path(where: tuple[Any, ...]) -> str:
    text = ""
    for part in where:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _located(mistake: Any, known: Callable[[tuple[Any, ...]], list[str]]) -> str:
    if mistake["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"there is no such key{did_you_mean(str(mistake['loc'][-1]), known(mistake['loc'][:-1]))}"
    return _must(mistake)


def _sentence(mistake: Any) -> str:
    field = _path(tuple(mistake["loc"]))
    if mistake["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"there is no field `{field}`."
    return f"`{field}` {_must(mistake)}" if field else _must(mistake)


def _must(mistake: Any) -> str:
    kind, context, got = mistake["type"], mistake.get("ctx", {}), mistake["input"]
    if kind in ("missing", "missing_argument"):
        return "is missing."
    if kind == "bins":
        return f"must be an integer of at least 2, or a list of edges; got {got!r}."
    if {"known", "sensitive"}.intersection(mistake["loc"]) and kind in ("greater_than_equal", "less_than_equal"):
        return f"must be a number from 0 to 1; got {got}."
    if mistake["loc"] and mistake["loc"][-1] in ("support", "blanking", "alpha", "c") and kind == "greater_than":
        return f"must be above 0; got {got}."
    if kind == "greater_than_equal" and context["ge"] == 0:
        return f"must be at least 0; got {got}."
    if mistake["loc"] and mistake["loc"][-1] == "l" and kind == "greater_than":
        return f"must be above 1; got {got}."
    if kind in ("greater_than", "less_than_equal"):
        return f"must be above 0 and at most 1; got {got}."
    if kind == "greater_than_equal":
        return f"must be an integer of at least {context['ge']}; got {got}."
    if kind.startswith("int_"):
        return f"must be an integer of at least 2; got {got!r}."
    if kind == "too_short":
        return "must hold at least one entry."
    if kind == "string_type":
        return f"must be a text in quotes; got {got!r}."
    if kind == "finite_number":
        return f"must be a finite number; got {got}."
    if kind == "less_than":
        return f"must be below {context['lt']:g}; got {got}."
    if kind.startswith("float_"):
        return f"must be a number; got {got!r}."
    if kind == "dict_type":
        return f'must be a table, such as {{ diagnosis = ["stroke"] }}; got {got!r}.'
    if kind in ("tuple_type", "list_type"):
        return f'must be a list, such as ["age"]; got {got!r}.'
    if kind == "literal_error":
        return f"must be one of {context['expected']}; got {got!r}."
    if kind == "union_tag_invalid":
        near = did_you_mean(context["tag"], _kinds())
        end = near if "did you mean" in near else "."
        return f"must be one of {context['expected_tags']}; got {context['tag']!r}{end}"
    if kind == "union_tag_not_found":
        return 'needs a `kind`, such as kind = "anonymity".'
    if kind == "value_error":
        return str(context["error"])
    return f"{mistake['msg'][0].lower()}{mistake['msg'][1:]}."
