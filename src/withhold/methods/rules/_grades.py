"""GraDeS, made sound: a small set of further entries to blank, so that no rule predicts a private cell."""

import time
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError
from withhold.methods.rules._limits import Counting
from withhold.methods.rules._private_cells import Private, grid_of, private_mask
from withhold.methods.rules._rule_guard import RuleGuard, positions
from withhold.methods.rules._weights import Round
from withhold.table import Grid, Table

__all__ = ["Blanking", "grades"]

MOST_EXCHANGES = 10_000


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Blanking:
    """The entries to blank besides the private cells, and how they were found."""

    names: tuple[str, ...]
    """The names of the table's columns."""
    rows: NDArray[np.int64]
    """The rows of the entries, in the order they were blanked; those that came in by an exchange stand last."""
    columns: NDArray[np.int64]
    """The positions of their columns."""
    invalidation: NDArray[np.float64]
    """What each entry contributes to rules that are no longer found: the sum of 1 / pub_n."""
    marginalization: NDArray[np.float64]
    """What each entry contributes to rules that no longer fire: the sum of 1 / hid_n."""
    rules: tuple[int, ...]
    """The number of adversarial rules at the start of each round."""
    passes: tuple[int, ...]
    """The number of passes of each round."""
    n_one_pass: int
    """How many entries the first round blanked: the printed algorithm, which is not sound."""
    n_before: int
    """How many entries were blanked before any was given back."""
    n_given_back: int
    """By how many entries giving back and exchanging made the set smaller."""
    n_sensitive: int
    """How many entries had a weight at first."""
    n_private: int
    """The number of private cells."""
    n_missing: int
    """The number of private cells that were missing and left out."""
    is_safe: bool
    """Whether mining the result finds no adversarial rule; only `rounds` can make it untrue."""
    is_exact: bool
    """Whether no smaller set exists."""
    seconds: dict[str, float]
    """The time of each part: mine (the first time), blank, give back, exact."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def cells(self) -> list[tuple[int, str]]:
        """The entries as (row, column) pairs."""
        return [
            (row, self.names[column]) for row, column in zip(self.rows.tolist(), self.columns.tolist(), strict=True)
        ]

    @property
    def ratio(self) -> float:
        """Derived entries for each private cell."""
        return len(self) / self.n_private if self.n_private else 0.0

    @property
    def n_invalidating(self) -> int:
        """How many entries work more by invalidation, or keep the support of a rule too low."""
        return len(self) - self.n_marginalizing

    @property
    def n_marginalizing(self) -> int:
        """How many entries work at least as much by marginalization."""
        works = (self.marginalization > 0) & (self.marginalization >= self.invalidation)
        return int(np.count_nonzero(works))

    def __repr__(self) -> str:
        n_rules = self.rules[0] if self.rules else 0
        safe = "" if self.is_safe else ", not safe"
        return (
            f"<Blanking: {len(self):,} entries for {self.n_private:,} private cells against {n_rules:,} rules, "
            f"{self.n_invalidating:,} by invalidation, {self.n_marginalizing:,} by marginalization{safe}>"
        )


def grades(
    table: Table | Grid,
    private: Private,
    *,
    confidence: float,
    support: float,
    blanking: float = 1,
    rounds: int | None = None,
    give_back: bool = True,
    exchanges: int | None = None,
    exact: bool = False,
    min_antecedent: int = 1,
    max_antecedent: int | None = None,
    counting: Counting = "public",
) -> Blanking:
    """Choose entries to blank, so that no adversarial rule is left, and no entry is blanked that need not be.

    Every entry is weighed by what blanking it contributes to hiding the rules; the heaviest is blanked, the weights are
    brought up to date, until no rule is left. Blanking also makes new rules, so the table is mined again until that
    finds nothing. Then entries are given back where the table stays safe, and exchanged for others that do more.

    Parameters
    ----------
    table, private, confidence, support, min_antecedent, max_antecedent, counting
        As in `fair`.
    blanking
        The blanking factor, how many entries are blanked before weights are brought up to date: a count, or a share
        between 0 and 1 of the entries that have a weight at first.
    rounds
        How often to mine at most. ``rounds=1, give_back=False`` is the printed algorithm, whose result may not be safe.
        None, the default, goes on until the table is safe.
    give_back
        Whether to give back what the table stays safe without. If `rounds` ends the work before the table is safe, only
        the rules found so far are looked at.
    exchanges
        How many exchanges to try after giving back; 200 and 20 more for each entry, at most 10,000, where None.
    exact
        Whether to look for a smallest set of all, by integer programming. For small tables; needs scipy.

    Returns
    -------
        The entries, with their reasons.

    Notes
    -----
    In a row where the antecedent and the predicted value are public, blanking one of these entries contributes
    1 / pub_n to the *invalidation* of the rule; in a row that the rule predicts, blanking an entry of the antecedent
    contributes 1 / hid_n to its *marginalization*. Weights are equal if they agree to nine digits, and the smaller
    (row, column) wins. A rule with more than 256 rows is reweighed when its part has changed by 1/256.

    Safety is not monotone: publishing an entry can make a rule adversarial, and so can blanking one. So everything that
    is given back is mined again, around the rows that changed. With `give_back`, `invalidation` and `marginalization`
    are taken over the rules that would be adversarial with that entry published; otherwise as it was blanked. Both are
    0 for an entry whose row speaks against the rule and would only bring it enough support.

    A pass costs the rows of the rules it touches, mining anew the itemsets of the rows that changed.

    References
    ----------
    C. C. Aggarwal, J. Pei, B. Zhang: On Privacy Preservation against Adversarial Data Mining. KDD 2006.

    Examples
    --------
    >>> from withhold import Table
    >>> table = Table.from_columns({"title": ["Boss", "Boss", "Boss", "Cook"], "pay": ["high", "high", "high", "low"]})
    >>> blanking = grades(table, [(0, "pay")], confidence=0.8, support=2)
    >>> blanking.cells
    [(0, 'title')]
    """
    grid = grid_of("grades", table)
    mask, n_missing = private_mask("grades", grid, private)
    _check(blanking, rounds, exchanges)
    clock = _Clock()
    guard = RuleGuard(
        grid.codes,
        mask,
        confidence=confidence,
        support=support,
        min_antecedent=min_antecedent,
        max_antecedent=max_antecedent,
        counting=counting,
    )
    guard.learn()
    clock.stop("mine")
    done = guard.rounds(blanking=blanking, most=rounds)
    order = _positions(done)
    why = np.concatenate([np.empty((0, 2)), *(each.why for each in done)])
    is_safe = rounds is None or guard.is_safe()
    clock.stop("blank")
    if give_back or exact:
        order = _reduced(guard, order, exchanges, is_safe=is_safe)
        clock.stop("give back")
    if exact:
        order = _exact(guard, is_safe=is_safe)
        clock.stop("exact")
    if give_back or exact:
        why = guard.reasons(order[:, 0], order[:, 1])
    return Blanking(
        names=grid.columns,
        rows=order[:, 0],
        columns=order[:, 1],
        invalidation=why[:, 0],
        marginalization=why[:, 1],
        rules=tuple(each.n_rules for each in done),
        passes=tuple(each.n_passes for each in done),
        n_one_pass=len(done[0].rows) if done else 0,
        n_before=sum(len(each.rows) for each in done),
        n_given_back=sum(len(each.rows) for each in done) - len(order),
        n_sensitive=done[0].n_sensitive if done else 0,
        n_private=int(mask.sum()),
        n_missing=n_missing,
        is_safe=guard.is_safe(),
        is_exact=exact,
        seconds=clock.seconds,
    )


def _reduced(guard: RuleGuard, order: NDArray[np.int64], exchanges: int | None, *, is_safe: bool) -> NDArray[np.int64]:
    """Give back, then exchange; return what stays blanked, in order."""
    backwards = order[::-1]
    given = guard.give_back(backwards[:, 0], backwards[:, 1], verify=is_safe)
    order = backwards[~given][::-1]
    n_tries = min(200 + 20 * len(order), MOST_EXCHANGES) if exchanges is None else exchanges
    if not is_safe or not n_tries or not len(order):
        return order
    own = np.zeros(guard.cells.shape, np.bool_)
    own[order[:, 0], order[:, 1]] = True
    after = guard.exchange(n_tries, own=own)
    kept = order[after[order[:, 0], order[:, 1]]]
    return np.concatenate([kept, np.argwhere(after & ~own)])


def _exact(guard: RuleGuard, *, is_safe: bool) -> NDArray[np.int64]:
    """Replace what is blanked by a smallest set."""
    from withhold.methods.rules._smallest import smallest

    if not is_safe:
        guard.protect()
    start = guard.blanked
    guard.restore(*positions(start))
    best = smallest(guard, start)
    guard.blank(*positions(best))
    return np.argwhere(best)


def _positions(done: list[Round]) -> NDArray[np.int64]:
    none = np.empty((0, 2), np.int64)
    return np.concatenate([none, *(np.stack([each.rows, each.columns], axis=1) for each in done)])


def _check(blanking: float, rounds: int | None, exchanges: int | None) -> None:
    is_count = isinstance(blanking, Integral) and not isinstance(blanking, bool) and blanking >= 1
    if not is_count and not (isinstance(blanking, Real) and 0 < blanking < 1):
        raise InputError(
            f"grades: `blanking` must be a count of at least 1, or a share between 0 and 1; got {blanking!r}."
        )
    for name, number, least in (("rounds", rounds, 1), ("exchanges", exchanges, 0)):
        if number is not None and (not isinstance(number, Integral) or isinstance(number, bool) or number < least):
            raise InputError(f"grades: `{name}` must be an integer of at least {least}, or None; got {number!r}.")


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def stop(self, part: str) -> None:
        """Book the time since the last stop."""
        now = time.perf_counter()
        self.seconds[part] = now - self._last
        self._last = now
