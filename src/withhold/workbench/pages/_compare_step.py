"""The sixth step: before and after, why, what attackers came to, and the frontier."""

from html import escape
from typing import Any

from nicegui import run, ui

from withhold.auditing import Homogeneity, Linkage
from withhold.errors import InputError
from withhold.workbench._frontier import Knob, knobs_of, usual_settings
from withhold.workbench._look import Bars
from withhold.workbench.pages._drawings import bars, before_table, frontier, listed, number, said, share
from withhold.workbench.pages._part import DETAIL, Pager, Part, carefully, markup

__all__ = ["AuditPart", "ComparePart", "FrontierPart"]

LEGEND = (
    '<div class="legend"><span><i class="kept"></i>as it was</span><span><i class="coarse"></i>coarser</span>'
    '<span><i class="blank"></i>blank</span><span><i class="gone"></i>not published</span></div>'
)


class ComparePart(Part):
    """Rows before and after, side by side; a click on a cell shows why."""

    watches = ("release",)

    def render(self) -> None:
        """Show them."""
        compared = self.bench.compared
        if compared is None:
            markup('<div class="empty">Run the policy first; then every cell can be compared and explained.</div>')
            return
        self._columns()
        markup(LEGEND)
        with ui.element("div").classes("even"):
            sides = []
            for title in ("Before", "After"):
                with ui.element("div").style("min-width: 0"):
                    markup(f"<h3>{title}</h3>")
                    sides.append(markup("").on("cell", carefully(self._why), js_handler=DETAIL))

        def show(page: Any) -> None:
            for is_after, side in enumerate(sides):
                side.set_content(before_table(page, is_after=bool(is_after)))

        Pager(compared.n_rows, compared.page, show, size=min(12, compared.n_rows)).go(0)
        self._says = markup('<div class="empty">Click a cell to see why it is what it is.</div>')
        self._says.classes("why").props('role="status" aria-live="polite"')

    def _columns(self) -> None:
        assert self.bench.compared is not None
        record = self.bench.compared.record
        n = max(record.n_rows, 1)
        rows = []
        for name in self.bench.compared.release.table.names:
            lost = record.withheld.columns.get(name)
            blanked, coarsened = (lost.blanked, lost.coarsened) if lost else (0, 0)
            if name in record.dropped:
                rows.append((f"<b>{escape(name)}</b>", '<span class="soft">not published</span>', "", "", ""))
                continue
            parts = (("kept", n - blanked - coarsened), ("coarse", coarsened), ("blank", blanked))
            stack = "".join(f'<i class="{kind}" style="width:{100 * count / n:.2f}%"></i>' for kind, count in parts)
            words = f"{n - blanked - coarsened:,} as they were, {coarsened:,} coarser, {blanked:,} blank"
            penalty = record.metrics["ncp"]["columns"].get(name)
            rows.append(
                (
                    f"<b>{escape(name)}</b>",
                    f'<div class="stack" role="img" aria-label="{words}">{stack}</div>',
                    number(coarsened),
                    number(blanked),
                    "–" if penalty is None else share(penalty),
                )
            )
        markup(
            listed(("column", "what happened to its cells", "coarser", "blank", "detail lost"), rows, numbers=(2, 3, 4))
        )

    async def _why(self, event: Any) -> None:
        compared = self.bench.compared
        if compared is None:
            return
        row, column = int(event.args["row"]), compared.release.table.names[int(event.args["column"])]
        found = await run.io_bound(compared.why, row, column)
        if found is None:
            return
        was = "missing" if found.was is None else found.was
        shown = "not published" if found.is_dropped else "an empty cell" if found.published is None else found.published
        self._says.set_content(
            f'<div class="fine"><b>{escape(column)}</b> of row {number(row + 1)}: it was <b>{escape(was)}</b>, it is '
            f"<b>{escape(shown)}</b>.<br>{said(self.say(found.says))}</div>"
        )


