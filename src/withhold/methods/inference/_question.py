"""What is asked of the adversaries."""

from typing import NamedTuple

from withhold._compiled import Array

__all__ = ["Question", "Questions"]


class Question(NamedTuple):
    """A hidden cell, and the adversaries that may recover it."""

    row: int
    target: int
    """The position of its column."""
    top: int
    """What is published of it: a node, or HIDDEN."""
    actual: int
    """What stood there."""
    from_bayes: bool
    """Whether naive Bayes is asked …"""
    from_id3: bool
    """… and ID3."""


class Questions(NamedTuple):
    """Hidden cells, sorted by target and by what is published of them, and the adversaries."""

    rows: Array
    targets: Array
    tops: Array
    actuals: Array
    """What stood there; below zero where nothing is asked."""
    from_bayes: bool
    from_id3: bool
