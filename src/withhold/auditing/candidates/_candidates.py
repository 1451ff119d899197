"""The rows that a person could be, where a blank or coarse cell may be any value below it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._disclosures import Disclosure
from withhold.auditing._linkage import known_columns, wanted_columns
from withhold.auditing._sight import Sight
from withhold.auditing.candidates._candidate_kernels import Held, candidate_sizes, most_frequent, n_held
from withhold.auditing.candidates._covering import Known, known_column
from withhold.auditing.candidates._register import still_possible
from withhold.auditing.candidates._row_join import MOST_PAIRS, MOST_WORK, Pairs, join_rows, turned

__all__ = ["Candidates", "ReadOff", "count_candidates", "find_candidates", "still_alone"]

_Ints = NDArray[np.int64]
CLASSES = (1, 2, 3, 5, 10, 20, 50, 100, 1_000)
"""Where the classes of the distribution begin."""
FEWEST_PEOPLE = 1_000
"""With fewer distinct people a join is not tried again on a sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOff:
    """What a person's candidates hold in a column that an outsider wants to know."""

    column: str
    """The column."""
    rate: float | None
    """How often the most frequent value among the candidates is right; None without the original."""
    majority_rate: float | None
    """How often the most frequent value of the file is."""
    certain: int | None
    """People whose candidates all hold one value, where they hold any, and it is theirs."""
    register_certain: int | None = None
    """The same for somebody who has the full register; None where that was not tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Who knows some columns of a person looks for the rows that he could be: a blank or coarse cell rules nothing out.

    A cell matches every value that it may stand for. Somebody with the full register also knows that each row is one
    person: what is left for one of them may follow from the others. Without the original, a person is a row of the
    file, and his candidates are the rows that may describe the same person.
    """

    kind: Literal["candidates"] = "candidates"
    where: str
    """The requirement whose columns are known."""
    columns: tuple[str, ...]
    """What is known."""
    is_guarded: bool = False
    """Whether the requirement is there to keep people from being recognised by them."""
    n_rows: int
    """The rows of the file."""
    n_people: int
    """The people: the rows of the original, or of the file without it."""
    n_tried: int | None
    """How many of them were looked for; None where it is not published."""
    sizes: tuple[tuple[int, int | None, int | None], ...]
    """How many people have at least the first and at most the second number of candidates; None has no end, or is not
    published."""
    smallest: int | None
    """The fewest candidates of a person; None where it is not published."""
    single: int | None
    """How many people could be one row only."""
    rate: float
    """How often the right row is picked: the mean of 1 / candidates."""
    n_withheld: int | None = None
    """Of how many people a cell of these columns is withheld; None where nobody knows which row is whose …"""
    withheld_single: int | None = None
    """… and how many of them could be one row only, all the same."""
    register_smallest: int | None = None
    """The fewest candidates that somebody with the full register cannot rule out; None where that was not tried."""
    register_single: int | None = None
    """How many people he finds for certain."""
    register_rate: float | None = None
    """How often he picks the right row."""
    read_off: tuple[ReadOff, ...] = ()
    """What the candidates hold in other columns."""
    note: str = ""
    """What was not tried, and why."""
    step: float | None = None
    """What shares are rounded to in a public report; None where they are not."""


def find_candidates(sight: Sight, *, rng: np.random.Generator) -> list[Candidates]:
    """Look for people by the columns that each requirement lets an outsider know, and by all of these together."""
    known = known_columns(sight.source, sight.policy)
    sets = [(where, tuple(name for name in columns if name in sight.names)) for where, columns in known]
    union = tuple(dict.fromkeys(name for _, columns in sets for name in columns))
    if len(sets) > 1 and all(set(columns) != set(union) for _, columns in sets):
        sets.append(("", union))
    columns: dict[str, Known] = {}
    found = []
    for where, names in sets:
        for name in names:
            if name not in columns:
                columns[name] = known_column(sight, name)
        if names:
            found.append(count_candidates(sight, where, [columns[name] for name in names], rng=rng))
    return found


def count_candidates(
    sight: Sight,
    where: str,
    columns: list[Known],
    *,
    rng: np.random.Generator,
    most_pairs: int = MOST_PAIRS,
    most_work: int = MOST_WORK,
) -> Candidates:
    """Count the candidates of every person by some columns; of some people only where there are too many pairs."""
    search = _Search(sight, columns)
    search.join(rng, most_pairs, most_work)
    sizes = search.sizes()
    names = tuple(column.name for column in columns)
    wanted = wanted_columns(sight.source, sight.policy, names)
    component = search.eliminate()
    left = None if component is None else search.sizes(component)
    n_withheld, withheld_single = search.of_withheld(sizes)
    return Candidates(
        where=where,
        columns=names,
        is_guarded=any(each.guarded(names) for i, each in enumerate(sight.policy.require) if where == f"require[{i}]"),
        n_rows=sight.source.n_rows,
        n_people=search.n_people,
        n_tried=search.n_tried,
        sizes=_spread(sizes, search.weights),
        smallest=int(sizes.min()),
        single=int(search.weights[sizes == 1].sum()),
        rate=search.rate(sizes),
        n_withheld=n_withheld,
        withheld_single=withheld_single,
        register_smallest=None if left is None else int(left.min()),
        register_single=None if left is None else int(search.weights[left == 1].sum()),
        register_rate=None if left is None else search.rate(left),
        read_off=tuple(search.read_off(name, component) for name in wanted if name in sight.names),
        note=search.note,
    )


