"""A condition from a policy: one expression, and nothing else."""

import re
from collections.abc import Collection

from withhold.errors import DataError

__all__ = ["check_condition", "names_of_functions"]

CLOCKS = frozenset(
    (
        "current_date",
        "current_time",
        "current_timestamp",
        "localtime",
        "localtimestamp",
        "current_role",
        "current_user",
        "session_user",
        "user",
        "age of today",
    )
)
QUERY = r"\(\s*(from|table|with|describe|show|summarize|pivot|unpivot)\b"
QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")


def check_condition(condition: str) -> None:
    """Refuse what is more than a condition: a second statement, a query, a comment, a bracket that closes too much.

    Examples
    --------
    >>> check_condition("consent = 'no; thanks' AND (age > 30 OR sex = 'f')")
    >>> check_condition("false) UNION SELECT 1 WHERE (true")
    Traceback (most recent call last):
    ...
    withhold.errors.DataError: the condition must be one expression, such as "consent = 'no'".
    """
    bare = QUOTED.sub("''", condition)
    depth, lowest = 0, 0
    for character in bare:
        depth += (character == "(") - (character == ")")
        lowest = min(lowest, depth)
    # Texts that are quoted in other ways would end elsewhere than they seem to.
    odd = r";|--|/\*|\$\w*\$|\b[ex]'|\b(select|union|copy|attach|pragma|values)\b"
    is_more = re.search(odd, bare, flags=re.IGNORECASE)
    is_more = is_more or re.search(QUERY, bare, flags=re.IGNORECASE)
    if depth or lowest < 0 or is_more or bare.count("'") % 2 or '"' in bare or not condition.strip():
        raise DataError("the condition must be one expression, such as \"consent = 'no'\".")


def names_of_functions(condition: str, columns: Collection[str] = ()) -> set[str]:
    """Return what a condition calls, in small letters; words that stand for a moment or a user count as calls.

    Examples
    --------
    >>> sorted(names_of_functions('''lower(city) = 'random()' AND "Random" () < 0.3 AND born < CURRENT_DATE'''))
    ['current_date', 'lower', 'random']
    """
    bare = QUOTED.sub(lambda found: "''" if found[0][0] == "'" else re.sub(r"\W", "_", found[0][1:-1]), condition)
    called = {name.casefold() for name in re.findall(r"(\w+)\s*\(", bare)}
    if re.search(r"\bage\s*\([^(),]*\)", bare, flags=re.IGNORECASE):
        called.add("age of today")
    words = set(re.findall(r"\w+", QUOTED.sub("''", condition).casefold()))
    return called | (words & CLOCKS) - {name.casefold() for name in columns}
