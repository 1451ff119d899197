r"""The grammar of conditions.

::

    condition  = condition OR condition | condition AND condition | NOT condition | predicate
    predicate  = value [= | <> | != | < | <= | > | >=] value
               | value [NOT] IN ( value , … ) | value [NOT] BETWEEN value AND value
               | value [NOT] LIKE value | value IS [NOT] NULL | value
    value      = value [+ | - | * | / | %] value | - value | function ( value , … ) | ( condition )
               | column | "column" | number | 'text' | TRUE | FALSE

Words are read in any case. What binds tighter stands further down; comparisons are not chained.
"""

from collections.abc import Sequence

from withhold.conditions._expression import DEEPEST, FUNCTIONS, Expression, Operation
from withhold.conditions._tokens import Token, tokens
from withhold.errors import ConditionError

__all__ = ["parse"]

OR, AND, NOT, PREDICATE, SUM, PRODUCT, SIGN = range(1, 8)
COMPARISONS: dict[str, Operation] = {"=": "=", "<>": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
ARITHMETIC: dict[str, Operation] = {"+": "+", "-": "-", "*": "*", "/": "/", "%": "%"}
STRENGTHS = {
    "or": OR,
    "and": AND,
    **dict.fromkeys((*COMPARISONS, "in", "between", "like", "is", "not"), PREDICATE),
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "/", "%"), PRODUCT),
}
RESERVED = frozenset(("and", "between", "in", "is", "like", "not", "null", "or"))
QUERIES = frozenset(("select", "from", "union", "except", "intersect", "with", "values"))
A_VALUE = "a column, a number or a text in single quotes"


def parse(condition: str) -> Expression:
    """Return the tree of a condition.

    Parameters
    ----------
    condition
        What must hold for a row. Columns need double quotes where they are more than ASCII letters, digits and
        underscores, or a word of the grammar; a quote inside quotes is doubled.

    Raises
    ------
    ConditionError
        It is anything else; `position` is the first character, from 1, that does not fit.

    Examples
    --------
    >>> parse("age >= 18 AND NOT consent = 'yes'").operation
    'and'
    >>> parse("age >= ")
    Traceback (most recent call last):
    ...
    withhold.errors.ConditionError: the condition cannot be evaluated: at character 8 a column, a number or a text in single quotes is expected; there is nothing more.
    """  # noqa: E501
    return _Parser(tuple(tokens(condition))).whole()


