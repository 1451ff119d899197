"""What a column looks like: by its name, its values and how rows share them. No value leaves."""

from withhold.inspecting._column_words import known_by_outsiders, says
from withhold.inspecting._missing_codes import missing_codes, numbers_of
from withhold.inspecting._signs import Column, Sign, sign_of

__all__ = ["Column", "Sign", "known_by_outsiders", "missing_codes", "numbers_of", "says", "sign_of"]
