"""The requirements about single cells: all of them in turn, until every one holds at once."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np

from withhold.engines import Source
from withhold.errors import Mistake, PolicyError
from withhold.methods.inference import Choices, Defence, Sheet, Shield
from withhold.policy import Against, Anonymity, Hidden, Policy, Risk, Template
from withhold.policy._cells import Cells, bin_recodings, cell_grid, find_cells
from withhold.policy._hidden import whole
from withhold.table import CellRecoding, Grid, Numbers, Recoding, Table, Taxonomy, cell_recodings
from withhold.table._decision import WITHHELD

__all__ = ["HiddenOutcome", "RiskOutcome", "SingleCells", "withhold_cells"]

MOST_EXCHANGES = 10_000
"""How many entries are tried in place of blanked ones, to blank fewer."""
Published = dict[tuple[int, str], str]
"""What is published in cells that changed, by row and column."""
Reason = tuple[int, Literal["hidden", "protects hidden", "risk", "deleted row"]]
"""Why a cell changed: the number of the requirement, and what it was withheld as."""


@dataclass(slots=True)
class HiddenOutcome:
    """What was done for one requirement about hidden cells."""

    number: int
    """Its place in the policy."""
    cells: Cells
    """The cells that were hidden."""
    n_missing: int = 0
    """How many cells it names held nothing already."""
    exposed: dict[str, int] = field(default_factory=dict)
    """For each adversary how many of them it would have recovered, had only they been hidden."""
    classes: list[dict[str, Any]] = field(default_factory=list)
    """For each column and value: hidden cells, and what protected how many of them."""
    n_blanked: int = 0
    """How many other cells were blanked for it."""
    n_coarsened: int = 0
    """How many other cells were coarsened for it."""
    deleted: set[int] = field(default_factory=set)
    """The rows that were deleted."""
    rules: dict[str, Any] = field(default_factory=dict)
    """What was mined and blanked against association rules."""


@dataclass(slots=True)
class RiskOutcome:
    """What was done for one requirement about record risk."""

    number: int
    """Its place in the policy."""
    n_above: int = 0
    """How many records were above the threshold before."""
    n_rounds: int = 0
    """How many rounds it took."""
    n_blanked: int = 0
    """How many cells were blanked for it, given back ones left out."""
    n_coarsened: int = 0
    """How many cells climbed along their taxonomies."""
    n_sensitive: int = 0
    """How many of the blanked ones were sensitive themselves."""
    n_given_back: int = 0
    """How many cells turned out not to be needed, and were given back."""
    largest: float = 0.0
    """The largest risk that a record has now, at most."""
    ncp: float = 0.0
    """The normalised certainty penalty over the columns it names."""
    before: list[tuple[float, float, int]] = field(default_factory=list)
    """How many records lay in each interval of risk before …"""
    after: list[tuple[float, float, int]] = field(default_factory=list)
    """… and after."""
    by_column: dict[str, float] = field(default_factory=dict)
    """The share of all risk that goes when nobody knows a column."""


@dataclass(frozen=True, slots=True)
class SingleCells:
    """What is withheld cell by cell, and why."""

    recodings: tuple[Recoding, ...] = ()
    """Number columns that are published in bins."""
    cells: tuple[CellRecoding, ...] = ()
    """The cells."""
    hidden: tuple[HiddenOutcome, ...] = ()
    """What was done for each requirement about hidden cells …"""
    risks: tuple[RiskOutcome, ...] = ()
    """… and for each about record risk."""
    before: Grid | None = None
    """The columns as they were …"""
    published: Published = field(default_factory=dict)
    """… and the cells that changed."""
    reasons: dict[tuple[int, str], "Reason"] = field(default_factory=dict)
    """Why each of them changed."""
    notes: tuple[str, ...] = ()
    """What the owner should know."""

    def after(self, before: Grid) -> Grid:
        """Return the columns as they are published."""
        codes = before.codes.copy()
        labels = [list(values) for values in before.labels]
        place = {name: j for j, name in enumerate(before.columns)}
        known = [{text: code for code, text in enumerate(values)} for values in labels]
        for (row, name), text in self.published.items():
            j = place[name]
            if text != WITHHELD and text not in known[j]:
                known[j][text] = len(labels[j])
                labels[j].append(text)
            codes[row, j] = -1 if text == WITHHELD else known[j][text]
        return Grid(before.columns, tuple(tuple(values) for values in labels), codes)


def withhold_cells(
    table: Table, policy: Policy, *, choices: Choices, say: Callable[[str], object] = lambda what: None
) -> SingleCells:
    """Meet every requirement about single cells.

    Each adversary is met in turn on what the ones before left, until a whole turn changes nothing. Cells are only ever
    withheld, so this ends.
    """
    numbers = [name for name in table.names if isinstance(table.domain(name), Numbers)]
    source = cast(Source, table.store)
    places = [i for i, requirement in enumerate(policy.require) if isinstance(requirement, Hidden)]
    listed = {i: find_cells(source, policy, i, numbers=numbers) for i in places}
    every = [cell for cells in listed.values() for cell in cells]
    _check_mixture(policy, listed)
    bins = bin_recodings(table, policy, every)
    published: Published = {}
    works = [_HiddenWork(table, policy, i, listed[i], bins, choices, every) for i in places]
    risks = [_RiskWork(table, policy, i, bins) for i, each in enumerate(policy.require) if isinstance(each, Risk)]
    turns: list[_HiddenWork | _RiskWork] = [*works, *risks]
    reasons: dict[tuple[int, str], Reason] = {}
    for work in works:
        work.hide(published)
        for cell in work.outcome.cells:
            reasons.setdefault(cell, (work.outcome.number, "hidden"))
    is_done = False
    while not is_done:
        is_done = True
        for each in turns:
            if each.protect(published, say):
                is_done = False
            for cell in published.keys() - reasons.keys():
                reasons[cell] = (each.outcome.number, "risk" if isinstance(each, _RiskWork) else "protects hidden")
    masked = {name for requirement in policy.require for name in requirement.masked}
    names = [name for name in table.names if name not in policy.drop and name not in masked]
    for work in works:
        for row in work.outcome.deleted:
            published |= {(row, name): WITHHELD for name in names}
            for name in names:
                if (row, name) not in reasons or reasons[row, name][1] != "hidden":
                    reasons[row, name] = (work.outcome.number, "deleted row")
    touched = list(dict.fromkeys(name for _, name in published))
    before = None
    if touched:
        before = cell_grid(table, touched, bins, where="", source=policy.source, most_numbers=table.n_rows)
    published = _without_missing(published, before)
    return SingleCells(
        recodings=tuple(recoding for _, recoding in bins.values()),
        cells=cell_recodings(published),
        hidden=tuple(work.outcome for work in works),
        risks=tuple(work.outcome for work in risks),
        before=before,
        published=published,
        reasons={cell: reasons[cell] for cell in published},
        notes=tuple(note for work in works for note in work.notes()),
    )


def _check_mixture(policy: Policy, listed: dict[int, Cells]) -> None:
    """Refuse hidden cells of a column in which another requirement counts groups."""
    counted = {
        name
        for requirement in policy.require
        if isinstance(requirement, Anonymity | Template)
        for name in (*requirement.columns, *(requirement.hide if isinstance(requirement, Template) else ()))
    }
    mistakes = [
        Mistake(
            f"require[{i}].cells", f'cells of column "{name}" are hidden, in which another requirement counts groups.'
        )
        for i, cells in listed.items()
        for name in dict.fromkeys(name for _, name in cells)
        if name in counted
    ]
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)


def _without_missing(published: Published, grid: Grid | None) -> Published:
    """Leave out cells that held nothing: they stay as they are."""
    if grid is None:
        return published
    place = {name: j for j, name in enumerate(grid.columns)}
    return {(row, name): text for (row, name), text in published.items() if grid.codes[row, place[name]] >= 0}


class _HiddenWork:
    """One requirement about hidden cells, under way."""

    def __init__(
        self, table: Table, policy: Policy, number: int, cells: Cells, bins: Any, choices: Choices, every: Cells
    ) -> None:
        requirement = policy.require[number]
        assert isinstance(requirement, Hidden)
        self.requirement = requirement
        self.choices = choices
        names = [name for name in table.names if name not in policy.drop]
        targets = list(dict.fromkeys(name for _, name in cells))
        if requirement.predictors is not None:
            names = [name for name in names if name in requirement.predictors or name in targets]
        self.grid = cell_grid(table, names, bins, where=f"require[{number}].predictors", source=policy.source)
        self._learned = self.grid
        if requirement.informed:
            # What is decided from here on cannot hang on a hidden value: it is not there.
            in_order = {*bins, *(name for name in names if table.has_given_domain(name))}
            self._learned = self.grid.without([cell for cell in every if cell[1] in names], in_order=in_order)
        place = {name: j for j, name in enumerate(self.grid.columns)}
        known = [(row, name) for row, name in cells if self.grid.codes[row, place[name]] >= 0]
        self._check(targets, known, policy, number)
        self.outcome = HiddenOutcome(number=number, cells=known, n_missing=len(cells) - len(known))
        self._cells = [(row, place[name]) for row, name in known]
        self._classifiers = [each for each in requirement.against if each.adversary != "rules"]
        self._rules = next((each for each in requirement.against if each.adversary == "rules"), None)
        self._taxonomies = {
            name: domain
            for name in names
            if table.has_given_domain(name) and isinstance(domain := table.domain(name), Taxonomy)
        }

    def _check(self, targets: list[str], known: Cells, policy: Policy, number: int) -> None:
        mistakes = []
        for name in targets:
            if len(self.grid.labels[self.grid.place(name)]) < 2:
                what = f'column "{name}" has only one value, so a blank in it hides nothing.'
                mistakes.append(Mistake(f"require[{number}]", what))
        for k, each in enumerate(self.requirement.against):
            if each.adversary == "rules" and each.support > self.grid.n_rows:
                what = f"is more than the {self.grid.n_rows} rows of the table, so no rule could count."
                mistakes.append(Mistake(f"require[{number}].against[{k}].support", what))
        if not known and not mistakes:
            mistakes.append(Mistake(f"require[{number}]", "every cell it names is missing already."))
        if mistakes:
            raise PolicyError(mistakes, source=policy.source)

    def notes(self) -> list[str]:
        """Warn where the choice of cells, or that they are protected, tells what stood in them."""
        is_informed, found = self.requirement.informed, []
        if not is_informed:
            found.append(
                f"require[{self.outcome.number}]: who knows which cells are protected, and from whom, may guess them "
                "more often than if they were only blank; `withhold audit --original` measures that, and "
                "`informed = true` prevents it."
            )
        place = {name: j for j, name in enumerate(self.grid.columns)}
        for name in dict.fromkeys(name for _, name in self.outcome.cells):
            rows = [row for row, column in self.outcome.cells if column == name]
            values, n_hidden = np.unique(self.grid.codes[rows, place[name]], return_counts=True)
            n_all = np.bincount(self.grid.codes[:, place[name]] + 1)[1:][values]
            where = f'require[{self.outcome.number}]: column "{name}"'
            if values.size == 1 and len(rows) > 1:
                found.append(f"{where}: all hidden cells hold the same value; who knows how they were chosen knows it.")
            elif (n_hidden == n_all).any():
                found.append(f"{where}: a value occurs in hidden cells only, so the release never shows it.")
            if self._classifiers and not is_informed and len(self.grid.labels[place[name]]) == 2:
                found.append(
                    f"{where}: it has two values, so whoever knows that a cell is protected from a classifier knows "
                    "that its guess is wrong, and so the value. Hint: `informed = true` where outsiders may know that."
                )
        return found

    def hide(self, published: Published) -> None:
        """Blank the hidden cells; where they will climb, that comes later."""
        published |= dict.fromkeys(self.outcome.cells, WITHHELD)

    def protect(self, published: Published, say: Callable[[str], object]) -> bool:
        """Meet its adversaries on the table as it stands; tell whether anything changed."""
        say(f"protecting {len(self.outcome.cells):,} hidden cells")
        before = dict(published)
        if self._classifiers:
            self._from_classifiers(published, say)
        if self._rules is not None:
            self._from_rules(self._rules, published)
        hidden = set(self.outcome.cells)
        new = {cell: text for cell, text in published.items() if before.get(cell) != text and cell not in hidden}
        new = {cell: text for cell, text in new.items() if cell[0] not in self.outcome.deleted}
        self.outcome.n_blanked += sum(text == WITHHELD for text in new.values())
        self.outcome.n_coarsened += sum(text != WITHHELD for text in new.values())
        return published != before

    def _from_classifiers(self, published: Published, say: Callable[[str], object]) -> None:
        requirement, is_first = self.requirement, not self.outcome.exposed
        sheet = Sheet(
            self._learned, modify=requirement.modify, predictors=requirement.predictors, taxonomies=self._taxonomies
        )
        gone = self.outcome.deleted
        cells = [cell for cell in self._cells if cell[0] not in gone]
        defences = [_defence(each) for each in self._classifiers]
        shield = Shield(sheet, cells, defences, choices=self.choices, is_blind=requirement.informed)
        if is_first:
            mark = sheet.mark
            shield.hide()
            self.outcome.exposed = {name: shield.count_exposed(name) for name in _names(self._classifiers)}
            sheet.undo(mark)
        place = {name: j for j, name in enumerate(self.grid.columns)}
        begin = sheet.mark
        hidden = set(self.outcome.cells)
        for (row, name), text in published.items():
            if name in place and (not is_first or (row, name) not in hidden):
                sheet.put(row, place[name], sheet.node(place[name], text))
        shield.run(lambda n_exposed: say(f"protecting hidden cells: {n_exposed} exposed"))
        for row, j in np.argwhere(sheet.state.codes != sheet.actual).tolist():
            published[row, self.grid.columns[j]] = sheet.published(j, int(sheet.state.codes[row, j]))
        sheet.undo(begin)
        gone |= {row for (row, _), status in shield.statuses.items() if status == "deleted"}
        if is_first:
            self.outcome.classes = self._classes(shield)

    def _classes(self, shield: Shield) -> list[dict[str, Any]]:
        """Tell for each column and value how many cells were hidden, and what protected them."""
        found: dict[tuple[int, int], Counter[str]] = {}
        for row, target in shield.cells:
            way = shield.ways.get((row, target), shield.statuses[row, target].replace("_", " "))
            found.setdefault((target, int(self.grid.codes[row, target])), Counter())[way] += 1
        return [
            {
                "column": self.grid.columns[target],
                "value": self.grid.labels[target][value],
                "cells": sum(ways.values()),
                "protected_by": dict(ways),
            }
            for (target, value), ways in sorted(found.items())
        ]

    def _from_rules(self, against: Against, published: Published) -> None:
        from withhold.methods.rules import RuleGuard, fair

        if against.rounds is not None and self.outcome.rules:
            return  # no more rounds than were asked for
        private = np.zeros(self.grid.codes.shape, dtype=bool)
        private[tuple(np.array(self._cells).T)] = True
        settings: Any = {"confidence": against.confidence, "support": whole(against.support)}
        if not self.outcome.rules:
            rules = fair(self.grid, private, **settings)
            self.outcome.exposed["rules"] = len(rules.predictable[0])
            self.outcome.rules = {
                "found": len(rules), "by_length": rules.by_length, "by_column": rules.by_column, "blanked": 0,
                "invalidation": 0, "marginalization": 0,
            }  # fmt: skip
        place = {name: j for j, name in enumerate(self.grid.columns)}
        guard = RuleGuard(self.grid.codes, private, **settings)
        others = [(row, place[name]) for row, name in published if name in place and not private[row, place[name]]]
        if others:
            guard.blank(*np.array(others).T)
        own = guard.blanked
        if against.rounds is None:
            guard.give_back(*guard.protect(blanking=whole(against.blanking)))
            new = guard.blanked & ~own
            new = guard.exchange(min(200 + 20 * int(new.sum()), MOST_EXCHANGES), own=new) if new.any() else new
        else:
            guard.rounds(blanking=whole(against.blanking), most=against.rounds)
            new = guard.blanked & ~own
        why = guard.reasons(*np.nonzero(new))
        self.outcome.rules["blanked"] += int(new.sum())
        self.outcome.rules["invalidation"] += int(np.count_nonzero(why[:, 0] > why[:, 1]))
        self.outcome.rules["marginalization"] += int(np.count_nonzero(why[:, 0] <= why[:, 1]))
        for row, j in np.argwhere(new).tolist():
            published[row, self.grid.columns[j]] = WITHHELD


class _RiskWork:
    """One requirement about record risk, under way."""

    def __init__(self, table: Table, policy: Policy, number: int, bins: Any) -> None:
        requirement = policy.require[number]
        assert isinstance(requirement, Risk)
        self.requirement = requirement
        self.outcome = RiskOutcome(number=number)
        where = f"require[{number}].known"
        self._table = table
        self._climbs = requirement.modify == "generalize"
        if self._climbs and (sum(not r.masked for r in policy.require) > 1 or set(bins) & set(requirement.columns)):
            what = 'modify = "generalize" cannot be combined with bins or with other requirements about single cells.'
            raise PolicyError([Mistake(f"require[{number}].modify", what)], source=policy.source)
        self.grid = cell_grid(table, requirement.columns, bins, where=where, source=policy.source)
        self._check_values(policy, number)

    def _check_values(self, policy: Policy, number: int) -> None:
        """Refuse weights for values that do not occur."""
        mistakes = []
        for name, weights in self.requirement.sensitive.items():
            known = self.grid.labels[self.grid.place(name)]
            for value in weights if isinstance(weights, dict) else ():
                if value not in known:
                    what = f'the value "{value}" does not occur in the column. Hint: values are compared as text.'
                    mistakes.append(Mistake(f"require[{number}].sensitive.{name}", what))
        if mistakes:
            raise PolicyError(mistakes, source=policy.source)

    def protect(self, published: Published, say: Callable[[str], object]) -> bool:
        """Withhold cells of the records above the threshold; tell whether anything changed."""
        from withhold.methods.risk import risk_by_column, suppress_risk

        requirement, outcome = self.requirement, self.outcome
        is_first = outcome.n_rounds == 0 and not outcome.before
        if not is_first and (self._climbs or not requirement.until_safe):
            return False
        say("measuring the risk of every record")
        place = {name: j for j, name in enumerate(self.grid.columns)}
        codes = self.grid.codes.copy()
        for row, name in published:
            if name in place:
                codes[row, place[name]] = -1
        grid = Grid(self.grid.columns, self.grid.labels, codes)
        question: Any = (requirement.known, requirement.sensitive)
        done = suppress_risk(
            self._table if self._climbs else grid,
            *question,
            alpha=requirement.alpha,
            at_most=requirement.at_most,
            until_safe=requirement.until_safe,
            generalize=self._climbs,
        )
        if is_first:
            outcome.n_above = done.rounds[0].above if done.rounds else 0
            outcome.before = done.before.histogram()
            outcome.by_column = risk_by_column(grid, *question, alpha=requirement.alpha)
        rows, columns = done.blanked
        published |= {
            (row, done.original.columns[j]): WITHHELD for row, j in zip(rows.tolist(), columns.tolist(), strict=True)
        }
        published |= {(row, name): text for row, name, text in done.generalised}
        outcome.n_rounds += len(done.rounds)
        outcome.n_blanked += rows.size
        outcome.n_coarsened += len(done.generalised)
        outcome.n_sensitive += done.sensitive
        outcome.n_given_back += done.given_back
        outcome.largest = float(done.after.high.max(initial=0.0))
        outcome.after = done.after.histogram()
        lost = rows.size + sum(done.penalties[name][text] for _, name, text in done.generalised)
        outcome.ncp += lost / max(grid.codes.size, 1)
        return bool(rows.size or done.generalised)


def _defence(against: Against) -> Defence:
    return Defence(against.adversary, against.method, against.degree, against.delete_above)


def _names(against: list[Against]) -> list[str]:
    return [each.adversary for each in against]
