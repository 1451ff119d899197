"""How the texts of a column are spelled where they are no numbers but look like them: dates, decimal commas."""

import re
from collections.abc import Sequence

__all__ = ["COMMAS", "DATES", "are_dates", "have_decimal_commas"]

DATES = 'dates: declare type = "date", and the format where it is not 2024-03-05'
COMMAS = "most values have a decimal comma; numbers need a point"
LOOKED_AT = 5_000
"""Of more texts, about so many are looked at."""
DATE = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2}(\d{2})?)([T ]\d{1,2}:\d{2}.*)?")
COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d+),\d+")


def are_dates(texts: Sequence[str | None]) -> bool:
    """Return whether nearly all texts are dates, with or without a time of day.

    Examples
    --------
    >>> are_dates(["2023-07-14", "14.7.2023 08:15", None]), are_dates(["3.14", "07-14"])
    (True, False)
    """
    return _share(DATE, texts) >= 0.9


def have_decimal_commas(texts: Sequence[str | None]) -> bool:
    """Return whether most texts are numbers with a decimal comma.

    Examples
    --------
    >>> have_decimal_commas(["33,2", "1.204,5", "NA"]), have_decimal_commas(["33.2", "7"])
    (True, False)
    """
    return _share(COMMA, texts) > 0.5


def _share(pattern: re.Pattern[str], texts: Sequence[str | None]) -> float:
    step = max(1, len(texts) // LOOKED_AT)
    known = [text for text in texts[::step] if text is not None]
    return sum(pattern.fullmatch(text.strip()) is not None for text in known) / max(len(known), 1)
