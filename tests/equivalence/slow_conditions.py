"""Random conditions, each with a slow evaluation of its own: what is right is known before anything is parsed."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

Row = dict[str, Any]
OR, AND, NOT, PREDICATE, SUM, PRODUCT, SIGN, ATOM = range(8)
TEXTS = ("", "a", "A", "ab", "b%", "a_b", "it's", '"', "é", " a ", "10")
QUARTERS = tuple(Fraction(i, 4) for i in range(-9, 10))


@dataclass(frozen=True)
class Phrase:
    """A part of a condition: how it reads, how tightly its last operator binds, and its value in a row."""

    reads: str
    power: int
    value: Callable[[Row], Any]


def random_table(rng: Random, n_rows: int = 16) -> list[Row]:
    """Return rows, some cells of them missing."""
    ways: dict[str, Callable[[], Any]] = {
        "n": lambda: rng.randint(-5, 5),
        "Digits": lambda: rng.randint(-20, 20),
        "x": lambda: rng.choice(QUARTERS),
        "t": lambda: rng.choice(TEXTS),
        'odd "name"': lambda: rng.choice(TEXTS),
        "b": lambda: rng.random() < 0.5,
        "day": lambda: rng.randint(1, 9),
    }
    return [{name: None if rng.random() < 0.12 else way() for name, way in ways.items()} for _ in range(n_rows)]


def random_condition(rng: Random, depth: int = 3) -> Phrase:
    kind = rng.choice(("or", "and", "not", "numbers", "texts", "texts", "numbers", "days", "truth"))
    if depth == 0 or kind in ("numbers", "texts", "days", "truth"):
        return {"texts": of_texts, "days": of_days, "truth": truth}.get(kind, of_numbers)(rng)
    if kind == "not":
        part = random_condition(rng, depth - 1)
        return Phrase(f"{word(rng, 'NOT')} {within(rng, part, NOT)}", NOT, lambda row: negated(part.value(row)))
    parts = [random_condition(rng, depth - 1) for _ in range(rng.randint(2, 3))]
    power = OR if kind == "or" else AND
    reads = f" {word(rng, kind)} ".join(within(rng, part, power + 1) for part in parts)
    join = any_of if kind == "or" else all_of
    return Phrase(reads, power, lambda row: join([part.value(row) for part in parts]))


def of_numbers(rng: Random, depth: int = 2) -> Phrase:
    return predicate(rng, lambda: number(rng, depth), ("compare", "in", "between", "null"))


def of_texts(rng: Random) -> Phrase:
    return predicate(rng, lambda: text(rng, 2), ("compare", "in", "between", "null", "like", "call"))


def of_days(rng: Random) -> Phrase:
    day = rng.randint(1, 9)
    operand = Phrase("day", ATOM, lambda row: row["day"])
    literal = Phrase(rng.choice((f"'2001-01-0{day}'", f"'2001-01-0{day} 00:00'")), ATOM, lambda _: day)
    queue = [operand, literal, literal]
    return predicate(rng, lambda: queue.pop(0), ("compare", "between"))


def truth(rng: Random) -> Phrase:
    column = Phrase(rng.choice(("b", "B", '"b"')), ATOM, lambda row: row["b"])
    kind = rng.choice(("column", "literal", "equal", "nested"))
    if kind == "column":
        return column
    known = rng.random() < 0.5
    literal = Phrase(word(rng, str(known)), ATOM, lambda _: known)
    if kind == "literal":
        return literal
    other = of_numbers(rng, 0) if kind == "nested" else literal
    sign = rng.choice(("=", "<>"))
    return compared(rng, column, sign, other)


def predicate(rng: Random, operand: Callable[[], Phrase], kinds: tuple[str, ...]) -> Phrase:
    kind = rng.choice(kinds)
    first = operand()
    if kind == "compare":
        return compared(rng, first, rng.choice(("=", "<>", "!=", "<", "<=", ">", ">=")), operand())
    no = rng.random() < 0.5
    verb = f" {word(rng, 'NOT')}" if no else ""
    left = within(rng, first, SUM)
    if kind == "null":
        reads = f"{left} {word(rng, 'IS')}{verb} {word(rng, 'NULL')}"
        return Phrase(reads, PREDICATE, lambda row: (first.value(row) is None) != no)
    if kind == "between":
        low, high = operand(), operand()
        reads = f"{left}{verb} {word(rng, 'BETWEEN')} {within(rng, low, SUM)} AND {within(rng, high, SUM)}"
        both = [(">=", low), ("<=", high)]
        return stated(reads, no, lambda row: all_of([compare(s, first.value(row), p.value(row)) for s, p in both]))
    if kind == "in":
        choices = [operand() for _ in range(rng.randint(1, 3))]
        reads = f"{left}{verb} {word(rng, 'IN')} ({', '.join(within(rng, each, SUM) for each in choices)})"
        return stated(reads, no, lambda row: any_of([compare("=", first.value(row), c.value(row)) for c in choices]))
    second = operand()
    if kind == "like":
        reads = f"{left}{verb} {word(rng, 'LIKE')} {within(rng, second, SUM)}"
        return stated(reads, no, lambda row: like(first.value(row), second.value(row)))
    name = rng.choice(("starts_with", "contains"))
    call = str.startswith if name == "starts_with" else str.__contains__
    return Phrase(
        f"{word(rng, name)}({first.reads}, {second.reads})", ATOM, strict(lambda a, b: call(a, b), first, second)
    )


def number(rng: Random, depth: int) -> Phrase:
    kind = rng.choice(("column", "literal", "sign", "sum", "sum", "product", "product", "call"))
    if depth == 0 or kind in ("column", "literal"):
        return number_leaf(rng)
    left, right = number(rng, depth - 1), number(rng, depth - 1)
    if kind == "sign":
        return Phrase(f"- {within(rng, left, SIGN)}", SIGN, strict(lambda a: -a, left))
    if kind == "sum":
        sign = rng.choice("+-")
        reads = f"{within(rng, left, SUM)} {sign} {within(rng, right, PRODUCT)}"
        return Phrase(reads, SUM, strict(lambda a, b: a + b if sign == "+" else a - b, left, right))
    if kind == "product":
        return product(rng, left, right)
    name = rng.choice(("abs", "coalesce", "length"))
    if name == "abs":
        return Phrase(f"{word(rng, 'abs')}({left.reads})", ATOM, strict(abs, left))
    if name == "length":
        part = text(rng, 1)
        return Phrase(f"length({part.reads})", ATOM, strict(len, part))
    return either(left, right)


def product(rng: Random, left: Phrase, right: Phrase) -> Phrase:
    sign = rng.choice("*/%")
    if sign != "*":
        # Divisors that floating-point numbers divide by exactly, and zero.
        n = rng.choice((0, 1, 2, 4))
        right = Phrase(str(n), ATOM, lambda _: n)
    reads = f"{within(rng, left, PRODUCT)} {sign} {within(rng, right, SIGN)}"
    ways = {"*": lambda a, b: a * b, "/": divided, "%": remainder}
    return Phrase(reads, PRODUCT, strict(ways[sign], left, right))


def number_leaf(rng: Random) -> Phrase:
    if rng.random() < 0.5:
        name = rng.choice(("n", "Digits", "x"))
        reads = rng.choice((name, name.upper(), f'"{name}"'))
        return Phrase(reads, ATOM, lambda row: row[name])
    value = abs(rng.choice((*QUARTERS, *map(Fraction, range(6)))))
    spelled = [f"{float(value)}", f"{float(value)}e0"]
    spelled += [str(int(value))] if value.denominator == 1 else []
    return Phrase(rng.choice(spelled), ATOM, lambda _: value)


def text(rng: Random, depth: int) -> Phrase:
    kind = rng.choice(("column", "literal", "lower", "upper", "trim", "substr", "coalesce"))
    if depth == 0 or kind in ("column", "literal"):
        return text_leaf(rng)
    part = text(rng, depth - 1)
    if kind == "coalesce":
        return either(part, text(rng, depth - 1))
    if kind == "substr":
        begin, length = rng.randint(1, 3), rng.choice((None, 0, 1, 2))
        end = None if length is None else begin - 1 + length
        more = "" if length is None else f", {length}"
        name = rng.choice(("substr", "substring"))
        return Phrase(f"{name}({part.reads}, {begin}{more})", ATOM, strict(lambda a: a[begin - 1 : end], part))
    ways: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "trim": lambda a: a.strip(" ")}
    return Phrase(f"{word(rng, kind)}( {part.reads} )", ATOM, strict(ways[kind], part))


def text_leaf(rng: Random) -> Phrase:
    if rng.random() < 0.5:
        name, reads = rng.choice((("t", "t"), ("t", '"T"'), ('odd "name"', '"odd ""name"""')))
        return Phrase(reads, ATOM, lambda row: row[name])
    value = rng.choice(TEXTS)
    return Phrase("'" + value.replace("'", "''") + "'", ATOM, lambda _: value)


