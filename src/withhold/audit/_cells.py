"""The check of every cell against the original: what is published was there, or is coarser, or is withheld."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.audit._assignment import n_unplaced
from withhold.audit._coarser import Meanings, number_of
from withhold.audit._finding import Finding
from withhold.audit._listed import hidden_cells
from withhold.audit._source import source_of
from withhold.audit._spelling import Spellings, is_declared_number, is_numeric, tree_of
from withhold.engines import Source
from withhold.policy import Hidden, Policy
from withhold.policy._cells import bin_recodings
from withhold.table import Table, parse_interval
from withhold.table._decision import WITHHELD

__all__ = ["check_cells"]

_Ints = NDArray[np.int64]


def check_cells(source: Source, policy: Policy, original: Table) -> list[Finding]:
    """Count the cells that are neither what stood there, nor coarser, nor withheld; there must be none.

    Where the policy shuffles the rows, each column is compared as a whole: its cells must find values of the original
    to stand for, all at once.
    Nothing is compared where rows were lost or added.
    """
    if source.n_rows != original.n_rows:
        return []
    names = [name for name in source.names if name in original.names and name not in policy.drop]
    compare = _shuffled if policy.rows == "shuffle" else _in_order
    found = {name: compare(source, policy, original, name) for name in names}
    changed = {name: n for name, (n, _) in found.items() if n}
    n_changed = sum(changed.values())
    rows = [row for _, row in found.values() if row is not None]
    return [
        Finding(
            kind="cells",
            where="",
            columns=tuple(changed) or tuple(names),
            asked=0,
            reached=n_changed,
            ok=n_changed == 0,
            says=_says(changed, min(rows, default=None)),
            details={"changed": changed, "first_row": min(rows, default=None)},
        )
    ]


def _says(changed: dict[str, int], first_row: int | None) -> str:
    if not changed:
        return "every cell is published as it stood, or coarser, or withheld"
    n_changed = sum(changed.values())
    cells = "1 cell is" if n_changed == 1 else f"{n_changed:,} cells are"
    where = ", ".join(changed) if first_row is None else f"{', '.join(changed)}; the first in row {first_row} (from 0)"
    hint = "Hint: --withheld names another tool's mark for a withheld value"
    hint += "" if first_row is None else '; rows = "shuffle" in the policy says that rows were reordered'
    return f"{cells} neither what stood there, nor coarser, nor withheld: in {where}. {hint}"


def _in_order(source: Source, policy: Policy, original: Table, name: str) -> tuple[int, int | None]:
    """Compare a column row by row: hashes first, then numbers, then the distinct pairs of texts that are left.

    Returned are the number of wrong cells, and the row of the first one.
    """
    store = source_of(original)
    rows = np.flatnonzero(source.hashes(name) != store.hashes(name))
    if not rows.size:
        return 0, None
    texts = list(source.values(name))
    published = source.cells(name)[rows].astype(np.int64)
    is_open = ~_blanks(texts, policy)[published]
    rows, published = rows[is_open], published[is_open]
    is_left = ~_same_numbers(source, policy, original, name, texts, rows, published)
    rows, published = rows[is_left], published[is_left]
    if not rows.size:
        return 0, None
    was = store.cells(name)[rows].astype(np.int64)
    span = int(was.max()) + 1
    both = published * span + was
    pairs, sizes = np.unique(both, return_counts=True)
    meanings = _meanings(source, policy, original, name)
    starts = np.flatnonzero(np.diff(pairs // span, prepend=-1)).tolist()
    is_wrong = np.ones(len(pairs), dtype=np.bool_)
    for start, end in zip(starts, [*starts[1:], len(pairs)], strict=True):
        covered = meanings.covered(str(texts[int(pairs[start] // span)]), pairs[start:end] % span)
        if covered is not None:
            is_wrong[start:end] = ~covered
    if not is_wrong.any():
        return 0, None
    return int(sizes[is_wrong].sum()), int(rows[np.isin(both, pairs[is_wrong])][0])


def _same_numbers(
    source: Source,
    policy: Policy,
    original: Table,
    name: str,
    texts: Sequence[str | None],
    rows: _Ints,
    published: _Ints,
) -> NDArray[np.bool_]:
    """Tell in which rows an interval holds the number that stood there, or the same number is spelled otherwise."""
    found = np.zeros(rows.size, dtype=np.bool_)
    intervals = {place: interval for place, text in enumerate(texts) if (interval := parse_interval(str(text)))}
    has_numbers = is_numeric(source, policy, original, name)
    if not rows.size or not (intervals or has_numbers):
        return found
    numbers = source_of(original).floats(name)[rows]
    if has_numbers:
        found |= source.floats(name)[rows] == numbers
    for place in intervals.keys() & set(np.unique(published).tolist()):
        at = np.flatnonzero(published == place)
        found[at] |= intervals[place].holds(numbers[at])
    return found


def _shuffled(source: Source, policy: Policy, original: Table, name: str) -> tuple[int, None]:
    """Compare a column as a whole: how many cells are more than the original could have given, in no known row."""
    store = source_of(original)
    if np.array_equal(np.sort(source.hashes(name)), np.sort(store.hashes(name))):
        return 0, None
    texts = list(source.values(name))
    has = np.bincount(source.cells(name).astype(np.int64), minlength=len(texts))
    shown = [(str(t), int(n)) for t, n, b in zip(texts, has, _blanks(texts, policy), strict=True) if n and not b]
    values = list(store.values(name))
    had = np.bincount(store.cells(name).astype(np.int64), minlength=len(values))
    names = Spellings(values, is_numeric=is_numeric(source, policy, original, name))
    return _surplus(shown, values, had, names, _meanings(source, policy, original, name)), None


def _surplus(
    shown: list[tuple[str, int]], values: Sequence[str | None], had: _Ints, names: Spellings, meanings: Meanings
) -> int:
    """Return how many published cells are more than the values could have given; none has to be too many.

    A text that was there stands for itself first; only what is more than that may be a coarser one.
    """
    place = {value: i for i, value in enumerate(values)}
    rest = had.copy()
    asked: dict[str, int] = {}
    for text, n in shown:
        at = place.get(names.of(text))
        kept = 0 if at is None else min(n, int(rest[at]))
        if at is not None:
            rest[at] -= kept
        if n > kept:
            asked[text] = n - kept
    everywhere = meanings.order()
    coarse = [(n, meanings.covered(text, everywhere)) for text, n in asked.items() if meanings.is_coarse(text)]
    n_extra = sum(n for text, n in asked.items() if not meanings.is_coarse(text))
    return n_extra + n_unplaced(coarse, rest[everywhere])


def _blanks(texts: Sequence[str | None], policy: Policy) -> NDArray[np.bool_]:
    blank = [text is None or text == WITHHELD or text in policy.missing for text in texts]
    return np.array(blank, dtype=np.bool_)


def _meanings(source: Source, policy: Policy, original: Table, name: str) -> Meanings:
    values = [None if value in policy.missing else value for value in original.store.values(name)]
    return Meanings(
        values,
        tree=tree_of(policy, original, name),
        is_numeric=is_numeric(source, policy, original, name),
        labels=_bin_labels(policy, original, name, values),
    )


def _bin_labels(
    policy: Policy, original: Table, name: str, values: Sequence[str | None]
) -> Sequence[str | None] | None:
    """Return for each value the middle of its bin, where the policy publishes that; an interval tells its own bin."""
    settings = policy.columns.get(name)
    if settings is None or settings.bins is None or settings.publish == "interval":
        return None
    marked = original.with_domains({}, missing=policy.missing)
    numbers = [each for each in original.names if is_declared_number(policy, original, each)]
    hidden = [i for i, requirement in enumerate(policy.require) if isinstance(requirement, Hidden)]
    every = [cell for i in hidden for cell in hidden_cells(source_of(original), policy, i, numbers=numbers)]
    bins, recoding = bin_recodings(marked, policy, every)[name]
    codes = bins.codes([number_of(value) for value in values])
    return [None if code < 0 else recoding.labels[code] for code in codes.tolist()]
