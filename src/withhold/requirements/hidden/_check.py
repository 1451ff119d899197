"""The check of hidden cells: the audit trains its own adversaries on the written file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.attackers import (
    Attacker,
    View,
    bayes_recovers,
    bayes_says_more,
    family_of,
    id3_recovers,
    id3_says_more,
    rules_recover,
)
from withhold.auditing import Finding, Sight, n_surplus
from withhold.errors import Mistake, PolicyError, did_you_mean
from withhold.requirements._check import Question
from withhold.requirements.hidden._contest import Contest, compete, sentence
from withhold.requirements.hidden._found import hidden_rows
from withhold.requirements.hidden._requirement import Against, Hidden, whole
from withhold.requirements.hidden._words import UNTRIED

__all__ = ["check", "hidden_rows"]

_Ints = NDArray[np.int64]
NAMES = {"naive-bayes": "naive Bayes", "id3": "ID3", "rules": "association rules", "any": "learners"}


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """The hidden cells of one column that held something."""

    name: str
    rows: _Ints
    """Where they are in the file."""
    was: _Ints
    """What stood there, as places in the original's dictionary."""

    def left(self, is_left: NDArray[np.bool_]) -> "_Target":
        """Return those in some rows of the file."""
        return _Target(self.name, self.rows[is_left[self.rows]], self.was[is_left[self.rows]])


def check(question: Question) -> list[Finding]:
    """Check that the cells are withheld, and that no adversary trained on the file gives what stood there.

    A row of which nothing is published counts as deleted; see `_is_deleted`. Where shuffled rows cannot be found, only
    how many cells are withheld is checked.
    """
    sight, number = question.sight, question.number
    requirement = sight.policy.require[number]
    assert isinstance(requirement, Hidden)
    if sight.original is None and requirement.column is not None:
        what = "which cells are hidden is known only with the original. Hint: --original."
        raise PolicyError([Mistake(f"require[{number}].column", what)], source=sight.policy.source)
    if sight.original is not None and sight.source.n_rows != sight.original.n_rows:
        says = f"the file has {sight.source.n_rows:,} rows and the original {sight.original.n_rows:,}"
        return [_finding(number, (), 1, f"{says}, so no cell can be found")]
    _check_published(sight, number)
    if sight.original is None or sight.rows is None:
        return [_counted(sight, requirement, number)]
    targets = _targets(sight, number)
    proof = _Check(sight, requirement, number)
    findings = [proof.are_withheld(targets)]
    if requirement.informed:
        return findings + [
            proof.compete(against, targets, question) if against.adversary == "any" else proof.listen(against, targets)
            for against in requirement.against
        ]
    is_deleted = proof.is_deleted(targets)
    left = [target.left(~is_deleted) for target in targets]
    gone = proof.of_deleted([target.left(is_deleted) for target in targets])
    return findings + [
        proof.compete(against, left, question) if against.adversary == "any" else proof.attack(against, left, gone)
        for against in requirement.against
    ]


def _targets(sight: Sight, number: int) -> list[_Target]:
    found = []
    for name, rows in sight.hidden[number].items():
        rows = np.sort(sight.placed(rows))
        was = sight.was(name)[rows]
        is_known = ~sight.meaning(name).was_missing[was]
        found.append(_Target(name, rows[is_known], was[is_known]))
    return found


def _check_published(sight: Sight, number: int) -> None:
    """Refuse a file without the columns of the hidden cells: nothing can be said about them."""
    names = sight.source.names
    mistakes = [
        Mistake(f"require[{number}]", f'no column "{name}"{did_you_mean(name, names)}')
        for name in sight.hidden[number]
        if name not in names
    ]
    if mistakes:
        raise PolicyError(mistakes, source=sight.policy.source)


