"""What diversity and closeness have in common in words: one figure of the worst group."""

from collections.abc import Iterator
from typing import ClassVar

from withhold.requirements._words import Entry, Words

__all__ = ["SensitiveWords"]


class SensitiveWords(Words):
    """Sentences about what groups hold in a sensitive column."""

    key: ClassVar[str]
    """The key of the bound in a policy."""

    def because(self, entry: Entry, number: int, why: str) -> str:
        """Return why a sensitive cell was withheld."""
        if why == "sensitive":
            return f"With it its group would show too much of {entry['sensitive']} (require[{number}])."
        return super().because(entry, number, why)

    def curves(self, entry: Entry, number: int) -> Iterator[tuple[str, float]]:
        """Yield the worst figure of a group."""
        if entry.get("informed"):
            yield f"require[{number}], at least {entry['groups_of']}", entry["groups_of"]
            return
        asked = entry["asked"][self.key]
        yield f"require[{number}], {self.bound} {asked:g}", asked
