"""Fields that hold another type than their constructor accepts, for type checkers."""

from typing import Any, Generic, TypeVar

__all__ = ["Converted", "converted"]

Accepted = TypeVar("Accepted", contravariant=True)
Held = TypeVar("Held", covariant=True)


class Converted(Generic[Accepted, Held]):
    """What a type checker reads of a field: the constructor accepts one type, and the field holds another.

    A type checker reads the parameter of a constructor off the setter of a descriptor. No descriptor exists when the
    program runs: there the field is annotated with what pydantic converts to.
    """

    def __get__(self, instance: object, owner: Any = None) -> Held:
        raise NotImplementedError

    def __set__(self, instance: object, value: Accepted) -> None:
        raise NotImplementedError


def converted(default: object) -> Any:
    """Return the default of such a field."""
    return default