def _counted(sight: Sight, requirement: Hidden, number: int) -> Finding:
    """Check hidden cells of which it is not known where they are, or what stood there."""
    n_open, n_cells, cells = 0, 0, sight.hidden[number]
    for name, rows in cells.items():
        meaning, now = sight.meaning(name), sight.cells(name).astype(np.int64)
        is_open = ~meaning.is_blank
        if requirement.modify == "generalize":
            is_open &= [key is None or not meaning.is_coarse(key) for key in meaning.keys]
        if sight.policy.rows == "keep":
            n_open += int(np.count_nonzero(is_open[now[rows]]))
            n_cells += rows.size
        elif sight.original is None:
            n_open += max(0, int(np.count_nonzero(is_open[now])) - (now.size - rows.size))
            n_cells += rows.size
        else:
            was = sight.was(name)
            n_cells += int(np.count_nonzero(~meaning.was_missing[was[rows]]))
            others = np.bincount(np.delete(was, rows), minlength=len(meaning.values))
            n_open += n_surplus(meaning, np.bincount(now, minlength=len(meaning.texts)) * is_open, others)
    says = _says_open(n_open, n_cells, tuple(cells), is_least=sight.policy.rows == "shuffle")
    why = "that needs the original" if sight.original is None else "the rows are shuffled and their order is not known"
    details: dict[str, object] = {"cells": n_cells, "published": n_open}
    return _finding(
        number, tuple(cells), n_open, f"{says}; {UNTRIED}, because {why}", details=details, is_complete=False
    )


def _says_open(n_open: int, n_cells: int, columns: Sequence[str], *, is_least: bool = False) -> str:
    said = f"{n_cells:,} cells in {', '.join(columns)}"
    if n_open:
        return f"{'at least ' if is_least else ''}{n_open:,} of {said} are published"
    return f"as many cells are withheld as were hidden: {said}" if is_least else f"all {said} are withheld"


