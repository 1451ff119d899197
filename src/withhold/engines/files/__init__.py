"""Kinds of files and databases: how each is read as columns, and how a published table is written as it."""

from withhold.engines.files._databases import HOLDS, TableWriter, driver_of, read_table
from withhold.engines.files._extras import imported
from withhold.engines.files._kinds import FileKind, compression_of, full_suffix, kind_of, known_suffixes
from withhold.engines.files._load import load, save
from withhold.engines.files._locations import SCHEMES, Location, is_url, location_of
from withhold.engines.files._reading import Loaded, Reading
from withhold.engines.files._text import HINT, plain_text

__all__ = [
    "HINT",
    "HOLDS",
    "SCHEMES",
    "FileKind",
    "Loaded",
    "Location",
    "Reading",
    "TableWriter",
    "compression_of",
    "driver_of",
    "full_suffix",
    "imported",
    "is_url",
    "kind_of",
    "known_suffixes",
    "load",
    "location_of",
    "plain_text",
    "read_table",
    "save",
]