def either(first: Phrase, second: Phrase) -> Phrase:
    def value(row: Row) -> Any:
        found = first.value(row)
        return second.value(row) if found is None else found

    return Phrase(f"coalesce({first.reads}, {second.reads})", ATOM, value)


def within(rng: Random, part: Phrase, power: int) -> str:
    """Return a part in parentheses, where it needs them or by chance."""
    return f"({part.reads})" if part.power < power or rng.randint(0, 5) == 0 else part.reads


def word(rng: Random, name: str) -> str:
    return rng.choice((name.upper(), name.lower(), name.title()))


def compared(rng: Random, first: Phrase, sign: str, second: Phrase) -> Phrase:
    space = rng.choice((" ", "", "\n\t"))
    reads = f"{within(rng, first, SUM)}{space}{sign}{space}{within(rng, second, SUM)}"
    return Phrase(reads, PREDICATE, lambda row: compare(sign, first.value(row), second.value(row)))


def stated(reads: str, no: bool, value: Callable[[Row], bool | None]) -> Phrase:
    return Phrase(reads, PREDICATE, (lambda row: negated(value(row))) if no else value)


def strict(way: Callable[..., Any], *parts: Phrase) -> Callable[[Row], Any]:
    """Return what gives nothing where a part gives nothing."""

    def value(row: Row) -> Any:
        found = [part.value(row) for part in parts]
        return None if any(each is None for each in found) else way(*found)

    return value


def compare(sign: str, a: Any, b: Any) -> bool | None:
    if a is None or b is None:
        return None
    return {"=": a == b, "<>": a != b, "!=": a != b}[sign] if sign in ("=", "<>", "!=") else ordered(sign, a, b)


def ordered(sign: str, a: Any, b: Any) -> bool:
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]


def negated(a: bool | None) -> bool | None:
    return None if a is None else not a


def all_of(found: list[bool | None]) -> bool | None:
    return False if False in found else None if None in found else True


def any_of(found: list[bool | None]) -> bool | None:
    return True if True in found else None if None in found else False


def divided(a: Fraction, b: Fraction) -> Fraction | None:
    return Fraction(a) / b if b else None


def remainder(a: Fraction, b: Fraction) -> Fraction | None:
    return a - b * int(Fraction(a) / b) if b else None


def like(a: str | None, pattern: str | None) -> bool | None:
    if a is None or pattern is None:
        return None
    ways = {"%": ".*", "_": "."}
    return re.fullmatch("".join(ways.get(each, re.escape(each)) for each in pattern), a, flags=re.DOTALL) is not None
