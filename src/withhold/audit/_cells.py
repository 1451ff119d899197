"""The check of every cell against the original: what is published was there, or is coarser, or is withheld."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.audit._coarser import Meanings, number_of
from withhold.audit._finding import Finding
from withhold.engines import Source
from withhold.policy import Hidden, Policy
from withhold.policy._cells import bin_recodings, find_cells
from withhold.table import Numbers, Table, Taxonomy
from withhold.table._decision import WITHHELD

__all__ = ["check_cells", "tree_of"]

_Ints = NDArray[np.int64]


def check_cells(source: Source, policy: Policy, original: Table) -> list[Finding]:
    """Count the cells that are neither what stood there, nor coarser, nor withheld; there must be none.

    Where the policy shuffles the rows, each column is compared as a whole: no value may occur more often than before.
    Nothing is compared where rows were lost or added.
    """
    if source.n_rows != original.n_rows:
        return []
    names = [name for name in source.names if name in original.names and name not in policy.drop]
    compare = _shuffled if policy.rows == "shuffle" else _in_order
    changed = {name: n for name in names if (n := compare(source, policy, original, name))}
    n_changed = sum(changed.values())
    if n_changed == 0:
        says = "every cell is published as it stood, or coarser, or withheld"
    else:
        cells = "1 cell is" if n_changed == 1 else f"{n_changed:,} cells are"
        says = f"{cells} neither what stood there, nor coarser, nor withheld: in {', '.join(changed)}"
    return [
        Finding(
            kind="cells",
            where="",
            columns=tuple(changed) or tuple(names),
            asked=0,
            reached=n_changed,
            ok=n_changed == 0,
            says=says,
            details={"changed": changed},
        )
    ]


def _in_order(source: Source, policy: Policy, original: Table, name: str) -> int:
    """Compare a column row by row: by hashes first, then the distinct pairs of texts that differ."""
    rows = np.flatnonzero(source.hashes(name) != _store(original).hashes(name))
    if not rows.size:
        return 0
    texts, blank = list(source.values(name)), _blanks(source.values(name), policy)
    published = source.cells(name)[rows].astype(np.int64)
    rows, published = rows[~blank[published]], published[~blank[published]]
    if not rows.size:
        return 0
    was = original.store.cells(name)[rows].astype(np.int64)
    meanings = _meanings(source, policy, original, name)
    is_other = ~meanings.same_number(texts, published, was)
    published, was = published[is_other], was[is_other]
    if not was.size:
        return 0
    pairs, sizes = np.unique(published * (int(was.max()) + 1) + was, return_counts=True)
    ends, places = pairs // (int(was.max()) + 1), pairs % (int(was.max()) + 1)
    n_changed = 0
    starts = np.flatnonzero(np.diff(ends, prepend=-1))
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(ends)], strict=True):
        is_covered = meanings.covered(str(texts[ends[start]]), places[start:end])
        n_right = 0 if is_covered is None else int(sizes[start:end][is_covered].sum())
        n_changed += int(sizes[start:end].sum()) - n_right
    return n_changed


def _shuffled(source: Source, policy: Policy, original: Table, name: str) -> int:
    """Compare a column as a whole: how many cells are more than the original could have given."""
    if np.array_equal(np.sort(source.hashes(name)), np.sort(_store(original).hashes(name))):
        return 0
    values = list(original.store.values(name))
    had = np.bincount(original.store.cells(name).astype(np.int64), minlength=len(values))
    texts, blank = list(source.values(name)), _blanks(source.values(name), policy)
    has = np.bincount(source.cells(name).astype(np.int64), minlength=len(texts))
    meanings, everywhere = _meanings(source, policy, original, name), np.arange(len(values))
    place = {value: i for i, value in enumerate(values)}
    plain = np.zeros(len(values), dtype=np.int64)
    coarse: list[tuple[int, NDArray[np.bool_]]] = []
    n_extra = 0
    for text, n, is_blank in zip(texts, has.tolist(), blank.tolist(), strict=True):
        if is_blank:
            continue
        if text in place:
            plain[place[text]] += n
            continue
        is_covered = meanings.covered(str(text), everywhere)
        if is_covered is None:
            n_extra += n
        else:
            coarse.append((n, is_covered))
    n_extra += int(np.maximum(plain - had, 0).sum())
    return n_extra + sum(max(0, n + int(plain[inside].sum()) - int(had[inside].sum())) for n, inside in coarse)


def _store(original: Table) -> Source:
    """Return the rows of a table that was read by an engine."""
    return original.store  # type: ignore[return-value]


def _blanks(texts: Sequence[str | None], policy: Policy) -> NDArray[np.bool_]:
    blank = [text is None or text == WITHHELD or text in policy.missing for text in texts]
    return np.array(blank, dtype=np.bool_)


def _meanings(source: Source, policy: Policy, original: Table, name: str) -> Meanings:
    is_typed = "number" in (source.kind(name), original.store.kind(name))
    values = [None if value in policy.missing else value for value in original.store.values(name)]
    return Meanings(
        values,
        tree=tree_of(policy, original, name),
        is_numeric=is_typed or _is_number(policy, original, name),
        labels=_bin_labels(policy, original, name, values),
    )


def _is_number(policy: Policy, original: Table, name: str) -> bool:
    """Tell whether a column was declared to hold numbers."""
    if original.has_given_domain(name):
        return isinstance(original.domain(name), Numbers)
    return name in policy.columns and policy.columns[name].type == "number"


def tree_of(policy: Policy, original: Table | None, name: str) -> Taxonomy | None:
    """Return the taxonomy that a column was given, by the policy or with the table."""
    if original is not None and name in original.names and original.has_given_domain(name):
        domain = original.domain(name)
        return domain if isinstance(domain, Taxonomy) else None
    settings = policy.columns.get(name)
    if settings is None or settings.taxonomy is None:
        return None
    given = settings.taxonomy
    return Taxonomy.read(policy.folder / given) if isinstance(given, str) else given


def _bin_labels(
    policy: Policy, original: Table, name: str, values: Sequence[str | None]
) -> Sequence[str | None] | None:
    """Return for each value the label of its bin, where the policy publishes the column in bins."""
    settings = policy.columns.get(name)
    if settings is None or settings.bins is None:
        return None
    marked = original.with_domains({}, missing=policy.missing)
    numbers = [each for each in original.names if _is_number(policy, original, each)]
    hidden = [i for i, requirement in enumerate(policy.require) if isinstance(requirement, Hidden)]
    every = [cell for i in hidden for cell in find_cells(_store(original), policy, i, numbers=numbers)]
    bins, recoding = bin_recodings(marked, policy, every)[name]
    codes = bins.codes([number_of(value) for value in values])
    return [None if code < 0 else recoding.labels[code] for code in codes.tolist()]
