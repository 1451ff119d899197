"""Long work in a thread of its own: with progress, and a way to cancel it."""

import threading
import time
from collections.abc import Callable
from typing import Any

from withhold.errors import InputError, WithholdError

__all__ = ["Cancelled", "Job", "Jobs"]


class Cancelled(BaseException):
    """Raised inside work that its user has cancelled; nothing but a job catches it."""


class Job:
    """One piece of work."""

    def __init__(self, name: str, work: Callable[["Job"], Any], *, done: Callable[["Job"], object]) -> None:
        self.name = name
        """What is being done, in words."""
        self.says = name
        """How far it is."""
        self.n_steps = 0
        """How many steps it has reported."""
        self.error = ""
        """Why it failed, in one sentence; empty where it did not."""
        self.raised: WithholdError | None = None
        """The error of this package that it failed with."""
        self.is_running = True
        self.is_cancelled = False
        self.begun = time.perf_counter()
        self.result: Any = None
        self._stop = threading.Event()
        self._done = done
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True, name=f"withhold-{name}")
        self._thread.start()

    def say(self, what: str, step: Any = None) -> None:
        """Note what is being done; raise where the work was cancelled."""
        if self._stop.is_set():
            raise Cancelled
        if step is not None:
            self.n_steps += 1
        self.says = what

    def cancel(self) -> None:
        """Ask the work to end at its next sign of life."""
        self._stop.set()
        self.says = "cancelling"

    def wait(self, timeout: float | None = None) -> "Job":
        """Wait until it has ended."""
        self._thread.join(timeout)
        return self

    def _run(self, work: Callable[["Job"], Any]) -> None:
        try:
            self.result = work(self)
        except Cancelled:
            self.is_cancelled = True
        except WithholdError as error:
            self.error, self.raised = str(error), error
        except MemoryError:
            self.error = "the memory of this machine is used up. Hint: fewer rows or columns."
        except BaseException as error:
            # The text of a foreign error may quote a cell.
            self.error = f"something unexpected happened ({type(error).__name__}); the page can still be used."
        finally:
            self.is_running = False
            self._done(self)


class Jobs:
    """One job at a time."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._lock = threading.Lock()
        self.last: Job | None = None
        """The job that runs, or that ran last."""

    def start(self, name: str, work: Callable[[Job], Any], then: Callable[[Job], object] = lambda job: None) -> Job:
        """Start a job, unless one is running; `then` hears how it ended."""
        with self._lock:
            if self.last is not None and self.last.is_running:
                raise InputError(f"{self.last.name} is still going on. Hint: wait for it, or cancel it.")

            def done(job: Job) -> None:
                try:
                    then(job)
                finally:
                    self._changed()

            self.last = Job(name, work, done=done)
            self._changed()
            return self.last

    @property
    def is_busy(self) -> bool:
        """Whether a job is running."""
        return self.last is not None and self.last.is_running
