"""The papers' algorithms, each callable by itself on a `Table`."""

from withhold.methods.refine import tds

__all__ = ["tds"]
