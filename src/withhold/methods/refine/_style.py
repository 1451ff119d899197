"""How a node is open to moves."""

__all__ = ["CLOSED", "DISCLOSE", "SPLIT"]

CLOSED = 0
"""No move of it can be made any more."""
SPLIT = 1
"""One move would replace it by its children."""
DISCLOSE = 2
"""Each of its values could be disclosed by a move of its own."""
