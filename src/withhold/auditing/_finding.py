"""What one check found."""

from dataclasses import dataclass, field

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of one check."""

    kind: str
    """The kind of requirement, or what else was checked: ``population``, ``units``, ``drop``, ``rows``, ``columns``,
    ``cells`` or ``numbers``."""
    where: str
    """The key in the policy, such as ``require[0]``."""
    columns: tuple[str, ...]
    """The columns that were checked."""
    asked: float | None
    """What the policy asks for; None where it is not published."""
    reached: float | None
    """What the file reaches; None where it is not published."""
    ok: bool
    """Whether that is enough."""
    says: str
    """One sentence for a person."""
    is_complete: bool = True
    """Whether everything was checked that the promise is about: not where that needs the original and it is not there,
    nor where a quick check of record risk stopped early."""
    n_checked: int | None = None
    """How many records were checked where not all were; None where it is not published."""
    is_informed: bool | None = None
    """Whether it holds against an outsider who knows the method; None where nothing sensitive is read for it, or where
    that is not published."""
    details: dict[str, object] = field(default_factory=dict)
    """Further figures, for machines."""