class _Parser:
    """Reads tokens from left to right, one after the other, by how tightly operators bind."""

    def __init__(self, found: Sequence[Token]) -> None:
        self._tokens = found
        self._place = 0

    def whole(self) -> Expression:
        """Read a condition up to the end."""
        made = self._expression(OR, 1)
        if self._next.kind != "end":
            raise self._refused_the_rest()
        return made

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _take(self) -> Token:
        token = self._next
        self._place += 1
        return token

    def _takes(self, key: str) -> bool:
        """Take the next token if it is this one."""
        is_next = self._next.key == key
        self._place += is_next
        return is_next

    def _need(self, key: str, *others: str) -> None:
        if not self._takes(key):
            raise self._refused(" or ".join(f'"{each.upper()}"' for each in (key, *others)))

    def _expression(self, power: int, level: int) -> Expression:
        """Read an expression of operators that bind at least so tightly."""
        if level > DEEPEST:
            raise self._refused_depth(self._next.at)
        most = NOT if self._next.key == "not" else SIGN
        made = self._prefix(power, level)
        while power <= (strength := STRENGTHS.get(self._next.key, 0)):
            if strength > most:
                # What has been read binds less tightly than what follows: only parentheses could say what is meant.
                raise self._refused("an operator between conditions, or the end", hint="parentheses may be missing.")
            made = self._infix(made, strength, level)
            most = strength - 1 if strength == PREDICATE else strength
        return made

    def _infix(self, left: Expression, strength: int, level: int) -> Expression:
        if strength in (OR, AND):
            return self._junction(left, strength, level)
        if strength == PREDICATE:
            return self._predicate(left, level)
        token = self._take()
        return self._made(ARITHMETIC[token.key], token.at, left, self._expression(strength + 1, level + 1))

    def _junction(self, first: Expression, strength: int, level: int) -> Expression:
        word: Operation = "or" if strength == OR else "and"
        parts, at = [first], self._next.at
        while self._takes(word):
            parts.append(self._expression(strength + 1, level + 1))
        return self._made(word, at, *parts)

    def _predicate(self, left: Expression, level: int) -> Expression:
        token = self._take()
        if token.key in COMPARISONS:
            return self._made(COMPARISONS[token.key], token.at, left, self._expression(SUM, level + 1))
        if token.key == "is":
            is_negated = self._takes("not")
            self._need("null", *(() if is_negated else ("not null",)))
            made = self._made("is null", token.at, left)
            return self._made("not", token.at, made) if is_negated else made
        if token.key != "not":
            return self._test(token, left, level)
        if self._next.key not in ("in", "between", "like"):
            raise self._refused('"IN", "BETWEEN" or "LIKE"')
        return self._made("not", token.at, self._test(self._take(), left, level))

    def _test(self, token: Token, left: Expression, level: int) -> Expression:
        if token.key == "in":
            self._need("(")
            return self._made("in", token.at, left, *self._listed(SUM, level))
        right = self._expression(SUM, level + 1)
        if token.key == "like":
            return self._made("like", token.at, left, right)
        self._need("and")
        return self._made("between", token.at, left, right, self._expression(SUM, level + 1))

    def _listed(self, power: int, level: int) -> list[Expression]:
        """Read values up to the bracket that closes them."""
        found = [self._expression(power, level + 1)]
        while self._takes(","):
            found.append(self._expression(power, level + 1))
        self._need(")", ",")
        return found

    def _prefix(self, power: int, level: int) -> Expression:
        """Read what can begin an expression."""
        token = self._next
        if token.kind == "number":
            return Expression(operation="number", value=self._take().value, at=token.at)
        if token.kind == "text":
            return Expression(operation="text", value=self._take().value, at=token.at)
        if token.kind == "name" or (token.kind == "word" and token.key not in RESERVED):
            return self._word(level)
        if self._takes("("):
            made = self._expression(OR, level + 1)
            self._need(")")
            return made
        if self._takes("-"):
            return self._made("negative", token.at, self._expression(SIGN, level + 1))
        if power <= NOT and self._takes("not"):
            return self._made("not", token.at, self._expression(NOT, level + 1))
        raise self._refused(A_VALUE, hint="NULL stands after IS alone." if token.key == "null" else "")

    def _word(self, level: int) -> Expression:
        """Read a column, a truth or a call."""
        token = self._take()
        if token.key in ("true", "false"):
            return Expression(operation="truth", value=token.key, at=token.at)
        if token.key in QUERIES:
            what = "the condition must be one expression, without queries;"
            raise ConditionError(
                f"{what} at character {token.at + 1} stands {token.value.upper()}.",
                hint="a column of that name stands in double quotes.",
                position=token.at + 1,
            )
        if token.kind == "word" and self._next.key == "(":
            if token.key not in FUNCTIONS:
                raise self._refused_call(token)
            self._take()
            return self._made(FUNCTIONS[token.key], token.at, *self._listed(OR, level))
        return Expression(operation="column", value=token.value, at=token.at)

    def _made(self, operation: Operation, at: int, *parts: Expression) -> Expression:
        made = Expression(operation=operation, at=at, parts=parts)
        if made.depth > DEEPEST:
            raise self._refused_depth(at)
        return made

    def _refused(self, expected: str, *, hint: str = "") -> ConditionError:
        at = self._next.at + 1
        what = f"the condition cannot be evaluated: at character {at} {expected} is expected; there is {self._next}."
        return ConditionError(what, hint=hint, position=at)

    def _refused_the_rest(self) -> ConditionError:
        at = self._next.at + 1
        before = self._tokens[self._place - 1].key
        is_date = self._next.kind == "text" and before in ("date", "timestamp")
        what = f"the condition must be one expression; at character {at} it goes on with {self._next}."
        return ConditionError(what, hint="dates are texts, such as '2001-12-31'." if is_date else "", position=at)

    def _refused_call(self, token: Token) -> ConditionError:
        what = f"the condition cannot be evaluated: at character {token.at + 1} it calls {token}."
        return ConditionError(what, hint=f"it may call {', '.join(FUNCTIONS)}.", position=token.at + 1)

    def _refused_depth(self, at: int) -> ConditionError:
        what = f"the condition cannot be evaluated: at character {at + 1} it is nested too deeply."
        return ConditionError(what, position=at + 1)
