"""A condition as tokens: words and signs in ASCII, anything else in quotes."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from withhold.errors import ConditionError

__all__ = ["Token", "is_number", "kind_of_number", "shown", "tokens"]

MOST_CHARACTERS = 100_000
MOST_DIGITS = 38
MOST_EXACT_DIGITS = 18
LONGEST_NUMBER = 64
LONGEST_SHOWN = 40
NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
TOKEN = re.compile(
    rf"""[ \t\r\n]+
    |(?P<comment>--|/\*|\*/)
    |(?P<number>{NUMBER})(?P<glued>[A-Za-z_0-9.]*)
    |(?P<word>[A-Za-z_][A-Za-z_0-9]*)
    |'(?P<text>[^']*(?:''[^']*)*)'
    |"(?P<name>[^"]*(?:""[^"]*)*)\"
    |(?P<sign><>|!=|<=|>=|[=<>()+\-*/%,])""",
    flags=re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a name in double quotes, a text in single ones, a number, a sign, or the end."""

    kind: Literal["word", "name", "text", "number", "sign", "end"]
    value: str
    at: int

    @property
    def key(self) -> str:
        """What the grammar knows it by: a word in small letters or a sign; nothing for what stands in quotes."""
        return self.value.lower() if self.kind in ("word", "sign") else ""

    def __str__(self) -> str:
        """Return what to call it in a sentence, without the content of a text: it may be a person's."""
        if self.kind == "end":
            return "nothing more"
        return f'"{shown(self.value)}"' if self.kind in ("word", "sign") else f"a {self.kind}"


def tokens(condition: str) -> Iterator[Token]:
    """Yield the tokens of a condition, and the end.

    Examples
    --------
    >>> [token.kind for token in tokens("age >= 18")]
    ['word', 'sign', 'number', 'end']
    """
    if len(condition) > MOST_CHARACTERS:
        what = f"the condition is longer than {MOST_CHARACTERS} characters."
        raise ConditionError(what, hint="`cells` names single cells in a file.", position=MOST_CHARACTERS + 1)
    at = 0
    while at < len(condition):
        found = TOKEN.match(condition, at)
        if found is None:
            raise _stray(condition, at)
        token = _token(found)
        if token is not None:
            yield token
        at = found.end()
    yield Token("end", "", at)


def _token(found: re.Match[str]) -> Token | None:
    """Return the token that was found, or None for white space."""
    at = found.start()
    if found["text"] is not None:
        return Token("text", _plain(found["text"].replace("''", "'"), at), at)
    if found["name"] is not None:
        return Token("name", _plain(found["name"].replace('""', '"'), at), at)
    if found["word"]:
        return Token("word", found["word"], at)
    if found["number"]:
        _check_number(found)
        return Token("number", found["number"], at)
    if found["comment"]:
        what = f"the condition must be one expression, without comments; one is at character {at + 1}."
        raise ConditionError(what, position=at + 1)
    return Token("sign", found["sign"].replace("!=", "<>"), at) if found["sign"] else None


def _check_number(found: re.Match[str]) -> None:
    at = found.start() + 1
    if found["glued"]:
        raise ConditionError(f"the condition cannot be evaluated: the number at character {at} is none.", position=at)
    if not is_number(found["number"]):
        what = f"the condition cannot be evaluated: the number at character {at} is too long or too large."
        hint = f"whole numbers have up to {MOST_DIGITS} digits, fractions {MOST_EXACT_DIGITS}, others read 1.5e-20."
        raise ConditionError(what, hint=hint, position=at)


def is_number(digits: str) -> bool:
    """Return whether a text is a number without a sign, neither too long nor too large for an exact comparison.

    Examples
    --------
    >>> is_number("1.5e3"), is_number("9" * 39), is_number("0." + "3" * 19), is_number("1e999"), is_number("abc")
    (True, False, False, False, False)
    """
    if len(digits) > LONGEST_NUMBER or not re.fullmatch(NUMBER, digits, flags=re.ASCII):
        return False
    most = MOST_EXACT_DIGITS if kind_of_number(digits) == "decimal" else MOST_DIGITS
    return sum(each.isdigit() for each in digits) <= most and float(digits) < float("inf")


def kind_of_number(digits: str) -> Literal["whole", "decimal", "real"]:
    """Return what a number is by the way it is written.

    Examples
    --------
    >>> kind_of_number("7"), kind_of_number("7."), kind_of_number("7e0")
    ('whole', 'decimal', 'real')
    """
    return "whole" if digits.isdigit() else "real" if "e" in digits.lower() else "decimal"


def _plain(content: str, at: int) -> str:
    """Return what stands in quotes; half of a surrogate pair is no character, so no cell can hold it."""
    if any("\ud800" <= character <= "\udfff" for character in content):
        what = f"the condition cannot be evaluated: the quotes at character {at + 1} hold what is no character."
        raise ConditionError(what, position=at + 1)
    return content


def _stray(condition: str, at: int) -> ConditionError:
    """Return the error for a character that begins no token."""
    character = condition[at]
    where = f"the condition cannot be evaluated: at character {at + 1}"
    if character in "'\"":
        what = "a text" if character == "'" else "a name"
        return ConditionError(f"{where} {what} begins whose quote is never closed.", position=at + 1)
    if character == ";":
        what = f"the condition must be one expression; at character {at + 1} it goes on with a semicolon."
        return ConditionError(what, position=at + 1)
    if character.isascii() and character.isprintable():
        return ConditionError(f'{where} stands "{character}", which no condition holds.', position=at + 1)
    called = unicodedata.name(character, "no letter").lower()
    what = f"{where} stands U+{ord(character):04X} ({called}); outside of quotes only ASCII is read."
    return ConditionError(what, hint="column names with other letters stand in double quotes.", position=at + 1)


def shown(name: str) -> str:
    r"""Return a name for a message: not too long, and with nothing that a terminal would obey or hide.

    Examples
    --------
    >>> print(shown("a\u200bb"))
    a\u200bb
    """
    short = name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in short
    )
