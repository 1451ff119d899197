"""The whole job: bind a policy to a table, decide what to withhold, apply it, prove it, publish it."""

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from withhold import _markup
from withhold._fingerprint import fingerprint
from withhold._frame import as_frame
from withhold._memory import check_fits
from withhold._staging import Staging, check_outputs
from withhold.auditing import Audit, Sight, check_source, describe_source
from withhold.auditing.earlier import check_together
from withhold.engines import Cluster, Engine, Reading, Source, name_of, open_columns, open_source
from withhold.engines.files import Location, is_url, location_of
from withhold.errors import OutputError, RowsNeededError, UnmetError
from withhold.methods.refine import Refinement, Step
from withhold.policy import Policy, shifted_columns
from withhold.record import Record, write_record
from withhold.releasing._after_earlier import Held, check_earlier, run_after
from withhold.releasing._codebook import CodebookLine, codebook_of, is_codebook, remove_codebook, write_codebook
from withhold.releasing._counting import count_for_proof
from withhold.releasing._destination import Destination, Offer, destination_of
from withhold.releasing._explain import Explanation, check_cell, explain_cell
from withhold.releasing._losses import release_metrics
from withhold.releasing._notes import release_notes
from withhold.releasing._other_rows import apply_to
from withhold.releasing._recording import record_of
from withhold.releasing._run import Progress, Run
from withhold.releasing._stream import Stream
from withhold.releasing._withheld_sets import is_json_of_release, remove_withheld_sets, write_withheld_sets
from withhold.report import audit_report, check_suffix, write_report
from withhold.table import MemoryStore, Table, decision_of

BESIDE = ("report.json", "withheld.json", "codebook.csv")
"""What lies beside a release: private, public, public."""

__all__ = ["Release", "as_table", "release", "release_file"]

DEFAULTS = Reading()


def release(
    data: object,
    policy: Policy | str | Path,
    *,
    earlier: Sequence[object] = (),
    key: str | None = None,
    hold_back: bool = False,
    max_steps: int | None = None,
    progress: Progress | None = None,
    rng: int | np.random.Generator | None = None,
) -> "Release":
    """Withhold as little of a table as its policy allows.

    Nothing is written yet; `Release.write` does that, and proves every requirement on the written file first.

    Parameters
    ----------
    data
        A `Table`, a path or a frame.
    policy
        A policy, or the path to a policy file.
    earlier
        Earlier releases of the same or of overlapping people, as in `audit`. People who are in one of them publish what
        it says, or something coarser; newcomers form groups of their own. The release is proven together with them.
    key
        The column by which you know people, in the tables that the releases were made from; by default people are known
        by their position. Drop it in the policy.
    hold_back
        With `earlier`: leave out newcomers as long as they are too few to keep the promises among themselves, and those
        people whom both releases would leave too few sensitive values, instead of refusing. Which rows these are is
        in `Release.held_back`.
    max_steps
        Stop the search after this many steps.
    progress
        Called with what is being done, and with each step of the search.
    rng
        A seed makes a shuffled order and random choices repeatable, and the report says so. The default is the
        system's secure source.

    Raises
    ------
    PolicyError, DataError, TaxonomyError
        Where the input is wrong; nothing was done.
    InfeasibleError
        Where no table can meet the policy.

    Examples
    --------
    >>> from withhold import Anonymity, Policy, samples
    >>> policy = Policy([Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    >>> result = release(samples.tds_table1(), policy)
    >>> result.reached, len(result.steps)
    ((4,), 5)
    """
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    if progress is not None:
        progress("reading", None)
    begin = time.perf_counter()
    table = as_table(data)
    loading = time.perf_counter() - begin
    held: Held | None = None
    if earlier:
        check_earlier(loaded)
        run, held = run_after(table, loaded, earlier, key=key, hold_back=hold_back, progress=progress, rng=rng)
    else:
        run = Run(table, loaded, progress=progress, rng=rng)
    run.timings["read"] += loading
    try:
        made = run.run(max_steps=max_steps).finish()
    except RowsNeededError as error:
        if not isinstance(table.store, Cluster):
            raise
        again = Run(table.on(table.store.rows(str(error))), loaded, progress=progress, rng=rng)
        made = again.run(max_steps=max_steps).finish()
    made.earlier, made.key = tuple(earlier), key
    if held is not None:
        made.held_back, made.narrowed = tuple(held.rows.tolist()), tuple(held.narrowed.tolist())
    return made


