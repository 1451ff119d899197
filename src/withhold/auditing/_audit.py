"""Check a published file against a policy, from the file alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from withhold.auditing._disclosures import find_disclosures
from withhold.auditing._finding import Finding
from withhold.auditing._found_shifts import find_shifts
from withhold.auditing._published_columns import (
    blank_columns,
    check_columns,
    check_dropped,
    check_rows,
    lost_columns,
    lost_rows,
    uncovered_columns,
)
from withhold.auditing._rejoined import check_units
from withhold.auditing._result import Audit
from withhold.auditing._sight import Sight
from withhold.auditing._source_of import open_table
from withhold.auditing._undone import find_undone
from withhold.auditing.earlier import check_together
from withhold.engines import Engine, Reading, Source
from withhold.errors import InputError, PolicyError, WithholdError
from withhold.policy import (
    Policy,
    as_read,
    bind,
    check_names,
    contradictions,
    read_codes,
    shifted_columns,
    unanswered_values,
)
from withhold.requirements import KINDS, Question
from withhold.table import Table

__all__ = ["Audit", "audit", "check_source"]

DEFAULTS = Reading()
NAME_THEM = "Hint: name in a requirement what an outsider may know."


def audit(
    release: object,
    policy: Policy | str | Path,
    *,
    original: object = None,
    earlier: Sequence[object] = (),
    key: str | None = None,
    withheld: Sequence[str] = (),
    positions: ArrayLike | None = None,
    attack: bool = True,
    quick: bool = False,
    progress: Callable[[str], object] | None = None,
    engine: Engine = "duckdb",
    reading: Reading = DEFAULTS,
    rng: int | np.random.Generator | None = None,
) -> Audit:
    """Check a file or frame, ours or another tool's, against a policy, and attack it.

    The check reads the file itself, groups its rows with the engine's SQL and shares no code with the methods that
    made it. Findings name columns and sizes of groups, never their values. An empty cell and ``*`` are values like any
    other: rows that share them are together.

    Parameters
    ----------
    release
        A path, the URL of a database, a frame, or a table that `read` returned.
    policy
        A policy, or the path to a policy file.
    original
        The table it was made from: with it, every cell is compared (it must be what stood there, coarser, or
        withheld), withheld cells are attacked, and what analysts lose is measured.
    earlier
        Earlier releases of the same or of overlapping people, each as `release`, or as an `Earlier` with the table that
        it was made from. Every promise is counted again on what all of them say together.
    key
        The column by which you know people, in the tables that the releases were made from; by default people are known
        by their position. Keep it to yourself.
    withheld
        Texts that stand for a withheld value in the file, besides the empty cell and ``*``, where another tool wrote
        it: ``["?", "NA"]``.
    positions
        For each row of the release its place in the original, from 0, where rows were shuffled or removed and you know
        which is which. Keep it to yourself: it is what a shuffle hides.
    attack
        Whether to attack the file and measure what it is worth; checks alone are quicker.
    quick
        Attack and measure on samples: learners learn from 20,000 rows, and 2,000 of the cells are tried. Intervals are
        about the cells, not about which rows a learner saw. A check of record risk that would take long stops early as
        well; its finding says so, and proves nothing. Other checks, and the adversaries of the papers, see all rows.
    progress
        Called with what is being done.
    engine
        What reads the files: ``"duckdb"``, or ``"spark"`` for folders and tables of a cluster.
    reading
        How to read the files, where that cannot be seen from them: their encoding, decimal commas, labels or codes.
    rng
        A seed makes samples and learners repeatable.

    Examples
    --------
    >>> import pandas as pd
    >>> from withhold import Anonymity, Policy
    >>> frame = pd.DataFrame({"age": ["[20, 40)", "[20, 40)", "[40, 90]"]})
    >>> result = audit(frame, Policy([Anonymity(columns=["age"], k=2)]))
    >>> result.ok, result.findings[0].reached
    (False, 1)
    >>> result.attacks[0].unique_rows
    1
    """
    if isinstance(withheld, str):
        raise InputError("audit: `withheld` must be a list of texts; got one alone.")
    say = progress or (lambda what: None)
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    say("reading")
    opened = open_table(release, reading, engine)
    source = cast(Source, read_codes(loaded, Table(opened)).store)
    table: Table | None = None
    first = None if original is None else open_table(original, reading, engine)
    try:
        moved: list[Finding] = []
        if first is not None:
            table, moved = _as_original(source, first, loaded, positions)
        say("checking every requirement")
        begin = time.perf_counter()
        generator = np.random.default_rng(rng)
        sight = _sight(source, loaded, table, withheld, positions)
        sight.incomparable = frozenset(() if moved else shifted_columns(loaded, source.names))
        checked = _check(sight, quick=quick, progress=say, rng=generator)
        checked = replace(checked, findings=(*checked.findings, *moved), notes=(*checked.notes, *_not_compared(sight)))
        checked = replace(checked, timings={"checks": time.perf_counter() - begin})
        if attack:
            from withhold.auditing._examine import examine

            checked = examine(checked, sight, release=release, quick=quick, say=say, rng=generator)
        if not earlier:
            return checked
        say("reading earlier releases")
        return check_together(checked, sight, earlier, key=key, attack=attack, reading=reading, rng=generator)
    finally:
        # Whoever hands over a table goes on using it.
        if not isinstance(release, Table):
            opened.close()
        if first is not None and not isinstance(original, Table):
            first.close()


def _as_original(
    source: Source, original: Source, policy: Policy, positions: ArrayLike | None
) -> tuple[Table, list[Finding]]:
    """Return the original as the policy reads it, dates moved as those of the file are, and what is found of that."""
    try:
        table = as_read(policy, Table(original), shift=False)
        rows = None if positions is None else np.asarray(positions)
        if rows is None and policy.rows == "keep" and source.n_rows == original.n_rows and source.has_order:
            rows = np.arange(source.n_rows)
        table, moved = find_shifts(source, policy, table, rows)
    except WithholdError:
        table, moved = Table(original), []
    return _original(table, policy), moved


def _not_compared(sight: Sight) -> list[str]:
    """Say which columns were left out of the comparison."""
    left_out = sorted(sight.incomparable) if sight.original is not None else []
    what = "their dates are moved, and which row is which is not known"
    return [f"not compared with the original: {', '.join(left_out)}; {what}."] if left_out else []


def _original(table: Table, policy: Policy) -> Table:
    """Return the original under the policy's domains; checks of single cells need them, others do without."""
    try:
        return bind(policy, table)
    except WithholdError:
        if any(requirement.needs_rows for requirement in policy.require):
            raise
        return table


