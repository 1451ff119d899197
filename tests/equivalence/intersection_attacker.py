"""An outsider who reads several releases of overlapping people, person by person: obvious, slow, apart from the maker.

A release is a list of (person, texts, sensitive text); which rows are the same person's is known to the outsider.
"""

import re
from collections.abc import Mapping, Sequence

Row = tuple[str, tuple[str, ...], str]
Release = Sequence[Row]


def covers(text: str, value: str, tree: Mapping[str, set[str]]) -> bool:
    """Return whether a published text may stand for a value."""
    if text in ("*", value) or value in tree.get(text, ()):
        return True
    if text.startswith("{"):
        return any(covers(member, value, tree) for member in text[1:-1].split(", "))
    if found := re.fullmatch(r"([\[(])(.+), (.+)([\])])", text):
        low, high, number = float(found[2]), float(found[3]), float(value)
        return low <= number <= high and (number > low or found[1] == "[") and (number < high or found[4] == "]")
    if found := re.fullmatch(r"([<≤≥>]) (.+)", text):
        bound, number = float(found[2]), float(value)
        return {"<": number < bound, "≤": number <= bound, "≥": number >= bound, ">": number > bound}[found[1]]
    return False


def candidates(
    releases: Sequence[Release], person: str, known: tuple[str, ...], trees: Sequence[Mapping[str, set[str]]]
):
    """Return the people who could be the one of whom an outsider knows some values: no text of any release excludes it.

    That somebody is absent from a release is not known to the outsider, so it excludes nobody.
    """
    left = {who for release in releases for who, _, _ in release}
    for release in releases:
        for who, texts, _ in release:
            if not all(covers(*each) for each in zip(texts, known, trees, strict=True)):
                left.discard(who)
    return left


def possible(releases: Sequence[Release], person: str) -> set[str] | None:
    """Return the sensitive values of all groups that the person is in; None where the person is in fewer than two."""
    sets = []
    for release in releases:
        for who, texts, _ in release:
            if who == person:
                sets.append({value for _, other, value in release if other == texts})
    return set.intersection(*sets) if len(sets) > 1 else None
