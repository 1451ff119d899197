"""Open earlier releases, and audit a file together with them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from withhold.auditing._disclosures import in_order
from withhold.auditing._sight import Sight
from withhold.auditing._source_of import open_table, source_of
from withhold.auditing.candidates import Candidates
from withhold.auditing.earlier._together import Earlier, audit_together, of_together
from withhold.engines import Reading, Source
from withhold.table import Table

if TYPE_CHECKING:
    from withhold.auditing._result import Audit

__all__ = ["check_together", "opened"]


def check_together(
    checked: "Audit",
    sight: Sight,
    earlier: Sequence[object],
    *,
    key: str | None,
    attack: bool,
    reading: Reading,
    rng: np.random.Generator,
) -> "Audit":
    """Return the audit with what the file says together with earlier releases."""
    begin = time.perf_counter()
    listed = [each if isinstance(each, Earlier) else Earlier(release=each) for each in earlier]
    with opened(listed, reading) as sources:
        own = None if sight.original is None else source_of(sight.original)
        found = audit_together(sight, checked.findings, listed, sources, key=key, own=own, attack=attack, rng=rng)
    alone = [each.single or 0 for each in checked.attacks if isinstance(each, Candidates)]
    found = replace(found, single_alone=max(alone) if alone else None)
    return replace(
        checked,
        together=found,
        disclosures=in_order([*checked.disclosures, *of_together(found)]),
        timings={**checked.timings, "earlier": time.perf_counter() - begin},
    )


@contextmanager
def opened(earlier: Sequence[Earlier], reading: Reading) -> Iterator[list[tuple[Source, Source | None]]]:
    """Open each release and its original; what was handed over open stays so."""
    to_close: list[Source] = []

    def open_one(data: object) -> Source:
        source = open_table(data, reading)
        if not isinstance(data, Table):
            to_close.append(source)
        return source

    try:
        yield [(open_one(each.release), None if each.original is None else open_one(each.original)) for each in earlier]
    finally:
        for source in to_close:
            source.close()