class _Check:
    """The check of one requirement."""

    def __init__(self, sight: Sight, requirement: Hidden, number: int) -> None:
        self._sight = sight
        self._requirement = requirement
        self._number = number
        self._predictors = tuple(requirement.predictors or sight.source.names)
        used = {*self._predictors, *sight.hidden[number]}
        self._names = [name for name in sight.source.names if name in used]
        self._varying = frozenset(name for name in self._names if sight.meaning(name).varies)
        self._seen: dict[tuple[frozenset[str], str], View] = {}

    def are_withheld(self, targets: Sequence[_Target]) -> Finding:
        """Check that every cell is blank, or published as something coarser than what stood there."""
        n_open = 0
        for target in targets:
            meaning = self._sight.meaning(target.name)
            now = self._sight.cells(target.name)[target.rows].astype(np.int64)
            is_open = ~meaning.is_blank[now]
            if self._requirement.modify == "generalize" and meaning.tree is not None:
                for place in np.unique(now[is_open]).tolist():
                    key = str(meaning.keys[place])
                    if key in meaning.tree.labels and meaning.is_coarse(key):
                        is_open[now == place] = ~meaning.covered(key, target.was[now == place])
            n_open += int(np.count_nonzero(is_open))
        n_cells, columns = _n_cells(targets), tuple(target.name for target in targets)
        details: dict[str, object] = {"cells": n_cells, "published": n_open}
        return _finding(self._number, columns, n_open, _says_open(n_open, n_cells, columns), details=details)

    def is_deleted(self, targets: Sequence[_Target]) -> NDArray[np.bool_]:
        """Return which rows were deleted: something but hidden cells was known, and all of it is withheld.

        Columns that the policy keeps as they are hold their cells.
        """
        sight = self._sight
        assert sight.original is not None
        masked = {name for each in sight.policy.require for name in each.kept}
        hidden = {target.name: target.rows for target in targets}
        is_blank, was_known = (np.full(sight.source.n_rows, each, dtype=np.bool_) for each in (True, False))
        for name in [name for name in sight.source.names if name not in masked]:
            is_blank &= sight.meaning(name).is_blank[sight.cells(name)]
            if name in sight.original.names:
                here = ~sight.meaning(name).was_missing[sight.was(name)]
                here[hidden.get(name, [])] = False
                was_known |= here
        return is_blank & was_known

    def of_deleted(self, gone: Sequence[_Target]) -> dict[str, int]:
        """Count the cells in deleted rows, and how many of them the most frequent value would be right on."""
        n_right = 0
        for target in (target for target in gone if target.rows.size):
            codes, labels = self._sight.seen(target.name)
            counts = np.bincount(codes[codes >= 0], minlength=1)
            common = labels[int(counts.argmax())] if labels else None
            n_right += sum(common in labels for labels in self._truths(target))
        return {"cells": _n_cells(gone), "most_frequent_value": n_right}

    def attack(self, against: Against, targets: Sequence[_Target], deleted: dict[str, int]) -> Finding:
        """Let one adversary try every cell, once for each way to read the file."""
        columns, n_cells = tuple(target.name for target in targets), _n_cells(targets)
        details: dict[str, object] = {"adversary": against.adversary, "cells": n_cells, "deleted": deleted}
        if against.adversary == "rules":
            n_found = details["rules"] = self._n_rules(against, targets)
            what = f"{n_found:,} adversarial rules are left"
        else:
            n_found = sum(int(self._recovered(against, target).sum()) for target in targets)
            what = f"it recovers {n_found:,} of {n_cells:,} hidden cells"
        gone = ""
        if deleted["cells"]:
            gone = (
                f"; {deleted['cells']:,} more lie in deleted rows, of which nothing is published "
                f"(the most frequent value is right on {deleted['most_frequent_value']} of them)"
            )
        relatives = " and its relatives" if against.family else ""
        says = f"{NAMES[against.adversary]}{relatives}, trained on the file: {what}{gone}"
        return _finding(self._number, columns, n_found, says, details=details)

    def compete(self, against: Against, targets: Sequence[_Target], question: Question) -> Finding:
        """Let learners, most of them none that a guard knows, compete with a guess on every cell."""
        held = [
            (next(self._views(target.name))[0], [labels[0] for labels in self._truths(target)], target)
            for target in targets
            if target.rows.size
        ]
        found = compete([
            Contest(view=view, column=target.name, rows=target.rows, truth=tuple(truth), used=self._others(target.name))
            for view, truth, target in held
        ], certainty=against.certainty, rng=question.rng, say=question.say)  # fmt: skip
        n_better = sum(each.is_better for each in found)
        details: dict[str, object] = {
            "adversary": "any", "cells": _n_cells(targets), "learners": [each.to_json() for each in found]
        }  # fmt: skip
        columns = tuple(target.name for target in targets)
        return _finding(self._number, columns, n_better, sentence(found), details=details)

    def listen(self, against: Against, targets: Sequence[_Target]) -> Finding:
        """Let one adversary speak of every cell, and of a row without values."""
        columns, n_cells, n_inferred = tuple(target.name for target in targets), _n_cells(targets), 0
        if against.adversary == "rules":
            n_inferred = sum(self._n_named(against, target) for target in targets if target.rows.size)
            says = f"{NAMES['rules']} of the published rows: {n_inferred:,} of them name a value of a hidden cell"
            details: dict[str, object] = {"adversary": "rules", "cells": n_cells, "inferred": n_inferred}
            return _finding(self._number, columns, n_inferred, says, details=details)
        says_more = bayes_says_more if against.adversary == "naive-bayes" else id3_says_more
        for target in targets:
            found = np.zeros(target.rows.size, dtype=np.bool_)
            for view, _ in self._views(target.name):
                found |= says_more(view, target.name, target.rows, predictors=self._others(target.name))
            n_inferred += int(np.count_nonzero(found))
        says = (
            f"{NAMES[against.adversary]}, trained on the file: of {n_inferred:,} of {n_cells:,} hidden cells it says "
            "more than of a row without values"
        )
        details = {"adversary": against.adversary, "cells": n_cells, "inferred": n_inferred}
        return _finding(self._number, columns, n_inferred, says, details=details)

    def _n_named(self, against: Against, target: _Target) -> int:
        """Count the rules that fire on hidden cells of a column, by their published rows alone."""
        counts = [0]
        for view, _ in self._views(target.name):
            n_rules = 0
            for label in view.labels[view.columns.index(target.name)]:
                n_rules += rules_recover(
                    view,
                    {target.name: dict.fromkeys(target.rows.tolist(), label)},
                    confidence=against.confidence,
                    support=whole(against.support),
                    predictors=self._predictors,
                ).n_rules
            counts.append(n_rules)
        return max(counts)

    def _recovered(self, against: Against, target: _Target) -> NDArray[np.bool_]:
        """Return which cells of a column a classifier gives, in any way to read the file."""
        found, used = np.zeros(target.rows.size, dtype=np.bool_), self._others(target.name)
        for view, as_text in self._views(target.name) if target.rows.size else ():
            for truth in _each(self._truths(target, as_text=as_text)):
                if against.adversary == "naive-bayes":
                    found |= bayes_recovers(view, target.name, target.rows, truth, predictors=used)
                else:
                    found |= id3_recovers(view, target.name, target.rows, truth, predictors=used)
                for relative in family_of(against.adversary) if against.family else ():
                    found |= _gives(relative, view, target, truth, used)
        return found

    def _n_rules(self, against: Against, targets: Sequence[_Target]) -> int:
        """Count the adversarial rules about each column, in the way to read the file that has the most."""
        n_rules = 0
        for target in (target for target in targets if target.rows.size):
            counts = []
            for view, as_text in self._views(target.name):
                for truth in _each(self._truths(target, as_text=as_text)):
                    hidden = {target.name: dict(zip(target.rows.tolist(), truth, strict=True))}
                    support = whole(against.support)
                    found = rules_recover(
                        view, hidden, confidence=against.confidence, support=support, predictors=self._predictors
                    )
                    counts.append(found.n_rules)
            n_rules += max(counts)
        return n_rules

    def _views(self, target: str) -> Iterator[tuple[View, bool]]:
        """Yield the ways to read the file, and whether the target is read as text.

        By what its texts mean; and where one value has several spellings, by the texts: spelling may depend on what is
        hidden.
        """
        ways = dict.fromkeys([frozenset[str](), self._varying - {target}, self._varying])
        for as_text in ways:
            way = as_text, target if target in as_text else ""
            if way not in self._seen:
                view = self._sight.view(self._names, self._requirement, target=target, as_text=as_text)
                self._seen[way] = view
            yield self._seen[way], target in as_text

    def _truths(self, target: _Target, *, as_text: bool = False) -> list[tuple[str, ...]]:
        """Return for each cell the labels that give it away; along a taxonomy only the value itself does."""
        meaning = self._sight.meaning(target.name)
        places, inverse = np.unique(target.was, return_inverse=True)
        is_exact = self._requirement.modify == "generalize" and meaning.tree is not None
        truths = meaning.truths(places, as_text=as_text, is_exact=is_exact)
        return [truths[place] for place in inverse.tolist()]

    def _others(self, target: str) -> list[str]:
        return [name for name in self._predictors if name != target]


