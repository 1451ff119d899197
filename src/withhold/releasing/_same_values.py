"""People who stay keep the sensitive values that earlier releases left possible: m-invariance without made-up rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.earlier import Layer, ValueSets, possible_values, sets_of_groups, sizes_of
from withhold.errors import InfeasibleError
from withhold.methods.groups import Distinct, Lanes, Pool, regroup
from withhold.releasing._run import Run
from withhold.requirements.grouping import GroupGuard, pool_column
from withhold.table import Reason

__all__ = ["Signature", "around", "keep_signatures", "signatures_of"]

_Ints = NDArray[np.int64]
WHY = "earlier"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Signature:
    """For each row the values that its person may hold by earlier releases, over the groups of one requirement."""

    number: int
    """The requirement."""
    least: int
    """How many values it promises."""
    sensitive: str
    """The column."""
    sets: ValueSets
    """The sets of values …"""
    place: _Ints
    """… and for each row the place among them."""

    def asked(self) -> _Ints:
        """Return how many values of each set must stay possible: no more than earlier releases leave."""
        return np.minimum(self.sets.sizes, self.least)

    def bits(self, run: Run) -> _Ints:
        """Return the value that each row publishes, -1 where it names none."""
        column = run.draft.column(self.sensitive)
        numbers = self.sets.bit_of
        return np.array([numbers.get(label, -1) for label in column.labels], dtype=np.int64)[column.nodes]

    def narrowed(self, run: Run) -> NDArray[np.bool_]:
        """Return which rows are in a group that leaves their person too few values."""
        groups = run.draft.groups(run.policy.require[self.number].columns)
        n_groups = int(groups.max(initial=-1)) + 1
        own = sets_of_groups(groups, n_groups, self.bits(run), self.sets.n_values)
        pairs, of_row = np.unique(self.place * n_groups + groups, return_inverse=True)
        before, now = pairs // max(n_groups, 1), pairs % max(n_groups, 1)
        left = sizes_of(self.sets.sets[before] & own[now])
        return np.asarray((left < self.asked()[before])[of_row.reshape(-1)])


class _Kept(Distinct):
    """At least some values of a set; a group that holds none of them is not excused."""

    def is_met(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(np.count_nonzero(counts, axis=1) >= self.l)


def signatures_of(layers: Sequence[Layer], people: _Ints, run: Run) -> list[Signature]:
    """Return what earlier releases leave possible for the people of some rows, for each requirement that counts it.

    Parameters
    ----------
    layers
        The earlier releases.
    people
        The person of each row.
    run
        The run of these rows.
    """
    found, policy = [], run.policy
    for number, requirement in enumerate(policy.require):
        least, sensitive = requirement.least_values, requirement.sensitive_columns(policy, number)
        if least is None or sensitive[0] in policy.drop or not any(sensitive[0] in each.texts for each in layers):
            continue
        texts = run.draft.column(sensitive[0]).labels
        sets = possible_values(layers, requirement.columns, sensitive[0], policy, None, texts=texts)
        found.append(Signature(number=number, least=least, sensitive=sensitive[0], sets=sets, place=sets.place[people]))
    return found


def keep_signatures(run: Run, known: dict[str, NDArray[np.int32]], signatures: Sequence[Signature]) -> _Ints:
    """Let every group of a run leave its people the values that earlier releases leave them; return who cannot.

    Rows of a group that narrows somebody down are grouped anew, with people of the same set of values only; so each of
    their groups holds enough of this set. Where people with one set are too few for that, all columns of their groups
    are withheld, which puts them into one large group. Rows for which that is not enough are returned.

    Parameters
    ----------
    run
        The run, finished: every promise holds on its draft, which is changed.
    known
        For each column the node that each row may publish at most, by the earlier releases.
    signatures
        What these leave possible.
    """
    stage = np.zeros(run.draft.n_rows, dtype=np.int64)
    while True:
        bad, narrowed = around(run, signatures)
        first, second = np.flatnonzero(bad & (stage == 0)), np.flatnonzero(bad & (stage == 1))
        if not first.size and not second.size:
            return np.flatnonzero(narrowed)
        _refuse_informed(run, signatures)
        stage[first], stage[second] = 1, 2
        alone = _by_sets(run, known, signatures, first)
        stage[alone] = 2
        _withhold(run, np.concatenate([alone, second]))
        run.reopen()
        run.run()


def around(run: Run, signatures: Sequence[Signature]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the rows of groups in which somebody is narrowed down, and the rows of those who are."""
    bad, narrowed = (np.zeros(run.draft.n_rows, dtype=np.bool_) for _ in range(2))
    for each in signatures:
        own = each.narrowed(run)
        narrowed |= own
        groups = run.draft.groups(run.policy.require[each.number].columns)
        is_bad = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.bool_)
        is_bad[groups[own]] = True
        bad |= is_bad[groups]
    return bad, narrowed


