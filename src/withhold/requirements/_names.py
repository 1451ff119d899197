"""Lists of column names, each once."""

from typing import Annotated

from pydantic import AfterValidator, Field

__all__ = ["AnyNames", "Names"]


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f'names "{twice}" twice.')
    return names


AnyNames = Annotated[tuple[str, ...], AfterValidator(_each_once)]
Names = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_each_once)]
