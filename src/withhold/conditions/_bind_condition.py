"""A condition bound to a table: its columns are there, and it compares like with like."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from withhold.conditions._expression import Expression, Kind
from withhold.conditions._tokens import is_number, kind_of_number, shown
from withhold.errors import ConditionError, did_you_mean

__all__ = ["Field", "bind", "columns_of"]

Family = Literal["number", "text", "truth", "moment", "instant"]
FAMILIES: dict[Kind, Family] = {
    "whole": "number",
    "decimal": "number",
    "real": "number",
    "text": "text",
    "truth": "truth",
    "moment": "moment",
    "instant": "instant",
}
NUMBERS: tuple[Family, Family] = ("number", "number")
CALLED = {
    "number": "a number",
    "text": "a text",
    "truth": "true or false",
    "moment": "a date or time",
    "instant": "a time with a zone",
}
CLOCKS = frozenset(("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column, as far as a condition needs it."""

    kind: Kind
    """What its cells are."""
    as_number: Callable[[], Literal["whole", "real"] | None] = lambda: None
    """For a column of text: finds what its cells are as numbers, if all of them are."""


def columns_of(condition: Expression, names: Sequence[str], *, without: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the columns that a condition asks for, as the table spells them, each once.

    Parameters
    ----------
    condition
        The tree of a condition.
    names
        The columns of the table; upper and lower case count as the same.
    without
        Columns that it may not ask for.

    Raises
    ------
    ConditionError
        It asks for columns that are not there, or for forbidden ones.

    Examples
    --------
    >>> from withhold.conditions import parse
    >>> columns_of(parse("AGE > 30 OR age IS NULL"), ["name", "age"])
    ('age',)
    """
    known = {name.casefold(): name for name in names}
    forbidden = {name.casefold() for name in without}
    found = {each.value.casefold(): each for each in _walk(condition) if each.operation == "column"}
    refused = tuple(known.get(key, each.value) for key, each in found.items() if key in forbidden)
    if refused:
        what = f'the condition asks for "{shown(refused[0])}", which it may not.'
        raise ConditionError(what, forbidden_columns=refused)
    unknown = tuple(each for key, each in found.items() if key not in known)
    if unknown:
        raise _unknown(unknown, names)
    return tuple(known[key] for key in found)


def bind(condition: Expression, fields: Mapping[str, Field]) -> Expression:
    """Return the tree with the kind of every node, columns spelled as in the table and texts as what they stand for.

    Parameters
    ----------
    condition
        The tree of a condition, whose columns are all there.
    fields
        Its columns.

    Raises
    ------
    ConditionError
        It compares what cannot be compared, or is no condition.

    Examples
    --------
    >>> from withhold.conditions import parse
    >>> bind(parse("born < '2001-12-31'"), {"born": Field(kind="moment")}).parts[1].value
    '2001-12-31T00:00:00'
    """
    binder = _Binder({name.casefold(): (name, field) for name, field in fields.items()})
    return binder.of(binder.bound(condition), "truth")


def _walk(condition: Expression) -> Iterator[Expression]:
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.parts)


def _unknown(columns: Sequence[Expression], names: Sequence[str]) -> ConditionError:
    first = columns[0]
    unknown = tuple(each.value for each in columns)
    if first.value.casefold() in CLOCKS:
        what = f"the condition must choose the same rows whenever it is asked; {first.value} does not."
    else:
        near = did_you_mean(shown(first.value), names)
        what = f'the condition asks for a column "{shown(first.value)}", which is not there{near}'
        what = what if near.endswith("?") else f"{what}."
    return ConditionError(what, unknown_columns=unknown, position=first.at + 1)


class _Binder:
    """Finds the kind of every node, from the leaves up."""

    def __init__(self, fields: Mapping[str, tuple[str, Field]]) -> None:
        self._fields = fields

    def bound(self, node: Expression) -> Expression:
        """Return a node with its kind."""
        if node.operation == "column":
            name, field = self._fields[node.value.casefold()]
            return replace(node, value=name, kind=field.kind)
        if node.operation == "text":
            return replace(node, kind="text")
        if node.operation == "truth":
            return replace(node, kind="truth")
        if node.operation == "number":
            return replace(node, kind=kind_of_number(node.value))
        return self._composed(replace(node, parts=tuple(self.bound(part) for part in node.parts)))

    def _composed(self, node: Expression) -> Expression:
        match node.operation:
            case "and" | "or" | "not":
                return replace(node, parts=tuple(self.of(part, "truth") for part in node.parts), kind="truth")
            case "=" | "<>" | "in" | "is null":
                return replace(node, parts=self._alike(node.parts), kind="truth")
            case "<" | "<=" | ">" | ">=" | "between":
                return replace(node, parts=self._ordered(self._alike(node.parts)), kind="truth")
            case "like" | "contains" | "starts_with":
                return self._typed(node, "truth", "text", "text")
            case "lower" | "upper" | "trim":
                return self._typed(node, "text", "text")
            case "length":
                return self._typed(node, "whole", "text")
            case "substr":
                return self._substr(node)
            case "coalesce":
                return self._coalesce(node)
            case _:
                return self._arithmetic(node)

    def _typed(self, node: Expression, kind: Kind, *families: Family) -> Expression:
        """Return a node whose parts are of these families."""
        if len(node.parts) != len(families):
            n = len(families)
            raise self._refused(node, f"{node.operation} takes {n} value{'s' if n > 1 else ''}, not {len(node.parts)}")
        parts = tuple(self.of(part, family) for part, family in zip(node.parts, families, strict=True))
        return replace(node, parts=parts, kind=kind)

    def _arithmetic(self, node: Expression) -> Expression:
        families = NUMBERS[:1] if node.operation in ("abs", "negative") else NUMBERS
        made = self._typed(node, "real", *families)
        if all(part.kind == "whole" for part in made.parts) and node.operation != "/":
            return replace(made, kind="whole")
        is_exact = node.operation not in ("/", "%") and all(part.kind != "real" for part in made.parts)
        return replace(made, kind="decimal") if is_exact else replace(made, parts=_floating(made.parts))

    def _substr(self, node: Expression) -> Expression:
        made = self._typed(node, "text", "text", *(NUMBERS if len(node.parts) > 2 else NUMBERS[:1]))
        for part in made.parts[1:]:
            if part.kind != "whole":
                raise self._refused(part, "a whole number is needed")
        return made

    def _coalesce(self, node: Expression) -> Expression:
        parts = self._alike(node.parts)
        kinds = {part.kind for part in parts}
        mixed: Kind = "real" if "real" in kinds else "decimal"
        return replace(node, parts=parts, kind=parts[0].kind if len(kinds) == 1 else mixed)

    def _alike(self, parts: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """Return parts that can be compared: where one is more than text, the others are read as that."""
        family = next((each for each in map(self._family, parts) if each != "text"), None)
        if family is None:
            return parts
        made = tuple(self.of(part, family) for part in parts)
        return _floating(made) if any(part.kind == "real" for part in made) else made

    def _ordered(self, parts: tuple[Expression, ...]) -> tuple[Expression, ...]:
        if any(part.kind == "truth" for part in parts):
            raise self._refused(parts[0], "true and false have no order")
        return parts

    def of(self, part: Expression, family: Family) -> Expression:
        """Return a part that is of a family, or is read as if it were."""
        if self._family(part) == family:
            return part
        if part.operation == "text":
            read = _read(part, family)
            if read is not None:
                return read
        elif part.operation == "column" and part.kind == "text" and family == "number":
            as_number = self._fields[part.value.casefold()][1].as_number()
            if as_number is not None:
                return replace(part, kind=as_number)
            what = f'a number is expected, and not all cells of "{shown(part.value)}" are numbers'
            raise self._refused(part, what, hint="a number in single quotes is compared as text.")
        raise self._refused(part, f"{CALLED[family]} is expected, not {CALLED[self._family(part)]}", hint=_hint(family))

    @staticmethod
    def _family(part: Expression) -> Family:
        assert part.kind is not None
        return FAMILIES[part.kind]

    @staticmethod
    def _refused(part: Expression, what: str, *, hint: str = "") -> ConditionError:
        at = part.at + 1
        return ConditionError(f"the condition cannot be evaluated: at character {at} {what}.", hint=hint, position=at)


def _floating(parts: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Return parts with exact fractions as the floating-point numbers nearest to them."""
    return tuple(
        replace(part, kind="real", parts=_floating(part.parts))
        if part.kind == "decimal" and part.operation in ("number", "negative")
        else part
        for part in parts
    )


def _hint(family: Family) -> str:
    return {
        "moment": "dates are written '2001-12-31' or '2001-12-31 23:59'.",
        "instant": "times with a zone are written '2001-12-31 23:59+00:00'.",
        "truth": "a condition compares, such as consent = 'no'.",
    }.get(family, "")


def _read(part: Expression, family: Family) -> Expression | None:
    """Return a text as a number, a truth or a moment, or None where it is none."""
    content = part.value.strip(" ")
    if family == "number":
        return _number(part, content)
    if family == "truth" and content.lower() in ("true", "false"):
        return Expression(operation="truth", value=content.lower(), at=part.at, kind="truth")
    if family in ("moment", "instant"):
        return _moment(part, content, family)
    return None


def _number(part: Expression, content: str) -> Expression | None:
    """Return a text as a number, if a condition could hold that number."""
    digits = content.removeprefix("-")
    if not is_number(digits):
        return None
    number = Expression(operation="number", value=digits, at=part.at, kind=kind_of_number(digits))
    if digits == content:
        return number
    return Expression(operation="negative", parts=(number,), at=part.at, kind=number.kind)


def _moment(part: Expression, content: str, family: Literal["moment", "instant"]) -> Expression | None:
    """Return a text as a date or time; one without a zone is in UTC where zones count."""
    try:
        moment = datetime.fromisoformat(content)
        if family == "instant":
            moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (OverflowError, ValueError):
        return None
    if family == "moment" and moment.tzinfo is not None:
        return None
    return Expression(operation="moment", value=moment.isoformat(), at=part.at, kind=family)
