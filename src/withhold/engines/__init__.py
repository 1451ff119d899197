"""Engines read, count and write tables; they know nothing of the methods."""

from withhold.engines._open import open_source
from withhold.engines._protocol import Confidence, Majority, SmallGroups, Source

__all__ = ["Confidence", "Majority", "SmallGroups", "Source", "open_source"]
