"""The sixth step: before and after, why, what attackers came to, and the frontier."""

from html import escape
from typing import Any

from nicegui import run, ui

from withhold.auditing import Homogeneity, Linkage
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

    watches = ("compare",)

    @property
    def version(self) -> int:
        """It changes with the release only."""
        return id(self.bench.compared)

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

    watches = ("compare", "run")

    def render(self) -> None:
        """Show it."""
        if self.bench.compared is None:
            return
        audit = self.bench.audit
        with ui.element("div").classes("card"):
            with ui.element("div").classes("row-of").style("justify-content: space-between"):
                markup("<h3 style='margin:0'>Attack it, and measure what analysts lose</h3>")
                attack = ui.button(
                    "Attack" if audit is None else "Attack again", on_click=carefully(self.bench.start_audit)
                )
                attack.props("outline").classes("attack")
            job = self.bench.jobs.last
            if job is not None and job.error and job.name.startswith("Attacking"):
                markup(f'<div class="wrong" role="alert">{said(self.say(job.error))}</div>')
            if audit is None:
                markup(
                    '<p class="soft small" style="margin:.4rem 0 0">Outsiders of several kinds try to find people and '
                    "to recover what is withheld, on samples.</p>"
                )
                return
            self._found(audit)

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

    watches = ("frontier", "decide", "open")

    def render(self) -> None:
        """Show it."""
        bench = self.bench
        if bench.data is None or bench.read.policy is None:
            return
        knobs = knobs_of(bench.read.policy, bench.keys)
        if not knobs:
            return
        with ui.element("div").classes("card"):
            markup("<h3>The frontier: what more protection costs</h3>")
            with ui.element("div").classes("row-of"):
                labels = {i: knob.label for i, knob in enumerate(knobs)}
                now = next((i for i, knob in enumerate(knobs) if bench.knob and self._same(knob, bench.knob)), 0)
                which = (
                    ui.select(labels, label="Turn", value=now)
                    .props("outlined dense")
                    .style("min-width: 16rem; max-width: 30rem")
                )
                tried = [point.setting for point in bench.points] or usual_settings(knobs[now])
                usual = ", ".join(f"{each:g}" for each in tried)
                at = ui.input("Settings", value=usual).props("outlined dense").style("width: 15rem").classes("settings")
                which.on_value_change(
                    lambda event: at.set_value(", ".join(f"{s:g}" for s in usual_settings(knobs[event.value])))
                )
                draw = ui.button("Draw", on_click=carefully(lambda: self._draw(knobs[which.value], at.value)))
                draw.props("outline").classes("draw-frontier")
            self._points()

    @staticmethod
    def _same(one: Knob, other: Knob) -> bool:
        return (one.number, one.key) == (other.number, other.key)

    def _draw(self, knob: Knob, settings: str) -> None:
        from withhold.errors import InputError

        try:
            found = sorted({float(each) for each in settings.replace(";", ",").split(",") if each.strip()})
        except ValueError:
            raise InputError("settings are numbers, such as 2, 5, 10.") from None
        if not found:
            raise InputError("name at least one setting, such as 2, 5, 10.")
        self.bench.start_frontier(knob, tuple(found))

    def _points(self) -> None:
        bench = self.bench
        job = bench.jobs.last
        if job is not None and job.error and "frontier" in job.name:
            markup(f'<div class="wrong" role="alert">{said(self.say(job.error))}</div>')
        if not bench.points or bench.knob is None:
            markup(
                '<p class="soft small" style="margin:.5rem 0 0">The release is made for each setting; a click on a '
                "point takes it.</p>"
            )
            return
        knob = bench.knob
        cards = bench.keys.get("require", [])
        now = cards[knob.number].get(knob.key) if knob.number < len(cards) else None
        markup(frontier(bench.points, knob, now)).on("setting", carefully(self._take), js_handler=DETAIL)
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
        table = markup(listed((knob.key, "detail lost", "coarser cells", "blank cells", ""), rows, numbers=(1, 2, 3)))
        table.on("setting", carefully(self._take), js_handler=DETAIL)

    def _take(self, event: Any) -> None:
        self.bench.take_setting(float(event.args["setting"]))
        ui.notify("The setting was taken. Run it again to get its release.", type="positive")
