"""Kinds of files and databases: how each is read as columns, and how a published table is written as it."""

from withhold.engines.files._kinds import FileKind, compression_of, full_suffix, kind_of, known_suffixes
from withhold.engines.files._load import load, save
from withhold.engines.files._reading import Loaded, Reading
from withhold.engines.files._text import HINT, plain_text

__all__ = [
    "HINT",
    "FileKind",
    "Loaded",
    "Reading",
    "compression_of",
    "full_suffix",
    "kind_of",
    "known_suffixes",
    "load",
    "plain_text",
    "save",
]