def check_source(
    source: Source,
    policy: Policy,
    *,
    original: Table | None = None,
    withheld: Sequence[str] = (),
    positions: ArrayLike | None = None,
    quick: bool = False,
    progress: Callable[[str], object] = lambda what: None,
    rng: np.random.Generator | None = None,
) -> Audit:
    """Check an open source against a policy; `original` is the table it was made from, under the policy's domains.

    `withheld` and `positions` are as in `audit`. A quick check of record risk may stop early, and tries records that
    `rng` draws.
    """
    return _check(_sight(source, policy, original, withheld, positions), quick=quick, progress=progress, rng=rng)


def _sight(
    source: Source,
    policy: Policy,
    original: Table | None,
    withheld: Sequence[str] = (),
    positions: ArrayLike | None = None,
) -> Sight:
    places = None if positions is None else np.asarray(positions)
    return Sight(source, policy, original, withheld=frozenset(withheld), positions=places)


def _check(sight: Sight, *, quick: bool, progress: Callable[[str], object], rng: np.random.Generator | None) -> Audit:
    source, policy, original = sight.source, sight.policy, sight.original
    mistakes = [*check_names(policy, source.names, published=True), *contradictions(policy, source.names)]
    mistakes += unanswered_values(policy, source if original is None else original.store)
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    findings: list[Finding] = []
    for i, requirement in enumerate(policy.require):
        say = partial(_say, progress, f"checking require[{i}]: ")
        found = requirement.home.check.check(Question(sight=sight, number=i, quick=quick, say=say, rng=rng))
        reading = requirement.is_informed if requirement.sensitive_columns(policy, i) else None
        findings += [replace(each, is_informed=reading) for each in found]
    findings += [*check_dropped(source, policy), *_numbers_as_promised(sight)]
    lost = []
    if original is not None:
        from withhold.auditing._comparison import check_cells

        findings += [check_columns(source, original.names), *check_cells(sight)]
        findings += [*check_rows(source, policy, original.n_rows), *check_units(sight)]
        lost = [*lost_columns(source, policy, original.names), *lost_rows(sight)]
    undone = () if original is None else find_undone(source, policy, original)
    uncovered = uncovered_columns(source, policy)
    disclosures = find_disclosures(sight, undone)
    said = [*([] if uncovered is None else [f"{uncovered.says} {NAME_THEM}"])]
    return Audit(
        findings=tuple(findings),
        n_rows=source.n_rows,
        notes=(*blank_columns(sight), *_absent(findings), *lost, *said),
        disclosures=disclosures,
        undone=undone,
        uncovered=uncovered,
    )


def _numbers_as_promised(sight: Sight) -> list[Finding]:
    """Check the columns whose numbers are published as means, rounded or up to a bound."""
    from withhold.auditing._approximations import check_numbers

    found: list[Finding] = []
    for name, settings in sight.policy.columns.items():
        if settings.changes_numbers and name in sight.names:
            texts, cells = sight.meaning(name).texts, sight.cells(name).astype(np.int64)
            was, has_units = sight.numbers_before(name), sight.policy.unit is not None
            found += check_numbers(settings, name, texts, cells, was, units=sight.units, has_units=has_units)
    return found


def _say(progress: Callable[[str], object], before: str, what: str) -> None:
    progress(f"{before}{what}")


def _absent(findings: list[Finding]) -> list[str]:
    """Return sensitive values that no row holds: a promise about them is kept by any file."""
    found = []
    for finding in findings:
        absent = getattr(KINDS[finding.kind].check, "absent", None) if finding.kind in KINDS else None
        found += [] if absent is None else [(finding.where, term) for term in absent(finding)]
    return [f"{where}: no row of the file holds {term}; any file keeps a promise about it." for where, term in found]
