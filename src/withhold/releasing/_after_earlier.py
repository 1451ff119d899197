"""A release that is safe together with an earlier one of overlapping people."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from withhold.auditing import Earlier
from withhold.auditing.earlier import Layer, lay_over, layer_of, opened, people_by_key
from withhold.engines import Reading, Source, name_of
from withhold.errors import InfeasibleError, InputError
from withhold.policy import Policy, already_read, as_read, bind, shifted_columns
from withhold.releasing._begin_with import Cells
from withhold.releasing._run import Progress, Run
from withhold.releasing._same_values import Signature, around, keep_signatures, signatures_of
from withhold.releasing._some_rows import some_rows
from withhold.table import DraftColumn, Table

__all__ = ["Held", "check_earlier", "run_after"]

_Ints = NDArray[np.int64]
DEFAULTS = Reading()
MOST_TURNS = 5
"""After this many turns whole groups are held back, and not only those who are narrowed down in them."""


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Held:
    """Rows of the table that are not published yet, by position."""

    newcomers: _Ints
    """People who are in no earlier release, and too few to form groups among themselves."""
    narrowed: _Ints
    """People who are in one, and would be left with too few sensitive values by both together."""

    @property
    def rows(self) -> _Ints:
        """All of them."""
        return np.union1d(self.newcomers, self.narrowed)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Before:
    """What earlier releases say of the people of a table."""

    layers: list[Layer]
    whole: Layer
    """All of them together."""
    people: _Ints
    """A number for each row of the table."""

    @cached_property
    def at(self) -> _Ints:
        """For each row of the table the row of the whole, -1 where there is none."""
        order = np.argsort(self.whole.people)
        place = np.minimum(np.searchsorted(self.whole.people[order], self.people), order.size - 1)
        return np.where(self.whole.people[order][place] == self.people, order[place], -1)


def run_after(
    table: Table,
    policy: Policy,
    earlier: Sequence[object],
    *,
    key: str | None,
    hold_back: bool,
    progress: Progress | None,
    rng: int | np.random.Generator | None,
) -> tuple[Run, Held]:
    """Return a run that has made a release which is safe together with earlier ones, and which rows it holds back.

    People who are in an earlier release publish what all of those say together, or something coarser: read together
    with them, the new release adds nothing about these people. Their groups lose who left, so guards repair them among
    themselves, and each of these groups leaves its people enough of the sensitive values that earlier groups leave
    them. Newcomers form groups among themselves, by a search of their own. Nobody who stays is grouped with newcomers,
    since both can be distinguished by the earlier releases. People for whom there is no such group are an error, or
    with `hold_back` not published yet.
    """
    say = progress or (lambda what, step: None)
    table, policy = as_read(policy, table), already_read(policy)
    bound = bind(policy, table)
    before = _together(table, policy, earlier, key)
    say("reading earlier releases", None)
    make = partial(Run, policy=policy, progress=progress, rng=rng)
    stay, join = np.flatnonzero(before.at >= 0), np.flatnonzero(before.at < 0)
    nobody = np.zeros(0, dtype=np.int64)
    parts: list[tuple[_Ints, Run]] = []
    narrowed, waiting = nobody, nobody
    if stay.size:
        rows, run, narrowed = _stayers(bound, make, before, stay, hold_back=hold_back)
        parts += [] if run is None else [(rows, run)]
    if join.size:
        try:
            parts.append((join, _newcomers(bound, make, policy, join)))
        except InfeasibleError:
            if not (hold_back and parts):
                raise
            waiting = join
    held = Held(newcomers=waiting, narrowed=narrowed)
    texts = {name: _joined(table.n_rows, [(rows, run, name) for rows, run in parts]) for name in policy.counted}
    if held.rows.size:
        kept = np.setdiff1d(np.arange(table.n_rows), held.rows)
        table = some_rows(bound, policy, kept, is_published=True)
        texts = {name: (known, codes[kept]) for name, (known, codes) in texts.items()}
    return make(table, begin=texts).run(), held


def _stayers(
    bound: Table, make: Callable[..., Run], before: _Before, rows: _Ints, *, hold_back: bool
) -> tuple[_Ints, Run | None, _Ints]:
    """Return the rows of people who are in an earlier release, their run, and the rows that must be held back."""
    held: list[_Ints] = [np.zeros(0, dtype=np.int64)]
    policy: Policy = make.keywords["policy"]  # type: ignore[attr-defined]
    known = {name: _chosen(before.whole, name, before.at[rows]) for name in policy.counted}
    signatures: list[Signature] | None = None
    for turn in range(rows.size + 1):
        run = make(some_rows(bound, policy, rows), begin=known)
        nodes = {name: run.draft.column(name).nodes.copy() for name in policy.counted}
        if signatures is None:
            signatures = signatures_of(before.layers, before.people[rows], run)
        try:
            lost = keep_signatures(run.run(), nodes, signatures)
        except InfeasibleError:
            if not turn:
                raise
            lost = np.arange(rows.size)
        if not lost.size:
            return rows, run, np.concatenate(held)
        if not hold_back:
            raise _too_narrow(lost.size, signatures[0])
        touched = around(run, signatures)[0]
        if turn >= MOST_TURNS:
            lost = np.union1d(lost, np.flatnonzero(touched))
        held.append(rows[lost])
        rows = np.delete(rows, lost)
        # Groups that lose somebody begin anew, the others with what was reached, so that they need no repair.
        known = {name: _reached(run.draft.column(name), nodes[name], touched, lost) for name in policy.counted}
        signatures = [replace(each, place=np.delete(each.place, lost)) for each in signatures]
        if not rows.size:
            break
    return rows, None, np.concatenate(held)


def _too_narrow(n_people: int, signature: Signature) -> InfeasibleError:
    who = "1 person" if n_people == 1 else f"{n_people:,} people"
    return InfeasibleError(
        f"require[{signature.number}]: {who} would be left with fewer than {signature.least} values of "
        f"{signature.sensitive} by the earlier releases and this one together. "
        "Hint: --hold-back leaves their rows to a later release.",
        requirement=signature.number,
        asked=signature.least,
        reached=0,
    )


def _newcomers(bound: Table, make: Callable[..., Run], policy: Policy, rows: _Ints) -> Run:
    try:
        return make(some_rows(bound, policy, rows)).run()
    except InfeasibleError as error:
        who = "1 person is" if rows.size == 1 else f"{rows.size:,} people are"
        raise InfeasibleError(
            f"{who} in no earlier release, and cannot form groups among themselves: {error} "
            "Hint: --hold-back leaves their rows to a later release.",
            requirement=error.requirement,
            asked=error.asked,
            reached=error.reached,
        ) from None


def _together(table: Table, policy: Policy, earlier: Sequence[object], key: str | None) -> _Before:
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
        sensitive = [n for i, each in enumerate(policy.require) for n in each.sensitive_columns(policy, i)]
        layers = [
            layer_of(source, policy, numbers, columns=[*policy.counted, *sensitive])
            for (source, _), numbers in zip(sources, people[1:], strict=True)
        ]
        lacking = [name for name in policy.counted if any(name not in layer.texts for layer in layers)]
        if lacking:
            raise InputError(f"release: an earlier release lacks the columns {', '.join(lacking)}.")
        found = layers[0]
        for layer in layers[1:]:
            found = lay_over(found, layer, policy, None)
    return _Before(layers=layers, whole=found, people=people[0])


def _reached(column: DraftColumn, begun: NDArray[np.int32], is_anew: NDArray[np.bool_], without: _Ints) -> Cells:
    nodes = np.where(is_anew, begun, column.nodes)
    return tuple(column.labels), np.delete(nodes, without).astype(np.int64)


def _chosen(layer: Layer, name: str, rows: _Ints) -> Cells:
    return layer.texts[name], layer.codes[name][rows]


def _joined(n_rows: int, parts: Sequence[tuple[_Ints, Run, str]]) -> Cells:
    """Return what several runs publish in a column, each in its own rows."""
    codes = np.zeros(n_rows, dtype=np.int64)
    number: dict[str | None, int] = {}
    for rows, run, name in parts:
        column = run.draft.column(name)
        lookup = np.array([number.setdefault(label, len(number)) for label in column.labels], dtype=np.int64)
        codes[rows] = lookup[column.nodes]
    return tuple(number), codes