def _gives(
    relative: Attacker, view: View, target: _Target, truth: Sequence[str], used: Sequence[str]
) -> NDArray[np.bool_]:
    """Return which cells a relative of a named adversary gives."""
    relative.fit(view, target.name, used, rng=np.random.default_rng(0))
    said = relative.guess(target.rows)
    labels = np.array([*view.labels[view.columns.index(target.name)], None], dtype=object)
    return np.asarray(labels[said] == np.array(truth, dtype=object), dtype=np.bool_)


def _each(truths: list[tuple[str, ...]]) -> Iterator[list[str]]:
    """Yield one label for each cell, again and again until each of its labels was there together with the same."""
    yield [labels[0] for labels in truths]
    for label in dict.fromkeys(label for labels in truths if len(labels) > 1 for label in labels):
        yield [label if label in labels else labels[0] for labels in truths]


def _n_cells(targets: Sequence[_Target]) -> int:
    return sum(target.rows.size for target in targets)


def _finding(
    number: int,
    columns: tuple[str, ...],
    n_found: int,
    says: str,
    *,
    details: dict[str, object] | None = None,
    is_complete: bool = True,
) -> Finding:
    return Finding(
        kind="hidden",
        where=f"require[{number}]",
        columns=columns,
        asked=0,
        reached=n_found,
        ok=n_found == 0,
        says=says,
        is_complete=is_complete,
        details=details or {},
    )
