"""The check of every cell against the original: what is published was there, or is coarser, or is withheld."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._assignment import n_unplaced
from withhold.auditing._finding import Finding
from withhold.auditing._meaning import Meaning
from withhold.auditing._sight import Sight
from withhold.auditing._source_of import source_of
from withhold.engines import Cluster

__all__ = ["check_cells"]

_Ints = NDArray[np.int64]
NUMBERS_APART = 2.0**53
"""Below this, different whole numbers are different floats."""


def check_cells(sight: Sight) -> list[Finding]:
    """Count the cells that are neither what stood there, nor coarser, nor withheld; there must be none.

    Where it is not known which row is which, each column is compared as a whole: its cells must find values of the
    original to stand for, all at once. So it is where the policy shuffles rows. Where rows were removed, those that are
    left must also stand in the order of the original. Nothing is compared where rows were added.
    """
    assert sight.original is not None
    if sight.source.n_rows > sight.original.n_rows:
        return []
    compare: Callable[[Sight, str], tuple[int, int | None]] = _together if sight.rows is None else _in_order
    found = {name: compare(sight, name) for name in sight.names}
    changed = {name: n for name, (n, _) in found.items() if n}
    n_changed = sum(changed.values())
    rows = [row for _, row in found.values() if row is not None]
    is_removed = not n_changed and sight.rows is None and sight.has_order and sight.policy.rows == "keep"
    is_mixed = is_removed and sight.alignment[0] is None
    return [
        Finding(
            kind="cells",
            where="",
            columns=tuple(changed) or tuple(sight.names),
            asked=0,
            reached=n_changed,
            ok=n_changed == 0 and not is_mixed,
            says=_says(changed, min(rows, default=None), is_mixed=is_mixed),
            details={"changed": changed, "first_row": min(rows, default=None)},
        )
    ]


def _says(changed: dict[str, int], first_row: int | None, *, is_mixed: bool) -> str:
    shuffled = 'rows = "shuffle" in the policy says that rows were reordered'
    if is_mixed:
        return f"the rows that are left are not those of the original in their order. Hint: {shuffled}"
    if not changed:
        return "every cell is published as it stood, or coarser, or withheld"
    n_changed = sum(changed.values())
    cells = "1 cell is" if n_changed == 1 else f"{n_changed:,} cells are"
    where = ", ".join(changed) if first_row is None else f"{', '.join(changed)}; the first in row {first_row} (from 0)"
    hint = "Hint: --withheld names another tool's mark for a withheld value"
    hint += "" if first_row is None else f"; {shuffled}"
    return f"{cells} neither what stood there, nor coarser, nor withheld: in {where}. {hint}"


def _in_order(sight: Sight, name: str) -> tuple[int, int | None]:
    """Compare a column row by row: hashes first, then numbers, then the distinct pairs of texts that are left.

    Returned are the number of wrong cells, and the row of the first one.
    """
    assert sight.original is not None
    assert sight.rows is not None
    source, store = sight.source, source_of(sight.original)
    rows = np.flatnonzero(source.hashes(name) != store.hashes(name)[sight.rows])
    if not rows.size:
        return 0, None
    meaning = sight.meaning(name)
    published = sight.cells(name)[rows].astype(np.int64)
    is_open = ~meaning.is_blank[published]
    if meaning.is_number and is_open.any():
        number, stood = source.floats(name)[rows], store.floats(name)[sight.rows[rows]]
        is_open &= (number != stood) | (np.abs(number) >= NUMBERS_APART)
    rows, published = rows[is_open], published[is_open]
    if not rows.size:
        return 0, None
    was = sight.was(name)[rows]
    span = int(was.max()) + 1
    both = published * span + was
    pairs, sizes = np.unique(both, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // span, prepend=-1)).tolist()
    is_wrong = np.ones(len(pairs), dtype=np.bool_)
    for start, end in zip(starts, [*starts[1:], len(pairs)], strict=True):
        text = str(meaning.texts[int(pairs[start] // span)])
        is_wrong[start:end] = ~meaning.covered(text, pairs[start:end] % span)
    if not is_wrong.any():
        return 0, None
    return int(sizes[is_wrong].sum()), int(rows[np.isin(both, pairs[is_wrong])][0])


def _together(sight: Sight, name: str) -> tuple[int, None]:
    """Compare a column as a whole: how many cells are more than the original could have given, in no known row."""
    assert sight.original is not None
    source, store = sight.source, source_of(sight.original)
    if source.n_rows == store.n_rows and _are_alike(sight, name):
        return 0, None
    return n_surplus(sight.meaning(name), sight.n_texts(name), sight.n_values(name)), None


def _are_alike(sight: Sight, name: str) -> bool:
    """Return whether a column of the file holds the cells of the original, in whichever order."""
    assert sight.original is not None
    source, store = sight.source, source_of(sight.original)
    if not sight.has_rows:
        if all(isinstance(each, Cluster) and each.fits([name]) for each in (source, store)):
            return False  # both were counted: the counts decide, and nothing is read again
        return source.column_hashes([name]) == store.column_hashes([name])
    return np.array_equal(np.sort(source.hashes(name)), np.sort(store.hashes(name)))


def n_surplus(meaning: Meaning, has: _Ints, had: _Ints) -> int:
    """Return how many published cells are more than the values could have given.

    A text that was there stands for itself first; only what is more than that may be a coarser one.

    Parameters
    ----------
    meaning
        What the texts of the column mean.
    has
        How often each text is published.
    had
        How often each value of the original can be taken.
    """
    places: dict[str | None, list[int]] = {}
    for place, key in enumerate(meaning.keys_of_values):
        places.setdefault(key, []).append(place)
    rest, coarse, n_extra = had.copy(), [], 0
    everywhere = meaning.order()
    for key, n in zip(meaning.keys, has.tolist(), strict=True):
        for place in places.get(key, ()) if key is not None else ():
            kept = min(n, int(rest[place]))
            rest[place] -= kept
            n -= kept
        if key is not None and n and meaning.may_be_coarse(key):
            coarse.append((n, meaning.covered(key, everywhere)))
        elif key is not None:
            n_extra += n
    return n_extra + n_unplaced(coarse, rest[everywhere])
