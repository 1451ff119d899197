"""Presets: a whole policy for a usual kind of publication, from the roles of the columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["PRESETS", "Preset", "with_preset"]

Cards = Callable[[Sequence[str], Sequence[str]], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A usual kind of publication."""

    name: str
    """Its name."""
    sentence: str
    """For whom it is, and what it promises."""
    settings: Mapping[str, Any]
    """Keys of the policy."""
    cards: Cards
    """The requirements, from the columns that outsiders may know and from the sensitive ones."""
    is_about_sensitive: bool = False
    """Whether its sentence promises something about sensitive columns, which somebody must name first."""


def _groups(k: int) -> Cards:
    return lambda known, sensitive: [{"kind": "anonymity", "columns": list(known), "k": k}]


def _varied(k: int, least: int) -> Cards:
    def cards(known: Sequence[str], sensitive: Sequence[str]) -> list[dict[str, Any]]:
        varied = [
            {"kind": "diversity", "columns": list(known), "sensitive": name, "l": least}
            for name in sensitive
            if name not in known
        ]
        return [*_groups(k)(known, sensitive), *varied]

    return cards


PRESETS = (
    Preset(
        name="Public-use file",
        sentence="Anybody may download it. 10 people share everything an outsider may know, and no group has one "
        "sensitive value in common; rows are shuffled.",
        settings={"recoding": "local", "rows": "shuffle"},
        cards=_varied(10, 3),
        is_about_sensitive=True,
    ),
    Preset(
        name="For researchers under contract",
        sentence="Signed for and kept on a protected machine. 5 people share everything an outsider may know; rows "
        "stay in order.",
        settings={"recoding": "local", "rows": "keep"},
        cards=_groups(5),
    ),
    Preset(
        name="HIPAA-like",
        sentence="In the manner of an expert determination: 11 people share everything an outsider may know. Drop what "
        "names a person; give dates and postcodes a taxonomy. It certifies nothing.",
        settings={"recoding": "local", "rows": "shuffle"},
        cards=_groups(11),
    ),
    Preset(
        name="Open data of a hospital",
        sentence="Tables on a portal, read beside local news. 20 people share everything an outsider may know, with at "
        "least 3 sensitive values among them.",
        settings={"recoding": "local", "rows": "shuffle"},
        cards=_varied(20, 3),
        is_about_sensitive=True,
    ),
)


def with_preset(keys: Mapping[str, Any], preset: Preset, *, known: Sequence[str], sensitive: Sequence[str]) -> Any:
    """Return the policy with the requirements and settings of a preset; roles and columns stay as they are.

    Examples
    --------
    >>> made = with_preset({"drop": ["name"]}, PRESETS[1], known=["age"], sensitive=[])
    >>> made["drop"], made["require"][0]["k"]
    (['name'], 5)
    """
    return {**keys, **preset.settings, "require": preset.cards(known, sensitive)}
