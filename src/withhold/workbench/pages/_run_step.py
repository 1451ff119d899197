"""The fifth step: the search live, step by step."""

from html import escape
from typing import Any

from nicegui import ui

from withhold.methods.refine import Candidate, Step
from withhold.record import AnyStep, Regrouping, Repair, Round
from withhold.workbench._live_run import LiveRun
from withhold.workbench.pages._drawings import curve, listed, number, said, share
from withhold.workbench.pages._part import DETAIL, Part, carefully, markup

__all__ = ["RunPart", "step_words"]

STATES = {
    "starting": ("", "starting"),
    "running": ("warn", "running"),
    "paused": ("", "paused: every state is valid"),
    "finishing": ("warn", "putting the release together"),
    "done": ("good", "done: every promise holds"),
    "failed": ("bad", "could not be done"),
    "cancelled": ("", "cancelled"),
}
MOST_MOVES, MOST_STEPS = 12, 8
MOST_OFFERS = 20 * MOST_MOVES


class RunPart(Part):
    """Buttons, curves, the next candidates, what was done."""

    watches = ("run", "data")

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        self._offered: dict[int, Candidate] = {}
        self._n_offered = 0
        with self.box:
            self._notices = markup("")
            with ui.element("div").classes("part") as self._controls:
                with ui.element("div").classes("card"):
                    self._buttons()
                with ui.element("div").classes("even"):
                    with ui.element("div").classes("card"):
                        markup("<h3>Information against privacy</h3>")
                        self._curve = markup("")
                    with ui.element("div").classes("card"):
                        markup("<h3>What was done last</h3>")
                        self._steps = markup("")
                self._moves = markup("").on("act", carefully(self._act), js_handler=DETAIL)

    def _buttons(self) -> None:
        with ui.element("div").classes("row-of"):
            self._run = (
                ui.button("Run", icon="play_arrow", on_click=carefully(self._play))
                .props("unelevated")
                .classes("run-play")
            )
            self._pause = (
                ui.button("Pause", icon="pause", on_click=carefully(lambda: self._ask("pause")))
                .props("outline")
                .classes("run-pause")
            )
            self._step = (
                ui.button("One step", icon="skip_next", on_click=carefully(self._one))
                .props("outline")
                .classes("run-step")
            )
            self._back = (
                ui.button("Back", icon="undo", on_click=carefully(lambda: self._ask("back")))
                .props("outline")
                .classes("run-back")
            )
            self._stop = (
                ui.button("Good enough", icon="flag", on_click=carefully(lambda: self._ask("stop")))
                .props("outline")
                .classes("run-stop")
            )
            self._cancel = (
                ui.button("Cancel", icon="close", on_click=carefully(lambda: self._ask("cancel")))
                .props("flat")
                .classes("run-cancel")
            )
            self._state = markup("").props('role="status" aria-live="polite"').classes("run-state")

    def draw(self) -> None:
        """Show how far it is."""
        live = self.bench.live
        self._controls.set_visibility(self.bench.data is not None)
        is_open = live is not None and not live.is_over and live.state != "finishing"
        is_ready = self.bench.data is not None and self.bench.read.policy is not None
        self._run.set_enabled(is_ready and not (live is not None and live.state == "running"))
        self._pause.set_enabled(live is not None and live.state in ("starting", "running"))
        self._step.set_enabled(is_ready and (live is None or live.is_over or live.state == "paused"))
        self._back.set_enabled(is_open and bool(live and live.steps))
        self._stop.set_enabled(is_open and bool(live and live.is_searching))
        self._cancel.set_enabled(is_open)
        self._notices.set_content(self._words(live))
        kind, words = STATES[live.state] if live else ("", "not begun")
        busy = f" · {said(live.says)}" if live and live.state in ("starting", "running", "finishing") else ""
        self._state.set_content(
            f'<span class="pill {kind}" data-state="{live.state if live else "none"}">{words}</span>'
            f'<span class="soft small">{busy}</span>'
        )
        steps = live.steps if live else ()
        self._curve.set_content(curve(steps))
        self._steps.set_content(self._done(steps))
        self._moves.set_content(
            self._candidates(live) if live and live.candidates and not live.is_over else self._hint(live)
        )

    def _words(self, live: LiveRun | None) -> str:
        bench = self.bench
        if bench.data is None:
            return '<div class="empty">Open a table first.</div>'
        if bench.read.policy is None:
            return '<div class="wrong">The policy has mistakes; they are listed beside it, in step 3.</div>'
        if live is not None and live.error:
            return f'<div class="wrong" role="alert">{said(self.say(live.error))}</div>'
        if bench.is_stale:
            return '<div class="notice">The policy was changed since this run. Run it again.</div>'
        if live is not None and live.state == "done" and bench.compared is not None:
            record = bench.compared.record
            lost = record.withheld.columns.values()
            figures = f"{share(record.metrics['ncp']['overall'])} of the detail is lost"
            n_coarse, n_blank = sum(each.coarsened for each in lost), sum(each.blanked for each in lost)
            cells = f"{number(n_coarse)} cells are coarser, {number(n_blank)} are blank"
            return f'<div class="fine"><b>It is done.</b> {figures}: {cells}. Compare it below, then publish.</div>'
        return ""

    def _done(self, steps: tuple[AnyStep, ...]) -> str:
        if not steps:
            return '<p class="soft">Nothing yet.</p>'
        first = max(0, len(steps) - MOST_STEPS)
        lines = [(number(first + i + 1), said(self.say(step_words(step)))) for i, step in enumerate(steps[first:])]
        return listed(("step", "what"), reversed(lines), numbers=(0,))

    def _hint(self, live: LiveRun | None) -> str:
        if self.bench.keys.get("recoding") != "global" and self.bench.data is not None:
            return (
                '<p class="soft small">This recoding groups rows by itself. To steer single steps, choose '
                "<b>global</b> under <i>How it is made</i>.</p>"
            )
        return ""

    def _candidates(self, live: LiveRun) -> str:
        moves = sorted(live.candidates, key=lambda move: (not (move.is_valid and move.is_beneficial), -move.score))
        # A click may come from a list that was replaced since: each offer has a number of its own.
        first = self._n_offered
        fresh = dict(enumerate(moves[:MOST_MOVES], start=first))
        self._n_offered += len(fresh)
        self._offered = {**{i: each for i, each in self._offered.items() if i >= first - MOST_OFFERS}, **fresh}
        rows = [self._move(i, move, live) for i, move in fresh.items()]
        header = ("column", "now", "would become", "gain", "loss", "", "")
        return f"<h3>The next candidates</h3>{listed(header, rows, numbers=(3, 4))}"

    def _move(self, i: int, move: Candidate, live: LiveRun) -> list[str]:
        is_never = move.column in live.never
        may = move.is_valid and move.is_beneficial
        word = "allowed" if may else "breaks a promise" if not move.is_valid else "gives nothing"
        pill = f'<span class="pill {"good" if may else "bad" if not move.is_valid else ""}">{word}</span>'
        button = '<button type="button" class="mini" data-act="{}" data-at="{}">{}</button>'
        first = button.format("first", i, "this one first") if may and live.state == "paused" else ""
        never = button.format("never", i, "split it again" if is_never else "never split")
        children = ", ".join(move.children[:4]) + (" …" if len(move.children) > 4 else "")
        return [
            escape(move.column),
            escape(move.value),
            escape(children),
            number(move.gain),
            number(move.loss),
            pill,
            f'<span style="white-space:nowrap">{first} {never}</span>',
        ]

    def _act(self, event: Any) -> None:
        move = self._offered.get(int(event.args["at"]))
        if move is None:
            return
        live = self.bench.live
        if live is not None and event.args["act"] == "first":
            live.first(move.column, move.value)
        elif event.args["act"] == "never":
            self.bench.forbid(move.column, is_forbidden=move.column not in self.bench.never)

    def _play(self) -> None:
        live = self.bench.live
        if live is None or live.is_over or self.bench.is_stale:
            self.bench.start_run(is_playing=True)
        else:
            live.play()

    def _one(self) -> None:
        live = self.bench.live
        if live is None or live.is_over or self.bench.is_stale:
            live = self.bench.start_run(is_playing=False)
        live.step()

    def _ask(self, what: str) -> None:
        if self.bench.live is not None:
            getattr(self.bench.live, what)()


def step_words(step: AnyStep) -> str:
    """Return what a step did, in words.

    Examples
    --------
    >>> step_words(Round(grouped=1200, rows=5000))
    '1,200 of 5,000 rows are in groups'
    """
    if isinstance(step, Step):
        return f"{step.column}: {step.value} → {', '.join(step.children[:6])}{' …' if len(step.children) > 6 else ''}"
    if isinstance(step, Round):
        return f"{step.grouped:,} of {step.rows:,} rows are in groups"
    if isinstance(step, Regrouping):
        return f"every row is published as its group allows; {step.withheld_rows:,} rows are withheld"
    assert isinstance(step, Repair)
    cells = ", ".join(f"{n:,} of {name}" for name, n in step.cells.items())
    return f"cells withheld for require[{step.requirement}]: {cells}"
