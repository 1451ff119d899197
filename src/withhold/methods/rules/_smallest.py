"""The smallest set of entries to blank, by integer programming, for small tables."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError, MissingExtraError
from withhold.methods.rules._mine_kernel import GONE, HIDDEN, N_PLAIN, READINGS
from withhold.methods.rules._rule_guard import RuleGuard, positions

__all__ = ["MOST_TERMS", "smallest"]

MOST_TERMS = 200_000
"""A program with more coefficients than this is refused."""
SECONDS = 120.0

Terms = dict[int, float]


def smallest(guard: RuleGuard, start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a smallest set of cells that leaves no adversarial rule.

    Parameters
    ----------
    guard
        The table; nothing may be blanked in it. It learns the rules that are met on the way.
    start
        A set that leaves none, as a bound.

    Notes
    -----
    The program knows only some of the rules. Its smallest set is tried; the rules that it leaves, or makes, are added,
    and it is solved again. The first set that leaves none is a smallest one: more rules only make sets larger.
    """
    milp = _solver()
    if not start.any():
        return start
    program = _Program(guard)
    guard.learn()
    n_read = 0
    least = 0
    while True:
        n_read = program.read(n_read)
        chosen = program.solve(milp, least=least, most=int(start.sum()))
        rows, columns = positions(chosen)
        guard.blank(rows, columns)
        is_safe = guard.is_safe()
        guard.restore(rows, columns)
        if is_safe:
            return chosen
        least = len(rows)


def _solver() -> Callable[..., Any]:
    try:
        from scipy.optimize import milp
    except ImportError:
        raise MissingExtraError("scipy", extra="audit", purpose="grades: `exact`") from None
    found: Callable[..., Any] = milp
    return found


