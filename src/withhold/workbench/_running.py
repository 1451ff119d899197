"""The run of a bench: begun, steered, forgotten."""

from withhold.errors import InputError, PolicyError, WithholdError
from withhold.workbench._compared import Compared
from withhold.workbench._live_run import LiveRun
from withhold.workbench._planting import Planting
from withhold.workbench._policy_text import located

__all__ = ["Running"]


class Running(Planting):
    """A bench on which a policy is run."""

    @property
    def is_stale(self) -> bool:
        """Whether the policy was changed since the run that is shown was begun."""
        return self.live is not None and self._ran != self.read.text

    def start_run(self, *, is_playing: bool) -> LiveRun:
        """Begin a run of the policy as it stands; one that is going on is cancelled."""
        with self.lock:
            table = self._table()
            if self.read.policy is None:
                raise InputError("the policy has mistakes. Hint: they are listed beside it, with their lines.")
            self._forget()
            self._ran = self.read.text
            self.live = LiveRun(
                table,
                self.read.policy,
                seed=self.seed,
                never=self.never,
                is_playing=is_playing,
                changed=self._run_changed,
            )
        self.touch("run", "compare", "publish")
        return self.live

    def forbid(self, column: str, *, is_forbidden: bool) -> None:
        """Never split a column, or again."""
        self.never = self.never | {column} if is_forbidden else self.never - {column}
        if self.live is not None:
            self.live.never = self.never
        self.touch("run")

    def _run_changed(self) -> None:
        self.touch("run")
        live = self.live
        if live is None or not live.is_over:
            return
        if isinstance(live.raised, PolicyError):
            self.late = located(self.read, live.raised)
            self.touch("decide")
        if live.release is not None and self.compared is None:
            try:
                self.compared = Compared(live.release, self.folder)
            except WithholdError as error:
                live.state, live.error = "failed", str(error)
        self.touch("release", "run", "compare", "publish")

    def _forget(self) -> None:
        """Let go of a run and of everything that came of it."""
        if self.live is not None:
            self.live.cancel()
        if self.compared is not None:
            self.compared.close()
        self.live, self.compared, self.audit, self.published, self.points = None, None, None, None, ()
        self.touch("release", "frontier")
