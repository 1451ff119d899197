"""The first step: drop a file, pick one, or open a project."""

from pathlib import Path
from typing import Any

from nicegui import run, ui

from withhold.engines import Reading
from withhold.workbench.pages._drawings import number, preview_table, said
from withhold.workbench.pages._part import Pager, Part, carefully, markup

__all__ = ["OpenPart", "PreviewPart"]

KNOWN = (".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".dta", ".sav", ".xlsx", ".gz", ".zst", ".sas7bdat")
MOST_LISTED = 300


class OpenPart(Part):
    """Three ways in: drop, pick, project."""

    watches = ("open", "job")

    def __init__(self, page: Any) -> None:
        super().__init__(page)
        with self.box:
            self._says = markup("")
            self._header = ui.button("It is a header: open it", on_click=carefully(self.bench.open_with_header))
            self._header.props("outline").style("align-self: start")
            with ui.element("div").classes("even"):
                with ui.element("div").classes("card"):
                    self._table()
                with ui.element("div").classes("card"):
                    self._project()

    def draw(self) -> None:
        """Show how opening went; what is typed or under way in the cards stays."""
        job = self.bench.jobs.last
        is_about = job is not None and job.name.startswith("Opening")
        error = job.error if job is not None and is_about else ""
        words = f'<div class="wrong" role="alert">{said(error)}</div>' if error else ""
        if job is not None and is_about and job.is_running:
            words = f'<div class="fine" role="status">{said(job.name)} …</div>'
        self._says.set_content(words)
        self._header.set_visibility("--header" in error)
        if self.bench.project is not None and self.bench.project != self._saved:
            self._saved = self.bench.project
            self._folder.set_value(str(self._saved))

    _saved: Path | None = None

    def _table(self) -> None:
        markup("<h3>A table</h3>")
        upload = ui.upload(label="Drop a file here, or click +", auto_upload=True, on_upload=carefully(self._upload))
        upload.props('flat bordered accept="*" aria-label="Drop a file here"').style("width: 100%; max-height: 9rem")
        with ui.element("div").classes("row-of").style("margin-top: .8rem"):
            ui.button("Pick a file on this machine …", on_click=carefully(self._pick)).props("unelevated")
            markup('<span class="soft small">CSV, Parquet, Arrow, Excel, Stata, SPSS, SAS</span>')

    def _project(self) -> None:
        markup(
            "<h3>A project</h3><p class='soft small'>A folder with the policy, the taxonomies and your choices; never "
            "the data.</p>"
        )
        place = str(self.bench.project or self.bench.home / "withhold-project")
        self._folder = ui.input("Folder", value=place).props("outlined dense").style("width: 100%")
        with ui.element("div").classes("row-of").style("margin-top: .6rem"):
            ui.button("Save", on_click=carefully(lambda: self._save(self._folder.value))).props("outline")
            ui.button("Open", on_click=carefully(lambda: self._open(self._folder.value))).props("outline")

    def _save(self, folder: str) -> None:
        self.bench.save_project(Path(folder).expanduser())
        ui.notify("The project was saved.", type="positive")

    def _open(self, folder: str) -> None:
        self.bench.open_project(Path(folder).expanduser())

    async def _upload(self, event: Any) -> None:
        place = self.bench.receive(event.file.name)
        await event.file.save(place)
        place.chmod(0o600)
        self.bench.open(place, name=Path(event.file.name.replace("\\", "/")).name)

    async def _pick(self) -> None:
        with (
            ui.dialog().props('aria-label="Pick a file on this machine"') as dialog,
            ui.card().style("width: 44rem; max-width: 95vw"),
        ):
            markup("<h3>Pick a file on this machine</h3>")
            where = ui.input("Folder", value=str(self.bench.home)).props("outlined dense").style("width: 100%")
            with ui.element("div").classes("row-of"):
                encoding = ui.input("Encoding (if not UTF-8)").props("outlined dense").style("width: 12rem")
                decimal = ui.select(
                    {None: "decimals as they are", ",": "decimal comma", ".": "decimal point"}, value=None
                )
                decimal.props('outlined dense aria-label="Decimals"')
            files = ui.element("div").classes("treebox").style("width: 100%")

            def open_(path: Path) -> None:
                reading = Reading(encoding=encoding.value or None, decimal=decimal.value)
                self.bench.open(path, reading=reading)
                dialog.close()

            async def show() -> None:
                found = await run.io_bound(_files, Path(where.value).expanduser())
                files.clear()
                with files:
                    for path, is_folder in found or ():
                        icon = "folder" if is_folder else "table_chart"
                        go = (lambda p=path: where.set_value(str(p))) if is_folder else (lambda p=path: open_(p))
                        name = ".." if path == Path(where.value).expanduser().parent else path.name
                        ui.button(name, icon=icon, on_click=carefully(go)).props("flat dense align=left no-caps").style(
                            "width: 100%"
                        )

            where.on_value_change(carefully(show))
            await show()
            ui.button("Close", on_click=dialog.close).props("flat")
        dialog.open()


def _files(folder: Path) -> list[tuple[Path, bool]]:
    """Return what may be opened in a folder: the folder above, folders, tables."""
    try:
        inside = sorted(folder.iterdir(), key=lambda path: (not path.is_dir(), path.name.casefold()))
    except OSError:
        return [(folder.parent, True)]
    shown = [(path, path.is_dir()) for path in inside if not path.name.startswith(".")]
    tables = [(path, is_folder) for path, is_folder in shown if is_folder or path.suffix.lower() in KNOWN]
    return [(folder.parent, True), *tables[:MOST_LISTED]]


class PreviewPart(Part):
    """Rows of the table, for the owner's eyes."""

    watches = ("data",)

    def render(self) -> None:
        """Show a page of rows."""
        data = self.bench.data
        if data is None:
            markup('<div class="empty">No table is open yet. <b>Drop a file above</b>, or look around first:</div>')
            try_it = ui.button(
                "Try it with a made-up clinic", icon="science", on_click=carefully(self.bench.open_sample)
            )
            try_it.props("outline").classes("open-sample").style("align-self: center")
            return
        table = data.table
        markup(
            f"<p><b>{said(data.name)}</b>: {number(table.n_rows)} rows, {number(len(table.names))} columns. "
            '<span class="soft">For your eyes only.</span></p>'
        )
        grid = markup("")
        pager = Pager(
            table.n_rows,
            self.bench.rows,
            lambda rows: grid.set_content(preview_table(table.names, rows, pager.first)),
            size=min(8, table.n_rows),
        )
        pager.go(0)
