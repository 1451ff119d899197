"""The seventh step: the release, proven, with everything that belongs to it."""

from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from withhold.report import verdict
from withhold.workbench._publishing import Published
from withhold.workbench.pages._drawings import said
from withhold.workbench.pages._part import Part, carefully, markup

__all__ = ["PublishPart"]


class PublishPart(Part):
    """Where it goes, and what was written."""

    watches = ("publish",)

    def render(self) -> None:
        """Show it."""
        bench = self.bench
        if bench.compared is None:
            markup('<div class="empty">There is no release yet. Run the policy first.</div>')
            return
        if bench.is_stale:
            markup('<div class="notice">The policy was changed since the run. Run it again, then publish.</div>')
        with ui.element("div").classes("card"):
            name = bench.data.name if bench.data else "release.csv"
            suffix = Path(name).suffix if Path(name).suffix in (".csv", ".parquet", ".tsv") else ".csv"
            with ui.element("div").classes("fields"):
                folder = ui.input("Folder", value=str(bench.home)).props("outlined dense").classes("publish-folder")
                file = ui.input("File", value=f"release{suffix}").props("outlined dense").classes("publish-file")
                seed = ui.number("Seed (for tests; leave empty)", value=bench.seed, min=0, format="%.0f").props(
                    "outlined dense clearable"
                )
                seed.on_value_change(carefully(self._seed)).classes("publish-seed")
            with ui.element("div").classes("row-of").style("margin-top: .8rem"):
                write = ui.button(
                    "Prove and publish",
                    icon="verified",
                    on_click=carefully(lambda: self._publish(folder.value, file.value)),
                )
                write.props("unelevated").classes("publish")
                write.set_enabled(not bench.is_stale)
                markup('<span class="soft small">If the check fails, nothing appears.</span>')
        job = bench.jobs.last
        if job is not None and job.error and job.name.startswith("Publishing"):
            markup(f'<div class="wrong" role="alert">{said(self.say(job.error))}</div>')
        if bench.published is not None:
            self._written(bench.published)

    def _seed(self, event: Any) -> None:
        self.bench.seed = None if event.value is None else int(event.value)
        live = self.bench.live
        if live is not None and live.seed != self.bench.seed:
            ui.notify("The seed counts from the next run on.", type="info")

    def _publish(self, folder: str, file: str) -> None:
        from withhold.errors import InputError

        if not file or Path(file).name != file:
            raise InputError("the file needs a plain name, such as release.csv.")
        self.bench.start_publish(Path(folder).expanduser() / file)

    def _written(self, made: Published) -> None:
        first, *rest = verdict(made.audit)
        kind = "fine" if made.audit.ok else "wrong"
        more = "".join(f"<li>{said(self.say(each))}</li>" for each in rest)
        markup(f'<div class="{kind}"><b>{said(self.say(first))}</b><ul class="small">{more}</ul></div>')
        with ui.element("div").classes("even"):
            for title, files in (("May be published", made.public), ("Private to you", made.private)):
                lines = "".join(
                    f"<li><b>{escape(path.name)}</b><br><span class='soft small'>{escape(str(path.parent))}</span></li>"
                    for path in files
                )
                markup(f'<h3>{title}</h3><ul class="files">{lines}</ul>', "card")
        if made.command is not None:
            markup(f"<h3>The same from a terminal</h3><pre class='mono'>{escape(made.command)}</pre>", "card")
        else:
            markup("<p class='soft'>Steps were chosen by hand: make_again.py repeats them.</p>")
