"""The seventh step: the release, proven, with everything that belongs to it."""

from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from withhold.errors import InputError
from withhold.report import verdict
from withhold.workbench._publishing import Published
from withhold.workbench.pages._drawings import said
from withhold.workbench.pages._part import Part, carefully, markup

__all__ = ["PublishPart"]


class PublishPart(Part):
    """Where it goes, and what was written."""

    watches = ("publish", "release", "data", "job")
    _of = -1
    _made: Published | None = None

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        with self.box:
            self._none = markup('<div class="empty">There is no release yet. Run the policy first.</div>')
            self._stale = markup(
                '<div class="notice">The policy was changed since the run. Run it again, then publish.</div>'
            )
            with ui.element("div").classes("card") as self._card:
                self._form()
            self._wrong = markup("")
            self._result = ui.element("div").classes("part")

    def _form(self) -> None:
        with ui.element("div").classes("fields"):
            self._folder = ui.input("Folder").props("outlined dense").classes("publish-folder")
            self._file = ui.input("File").props("outlined dense").classes("publish-file")
            self._number = ui.number("Seed (for tests; leave empty)", min=0, format="%.0f")
            self._number.props("outlined dense clearable").classes("publish-seed")
            self._number.on_value_change(carefully(self._seed))
        with ui.element("div").classes("row-of").style("margin-top: .8rem"):
            self._write = ui.button("Prove and publish", icon="verified", on_click=carefully(self._publish))
            self._write.props("unelevated").classes("publish")
            markup('<span class="soft small">If the check fails, nothing appears.</span>')

    def draw(self) -> None:
        """Show it; what was typed stays while the table stays."""
        bench = self.bench
        is_made = bench.compared is not None
        if self._of != bench.versions["data"]:
            self._of = bench.versions["data"]
            name = bench.data.name if bench.data else "release.csv"
            suffix = Path(name).suffix if Path(name).suffix in (".csv", ".parquet", ".tsv") else ".csv"
            self._folder.set_value(str(bench.home))
            self._file.set_value(f"release{suffix}")
        self._number.set_value(bench.seed)
        self._none.set_visibility(not is_made)
        self._stale.set_visibility(is_made and bench.is_stale)
        self._card.set_visibility(is_made)
        self._write.set_enabled(is_made and not bench.is_stale)
        job = bench.jobs.last
        error = job.error if is_made and job is not None and job.name.startswith("Publishing") else ""
        self._wrong.set_content(f'<div class="wrong" role="alert">{said(self.say(error))}</div>' if error else "")
        if self._made is not bench.published:
            self._made = bench.published
            self._result.clear()
            if self._made is not None:
                with self._result:
                    self._written(self._made)

    def _seed(self, event: Any) -> None:
        seed = None if event.value is None else int(event.value)
        if seed == self.bench.seed:
            return
        self.bench.seed = seed
        live = self.bench.live
        if live is not None and live.seed != self.bench.seed:
            ui.notify("The seed counts from the next run on.", type="info")

    def _publish(self) -> None:
        folder, file = str(self._folder.value or ""), str(self._file.value or "")
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