@dataclass
class _Program:
    """Minimize the blanked cells, so that for each rule one of its conditions fails.

    Variables: a cell is blanked; several cells of a row are all public; a condition of a rule fails.
    """

    guard: RuleGuard
    cells: dict[tuple[int, int], int] = field(default_factory=dict)
    together: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)
    is_whole: list[bool] = field(default_factory=list)
    lines: list[tuple[Terms, float]] = field(default_factory=list)
    n_terms: int = 0

    def read(self, first: int) -> int:
        """Add the known rules from `first` on; return how many there are."""
        book = self.guard.book.arrays
        antecedent = np.repeat(np.arange(book.rules_end.size - 1), np.diff(book.rules_end))
        for r in range(first, len(book.slot)):
            a = antecedent[r]
            items = book.items[book.items_end[a] : book.items_end[a + 1]]
            rows = book.cover[book.cover_end[a] : book.cover_end[a + 1]]
            self._add_rule(items, int(book.slot[r]), rows)
        return len(book.slot)

    def solve(self, milp: Callable[..., Any], *, least: int, most: int) -> NDArray[np.bool_]:
        """Return the cells that a smallest solution blanks."""
        from scipy.optimize import Bounds, LinearConstraint
        from scipy.sparse import csr_array

        n = len(self.is_whole)
        cost = np.zeros(n)
        cost[list(self.cells.values())] = 1
        lines = [*self.lines, (dict.fromkeys(self.cells.values(), 1.0), float(most))]
        lines.append((dict.fromkeys(self.cells.values(), -1.0), -float(least)))
        start = np.cumsum([0] + [len(terms) for terms, _ in lines])
        columns = np.array([variable for terms, _ in lines for variable in terms])
        values = np.array([value for terms, _ in lines for value in terms.values()])
        matrix = csr_array((values, columns, start), shape=(len(lines), n))
        found = milp(
            cost,
            constraints=LinearConstraint(matrix, ub=np.array([bound for _, bound in lines])),
            integrality=np.array(self.is_whole, dtype=np.int64),
            bounds=Bounds(0, 1),
            options={"time_limit": SECONDS, "mip_rel_gap": 0},
        )
        if found.status != 0:
            raise InputError(
                f"grades: `exact` found no proven minimum within {SECONDS:.0f} s; leave it out on a table of this size."
            )
        chosen = np.zeros(self.guard.cells.shape, np.bool_)
        for (row, column), variable in self.cells.items():
            chosen[row, column] = found.x[variable] > 0.5
        return chosen

    def _variable(self, *, is_whole: bool) -> int:
        self.is_whole.append(is_whole)
        return len(self.is_whole) - 1

    def _at_most(self, terms: Terms, bound: float) -> None:
        self.lines.append((terms, bound))
        self.n_terms += len(terms)
        if self.n_terms > MOST_TERMS:
            raise InputError(
                f"grades: `exact` needs a program of more than {MOST_TERMS:,} terms, which is too large; leave it out."
            )

    def _public(self, row: int, columns: tuple[int, ...]) -> tuple[Terms, float]:
        """Return as a linear expression whether all of these cells of a row are public: terms, and a constant."""
        blanked = []
        for column in columns:
            if (row, column) not in self.cells:
                self.cells[row, column] = self._variable(is_whole=True)
            blanked.append(self.cells[row, column])
        if not blanked:
            return {}, 1.0
        if len(blanked) == 1:
            return {blanked[0]: -1.0}, 1.0
        if (row, columns) not in self.together:
            both = self._variable(is_whole=False)
            self.together[row, columns] = both
            for each in blanked:
                self._at_most({both: 1.0, each: 1.0}, 1.0)
            self._at_most({both: -1.0, **dict.fromkeys(blanked, -1.0)}, -1.0)
        return {self.together[row, columns]: 1.0}, 0.0

    def _add_rule(self, items: NDArray[np.int32], slot: int, rows: NDArray[np.int32]) -> None:
        layout, limits = self.guard.slots.layout, self.guard.limits
        y = int(layout.column[slot])
        x = tuple(int(layout.column[item]) for item in items)
        first, n_items = int(layout.base[y]), int(layout.n_items[y])
        pub_n, pub_y, hid_n, hid_y, cover = (_Sum() for _ in range(5))
        for row in rows.tolist():
            cell = int(self.guard.slots.cells[row, y])
            is_hidden = cell == first + HIDDEN or cell >= first + N_PLAIN + n_items
            held = self._public(row, x)
            cover.add(held)
            if is_hidden:
                hid_n.add(held)
                if cell == slot + n_items:
                    hid_y.add(held)
            elif cell != first + GONE:
                shown = self._public(row, tuple(sorted((*x, y))))
                pub_n.add(shown)
                if cell == slot:
                    pub_y.add(shown)
        p, q = _fraction(limits.confidence)
        counted = {"public": pub_n, "antecedent": cover, "joint": pub_y}[READINGS[limits.reading]]
        switches = [
            self._switch([(q, pub_y), (-p, pub_n)], -1),
            self._switch([(q, hid_y), (-p, hid_n)], -1),
            self._switch([(1, counted)], limits.support - 1),
            self._switch([(1, hid_n)], 0),
            self._switch([(1, pub_n)], 0),
        ]
        self._at_most(dict.fromkeys(switches, -1.0), -1.0)

    def _switch(self, weighted: list[tuple[int, "_Sum"]], bound: int) -> int:
        """Return a variable that is 1 only if the weighted sum is at most `bound`."""
        switch = self._variable(is_whole=True)
        terms: Terms = {}
        constant = 0.0
        for weight, each in weighted:
            constant += weight * each.constant
            for variable, value in each.terms.items():
                terms[variable] = terms.get(variable, 0.0) + weight * value
        slack = constant + sum(max(value, 0.0) for value in terms.values()) - bound
        if slack <= 0:
            return switch
        terms[switch] = slack
        self._at_most(terms, bound - constant + slack)
        return switch


@dataclass
class _Sum:
    """A sum of linear expressions."""

    terms: Terms = field(default_factory=dict)
    constant: float = 0.0

    def add(self, expression: tuple[Terms, float]) -> None:
        """Add an expression."""
        for variable, value in expression[0].items():
            self.terms[variable] = self.terms.get(variable, 0.0) + value
        self.constant += expression[1]


def _fraction(confidence: float) -> tuple[int, int]:
    """Return the simplest fraction that is this number, such as 4 / 5 for 0.8."""
    simple = Fraction(confidence).limit_denominator(1_000_000)
    exact = simple if float(simple) == confidence else Fraction(confidence)
    return exact.numerator, exact.denominator