def still_alone(found: Candidates) -> list[Disclosure]:
    """Return whom withheld cells leave alone, where they are withheld to keep people from being recognised."""
    if not (found.is_guarded and found.withheld_single):
        return []
    known = ", ".join(found.columns)
    says = (
        f"{found.withheld_single:,} of the {found.n_withheld:,} people with a withheld cell of {known} could still be "
    )
    says += "one row only, a withheld cell read as any value: what was withheld does not hide them."
    return [
        Disclosure(
            kind="candidates",
            level="amber",
            columns=found.columns,
            n_people=found.withheld_single,
            says=f"{says} Hint: a smaller threshold, or an anonymity requirement over these columns.",
        )
    ]


def _spread(sizes: _Ints, weights: _Ints) -> tuple[tuple[int, int | None, int], ...]:
    """Return how many people have how many candidates, in classes; who has none is in the first."""
    place = np.maximum(np.searchsorted(CLASSES, sizes, side="right") - 1, 0)
    people = np.bincount(place, weights=weights, minlength=len(CLASSES)).astype(np.int64).tolist()
    ends = [*(begin - 1 for begin in CLASSES[1:]), None]
    return tuple(zip(CLASSES, ends, people, strict=True))


class _Search:
    """Distinct rows and distinct people, and who could be which."""

    def __init__(self, sight: Sight, columns: list[Known]) -> None:
        self._sight, self._columns = sight, columns
        self._rows, self._row_of = _distinct([column.texts for column in columns])
        self._people, self._person_of = _distinct([column.values for column in columns])
        self._n_of_row = np.bincount(self._row_of)
        self.weights = np.bincount(self._person_of)
        self.n_people = self._person_of.size
        self._tried: _Ints | None = None
        self._notes = [
            f"{c.name} has too many coarse texts: each may be any value there" for c in columns if not c.is_exact
        ]
        self._by_row: Pairs
        self._by_person: Pairs

    @property
    def note(self) -> str:
        """What was not tried, and why."""
        return "; ".join(self._notes)

    @property
    def n_tried(self) -> int:
        """How many people were looked for."""
        return int(self.weights.sum())

    def join(self, rng: np.random.Generator, most_pairs: int, most_work: int) -> None:
        """Find who could be which; where there are too many pairs, for half of the people, and so on."""
        covers = [column.cover for column in self._columns]
        people = self._people
        while True:
            # What is left of the last round must do, so that there is an answer.
            is_last = len(people) <= FEWEST_PEOPLE
            most = (2**62, 2**62) if is_last else (most_pairs, most_work)
            pairs = join_rows(self._rows, people, covers, most_pairs=most[0], most_work=most[1])
            if pairs is not None:
                break
            some = np.sort(rng.choice(len(people), len(people) // 8, replace=False))
            self._tried = some if self._tried is None else self._tried[some]
            people, self.weights = people[some], self.weights[some]
        self._by_row, self._by_person = pairs, turned(pairs, len(people))
        if self._tried is not None:
            self._notes.append("too many rows may be too many people: only some people were looked for")

    def sizes(self, component: tuple[_Ints, _Ints] | None = None) -> _Ints:
        """Return how many rows each person could be, or could still be in the same component."""
        row, person = _anything(self._rows, self._by_person) if component is None else component
        found = candidate_sizes(self._by_person, self._n_of_row, row, person)
        return np.asarray(found + self._n_absent * self._may_be_absent(component))

    @property
    def _n_absent(self) -> int:
        return 0 if self._sight.original is None else max(0, self.n_people - self._row_of.size)

    def _may_be_absent(self, component: tuple[_Ints, _Ints] | None) -> NDArray[np.bool_]:
        """Return who may be one of the people whose rows are not published, to somebody with the full register."""
        if component is None or component[0].size == len(self._rows):
            return np.zeros(self.weights.size, dtype=np.bool_)
        return np.asarray(component[1] == component[0][-1])

    def rate(self, sizes: _Ints) -> float:
        """Return how often the right row is picked."""
        chance = np.divide(1.0, sizes, out=np.zeros(sizes.size), where=sizes > 0)
        return float((chance * self.weights).sum() / max(self.n_tried, 1))

    def of_withheld(self, sizes: _Ints) -> tuple[int | None, int | None]:
        """Return of how many people a cell is withheld, and how many of them could be one row only."""
        rows = self._sight.rows
        if rows is None or self._tried is not None:
            return None, None
        is_withheld = np.zeros(len(self._rows), dtype=np.bool_)
        for c, column in enumerate(self._columns):
            is_withheld |= column.is_withheld[self._rows[:, c]]
        own = is_withheld[self._row_of]
        return int(own.sum()), int(np.count_nonzero(sizes[self._person_of[rows[own]]] == 1))

    def eliminate(self) -> tuple[_Ints, _Ints] | None:
        """Return which rows and people can go together when each row is one person; None where that is not known."""
        sight = self._sight
        if sight.original is None:
            return None
        if self._tried is not None or sight.rows is None:
            why = "some people were left out" if self._tried is not None else "which row is whose is not known"
            self._notes.append(f"the full register was not tried, because {why}")
            return None
        lost = np.ones(self.n_people, dtype=np.bool_)
        lost[sight.rows] = False
        true = np.unique(self._row_of * len(self._people) + self._person_of[sight.rows])
        row, person = true // len(self._people), true % len(self._people)
        pairs = self._by_row
        if not _holds(pairs, row, person):
            self._notes.append("the full register was not tried, because cells are not those of the original")
            return None
        if lost.any():
            # Rows that are not published are one more row, which everybody may be.
            pairs = Pairs(
                np.append(pairs.starts, pairs.others.size + len(self._people)),
                np.concatenate([pairs.others, np.arange(len(self._people), dtype=np.int32)]),
            )
            absent = np.unique(self._person_of[lost])
            row = np.concatenate([row, np.full(absent.size, len(self._rows))])
            person = np.concatenate([person, absent])
        rows, people = still_possible(pairs, (row, person), len(self._people))
        return rows, people

    def read_off(self, name: str, component: tuple[_Ints, _Ints] | None) -> ReadOff:
        """Read a column off the candidates of each person."""
        sight = self._sight
        codes, labels = sight.seen(name)
        pairs, n_each = np.unique(self._row_of[codes >= 0] * len(labels) + codes[codes >= 0], return_counts=True)
        starts = np.searchsorted(pairs // max(len(labels), 1), np.arange(len(self._rows) + 1))
        held = Held(starts, pairs % max(len(labels), 1), n_each, len(labels))
        truth, person = self._truth(name, labels)
        best, n_kinds = most_frequent(self._by_person, held, *_anything(self._rows, self._by_person))
        n_known = max(int(np.count_nonzero(truth != -1)), 1)
        most = np.bincount(codes[codes >= 0], minlength=1).argmax()
        is_certain = n_kinds == 1
        if sight.original is None:
            n_certain = int(np.count_nonzero(is_certain[person]))
            return ReadOff(column=name, rate=None, majority_rate=None, certain=n_certain)
        is_right = truth == best[person]
        n_left = None
        if component is not None:
            best, n_kinds = most_frequent(self._by_person, held, *component)
            is_left = (n_kinds == 1) & ~self._may_be_absent(component)
            n_left = int(np.count_nonzero((truth == best[person]) & is_left[person]))
        return ReadOff(
            column=name,
            rate=float(np.count_nonzero(is_right) / n_known),
            majority_rate=float(np.count_nonzero(truth == most) / n_known),
            certain=int(np.count_nonzero(is_right & is_certain[person])),
            register_certain=n_left,
        )

    def _truth(self, name: str, labels: tuple[str, ...]) -> tuple[_Ints, _Ints]:
        """Return for each person who was looked for the label of what he holds, and his number.

        -1 is nothing, -2 what the file publishes nowhere.
        """
        place = np.full(len(self._people), -1, dtype=np.int64)
        place[slice(None) if self._tried is None else self._tried] = np.arange(self.weights.size)
        person = place[self._person_of]
        tried = np.flatnonzero(person >= 0)
        if self._sight.original is None:
            return np.full(tried.size, -2, dtype=np.int64), person[tried]
        meaning = self._sight.meaning(name)
        code = {label: i for i, label in enumerate(labels)}
        lookup = np.full(len(meaning.values), -1, dtype=np.int64)
        held = np.flatnonzero(~meaning.was_missing)
        lookup[held] = [code.get(found[0], -2) for found in meaning.truths(held)]
        return lookup[self._sight.original.store.cells(name)][tried], person[tried]


def _distinct(columns: list[_Ints]) -> tuple[_Ints, _Ints]:
    """Return the distinct rows of some columns, and for each row its number among them."""
    key, below = np.zeros(columns[0].size, dtype=np.int64), 1
    for codes in columns:
        span = int(codes.max(initial=0)) + 1
        if below * span >= 1 << 62:
            distinct, key = np.unique(key, return_inverse=True)
            key, below = key.reshape(-1), distinct.size
        key, below = key * span + codes, below * span
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return np.column_stack([codes[first] for codes in columns]), place.reshape(-1).astype(np.int64)


def _anything(rows: _Ints, people: Pairs) -> tuple[_Ints, _Ints]:
    """Return one component for all: nothing is ruled out."""
    return np.zeros(len(rows) + 1, dtype=np.int64), np.zeros(people.starts.size - 1, dtype=np.int64)


def _holds(pairs: Pairs, row: _Ints, person: _Ints) -> bool:
    """Return whether all of some pairs are among those that were found."""
    n = int(person.max(initial=0)) + 1
    n_wanted = np.bincount(row, minlength=pairs.starts.size - 1)
    return bool(n_held(pairs, np.sort(row * n + person), n) == n_wanted.sum())
