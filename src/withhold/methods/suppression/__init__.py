"""Cell suppression where a blank is read as any value: the fewest blanks so that k rows may be the same as each."""

from withhold.methods.suppression._fewest_blanks import compatible, kernels, suppress

__all__ = ["compatible", "kernels", "suppress"]