class Release:
    """A table with some values withheld, ready to be written.

    Made by `release`. `steps`, `reached`, `metrics` and `report` say what was done; `to_frame` and `write` give the
    table, after every requirement was checked on the very rows that leave.
    """

    def __init__(self, run: Run, *, rng: int | np.random.Generator | None, progress: Progress) -> None:
        self.run = run
        self.table = run.bound
        self.policy = run.policy
        self.decision = decision_of(
            run.draft, read=run.policy.read(run.draft.names), refined=run.policy.refined, rows=run.policy.rows
        )
        self.timings = run.timings
        is_random = run.policy.rows == "shuffle" or bool(shifted_columns(run.policy, run.bound.names))
        self.is_seeded = rng is not None and (is_random or bool(self.decision.cells))
        self.checked: Audit | None = None
        self.summary: Record | None = None
        """The record of the last file that was written."""
        self.earlier: tuple[object, ...] = ()
        """The earlier releases that it is proven with."""
        self.key: str | None = None
        """The column by which people are found in them."""
        self.held_back: tuple[int, ...] = ()
        """The rows of the table that are not published yet, by position."""
        self.narrowed: tuple[int, ...] = ()
        """Those of them whose people are in an earlier release: both would leave too few of their sensitive values."""
        self._say = progress
        self._key = secrets.token_hex(32) if rng is None else np.random.default_rng(rng).bytes(32).hex()
        self._source = cast(Source, run.bound.store)

    @property
    def source(self) -> Source:
        """The rows that the release is made from, behind their engine."""
        return self._source

    @property
    def steps(self) -> tuple[Step, ...]:
        """The moves of the search, in order."""
        return self.refinement.steps

    @cached_property
    def refinement(self) -> Refinement:
        """What the search arrived at."""
        return self.run.refinement

    @cached_property
    def reached(self) -> tuple[float, ...]:
        """What each promise about groups has reached: a smallest group, a confidence, a diversity, a distance."""
        return self.run.reached()

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """What was lost and what was kept."""
        return release_metrics(self.run)

    @property
    def record(self) -> Record:
        """Everything about the release, for its owner; not for publication."""
        return record_of(self)

    @property
    def report(self) -> dict[str, Any]:
        """The record as JSON can hold it."""
        return self.record.to_json()

    @property
    def codebook(self) -> list[CodebookLine]:
        """What each published text means, of the columns that groups are counted over; may be published."""
        return codebook_of(self.run)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a publisher should know; that of the check is among it once the table was written or handed over."""
        return tuple(release_notes(self))

    def explain(self, row: int, column: str) -> Explanation:
        """Return which requirement and which step made a cell what it is; for the owner, not for publication.

        Parameters
        ----------
        row
            The position of the row in the original, from 0.
        column
            The column.

        Examples
        --------
        >>> from withhold import Anonymity, Policy, samples
        >>> policy = Policy([Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
        >>> result = release(samples.tds_table1(), policy)
        >>> print(result.explain(0, "Sex"))
        row 0, column Sex: published as M. Given back by step 4. Nothing is withheld.
        """
        check_cell(self.table.names, self.table.n_rows, row, column)
        was = self._source.values(column)[int(self._source.cells(column)[row])]
        published = None
        if column not in self.policy.drop:
            in_order = replace(self.decision, rows="keep")
            found = self._source.published(in_order, key=self._key, columns=[column])[column][row]
            # Only what was not changed keeps the type of its column.
            published = found if found is None or isinstance(found, str) else was
        return explain_cell(self._reasons, row=row, column=column, was=was, published=published)

    @cached_property
    def _reasons(self) -> Record:
        return record_of(self)

    def apply(self, data: object, *, backend: str | None = None) -> Any:
        """Return the rows of another table as this release would publish them, for instance to test a model on them.

        A row that the table holds too, on the columns that groups are counted over, reads as it does there. Any other
        gets the finest combination of texts that this release publishes and that covers it; where none does, these
        columns are withheld. Means, rounded and bounded numbers read as they do in this release, other columns stay as
        they are, and cells that were withheld one by one are not looked for: **nothing is proven of the result**.
        `Stream` publishes rows that arrive later.

        Parameters
        ----------
        data
            A path or a frame that has the columns that groups are counted over.
        backend
            As in `to_frame`.

        Examples
        --------
        >>> import pandas as pd
        >>> from withhold import Anonymity, Policy
        >>> ages = pd.DataFrame({"age": [20, 21, 22, 40, 41, 43], "score": 1})
        >>> made = release(ages, Policy([Anonymity(columns=["age"], k=3)], recoding="local"))
        >>> made.apply(pd.DataFrame({"age": [21, 42, 90], "score": [5, 6, 7]}))["age"].tolist()
        ['< 23', '≥ 40', '≥ 40']
        """
        return apply_to(self.run, data, backend=backend)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the published table as a frame, after checking it.

        A table that came from a frame comes back as the same kind of frame. Otherwise `backend` chooses one:
        ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default the first that is installed. The index of a pandas
        frame is left behind, because it may name people: rows are numbered from 0.
        """
        frame = as_frame(self._source, self.decision, key=self._key, backend=backend)
        source = open_source(frame)
        try:
            self._prove(source.without_rows() if isinstance(source, Cluster) else source)
        finally:
            source.close()
        return frame

    def write(self, path: str | Path, *, report: str | Path | None = None) -> Audit:
        """Write the published table, by suffix or into a table of a database, and its private report beside it.

        The file is made in a private folder beside the destination, read back and checked against every requirement,
        and only then renamed into place. A crash, a full disk or an interrupt leaves the destination as it was.

        Parameters
        ----------
        path
            Where the table goes: a file, or the URL of a table, which is made and proven inside a transaction before
            it takes the place of the old one. ``PATH.report.json`` gets the private report, ``PATH.codebook.csv``, for
            publication, what each text means (see `unpack`). Where values were disclosed one by one,
            ``PATH.withheld.json``, for publication, lists which values a ``*`` may stand for.
        report
            Where a report goes, if anywhere: a page (``.html``) or JSON (``.json``), private to the owner.

        Raises
        ------
        UnmetError
            Where the check fails; nothing appears at the destination.
        """
        destination = destination_of(path, is_folder=isinstance(self._source, Cluster))
        destination.check()
        _refuse_same_table(getattr(self._source, "location", None), path)
        origin = getattr(self._source, "path", None)
        pages = _outputs(destination, None if report is None else Path(report))
        check_outputs(pages, [*self.policy.files, *([origin] if origin else [])])
        _refuse_same_folder(origin, destination)
        _refuse_foreign([_beside(destination.beside)[0]])
        if report is not None:
            check_suffix(Path(report))
        with Staging(destination.beside) as staging:
            return self._publish(staging, destination, None if report is None else Path(report))

    def _publish(self, staging: Staging, destination: Destination, page: Path | None) -> Audit:
        made = staging.path(f"release{destination.suffix}")
        self._write(made, destination)
        with destination.offer(made, staging, self._source) as offer:
            audit = self._check(offer, describe=page is not None)
            self.summary = record_of(self, sha256=fingerprint(made))
            files = self._write_beside_release(staging, made, destination.beside)
            if page is not None:
                report = audit_report(
                    audit,
                    destination.name,
                    making=self.summary,
                    path=made,
                    policy=self.policy.source,
                    original=self.summary.source,
                )
                write_report(report, staging.path(f"page{page.suffix}"), suffix=page.suffix)
                files[f"page{page.suffix}"] = page.resolve()
            offer.publish(files)
        _, sets, book = _beside(destination.beside)
        if sets not in files.values():
            remove_withheld_sets(sets)
        if book not in files.values():
            remove_codebook(book)
        return audit

    def _write_beside_release(self, staging: Staging, made: Path, named: Path) -> dict[str, Path]:
        """Write the private report and what may be published beside the release; return where each file goes."""
        assert self.summary is not None
        report, sets, book = _beside(named)
        write_record(self.summary, staging.path("report.json"))
        files = {"report.json": report}
        if write_withheld_sets(self, made, staging.path("withheld.json")):
            files["withheld.json"] = sets
        if self.policy.counted:
            write_codebook(self.codebook, staging.path("codebook.csv"))
            files["codebook.csv"] = book
        _refuse_foreign(files.values())
        return files

    def _write(self, made: Path, destination: Destination) -> None:
        self._say("writing", None)
        begin = time.perf_counter()
        destination.write(made, self._source, self.decision, key=self._key)
        self.timings["write"] = time.perf_counter() - begin

    @property
    def _reading_back(self) -> Reading:
        """How the written file is read: codes where codes were read, and every number as it is spelled."""
        return Reading(values=getattr(self._source, "reading", DEFAULTS).values, decimal=".")

    def _check(self, offer: Offer, *, describe: bool) -> Audit:
        self._say("checking", None)
        begin = time.perf_counter()
        source = offer.open(self._reading_back)
        try:
            count_for_proof(source, self.policy)
            found = self._prove(source)
            return describe_source(found, source, self.policy, self.table) if describe else found
        finally:
            source.close()
            self.timings["check"] = time.perf_counter() - begin

    def _prove(self, source: Source) -> Audit:
        is_shuffled = self.policy.rows == "shuffle" and self._source.has_order
        positions = self._source.row_positions(self.decision, key=self._key) if is_shuffled else None
        say: Callable[[str], object] = lambda what: self._say(what, None)  # noqa: E731 - the check hears no steps
        found = check_source(source, self.policy, original=self.table, positions=positions, progress=say)
        failed = [finding for finding in found.findings if not (finding.ok and finding.is_complete)]
        if failed:
            says = "; ".join(f"{finding.where}: {finding.says}" for finding in failed)
            raise UnmetError(f"the release failed its own check, so nothing was published: {says}.")
        if self.earlier:
            found = self._prove_together(found, source)
        if not _holds_what_left(self._source, source):
            raise UnmetError("the release failed its own check: it does not hold the rows that the executors wrote.")
        if source.n_rows != self.table.n_rows:
            raise UnmetError("the release failed its own check: it does not hold every row of the table.")
        if source.names != self.decision.published(self.table.names):
            raise UnmetError("the release failed its own check: its columns are not those of the table.")
        self.checked = found
        return found

    def _prove_together(self, checked: Audit, source: Source) -> Audit:
        """Return the audit with what the file says together with earlier releases; refuse it where that is too much."""
        sight = Sight(source, self.policy, self.table)
        rng = np.random.default_rng(0)
        found = check_together(
            checked, sight, self.earlier, key=self.key, attack=False, reading=self._reading_back, rng=rng
        )
        if found.together is not None and (found.together.exposed or found.together.broken_alone):
            broken = found.together.exposed or found.together.findings
            says = "; ".join(f"{finding.where}: {finding.says}" for finding in broken)
            raise UnmetError(
                f"together with the earlier release a promise is broken, so nothing was published: {says}."
            )
        return found

    def _repr_html_(self) -> str:
        """Show the release in a notebook: what each requirement reached and what each column lost; no value."""
        record = self.summary if self.checked and self.summary else self.record
        asked = [
            (entry.ok, entry.kind, ", ".join(entry.columns), _listed(entry.asked), _listed(entry.reached))
            for entry in record.requirements
        ]
        columns = [(name, lost.blanked, lost.coarsened) for name, lost in record.withheld.columns.items()]
        word = "Checked on the written file." if self.checked else "Not written yet: nothing is proven."
        return _markup.fragment(
            [
                _markup.paragraph(f"Release of {self.table.n_rows:,} rows, {len(self.steps)} steps. {word}"),
                _markup.table(("", "kind", "columns", "asked", "reached"), asked),
                _markup.table(("column", "blanked cells", "coarsened cells"), columns),
                *(_markup.paragraph(note[:1].upper() + note[1:], kind="note") for note in self.notes),
            ]
        )

    def __repr__(self) -> str:
        return f"<Release: {self.table.n_rows} rows, {len(self.steps)} steps, reached {self.reached}>"


def _listed(figures: dict[str, Any]) -> str:
    shown = {key: value for key, value in figures.items() if isinstance(value, int | float)}
    return ", ".join(f"{key} {value:.4g}" for key, value in shown.items())


def release_file(
    data: object,
    policy: Policy,
    out: str | Path,
    *,
    page: Path | None = None,
    earlier: Sequence[object] = (),
    key: str | None = None,
    hold_back: bool = False,
    stream: Path | None = None,
    max_steps: int | None = None,
    progress: Progress | None = None,
    rng: int | None = None,
    engine: Engine = "duckdb",
    reading: Reading = DEFAULTS,
) -> tuple[Release, Audit]:
    """Run the whole job from file to file; everything private lies in one folder that no crash leaves for good.

    With `stream` the release is the first of a stream, whose file is written once the release is published.
    """
    if stream is not None:
        check_earlier(policy)
    destination = destination_of(out, is_folder=engine == "spark")
    destination.check()
    if is_url(data) and engine == "duckdb":
        _refuse_same_table(location_of(str(data), reading), out)
    check_outputs(_outputs(destination, page), [*([data] if isinstance(data, Path) else []), *policy.files])
    _refuse_same_folder(data, destination)
    _refuse_foreign([_beside(destination.beside)[0]])
    if page is not None:
        check_suffix(page)
    with Staging(destination.beside) as staging:
        if progress is not None:
            progress("reading", None)
        begin = time.perf_counter()
        source = open_source(data, engine=engine, scratch=staging.folder, reading=reading)
        loading = time.perf_counter() - begin
        try:
            if source.has_rows:
                check_fits(source.n_rows, name_of(data))
            made = release(
                Table(source),
                policy,
                earlier=earlier,
                key=key,
                hold_back=hold_back,
                max_steps=max_steps,
                progress=progress,
                rng=rng,
            )
            made.timings["read"] += loading
            first = None if stream is None else Stream(made)
            audit = made._publish(staging, destination, page)
            if first is not None and stream is not None:
                first.save(stream)
            return made, audit
        finally:
            source.close()


def _holds_what_left(origin: Source, made: Source) -> bool:
    """Return whether a written folder holds the rows that the executors had, whichever way they lie there."""
    if not (isinstance(origin, Cluster) and isinstance(made, Cluster)) or origin.written_hash is None:
        return True
    # A part that is counted twice, where an executor was lost, is in its hash twice.
    return origin.written_hash == made.rows_hash() or origin.written_hash == made.rows_hash(anew=True)


def _outputs(destination: Destination, page: Path | None) -> list[Path]:
    made = [] if destination.is_folder else [destination.beside]
    return [*made, *_beside(destination.beside), *([page] if page is not None else [])]


def _beside(named: Path) -> tuple[Path, Path, Path]:
    """Return where the private report, the withheld sets and the codebook of a release go."""
    report, sets, book = (named.with_name(f"{named.name}.{kind}") for kind in BESIDE)
    return report, sets, book


def _refuse_foreign(paths: Iterable[Path]) -> None:
    """Refuse to overwrite a file beside the destination that no release has left there."""
    for path in paths:
        is_ours = is_codebook if path.suffix == ".csv" else is_json_of_release
        if path.exists() and not is_ours(path):
            raise OutputError(f"{path.name}: is there already, and no release wrote it. Hint: move it elsewhere.")


def _refuse_same_table(read: Location | None, out: str | Path) -> None:
    if read is not None and is_url(out):
        written = location_of(str(out))
        if (read.address, read.table) == (written.address, written.table):
            raise OutputError(f"{written.name}: is an input, which is never changed. Hint: choose another name.")


def _refuse_same_folder(read: object, destination: Destination) -> None:
    is_here = destination.is_folder and not is_url(destination.shown)
    if is_here and isinstance(read, Path) and read.resolve() == destination.beside:
        raise OutputError(f"{destination.name}: is an input, which is never changed. Hint: choose another name.")


def as_table(data: object) -> Table:
    """Return a table whose rows an engine holds, so that a decision can be applied to them."""
    if not isinstance(data, Table):
        return Table(open_source(data))
    if not isinstance(data.store, MemoryStore):
        return data
    columns = {}
    for name in data.names:
        values = np.array(data.store.values(name), dtype=object)
        columns[name] = values[data.store.cells(name)].tolist()
    domains = {name: data.domain(name) for name in data.names}
    return Table(open_columns(columns), domains=domains, missing=data.missing)
