"""Engines read, count and write tables; they know nothing of the methods."""

from withhold.engines._open import Engine, name_of, open_coded, open_columns, open_source, open_table
from withhold.engines._protocol import Cluster, Confidence, Groups, Holding, Majority, SmallGroups, Source
from withhold.engines.files import Reading

__all__ = [
    "Cluster",
    "Confidence",
    "Engine",
    "Groups",
    "Holding",
    "Majority",
    "Reading",
    "SmallGroups",
    "Source",
    "name_of",
    "open_coded",
    "open_columns",
    "open_source",
    "open_table",
]
