"""An entry of the registry: where everything that depends on a kind of promise lies."""

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from withhold.requirements._base import Requirement
from withhold.requirements._words import Words

__all__ = ["Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of promise. Its folder holds ``_requirement``, ``_guard``, ``_check`` and ``_words``."""

    requirement: type[Requirement]
    """The dataclass with its fields."""

    @property
    def name(self) -> str:
        """Its name in a policy file, which is that of its folder."""
        return self.requirement.__module__.rsplit(".", 2)[1]

    @property
    def guard(self) -> Any:
        """What keeps it true while a release is made; it may import methods."""
        return self._part("guard")

    @property
    def check(self) -> Any:
        """What proves it on a written file; it imports neither guards nor methods."""
        return self._part("check")

    @property
    def words(self) -> Words:
        """Its sentences."""
        words: Words = self._part("words").WORDS
        return words

    def _part(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.requirement.__module__.rpartition('.')[0]}._{name}")
