"""The papers' algorithms, each callable by itself on a `Table`."""

from withhold.methods.refine import pda, tds

__all__ = ["pda", "tds"]
