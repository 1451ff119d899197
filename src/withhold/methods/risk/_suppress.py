"""Value suppression: withhold cells of risky records until none is above the threshold."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError, did_you_mean
from withhold.methods.risk._bystanders import bystanders
from withhold.methods.risk._cells_to_withhold import cells_by_gain, cells_by_set, sensitive_cells
from withhold.methods.risk._encode import Blank
from withhold.methods.risk._give_back import give_back_cells
from withhold.methods.risk._measure import Measure
from withhold.methods.risk._record_risk import Risk, check_threshold, decided
from withhold.methods.risk._risk_problem import Problem, Sensitive, problem_of
from withhold.methods.risk._suppression import Round, Suppression
from withhold.methods.risk._taxonomies import Ladder, Parents, ladder_of, parents_of, penalties_of
from withhold.table import Grid, Table

__all__ = ["suppress_risk"]

_Bools = NDArray[np.bool_]
_Floats = NDArray[np.float64]
Choose = Literal["cell", "set"]
LARGE = 20_000
FEW = 2_000
"""After a round that touches few records of a large table, those likely to be pushed over the threshold come first."""


def suppress_risk(
    table: Table | Grid,
    known: Mapping[str, float],
    sensitive: Sensitive,
    *,
    at_most: float,
    alpha: float = 100.0,
    until_safe: bool = True,
    choose: Choose = "cell",
    give_back: bool = True,
    blank: Blank = "exclude",
    generalize: bool | Parents = False,
    drop_rows: bool = False,
    costs: Mapping[str, float] | None = None,
    counts: NDArray[np.int64] | None = None,
) -> Suppression:
    """Withhold values of the records whose risk is above a threshold.

    Parameters
    ----------
    table, known, sensitive, alpha, blank, counts
        As in `record_risk`.
    at_most
        The threshold, at least 0; a record is risky where its risk is above it.
    until_safe
        Repeat on the risks of what is left until no record is above the threshold. Otherwise one pass as printed in the
        paper: for each risky record the known set that contributes most is withheld, all together, once. That leaves
        records above the threshold, because values that disappear make those of others rarer.
    choose
        With `until_safe`: ``"cell"`` takes the cells that lower a record's risk most for their cost, until the
        threshold should be met; ``"set"`` takes the whole known set that contributes most, as the paper does.
    give_back
        With `until_safe`: restore values that turn out not to be needed.
    generalize
        Replace a value by what stands above it in its column's taxonomy, one level a round, and withhold it only where
        nothing is left above. True takes the taxonomies of a `Table`; else what stands above each value, by column.
    drop_rows
        Drop a record that no known column can make safe, instead of withholding its sensitive values.
    costs
        What a withheld cell of a column costs, 1 where not given.

    Returns
    -------
    Suppression
        What was withheld; with `until_safe` no record of ``after`` is above the threshold, each of them proven.

    Notes
    -----
    A record without any sensitive value has risk 0, so withholding always ends: each round withholds or coarsens a cell
    of every risky record, known columns first, then sensitive values, the largest weight first. Under ``"exclude"`` and
    ``"ignore"`` a value given back can only lower the risk of other records, so only the record itself is measured
    again; else all are. Records that hold the same in all columns lose the same cells, whatever their order: so rows
    with `counts` lose what the records they stand for would.

    References
    ----------
    M. Orooji, G. M. Knapp: Improving Suppression to Reduce Disclosure Risk and Enhance Data Utility, 2019.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["f", "f", "m", "m"], "dropout": ["no", "yes", "no", "no"]})
    >>> done = suppress_risk(table, {"sex": 0.8}, {"dropout": {"yes": 1.0}}, at_most=30)
    >>> done
    <Suppression: 1 records above 30 before, 0 after 1 rounds; 1 cells blank, 0 given back, 0 records dropped>
    >>> [places.tolist() for places in done.blanked]
    [[1], [0]]
    """
    problem = problem_of(table, known, sensitive, alpha=alpha, blank=blank, counts=counts)
    check_threshold(at_most)
    if choose not in ("cell", "set"):
        raise InputError(f'risk: `choose` must be "cell" or "set"; got {choose!r}.')
    prices = _prices(problem, costs or {})
    original = problem.grid
    if generalize is True:
        generalize = parents_of(table) if isinstance(table, Table) else {}
    problem, ladder = ladder_of(problem, generalize or {})
    run = _Run(problem, ladder, at_most, prices, choose=choose if until_safe else "once", drop_rows=drop_rows)
    above = run.look()
    first = Risk(run.measure.low, run.measure.high, problem.counts)
    while above.any():
        run.withhold(above)
        if until_safe and (likely := run.likely()) is not None:
            above = run.look(likely)
            if above.any():
                continue
        above = run.look()
        if not until_safe:
            break
    given_back = 0
    if give_back and until_safe and run.rounds:
        given_back = give_back_cells(run, original.codes)
    penalties = penalties_of(table) if isinstance(table, Table) and generalize else {}
    return run.result(original, first, given_back, penalties)


class _Run:
    """The state of a suppression: the cells as they are, who is left, how risky everybody is."""

    def __init__(
        self, problem: Problem, ladder: Ladder, at_most: float, prices: _Floats, *, choose: str, drop_rows: bool
    ) -> None:
        self.problem = problem
        self.at_most = at_most
        self.codes = problem.grid.codes.copy()
        self.is_left = np.ones(problem.grid.n_rows, dtype=bool)
        self.rounds: list[Round] = []
        self.history: list[NDArray[np.int64]] = []
        self.measure: Measure
        self.n_above = 0
        self._ladder = ladder
        self._prices = prices
        self._choose = choose
        self._drop_rows = drop_rows
        self._start: _Floats | None = None
        self._high = np.full(problem.grid.n_rows, np.inf)
        self._before = self.codes

    @property
    def is_monotone(self) -> bool:
        """Whether a value given back can only lower the risk of other records."""
        return self.problem.blank in ("exclude", "ignore") and not self._ladder.climbs

    def look(self, among: _Bools | None = None) -> _Bools:
        """Measure the cells as they are; return which records are above the threshold, all that are left or `among`."""
        current = self.problem.with_codes(self.codes, self.is_left)
        self.measure = Measure(current)
        start = None if self._start is None else self._start[self.is_left]
        chosen = None if among is None else among[self.is_left]
        self.measure.decide(self.at_most, among=chosen, start=start)
        above = np.zeros(self.is_left.size, dtype=bool)
        above[self.is_left] = decided(current, self.measure, self.at_most, chosen)
        if among is not None:
            above &= among
        self.n_above = self.problem.n_of(above)
        if among is None:
            self._high[self.is_left] = self.measure.high
        tolerance = np.full(self.is_left.size, np.inf)
        tolerance[self.is_left] = self.measure.tolerance
        self._start = tolerance if self._start is None else np.minimum(self._start, tolerance)
        return above

    def likely(self) -> _Bools | None:
        """Return the records worth a quick look after a small round on a large table, or None for a look at all."""
        rows, columns = self.history[-1].T
        changed, of_row = np.unique(rows, return_inverse=True)
        is_small = self.problem.n_records < LARGE or self.problem.n_of(changed) > FEW
        if is_small or self._choose != "cell":
            return None
        cells = np.zeros((changed.size, self.codes.shape[1]), dtype=bool)
        cells[of_row, columns] = True
        near = np.flatnonzero((self._high > 0.5 * self.at_most) & self.is_left)
        found = np.zeros(self.is_left.size, dtype=bool)
        found[bystanders(self._before, changed, cells, near, self.problem.counts)] = True
        found[changed] = True
        return found & self.is_left

    def withhold(self, above: _Bools) -> None:
        """Withhold cells of the records above the threshold, and note the round."""
        rows = np.flatnonzero(above)
        current = self.problem.with_codes(self.codes, self.is_left)
        inside = np.cumsum(self.is_left)[rows] - 1
        risk = (self.measure.low + np.minimum(self.measure.high, 4 * self.measure.low + self.at_most))[inside] / 2
        if self._choose == "cell":
            cells = cells_by_gain(current, inside, risk, self.at_most, self._prices)
        else:
            cells = cells_by_set(current, inside, empty=self._choose == "once")
        n_sensitive, dropped = 0, np.zeros(0, np.int64)
        bare = ~cells.any(axis=1)
        if bare.any() and self._choose != "once":
            if self._drop_rows:
                dropped = rows[bare]
            else:
                cells[bare] = sensitive_cells(
                    current, inside[bare], risk[bare], self.at_most, one=self._choose == "set"
                )
                n_sensitive = self._n_cells(cells[bare], rows[bare])
        self._before = self.codes.copy()
        before = self.codes[rows]
        self._ladder.climb(self.codes, cells, rows)
        after = self.codes[rows]
        n_changed = self._n_cells(before != after, rows)
        n_blank = self._n_cells((before >= 0) & (after < 0), rows)
        self.is_left[dropped] = False
        self.codes[dropped] = -1
        changed_rows, changed_columns = np.nonzero(before != after)
        self.history.append(np.stack([rows[changed_rows], changed_columns], axis=1))
        self.rounds.append(
            Round(
                above=self.problem.n_of(rows),
                blanked=n_blank,
                generalised=n_changed - n_blank,
                sensitive=n_sensitive,
                dropped=self.problem.n_of(dropped),
            )
        )

    def _n_cells(self, cells: _Bools, rows: NDArray[np.int64]) -> int:
        """Return how many cells of records some cells of rows stand for."""
        counts = self.problem.counts
        return int(cells.sum() if counts is None else counts[rows] @ cells.sum(axis=1))

    def result(
        self, original: Grid, first: Risk, given_back: int, penalties: Mapping[str, Mapping[str, float]]
    ) -> Suppression:
        """Return what was done."""
        low, high = np.zeros(self.is_left.size), np.zeros(self.is_left.size)
        low[self.is_left], high[self.is_left] = self.measure.low, self.measure.high
        grid = self.problem.grid
        n_sensitive = sum(
            self.problem.n_of((np.append(w, 0.0)[grid.codes[:, j]] > 0) & self.is_left & (self.codes[:, j] < 0))
            for j, w in enumerate(self.problem.weights)
        )
        return Suppression(
            at_most=self.at_most,
            original=original,
            published=Grid(grid.columns, grid.labels, self.codes),
            rounds=tuple(self.rounds),
            given_back=given_back,
            dropped=np.flatnonzero(~self.is_left),
            sensitive=n_sensitive,
            before=first,
            after=Risk(low, high, self.problem.counts),
            still_above=self.n_above,
            penalties=penalties,
        )


def _prices(problem: Problem, costs: Mapping[str, float]) -> _Floats:
    names = problem.grid.columns
    for name, cost in costs.items():
        if name not in names:
            raise InputError(f'risk: `costs`: there is no column "{name}"{did_you_mean(name, names)}')
        if not 0 < cost < float("inf"):
            raise InputError(f'risk: `costs` of "{name}" must be a number above 0; got {cost!r}.')
    return np.array([float(costs.get(name, 1.0)) for name in names])