def _by_sets(run: Run, known: dict[str, NDArray[np.int32]], signatures: Sequence[Signature], rows: _Ints) -> _Ints:
    """Group rows anew among people with the same sets of values; return those who are too few for it."""
    names = list(known)
    columns = [run.draft.column(name) for name in names]
    trees = [pool_column(column) for column in columns]
    promises = [each for guard in run.guards if isinstance(guard, GroupGuard) for each in guard.promises()]
    alone = [np.zeros(0, dtype=np.int64)]
    for part in _buckets(signatures, rows):
        nodes = np.stack([known[name][part] for name in names], axis=1)
        lanes = [each.only(part) for each in promises] + [_lanes(run, each, part) for each in signatures]
        pool = Pool(trees, nodes, lanes, np.ones(part.size, dtype=np.int64))
        if not pool.is_met(np.arange(part.size)):
            alone.append(part)
            continue
        found = regroup(pool)
        for j, name in enumerate(names):
            run.draft.place(name, part, found[:, j], Reason(signatures[0].number, WHY))
    return np.concatenate(alone)


def _buckets(signatures: Sequence[Signature], rows: _Ints) -> Iterator[_Ints]:
    if not rows.size:
        return
    key = np.zeros(rows.size, dtype=np.int64)
    for each in signatures:
        key = np.unique(key * len(each.sets.sets) + each.place[rows], return_inverse=True)[1].reshape(-1)
    order = np.argsort(key, kind="stable")
    yield from np.split(rows[order], np.flatnonzero(np.diff(key[order])) + 1)


def _lanes(run: Run, signature: Signature, rows: _Ints) -> Lanes:
    """Return the promise that groups of people with one set of values hold enough of it."""
    of_set = int(signature.place[rows[0]])
    is_inside = np.unpackbits(signature.sets.sets[of_set], bitorder="little").astype(np.bool_)
    bits = signature.bits(run)[rows]
    lane = np.where((bits >= 0) & is_inside[np.maximum(bits, 0)], bits, -1)
    return Lanes(_Kept(int(signature.asked()[of_set])), lane, signature.sets.n_values)


def _withhold(run: Run, rows: _Ints) -> None:
    for name in run.policy.counted if rows.size else ():
        number = next(i for i, each in enumerate(run.policy.require) if name in each.columns)
        run.draft.coarsen(name, rows, 0, Reason(number, WHY))


def _refuse_informed(run: Run, signatures: Sequence[Signature]) -> None:
    """Refuse where who is grouped with whom would depend on what must not be looked at."""
    for each in signatures:
        if run.policy.require[each.number].is_informed:
            raise InfeasibleError(
                f"require[{each.number}]: with the earlier release some people would be left with fewer than "
                f"{each.least} values of {each.sensitive}, and `informed` forbids to group them by what they hold. "
                "Hint: release who stays in a later release, or without `informed`.",
                requirement=each.number,
                asked=each.least,
                reached=0,
            )
