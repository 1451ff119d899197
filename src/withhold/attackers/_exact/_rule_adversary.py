"""The adversary of association rules: what public cells imply about hidden ones."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact._view import View
from withhold.errors import InputError

__all__ = ["RuleAttack", "rules_recover"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAttack:
    """What adversarial rules imply about hidden cells. It holds no values."""

    n_rules: int
    """The number of adversarial rules."""
    recovered: tuple[tuple[int, str], ...]
    """The hidden cells, as row and column, on which a rule fires with the right value."""
    longest: int
    """The number of items in the longest antecedent, 0 if there is no rule."""
    strongest: str
    """The columns and counts of the rule with the highest public confidence; empty if there is no rule."""


def rules_recover(
    view: View,
    hidden: Mapping[str, Mapping[int, str]],
    *,
    confidence: float | Fraction,
    support: int | float | Fraction,
    min_antecedent: int = 1,
    predictors: Iterable[str] | None = None,
) -> RuleAttack:
    """Find every adversarial rule whose consequent lies in a column with hidden cells.

    A rule says: where these cells hold these values, that column holds that value. It is adversarial if it is true
    often enough both where the column is public and where it is hidden, and its antecedent is seen often enough with
    the column public.

    Parameters
    ----------
    view
        The published table.
    hidden
        For each column the rows of its hidden cells with their true values. They count as hidden even where the view
        shows something. Other unknown cells are neither public nor hidden.
    confidence
        The least share of rows where the rule is right, above 0 and at most 1, in public rows and in hidden ones.
    support
        The least number of rows where antecedent and consequent column are public; or a fraction of all rows,
        read as its decimal text and rounded up.
    min_antecedent
        The least number of items in an antecedent; 0 adds the most frequent value of a column.
    predictors
        The columns of antecedents; all by default.

    Notes
    -----
    The search goes depth first over sets of columns. Rows that agree on a set form groups; a group is given up when
    no consequent has support, or none has a value that is both public and hidden in it, for then no smaller group
    inside it can have a rule. At worst the cost is rows times columns for each set of columns.

    References
    ----------
    C. C. Aggarwal, J. Pei, B. Zhang: On Privacy Preservation against Adversarial Data Mining, KDD 2006.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "a"], "ill": ["yes", "yes", "no", "*"]})
    >>> attack = rules_recover(view, {"ill": {3: "yes"}}, confidence=0.8, support=2)
    >>> attack.n_rules, attack.recovered, attack.strongest
    (1, ((3, 'ill'),), 'drug -> ill: right in 2 of 2 public rows and 1 of 1 hidden cells')
    """
    if not 0 < confidence <= 1:
        raise InputError(f"rules_recover: `confidence` must be above 0 and at most 1; got {confidence}.")
    columns = view.positions(view.columns if predictors is None else predictors)
    consequents = [_Consequent(view, name, hidden[name]) for name in view.columns if hidden.get(name)]
    view.positions(hidden)
    search = _Search(view, consequents, columns, float(confidence), _least_rows(support, view.n_rows), min_antecedent)
    everything = np.arange(view.n_rows)
    search.visit((), everything, np.zeros(view.n_rows, dtype=np.int64), 1, consequents)
    recovered = [(row, c.position) for c in consequents for row in np.flatnonzero(c.recovered).tolist()]
    return RuleAttack(
        n_rules=search.n_rules,
        recovered=tuple((row, view.columns[position]) for row, position in sorted(recovered)),
        longest=search.longest,
        strongest=search.strongest,
    )


def _least_rows(support: int | float | Fraction, n_rows: int) -> int:
    """Return the support as a number of rows; 0.001 is one thousandth, not its nearest binary fraction."""
    if isinstance(support, int | np.integer):
        return max(1, int(support))
    share = support if isinstance(support, Fraction) else Fraction(str(float(support)))
    if not 0 <= share <= 1:
        raise InputError(f"rules_recover: `support` must be a number of rows or a fraction of them; got {support}.")
    return max(1, ceil(share * n_rows))


class _Consequent:
    """A column with hidden cells."""

    def __init__(self, view: View, name: str, cells: Mapping[int, str]) -> None:
        self.position = view.position(name)
        rows = view.checked_rows(list(cells))
        labels = view.labels[self.position]
        code_of = {label: code for code, label in enumerate(labels, start=1)}
        self.n_codes = len(labels) + 2
        # 0 is not public, not hidden; the last code is a value that is public nowhere.
        self.public: NDArray[np.int64] = view.codes[self.position] + 1
        self.public[rows] = 0
        self.hidden: NDArray[np.int64] = np.zeros(view.n_rows, dtype=np.int64)
        self.hidden[rows] = [code_of.get(value, self.n_codes - 1) for value in cells.values()]
        self.recovered: NDArray[np.bool_] = np.zeros(view.n_rows, dtype=bool)


class _Search:
    """The walk over sets of columns."""

    def __init__(
        self,
        view: View,
        consequents: list[_Consequent],
        columns: list[int],
        confidence: float,
        support: int,
        min_antecedent: int,
    ) -> None:
        self._names = view.columns
        self._columns = columns
        self._public = {position: view.codes[position].copy() for position in columns}
        self._n_values = {position: len(view.labels[position]) for position in columns}
        for consequent in consequents:
            if consequent.position in self._public:
                self._public[consequent.position] = consequent.public - 1
        self._confidence = confidence
        self._support = support
        self._min_antecedent = min_antecedent
        self._strength: tuple[float, int, int] = (0.0, 0, 0)
        self.n_rules = 0
        self.longest = 0
        self.strongest = ""

    def visit(
        self,
        chosen: tuple[int, ...],
        rows: NDArray[np.int64],
        group: NDArray[np.int64],
        n_groups: int,
        consequents: list[_Consequent],
    ) -> None:
        """Count the rules of every group of rows that agree on the chosen columns, then choose one column more."""
        alive = np.zeros(n_groups, dtype=bool)
        left = []
        for consequent in consequents:
            if consequent.position not in chosen:
                possible = self._count(chosen, rows, group, n_groups, consequent)
                alive[possible] = True
                if possible.size:
                    left.append(consequent)
        if not left:
            return
        kept = alive[group]
        rows, group = rows[kept], (np.cumsum(alive) - 1)[group[kept]]
        n_groups = int(alive.sum())
        for position in self._columns:
            if not chosen or position > chosen[-1]:
                finer = self._refine(rows, group, n_groups, position)
                if finer[0].size:
                    self.visit((*chosen, position), *finer, left)

    def _refine(
        self, rows: NDArray[np.int64], group: NDArray[np.int64], n_groups: int, position: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Split the groups by a column; rows where it is not public, and groups without support, go."""
        code = self._public[position][rows]
        seen = code >= 0
        rows, key = rows[seen], (group * self._n_values[position] + code)[seen]
        n_keys = n_groups * self._n_values[position]
        if n_keys > 4 * key.size + 65536:
            distinct, key = np.unique(key, return_inverse=True)
            n_keys = distinct.size
        enough = np.bincount(key, minlength=n_keys) >= self._support
        kept = enough[key]
        return rows[kept], (np.cumsum(enough) - 1)[key[kept]], int(enough.sum())

    def _count(
        self,
        chosen: tuple[int, ...],
        rows: NDArray[np.int64],
        group: NDArray[np.int64],
        n_groups: int,
        consequent: _Consequent,
    ) -> NDArray[np.int64]:
        """Note the adversarial rules with this consequent; return the groups that may have rules further down."""
        hidden = consequent.hidden[rows]
        at = np.flatnonzero(hidden)
        public = consequent.public[rows]
        pairs, pair_of, hid_y = np.unique(
            group[at] * consequent.n_codes + hidden[at], return_inverse=True, return_counts=True
        )
        pub_y = _tally(group * consequent.n_codes + public, pairs, n_groups * consequent.n_codes)
        of_pair = pairs // consequent.n_codes
        pub_n = np.bincount(group[public > 0], minlength=n_groups)[of_pair]
        hid_n = np.bincount(group[at], minlength=n_groups)[of_pair]
        possible = (pub_n >= self._support) & (pub_y > 0)
        if len(chosen) >= self._min_antecedent:
            rules = possible.copy()
            rules[possible] = pub_y[possible] / pub_n[possible] >= self._confidence
            rules &= hid_y / hid_n >= self._confidence
            consequent.recovered[rows[at[rules[pair_of]]]] = True
            self._note(chosen, consequent, [each[rules] for each in (pub_y, pub_n, hid_y, hid_n)])
        groups: NDArray[np.int64] = of_pair[possible]
        return groups

    def _note(self, chosen: tuple[int, ...], consequent: _Consequent, counts: list[NDArray[np.int64]]) -> None:
        pub_y, pub_n, hid_y, _ = counts
        if not pub_y.size:
            return
        self.n_rules += pub_y.size
        self.longest = max(self.longest, len(chosen))
        best = np.lexsort((hid_y, pub_n, pub_y / pub_n))[-1]
        right, among, caught, asked = (int(each[best]) for each in counts)
        if (right / among, among, caught) > self._strength:
            self._strength = (right / among, among, caught)
            antecedent = ", ".join(self._names[position] for position in chosen) or "(nothing)"
            self.strongest = (
                f"{antecedent} -> {self._names[consequent.position]}: right in {right} of {among} public rows "
                f"and {caught} of {asked} hidden cells"
            )


def _tally(keys: NDArray[np.int64], wanted: NDArray[np.int64], n_keys: int) -> NDArray[np.int64]:
    """Count how often each wanted key occurs; `wanted` is sorted."""
    if n_keys <= 4 * keys.size + 65536:
        return np.bincount(keys, minlength=n_keys)[wanted]
    place = np.searchsorted(wanted, keys)
    place[place == wanted.size] = 0
    hits = place[wanted[place] == keys] if wanted.size else place[:0]
    return np.bincount(hits, minlength=wanted.size)
