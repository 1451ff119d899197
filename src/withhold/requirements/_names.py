"""Lists of column names, each once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field

from withhold.requirements._converted import Converted

__all__ = ["AnyNames", "ListedNames", "Names", "NamesOrNone"]


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f'names "{twice}" twice.')
    return names


ListedNames = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_each_once)]
if TYPE_CHECKING:
    AnyNames = Converted[Sequence[str], tuple[str, ...]]
    Names = Converted[Sequence[str], tuple[str, ...]]
    NamesOrNone = Converted[Sequence[str] | None, tuple[str, ...] | None]
else:
    AnyNames = Annotated[tuple[str, ...], AfterValidator(_each_once)]
    Names = ListedNames
    NamesOrNone = ListedNames | None
