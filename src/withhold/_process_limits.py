"""What the system lets this process take, where it says so."""

try:
    import resource
except ImportError:  # pragma: no cover - only on systems without POSIX limits
    resource = None  # type: ignore[assignment]

__all__ = ["file_limit", "memory_limit_of_process"]


def file_limit() -> int | None:
    """Return how large a file may become, in bytes; None for no limit."""
    return None if resource is None else _limit(resource.RLIMIT_FSIZE)


def memory_limit_of_process() -> int | None:
    """Return how much memory may be addressed, in bytes; None for no limit."""
    return None if resource is None else _limit(resource.RLIMIT_AS)


def _limit(kind: int) -> int | None:
    found = resource.getrlimit(kind)[0]
    return None if found == resource.RLIM_INFINITY else int(found)
