"""A file in which another tool wrote its own marks for withheld values."""

from collections.abc import Sequence
from typing import Any, cast

from withhold.engines import Confidence, Majority, Source
from withhold.errors import InputError
from withhold.table._decision import WITHHELD

__all__ = ["with_marks"]


def with_marks(source: Source, withheld: Sequence[str]) -> Source:
    """Return the source with these texts read as ``*``; what makes a group is still counted as the file stands.

    Examples
    --------
    >>> import pandas as pd
    >>> from withhold.engines import open_source
    >>> list(with_marks(open_source(pd.DataFrame({"job": ["cook", "?"]})), ["?"]).values("job"))
    ['*', 'cook']
    """
    if isinstance(withheld, str):
        raise InputError("audit: `withheld` must be a list of texts; got one alone.")
    marks = frozenset(withheld)
    return cast(Source, _Marked(source, marks)) if marks else source


class _Marked:
    """A source whose dictionaries read marks as ``*``; everything else is the source's own."""

    def __init__(self, source: Source, marks: frozenset[str]) -> None:
        self._source = source
        self._marks = marks

    def values(self, name: str) -> Sequence[str | None]:
        return [WITHHELD if value in self._marks else value for value in self._source.values(name)]

    def confidence(self, *question: Any, unknown: Sequence[str | None] = (WITHHELD,)) -> Confidence:
        return self._source.confidence(*question, unknown=[*unknown, *self._marks])

    def majority(self, columns: Sequence[str], column: str, blanks: Sequence[str]) -> Majority:
        return self._source.majority(columns, column, [*blanks, *self._marks])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)
