"""Attack a checked file, and measure what it is still worth."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from withhold.attackers import Attack, Attacker, Target, attack_cells, judge_together, standard_attackers
from withhold.auditing._count_uniques import Uniques, count_uniques
from withhold.auditing._disclosures import in_order
from withhold.auditing._linkage import homogeneity, known_columns, linkage
from withhold.auditing._others import nameable
from withhold.auditing._published_sets import guess_from_sets
from withhold.auditing._result import Audit, CellAttack
from withhold.auditing._sampled import sampled_risks
from withhold.auditing._sight import Sight
from withhold.auditing._source_of import source_of
from withhold.auditing._variance_note import variance_note
from withhold.auditing.candidates import find_candidates, still_alone
from withhold.engines import Source
from withhold.errors import InputError, RowsNeededError
from withhold.metrics import classification_utility, column_profile, dependence
from withhold.policy import Policy, target_kind_of
from withhold.requirements import Question
from withhold.table import Table

__all__ = ["describe_source", "examine"]

Say = Callable[[str], object]
QUICK_ROWS, QUICK_CELLS = 20_000, 2_000
MOST_ROWS, MOST_CELLS = 200_000, 50_000
MOST_UNIQUE_COLUMNS = 15
MOST_COLUMNS, MOST_VALUES = 30, 10_000
"""How many columns are compared pair by pair, and with how many values at most: more are identifiers."""
COUNTS_ALONE = "only linkage and homogeneity were tried: other attacks need rows, and there are too many to send here."
AGAINST_OTHERS = ("naive-bayes-smoothed", "boosting")
"""The attackers who try cells that no requirement hides; the others would only take longer."""


def examine(
    checked: Audit,
    sight: Sight,
    *,
    release: object,
    quick: bool,
    say: Say,
    rng: int | np.random.Generator | None,
) -> Audit:
    """Return the audit with attacks on the file, and with what analysts lose where the original is there."""
    work = _Examination(checked, sight, quick=quick, say=say, rng=np.random.default_rng(rng))
    work.link()
    if not sight.has_rows:
        with suppress(RowsNeededError):  # the original may have more distinct rows than may come
            work.spread_risk()
        return replace(work.audit, notes=(*work.audit.notes, COUNTS_ALONE))
    work.guess_from_sets(release)
    work.spread_risk()
    if sight.is_aligned:
        work.attack_cells()
    work.find_uniques()
    if sight.original is not None:
        work.measure_utility()
        work.compare_columns()
    return work.audit


def describe_source(checked: Audit, source: Source, policy: Policy, original: Table) -> Audit:
    """Return the audit with what can be reported of a release at once: linkage, and its columns before and after."""
    sight = Sight(source, policy, original)
    work = _Examination(checked, sight, quick=False, say=lambda what: None, rng=np.random.default_rng())
    work.link()
    if sight.has_rows:
        work.compare_columns()
    return work.audit


class _Examination:
    """An audit that grows."""

    def __init__(
        self,
        checked: Audit,
        sight: Sight,
        *,
        quick: bool,
        say: Say,
        rng: np.random.Generator,
    ) -> None:
        self.audit = replace(checked, quick=quick)
        self._sight, self._source, self._policy, self._original = sight, sight.source, sight.policy, sight.original
        self._most_rows, self._most_cells = (QUICK_ROWS, QUICK_CELLS) if quick else (MOST_ROWS, MOST_CELLS)
        self._say = say
        self._rng = rng

    def link(self) -> None:
        """Look for people by what is known of them."""
        with self._part("linkage", "looking for people by what is known of them"):
            before = None if self._original is None else source_of(self._original)
            links = linkage(self._source, self._policy, before)
            read_off = homogeneity(self._source, self._policy, before, self._sight.withheld)
            self.audit = replace(self.audit, attacks=(*self.audit.attacks, *links, *read_off))
        if not self._sight.has_rows:
            return
        with self._part("population", "looking for people in the population"):
            sampled = sampled_risks(self._sight, known_columns(self._source, self._policy))
            self.audit = replace(self.audit, populations=tuple(sampled))
        with self._part("candidates", "looking for rows that each person could be"):
            found = find_candidates(self._sight, rng=self._rng)
            exposed = [disclosure for each in found for disclosure in still_alone(each)]
            self.audit = replace(
                self.audit,
                attacks=(*self.audit.attacks, *found),
                disclosures=in_order([*self.audit.disclosures, *exposed]),
            )

    def guess_from_sets(self, release: object) -> None:
        """Guess withheld values from the list beside the file."""
        found = guess_from_sets(release, self._sight)
        self.audit = replace(self.audit, attacks=(*self.audit.attacks, *found))

    def spread_risk(self) -> None:
        """Measure how the risk of records is spread, for each requirement about it."""
        found = []
        for i, requirement in enumerate(self._policy.require):
            spread = getattr(requirement.home.check, "spread", None)
            if spread is not None:
                with self._part("risk", "measuring the risk of the original's records"):
                    after = next(finding for finding in self.audit.findings if finding.where == f"require[{i}]")
                    found.append(spread(Question(sight=self._sight, number=i, rng=self._rng), after))
        self.audit = replace(self.audit, risks=tuple(found))

    def attack_cells(self) -> None:
        """Let every attacker try the cells that each requirement hides, and some the others."""
        with self._part("attacks", "attacking"):
            found = [attack for number in self._sight.hidden for attack in self._attack_hidden(number)]
            found += self._attack_others()
            self.audit = replace(self.audit, attacks=(*found, *self.audit.attacks))

    def _attack_others(self) -> list[CellAttack]:
        """Attack the cells that no requirement hides, but for those whose value the release never names."""
        published = {name: labels for name, (_, labels) in self._sight.after.items()}
        others, note = nameable(self._sight.others(), published)
        if note:
            self.audit = replace(self.audit, notes=(*self.audit.notes, note))
        some = [attacker for attacker in standard_attackers() if attacker.name in AGAINST_OTHERS]
        return [CellAttack.of(each, scope="other") for each in self._attack(others, some, None)] if others else []

    def _attack_hidden(self, number: int) -> list[CellAttack]:
        """Attack the cells of one requirement.

        The adversaries that it names predict from the columns that it names; everybody else from all. Who knows the
        policy knows that the named ones fail with these columns, and nothing of others.
        """
        requirement: Any = self._policy.require[number]
        targets = self._sight.targets(number)
        if not targets:
            return []
        predictors = requirement.predictors
        promised = None if predictors is None else dict.fromkeys((target.column for target in targets), predictors)
        classifiers = {*requirement.adversaries} & {"naive-bayes", "id3"}
        everyone = standard_attackers(against=classifiers, order=self._sight.orders, promised=promised)
        # The rules of a policy have a confidence and a support; the attacker by rules takes any, so it is another one.
        bound = [attacker for attacker in everyone if attacker.name in classifiers]
        free = [attacker for attacker in everyone if attacker.name not in classifiers]
        if predictors is None:
            outcomes = self._attack(targets, everyone, requirement)
        else:
            seed = int(self._rng.integers(2**62))  # all of them try the same cells
            outcomes = self._attack(targets, bound, requirement, predictors=predictors, rng=seed)
            outcomes = judge_together(outcomes + self._attack(targets, free, requirement, rng=seed))
        where = f"require[{number}]"
        return [CellAttack.of(a, scope="hidden", where=where, is_named=a.attacker in classifiers) for a in outcomes]

    def _attack(
        self,
        targets: list[Target],
        attackers: list[Attacker],
        requirement: Any,
        predictors: Sequence[str] | None = None,
        rng: int | None = None,
    ) -> list[Attack]:
        return attack_cells(
            self._sight.released_view(requirement),
            self._sight.before_view(requirement),
            targets,
            attackers=attackers,
            predictors=predictors,
            max_train=self._most_rows,
            max_cells=self._most_cells,
            rng=self._rng if rng is None else rng,
            progress=self._say,
        )

    def find_uniques(self) -> None:
        """Count on how few columns rows are unique."""
        with self._part("uniques", "looking for unique rows"):
            columns = self._known_columns()
            if not columns:
                return
            views = [self._sight.released_view()]
            views += [] if self._original is None else [self._sight.original_view()]
            found: list[Uniques] = [count_uniques(view, columns) for view in views]
            self.audit = replace(self.audit, uniques=tuple(found))

    def measure_utility(self) -> None:
        """Measure what somebody loses who learns to predict the target."""
        target = self._policy.target
        if target is None or target not in self._sight.names:
            return
        with self._part("utility", f"learning to predict {target}"):
            before, after = self._sight.grids()
            masked = [name for name in self._sight.names if name != target and self._is_changed(name)]
            if self._original is not None and target_kind_of(self._policy, self._original) == "number":
                self.audit = replace(
                    self.audit, notes=(*self.audit.notes, variance_note(before, after, target, masked))
                )
                return
            try:
                utility = classification_utility(
                    before,
                    after,
                    target,
                    masked=masked,
                    aligned=self._sight.is_aligned,
                    max_rows=self._most_rows,
                    rng=self._rng,
                )
            except InputError:
                what = f"what analysts lose was not measured: too few rows have a known {target} before and after."
                self.audit = replace(self.audit, notes=(*self.audit.notes, what))
                return
            self.audit = replace(self.audit, utility=replace(utility, notes=(*utility.notes, *self._left_out())))

    def _left_out(self) -> list[str]:
        """Return which columns no model learned from, because the file does not hold them."""
        known = () if self._original is None else self._original.names
        lost = [name for name in known if name not in self._sight.names and name not in self._policy.drop]
        return [f"The file does not hold {', '.join(lost)}: the error of the original is without them."] if lost else []

    def compare_columns(self) -> None:
        """Compare each column, and each pair of them, before and after."""
        if not self._sight.names:
            return
        with self._part("columns", "comparing columns"):
            before, after = self._sight.grids()
            names = self._sight.names
            profiles = tuple(column_profile(before, after, name, kind=self._kind(name)) for name in names)
            some = [name for name in names if len(before.labels[before.place(name)]) <= MOST_VALUES][:MOST_COLUMNS]
            pair = tuple(dependence(grid, some, max_rows=self._most_rows) for grid in (after, before))
            self.audit = replace(self.audit, columns=profiles, dependence=pair if len(some) > 1 else ())

    def _kind(self, name: str) -> Literal["category"] | None:
        """Return what a column holds, where the policy says so."""
        settings = self._policy.columns.get(name)
        is_category = settings is not None and (settings.has_tree or settings.type == "category")
        return "category" if is_category else None

    def _is_changed(self, name: str) -> bool:
        (codes, labels), (old, old_labels) = self._sight.after[name], self._sight.before[name]
        if codes.shape != old.shape:
            return labels != old_labels
        place = {label: code for code, label in enumerate(labels)}
        lookup = np.array([*(place.get(label, -2) for label in old_labels), -1], dtype=np.int64)
        return bool((lookup[old] != codes).any())

    def _known_columns(self) -> list[str]:
        """Return the columns that an outsider may know of a person; all where the policy does not say."""
        named: list[str] = []
        for i, requirement in enumerate(self._policy.require):
            if not requirement.needs_rows:
                named += requirement.linked_by(self._sight.names, self._policy, i)
        names = [name for name in self._sight.names if not named or name in named]
        return names[:MOST_UNIQUE_COLUMNS]

    @contextmanager
    def _part(self, name: str, what: str) -> Iterator[None]:
        self._say(what)
        begin = time.perf_counter()
        yield
        seconds = self.audit.timings.get(name, 0.0) + time.perf_counter() - begin
        self.audit = replace(self.audit, timings={**self.audit.timings, name: seconds})
