"""Engines read, count and write tables; they know nothing of the methods."""

from withhold.engines._open import Engine, open_columns, open_source
from withhold.engines._protocol import Confidence, Majority, SmallGroups, Source

__all__ = ["Confidence", "Engine", "Majority", "SmallGroups", "Source", "open_columns", "open_source"]
