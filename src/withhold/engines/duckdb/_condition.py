"""A condition from a policy: one expression, and nothing else."""

import re

from withhold.errors import DataError

__all__ = ["check_condition"]

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
    is_more = re.search(r";|--|/\*|\$\$|\b(select|union|copy|attach|pragma|values)\b", bare, flags=re.IGNORECASE)
    if depth or lowest < 0 or is_more or bare.count("'") % 2 or '"' in bare or not condition.strip():
        raise DataError("the condition must be one expression, such as \"consent = 'no'\".")
