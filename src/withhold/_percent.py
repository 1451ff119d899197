"""Shares in words, rounded ones as what they are."""

__all__ = ["percent"]


def percent(share: float, *, step: float | None = None, digits: int = 1) -> str:
    """Return a share as people read it; one that was rounded to nothing is below half a step.

    Examples
    --------
    >>> percent(0.0183), percent(0.0, step=0.1), percent(0.3, step=0.1)
    ('1.8%', 'below 5%', '30%')
    """
    if step is None:
        return f"{share:.{digits}%}"
    return f"{share:.0%}" if share > 0 else f"below {50 * step:g}%"