class AuditPart(Part):
    """What attackers came to, and what analysts lose."""

    watches = ("compare", "release", "job")

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        with self.box, ui.element("div").classes("card") as self._card:
            with ui.element("div").classes("row-of").style("justify-content: space-between"):
                markup("<h3 style='margin:0'>Attack it, and measure what analysts lose</h3>")
                self._attack = ui.button("Attack", on_click=carefully(self.bench.start_audit))
                self._attack.props("outline").classes("attack")
            self._wrong = markup("")
            self._detail = ui.element("div").classes("part")

    def draw(self) -> None:
        """Show it; what was found stays until something else is found."""
        audit, job = self.bench.audit, self.bench.jobs.last
        self._card.set_visibility(self.bench.compared is not None)
        self._attack.set_text("Attack" if audit is None else "Attack again")
        error = job.error if job is not None and job.name.startswith("Attacking") else ""
        self._wrong.set_content(f'<div class="wrong" role="alert">{said(self.say(error))}</div>' if error else "")
        if self._drawn and audit is self._audit:
            return
        self._drawn, self._audit = True, audit
        self._detail.clear()
        with self._detail:
            if audit is not None:
                self._found(audit)
                return
            markup(
                '<p class="soft small" style="margin:.4rem 0 0">Outsiders of several kinds try to find people and '
                "to recover what is withheld, on samples.</p>"
            )

    _drawn = False
    _audit: Any = None

    def _found(self, audit: Any) -> None:
        marks = [
            (
                '<span class="pill good">met</span>' if f.ok else '<span class="pill bad">not met</span>',
                said(self.say(f.says)),
            )
            for f in audit.findings
        ]
        markup(listed(("", "checked on the file"), marks), "spaced")
        rows = []
        for attack in audit.attacks:
            if isinstance(attack, Linkage):
                rows.append(
                    (
                        f"finds the right row, knowing {escape(', '.join(attack.columns))}",
                        share(attack.before_rate),
                        share(attack.rate),
                        "–",
                    )
                )
            elif isinstance(attack, Homogeneity):
                what = f"reads off {attack.column}, knowing {', '.join(attack.columns)}"
                rows.append((escape(what), share(attack.before_rate), share(attack.rate), share(attack.majority_rate)))
        for each in audit.cell_attacks:
            rows.append(
                (
                    f"{escape(each.title)}: recovers withheld cells",
                    share(each.before_rate),
                    share(each.rate),
                    share(each.majority_rate),
                )
            )
        if rows:
            markup("<h3 style='margin-top:1rem'>Attackers</h3>")
            markup(
                listed(
                    ("attacker", "right in the original", "right in the release", "blind guess"),
                    rows,
                    numbers=(1, 2, 3),
                )
            )
        if audit.utility is not None and audit.utility.learners:
            lines = [
                (
                    escape(e.learner),
                    share(e.base and e.base.error),
                    share(e.released.error),
                    share(e.removed and e.removed.error),
                )
                for e in audit.utility.learners
            ]
            markup(f"<h3 style='margin-top:1rem'>Error when predicting {escape(audit.utility.target)}</h3>")
            markup(listed(("model", "original", "release", "without these columns"), lines, numbers=(1, 2, 3)))
        if audit.columns:
            self._spread(audit.columns)
        if len(audit.dependence) == 2:
            self._dependence(*audit.dependence)

    def _spread(self, columns: Any) -> None:
        def drawn(profile: Any, shares: Any, when: str) -> str:
            counts = tuple(round(share * 10_000) for share in shares)
            return bars(Bars(counts=counts, labels=profile.labels), f"{profile.column} {when}")

        lines = [
            (f"<b>{escape(each.column)}</b>", drawn(each, each.before, "before"), drawn(each, each.after, "after"))
            for each in columns
        ]
        markup("<h3 style='margin-top:1rem'>How columns are spread</h3>")
        markup(listed(("column", "original", "release"), lines))

    def _dependence(self, after: Any, before: Any) -> None:
        place = {name: i for i, name in enumerate(before.columns)}
        pairs = []
        for i, one in enumerate(after.columns):
            for j in range(i + 1, len(after.columns)):
                two = after.columns[j]
                if one in place and two in place:
                    pairs.append((before.matrix[place[one]][place[two]], after.matrix[i][j], one, two))
        strong = sorted(pairs, reverse=True)[:6]
        lines = [
            (f"{escape(one)} and {escape(two)}", number(round(was, 3)), number(round(now, 3)))
            for was, now, one, two in strong
        ]
        if lines:
            markup(
                "<h3 style='margin-top:1rem'>How strongly columns depend on each other (0 not at all, 1 wholly)</h3>"
            )
            markup(listed(("columns", "original", "release"), lines, numbers=(1, 2)))


