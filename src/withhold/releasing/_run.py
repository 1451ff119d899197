"""A run makes a release: guards steer what is given back, then repair in turn until all hold at once."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from withhold.errors import InputError, Mistake, PolicyError
from withhold.methods.inference import choices_from
from withhold.methods.refine import (
    Candidate,
    CountedRows,
    PartialRows,
    Refinement,
    Search,
    Step,
    refinement_of,
    start_search,
)
from withhold.policy import (
    Policy,
    bin_columns,
    bind,
    hidden_cells,
    read_codes,
    read_dates,
    target_kind_of,
    with_interval_edges,
)
from withhold.record import AnyStep, Regrouping, Repair
from withhold.releasing._averages import write_means
from withhold.releasing._begin_with import Cells, begin_with
from withhold.releasing._counting import counted_table, with_rows_or_counts
from withhold.releasing._levels import recode_by_levels
from withhold.releasing._local import LocalSearch
from withhold.releasing._withheld_rows import rows_to_withhold
from withhold.requirements import Guard, Job
from withhold.table import Draft, PartialStore, Reason, Table

if TYPE_CHECKING:
    from withhold.releasing._release import Release

__all__ = ["Progress", "Run"]

Progress = Callable[[str, AnyStep | None], object]
NOTHING = Refinement(steps=(), cuts={}, reached=(), recodings=())


class Run:
    """A release in the making: step it, send it back, stop it, finish it.

    First the search gives values back, as far as the requirements that count groups allow; every state is a valid
    table for them. Then every guard repairs in turn, only ever withholding, until a whole turn changes nothing.

    Parameters
    ----------
    table
        The table; behind an engine where the release is to be written.
    policy
        What must hold.
    progress
        Called with what is being done, and with each step.
    rng
        A seed makes random choices repeatable.
    begin
        For columns that groups are counted over what each row publishes at least as coarsely, as distinct texts and
        places among them. Then nothing is given back: guards only repair.

    Examples
    --------
    >>> from withhold import Anonymity, Policy, samples
    >>> policy = Policy([Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    >>> run = Run(samples.tds_table1(), policy)
    >>> run.step().value, run.step().value
    ('ANY_Edu', 'Secondary')
    >>> run.back().value
    'Secondary'
    >>> [move.value for move in run.candidates() if move.is_valid]
    ['ANY_Sex', 'Secondary', 'University']
    """

    def __init__(
        self,
        table: Table,
        policy: Policy,
        *,
        progress: Progress | None = None,
        rng: int | np.random.Generator | None = None,
        begin: Mapping[str, Cells] | None = None,
    ) -> None:
        self.policy = policy
        self._begin_with = begin
        self.timings: dict[str, float] = {}
        self._say = progress or (lambda what, step: None)
        self._rng = rng
        with self.timed("read"):
            counted = with_rows_or_counts(read_codes(policy, table), policy)
            self.bound = bind(policy, read_dates(policy, counted, rng=rng, shift=True))
            """The table under the policy's domains."""
            hidden = hidden_cells(policy, self.bound)
            shown = with_interval_edges(counted_table(self.bound, policy), policy, hidden)
            self.table = bin_columns(shown, policy, hidden)
            """The same, number columns in their bins; distinct rows with counts where the engine only counts."""
        self.target_kind = target_kind_of(policy, self.table)
        """What is kept about the target, its classes or its variance; None where there is none."""
        self.draft = Draft(self.table, drop=policy.drop)
        self.job = Job(table=self.table, policy=policy, draft=self.draft, choices=choices_from(rng), hidden=hidden)
        self.guards: list[Guard] = [each.home.guard.GUARD(self.job, i) for i, each in enumerate(policy.require)]
        self.repairs: list[Repair] = []
        self._is_refining = bool(self._searched)
        self._search: Search | None = None
        self._local: LocalSearch | None = None
        self._withheld: np.ndarray | None = None
        self._turn: list[Guard] = []
        self._n_quiet = 0
        self._withhold_first()
        self.regrouping: Regrouping | None = None
        """What grouping the rows did, locally or by levels."""
        self.seed = int(np.random.default_rng(rng).integers(2**31)) if rng is not None else 0
        """What breaks ties of local recoding; it decides nothing that protects anybody."""
        with self.timed("search"):
            if begin is not None:
                self._is_refining = False
                begin_with(self.draft, self.table, begin)
            elif self._is_refining:
                self._begin()

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """What was done, in order."""
        searched: Sequence[AnyStep] = self._search.steps if self._search else self._local.rounds if self._local else ()
        grouped = () if self.regrouping is None else (self.regrouping,)
        return (*searched, *grouped, *self.repairs)

    @property
    def is_done(self) -> bool:
        """Whether every requirement holds, and nothing is left to be done."""
        return not self._is_refining and self._n_quiet >= len(self.guards)

    @property
    def is_searching(self) -> bool:
        """Whether the search can still give values back."""
        return self._is_refining

    def candidates(self) -> list[Candidate]:
        """Return the moves of the search, also those that may not be made; none once it is over."""
        return [] if self._search is None else self._search.candidates()

    def step(self, move: Candidate | Step | None = None) -> AnyStep | None:
        """Make one step and return it, or None where everything is done.

        Parameters
        ----------
        move
            The move of the search to make; by default the best one.
        """
        if self._is_refining:
            with self.timed("search"):
                made = self._step_of_search(move)
            if made is not None:
                return made
        if move is not None:
            raise InputError("the search is over, so no move can be chosen any more. Hint: back() reopens it.")
        begin = time.perf_counter()
        repaired = self._repair()
        if self.repairs:
            self.timings["cells"] = self.timings.get("cells", 0.0) + time.perf_counter() - begin
        return repaired

    def back(self) -> AnyStep | None:
        """Take the last step of the search back and return it; what was repaired since is undone, too.

        None where there is nothing to take back.
        """
        made: Sequence[AnyStep] = self._search.steps if self._search else self._local.rounds if self._local else ()
        if not made:
            return None
        kept, last = tuple(made[:-1]), made[-1]
        self._reset()
        self._begin()
        for step in kept:
            if self._search is not None:
                assert isinstance(step, Step)
                self._search.step(step)
            elif self._local is not None:
                self._local.step()
        return last

    def stop(self) -> None:
        """Give nothing more back: what follows only repairs. Rows that are in no group yet become groups."""
        if self._is_refining:
            if self._search is not None:
                self._search.write_to(self.draft)
                self._withhold_rows()
            elif self._local is not None:
                self._regrouped(self._local.finish())
            else:
                self._regrouped(recode_by_levels(self, self._say_combinations))
        self._is_refining = False

    def _withhold_rows(self) -> None:
        """Withhold the rows that the search was made without."""
        rows = np.zeros(0, dtype=np.int64) if self._withheld is None else np.flatnonzero(self._withheld)
        for name in self.policy.counted if rows.size else ():
            number = next(i for i, each in enumerate(self.policy.require) if each.refines and name in each.columns)
            self.draft.coarsen(name, rows, 0, Reason(number, "group"))

    def _begin(self) -> None:
        """Begin the search that the policy asks for."""
        if self.policy.recoding == "global":
            self._say("searching", None)
            self._withheld = rows_to_withhold(self) if self.policy.most_rows_withheld else None
            self._search = self.start_search(self._withheld)
        elif self.policy.recoding == "local":
            self._say("grouping rows", None)
            self._local = LocalSearch(self)

    def _step_of_search(self, move: Candidate | Step | None) -> AnyStep | None:
        """Make one step of the search, or end it; None where ending it is no step of its own."""
        if self._search is not None:
            step: AnyStep | None = self._search.step(move)
            what = "searching"
        else:
            if move is not None:
                raise InputError("this recoding has no moves to choose from: `step()` makes the next round.")
            step = None if self._local is None else self._local.step()
            what = "grouping rows"
        if step is None:
            self.stop()
            return self.regrouping
        self._say(what, step)
        return step

    def _regrouped(self, made: Regrouping) -> None:
        self.regrouping = made
        self._say("grouping rows", made)

    def _say_combinations(self, n_tried: int, n_all: int) -> bool:
        self._say(f"searching levels: {n_tried:,} of {n_all:,} combinations", None)
        return False

    def run(self, *, max_steps: int | None = None) -> "Run":
        """Make all steps, or of the search at most `max_steps`."""
        if max_steps is not None and max_steps < 0:
            raise PolicyError([Mistake("", f"`max_steps` must be an integer of at least 0; got {max_steps}.")])
        while not self.is_done:
            if self._is_refining and max_steps is not None and len(self.steps) >= max_steps:
                self.stop()
            self.step()
        return self

    def reopen(self) -> None:
        """Let every guard look at the draft again, because it was changed from outside."""
        self._n_quiet, self._turn = 0, []

    def finish(self) -> "Release":
        """Make all steps that are left, and return the release."""
        from withhold.releasing._release import Release

        return Release(self.run(), rng=self._rng, progress=self._say)

    @property
    def refinement(self) -> Refinement:
        """What the search arrived at."""
        return NOTHING if self._search is None else refinement_of(self._search, self.table)

    def group_sizes(self) -> list[tuple[tuple[str, ...], np.ndarray]]:
        """Return for each requirement about sizes of groups its columns, and the sizes as they are published."""
        named = [(i, each) for i, each in enumerate(self.policy.require) if each.refines]
        named = [(i, each) for i, each in named if any(promise.is_size for promise in each.promise())]
        searched = [i for i, _ in named if i in self._searched]
        sizes = self.refinement.group_sizes
        found = []
        for i, requirement in named:
            columns = requirement.columns
            is_by_value = bool(sizes) and all(self.draft.column(name).is_by_value for name in columns)
            counted = sizes[searched.index(i)] if is_by_value else self.draft.count(self.draft.groups(columns))
            found.append((columns, counted))
        return found

    def reached_by(self, guard: Guard) -> dict[str, object]:
        """Return what a requirement that counts groups has reached, as the record has it."""
        requirement = self.policy.require[guard.number]
        if not requirement.refines:
            return {}
        return guard.reached(self._figures(guard.number))

    def reached(self) -> tuple[float, ...]:
        """Return what each promise about groups has reached, in the order of the policy."""
        return tuple(
            figure for i, each in enumerate(self.policy.require) if each.refines for figure in self._figures(i)
        )

    def _figures(self, number: int) -> list[float]:
        """Return the figures of a requirement: those of the search, or counted anew where single cells changed."""
        guard = self.guards[number]
        if self._search is None or not guard.is_untouched():
            return guard.figures()
        before = [self.policy.require[i] for i in self._searched if i < number]
        n_before = sum(len(promise.terms) for each in before for promise in each.promise())
        n_own = sum(len(promise.terms) for promise in self.policy.require[number].promise())
        return list(self.refinement.reached[n_before : n_before + n_own])

    def timed(self, what: str) -> "_Timer":
        """Add the time of a block to that of a part of the work."""
        return _Timer(self.timings, what)

    def _reset(self) -> None:
        self.draft = Draft(self.table, drop=self.policy.drop)
        self.job = Job(
            table=self.table, policy=self.policy, draft=self.draft, choices=self.job.choices, hidden=self.job.hidden
        )
        self.guards = [each.home.guard.GUARD(self.job, i) for i, each in enumerate(self.policy.require)]
        self.repairs, self._turn, self._n_quiet, self._is_refining = [], [], 0, True
        self._search, self._local, self.regrouping = None, None, None
        self._withhold_first()

    @property
    def _searched(self) -> list[int]:
        """The requirements that a search keeps: they count groups, and their columns are not averaged."""
        averaged = self.policy.averaged
        return [i for i, each in enumerate(self.policy.require) if each.refines and i not in averaged]

    def _withhold_first(self) -> None:
        """Withhold what is withheld whatever happens: hidden cells, and missing ones where their column asks for it."""
        for guard in self.guards:
            guard.begin()
        write_means(self.draft, self.table, self.policy)
        settings = self.policy.columns
        read = self.policy.read(self.draft.names)
        for name in [each for each in read if each in settings and settings[each].missing == "withhold"]:
            column = self.draft.column(name)
            if column.missing is not None:
                rows = np.flatnonzero(column.nodes == column.missing)
                self.draft.coarsen(name, rows, 0, Reason(-1, "missing"))

    def _without_missing(self, *readings: str) -> list[str]:
        columns = self.policy.columns
        return [name for name in self.policy.counted if name in columns and columns[name].missing in readings]

    def start_search(self, withheld: np.ndarray | None = None) -> Search:
        """Return the papers' search before its first step; `withheld` rows are published as ``*`` and not counted."""
        policy = self.policy
        numbers = self._searched
        names = {*policy.refined, *policy.counted, policy.target, *self._sensitive()} - {None}
        return start_search(
            self.table,
            [self.guards[i].asked_of_search for i in numbers],
            target=policy.target,
            target_kind=self.target_kind or "class",
            score=policy.score,
            splits=policy.splits,
            masks=policy.masks,
            numbers=numbers,
            rows=self._counted_rows([str(name) for name in names], withheld),
        )

    def _counted_rows(self, names: Sequence[str], withheld: np.ndarray | None) -> CountedRows:
        if isinstance(self.table.store, PartialStore):
            return PartialRows(self.table)  # what withholds single cells or rows has asked for rows before
        return CountedRows(
            self.table,
            withheld=self._with_rows(self._masks(names, informed=None), withheld),
            unknown=self._masks(names, informed=True),
            without_missing=self._without_missing("withhold", "any"),
        )

    def _with_rows(self, masks: dict[str, np.ndarray], withheld: np.ndarray | None) -> dict[str, np.ndarray]:
        """Return which cells of each column are withheld, those of whole rows among them."""
        if withheld is None or not withheld.any():
            return masks
        return masks | {name: withheld | masks.get(name, False) for name in self.policy.counted}

    def _sensitive(self) -> Sequence[str]:
        policy = self.policy
        return [n for i, r in enumerate(policy.require) if r.refines for n in r.sensitive_columns(policy, i)]

    def _masks(self, names: Sequence[str], *, informed: bool | None) -> dict[str, np.ndarray]:
        found = {}
        for name in names:
            rows = self.job.rows_hidden(name, informed=informed)
            if rows.size:
                found[name] = np.zeros(self.table.n_rows, dtype=bool)
                found[name][rows] = True
        return found

    def _repair(self) -> Repair | None:
        """Let guards repair in turn, up to the next change; None where a whole turn changed nothing."""
        while not self.is_done:
            if not self._turn:
                self._turn = sorted(self.guards, key=lambda guard: guard.turn)
            guard = self._turn.pop(0)
            mark = self.draft.mark
            if guard.repair(lambda what: self._say(what, None)):
                self._n_quiet = 1
                made = Repair(
                    requirement=guard.number,
                    kind=self.policy.require[guard.number].kind,
                    cells={name: self.draft.n_cells(rows) for name, rows in self.draft.changed_since(mark)},
                )
                self.repairs.append(made)
                return made
            self._n_quiet += 1
        return None


class _Timer:
    """Adds the time of a block to a table of times."""

    def __init__(self, timings: dict[str, float], what: str) -> None:
        self._timings = timings
        self._what = what

    def __enter__(self) -> None:
        self._begin = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self._timings[self._what] = self._timings.get(self._what, 0.0) + time.perf_counter() - self._begin
