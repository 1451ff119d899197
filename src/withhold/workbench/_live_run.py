"""A run that somebody watches: step by step in a thread, paused, sent back, steered, stopped when it is good enough."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from withhold.errors import WithholdError
from withhold.methods.refine import Candidate, Step
from withhold.policy import Policy
from withhold.record import AnyStep
from withhold.releasing import Release, Run
from withhold.table import Table
from withhold.workbench._jobs import Cancelled

__all__ = ["LiveRun", "Moves", "State"]

State = Literal["starting", "running", "paused", "finishing", "done", "failed", "cancelled"]
Command = tuple[Literal["step", "play", "pause", "back", "move", "stop", "cancel"], tuple[str, str] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """How a release came about, so that it can be made again."""

    max_steps: int | None
    """After how many steps the search was stopped; None where it ended by itself."""
    chosen: tuple[tuple[str, str], ...] | None
    """The column and the value of every move, where somebody chose; None where the search went by itself."""


class LiveRun:
    """A run in a thread; it starts paused, before its first step.

    Parameters
    ----------
    table
        The table.
    policy
        The policy.
    seed
        The seed, if any.
    never
        Columns that are never split.
    changed
        Called after everything that a page would show.
    """

    def __init__(
        self,
        table: Table,
        policy: Policy,
        *,
        seed: int | None = None,
        never: frozenset[str] = frozenset(),
        is_playing: bool = False,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        self.policy = policy
        self.seed = seed
        self.never = never
        self.state: State = "starting"
        self.says = "reading the policy"
        self.error = ""
        self.raised: WithholdError | None = None
        self.steps: tuple[AnyStep, ...] = ()
        self.candidates: tuple[Candidate, ...] = ()
        self.release: Release | None = None
        self.is_searching = True
        """Whether the search can still give values back."""
        self._is_steered = False
        self._n_stopped: int | None = None
        self._is_playing = is_playing
        self._changed = changed
        self._commands: deque[Command] = deque()
        self._woken = threading.Condition()
        self._thread = threading.Thread(target=self._work, args=(table,), daemon=True, name="withhold-run")
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen any more."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def moves(self) -> Moves:
        """How what was made came about."""
        made = [step for step in self.steps if isinstance(step, Step)]
        chosen = tuple((step.column, step.value) for step in made) if self._is_steered else None
        return Moves(max_steps=self._n_stopped, chosen=chosen)

    def play(self) -> None:
        """Go on by itself until all is done."""
        self._ask("play")

    def pause(self) -> None:
        """Halt after the step that is being made."""
        self._ask("pause")

    def step(self) -> None:
        """Make one step, then halt."""
        self._ask("step")

    def back(self) -> None:
        """Take the last step of the search back, then halt."""
        self._ask("back")

    def first(self, column: str, value: str) -> None:
        """Make the move of this value next, then halt."""
        self._ask("move", (column, value))

    def stop(self) -> None:
        """Give nothing more back: it is good enough. What is left is made valid."""
        self._ask("stop")

    def cancel(self) -> None:
        """End at the next sign of life; nothing is kept."""
        self._ask("cancel")

    def wait(self, timeout: float | None = None) -> "LiveRun":
        """Wait until it is over."""
        self._thread.join(timeout)
        return self

    def _ask(self, what: Any, move: tuple[str, str] | None = None) -> None:
        with self._woken:
            self._commands.append((what, move))
            self._woken.notify()

    def _work(self, table: Table) -> None:
        try:
            run = Run(table, self.policy, progress=self._say, rng=self.seed)
            self._show(run, "running" if self._is_playing else "paused")
            while not run.is_done:
                self._turn(run)
            self.state, self.says = "finishing", "putting the release together"
            self._changed()
            self.release = run.finish()
            self._show(run, "done")
        except Cancelled:
            self.state, self.says = "cancelled", "cancelled; nothing was kept"
        except WithholdError as error:
            self.state, self.error, self.raised = "failed", str(error), error
        except BaseException as error:
            # The text of a foreign error may quote a cell.
            self.state = "failed"
            self.error = f"something unexpected happened ({type(error).__name__}); the page can still be used."
        finally:
            self._changed()

    def _say(self, what: str, step: AnyStep | None) -> None:
        self.says = what
        with self._woken:
            if any(command == "cancel" for command, _ in self._commands):
                raise Cancelled

    def _turn(self, run: Run) -> None:
        """Do what was asked for, or make the next step while it plays by itself."""
        with self._woken:
            while not self._commands and not self._is_playing:
                self._woken.wait()
            command, move = self._commands.popleft() if self._commands else ("step", None)
            is_own = command == "step" and self._is_playing
        if command == "cancel":
            raise Cancelled
        if command in ("play", "pause"):
            self._is_playing = command == "play"
        elif command == "back":
            self._is_playing = False
            run.back()
            self._n_stopped = None
        elif command == "stop":
            self._stop(run)
        else:
            self._is_playing = is_own
            self._make(run, move)
        self._show(run, "running" if self._is_playing else "paused")

    def _stop(self, run: Run) -> None:
        n_made = len(run.steps)
        run.stop()
        self._n_stopped, self._is_playing = n_made, True

    def _make(self, run: Run, move: tuple[str, str] | None) -> None:
        offered = run.candidates() if run.is_searching and (move or self.never) else []
        if move is not None:
            self._is_steered = True
            run.step(next((each for each in offered if (each.column, each.value) == move), None))
            return
        if not self.never or not offered:
            run.step()
            return
        open_moves = [
            each for each in offered if each.is_valid and each.is_beneficial and each.column not in self.never
        ]
        self._is_steered = True
        if open_moves:
            run.step(max(open_moves, key=lambda each: each.score))
        else:
            self._stop(run)

    def _show(self, run: Run, state: State) -> None:
        self.steps = run.steps
        self.candidates = tuple(run.candidates())
        self.is_searching = run.is_searching
        self.state = state
        self._changed()