class FrontierPart(Part):
    """The same policy for many settings: loss against protection."""

    watches = ("frontier", "decide", "data", "job")
    _labels: dict[int, str] | None = None
    _turned: tuple[int, str] | None = None
    _knobs: list[Knob]

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        with self.box, ui.element("div").classes("card") as self._card:
            markup("<h3>The frontier: what more protection costs</h3>")
            with ui.element("div").classes("row-of"):
                self._which = ui.select({}, label="Turn").props("outlined dense")
                self._which.style("min-width: 16rem; max-width: 30rem").on_value_change(carefully(self._turn))
                self._at = ui.input("Settings").props("outlined dense").style("width: 15rem").classes("settings")
                draw = ui.button("Draw", on_click=carefully(self._draw))
                draw.props("outline").classes("draw-frontier")
            self._wrong = markup("")
            self._points = markup("").on("setting", carefully(self._take), js_handler=DETAIL)

    def draw(self) -> None:
        """Show it; what is typed into the settings stays while the promises stay."""
        bench = self.bench
        policy = bench.read.policy if bench.data is not None else None
        knobs = list(knobs_of(policy, bench.keys)) if policy is not None else []
        self._card.set_visibility(bool(knobs))
        if not knobs:
            return
        self._offer(knobs)
        job = bench.jobs.last
        error = job.error if job is not None and "frontier" in job.name else ""
        self._wrong.set_content(f'<div class="wrong" role="alert">{said(self.say(error))}</div>' if error else "")
        self._points.set_content(self._drawn())

    def _offer(self, knobs: list[Knob]) -> None:
        """Offer the numbers of the policy as it is now; the one that was chosen stays chosen while it is there."""
        labels = {i: knob.label for i, knob in enumerate(knobs)}
        self._knobs = knobs
        if labels == self._labels:
            return
        self._labels = labels
        places = [_place(knob) for knob in knobs]
        wanted = next((each for each in (self._turned, self._last()) if each in places), places[0])
        is_other, self._turned = wanted != self._turned, wanted
        self._which.set_options(labels, value=places.index(wanted))
        if is_other:
            self._usual()

    def _last(self) -> tuple[int, str] | None:
        return None if self.bench.knob is None else _place(self.bench.knob)

    def _turn(self, event: Any) -> None:
        if event.value is not None and _place(self._knobs[event.value]) != self._turned:
            self._turned = _place(self._knobs[event.value])
            self._usual()

    def _usual(self) -> None:
        """Fill in the settings that were drawn last, or the usual ones."""
        knob = next(each for each in self._knobs if _place(each) == self._turned)
        tried = [point.setting for point in self.bench.points] if self._last() == self._turned else []
        self._at.set_value(", ".join(f"{each:g}" for each in tried or usual_settings(knob)))

    def _draw(self) -> None:
        try:
            found = sorted({float(each) for each in self._at.value.replace(";", ",").split(",") if each.strip()})
        except ValueError:
            raise InputError("settings are numbers, such as 2, 5, 10.") from None
        if not found:
            raise InputError("name at least one setting, such as 2, 5, 10.")
        self.bench.start_frontier(self._knobs[self._which.value], tuple(found))

    def _drawn(self) -> str:
        bench = self.bench
        if not bench.points or bench.knob is None:
            return (
                '<p class="soft small" style="margin:.5rem 0 0">The release is made for each setting; a click on a '
                "point takes it.</p>"
            )
        knob = bench.knob
        cards = bench.keys.get("require", [])
        now = cards[knob.number].get(knob.key) if knob.number < len(cards) else None
        rows = []
        for point in bench.points:
            take = (
                f'<button type="button" class="mini" data-setting="{point.setting!r}">take {point.setting:g}</button>'
            )
            if point.loss is None:
                rows.append((number(point.setting), "no table can meet it", "", "", ""))
            else:
                mark = '<span class="pill good">now</span>' if point.setting == now else take
                rows.append(
                    (number(point.setting), share(point.loss), number(point.coarsened), number(point.blanked), mark)
                )
        table = listed((knob.key, "detail lost", "coarser cells", "blank cells", ""), rows, numbers=(1, 2, 3))
        return frontier(bench.points, knob, now) + table

    def _take(self, event: Any) -> None:
        self.bench.take_setting(float(event.args["setting"]))
        ui.notify("The setting was taken. Run it again to get its release.", type="positive")


def _place(knob: Knob) -> tuple[int, str]:
    return knob.number, knob.key
