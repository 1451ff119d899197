"""A release that is safe together with an earlier one of overlapping people."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.auditing import Earlier
from withhold.auditing.earlier import Layer, lay_over, layer_of, opened, people_by_key
from withhold.engines import Reading, Source, name_of, open_coded
from withhold.errors import InfeasibleError, InputError
from withhold.policy import Policy, already_read, as_read, bind, shifted_columns
from withhold.releasing._begin_with import Cells
from withhold.releasing._run import Progress, Run
from withhold.table import Table

__all__ = ["check_earlier", "run_after"]

_Ints = NDArray[np.int64]
DEFAULTS = Reading()


def check_earlier(policy: Policy) -> None:
    """Refuse a policy that a release after another one cannot keep, before any work."""
    if policy.recoding != "local" or not all(requirement.refines for requirement in policy.require):
        raise InputError(
            'release: with an earlier release the policy must have recoding = "local", and requirements about groups '
            "only. Hint: audit --with checks any file."
        )
    if shifted_columns(policy, tuple(policy.columns)):
        what = "with an earlier release dates cannot be moved: each release moves them otherwise."
        raise InputError(f"release: {what} Hint: take `shift` out of the policy.")
    if policy.rows == "shuffle":
        raise InputError('release: with an earlier release rows must be kept in order. Hint: rows = "keep".')


def run_after(
    table: Table,
    policy: Policy,
    earlier: Sequence[object],
    *,
    key: str | None,
    hold_back: bool,
    progress: Progress | None,
    rng: int | np.random.Generator | None,
) -> tuple[Run, _Ints]:
    """Return a run that has made a release which is safe together with earlier ones, and which rows it holds back.

    People who are in an earlier release publish what all of those say together, or something coarser: read together
    with them, the new release adds nothing about these people. Their groups lose who left, so guards repair them among
    themselves. Newcomers form groups among themselves, by a search of their own. Nobody who stays is grouped with
    newcomers, since both can be distinguished by the earlier releases. Newcomers who cannot keep the promises among
    themselves are an error, or with `hold_back` not published yet.
    """
    say = progress or (lambda what, step: None)
    table, policy = as_read(policy, table), already_read(policy)
    bound = bind(policy, table)
    whole = _together(table, policy, earlier, key)
    people = whole[0]
    say("reading earlier releases", None)
    order = np.argsort(whole[1].people)
    place = np.minimum(np.searchsorted(whole[1].people[order], people), order.size - 1)
    at = np.where(whole[1].people[order][place] == people, order[place], -1)
    stay, join = np.flatnonzero(at >= 0), np.flatnonzero(at < 0)
    held = np.zeros(0, dtype=np.int64)
    parts: list[tuple[_Ints, Run]] = []
    if stay.size:
        known = {name: _chosen(whole[1], name, at[stay]) for name in policy.counted}
        parts.append((stay, Run(_some(bound, policy, stay), policy, progress=progress, rng=rng, begin=known).run()))
    if join.size:
        try:
            parts.append((join, _newcomers(bound, policy, join, progress, rng)))
        except InfeasibleError:
            if not (hold_back and stay.size):
                raise
            held = join
    texts = {name: _joined(table.n_rows, [(rows, run, name) for rows, run in parts]) for name in policy.counted}
    if held.size:
        kept = np.setdiff1d(np.arange(table.n_rows), held)
        table = _some(bound, policy, kept)
        texts = {name: (known, codes[kept]) for name, (known, codes) in texts.items()}
    return Run(table, policy, progress=progress, rng=rng, begin=texts).run(), held


def _newcomers(
    bound: Table, policy: Policy, rows: _Ints, progress: Progress | None, rng: int | np.random.Generator | None
) -> Run:
    try:
        return Run(_some(bound, policy, rows), policy, progress=progress, rng=rng).run()
    except InfeasibleError as error:
        who = "1 person is" if rows.size == 1 else f"{rows.size:,} people are"
        raise InfeasibleError(
            f"{who} in no earlier release, and cannot form groups among themselves: {error} "
            "Hint: --hold-back leaves their rows to a later release.",
            requirement=error.requirement,
            asked=error.asked,
            reached=error.reached,
        ) from None


def _together(table: Table, policy: Policy, earlier: Sequence[object], key: str | None) -> tuple[_Ints, Layer]:
    """Return a number for each row of the table, and what the earlier releases say of people together."""
    listed = [each if isinstance(each, Earlier) else Earlier(release=each) for each in earlier]
    names = [name_of(each.release) for each in listed]
    own: Source = table.store  # type: ignore[assignment]
    with opened(listed, DEFAULTS) as sources:
        if key is None:
            if any(source.n_rows != table.n_rows for source, _ in sources):
                raise InputError(
                    "release: the earlier release does not have as many rows as the table. Hint: --key names a column "
                    "by which people are found, and --with-original the table it was made from."
                )
            people = [np.arange(table.n_rows) for _ in range(len(sources) + 1)]
        else:
            held = [
                (source if original is None or key in source.names else original, name)
                for (source, original), name in zip(sources, names, strict=True)
            ]
            people = people_by_key([(own, "the table"), *held], key)
        layers = [layer_of(source, policy, numbers) for (source, _), numbers in zip(sources, people[1:], strict=True)]
        lacking = [name for name in policy.counted if any(name not in layer.texts for layer in layers)]
        if lacking:
            raise InputError(f"release: an earlier release lacks the columns {', '.join(lacking)}.")
        found = layers[0]
        for layer in layers[1:]:
            found = lay_over(found, layer, policy, None)
    return people[0], found


def _chosen(layer: Layer, name: str, rows: _Ints) -> Cells:
    return layer.texts[name], layer.codes[name][rows]


def _some(bound: Table, policy: Policy, rows: _Ints) -> Table:
    """Return some rows of a table, under the same domains."""
    store = bound.store
    texts = {name: tuple(store.values(name)) for name in bound.names}
    codes = {name: store.cells(name).astype(np.int64)[rows] for name in bound.names}
    kept = {*policy.read(bound.names), *policy.counted}
    domains = {name: bound.domain(name) for name in bound.names if name in kept or bound.has_given_domain(name)}
    return Table(open_coded(texts, codes), domains=domains, missing=bound.missing)


def _joined(n_rows: int, parts: Sequence[tuple[_Ints, Run, str]]) -> Cells:
    """Return what several runs publish in a column, each in its own rows."""
    codes = np.zeros(n_rows, dtype=np.int64)
    number: dict[str | None, int] = {}
    for rows, run, name in parts:
        column = run.draft.column(name)
        lookup = np.array([number.setdefault(label, len(number)) for label in column.labels], dtype=np.int64)
        codes[rows] = lookup[column.nodes]
    return tuple(number), codes
