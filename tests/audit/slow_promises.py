"""The promises of a policy, judged from two lists of rows by their definitions alone. Nothing is shared with the audit.

A table is a list of dictionaries from column to text; a withheld cell is ``*``, a missing one None.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import slow_inference as slow
from slow_risk import slow_risks
from slow_rules import slow_rules

import withhold as wh

Rows = list[dict[str, str | None]]
Broken = tuple[str, str, str]
"""The kind of finding, its place in the policy, and the adversary."""


class Promises:
    """A policy over an original table, and which cells each of its requirements hides."""

    def __init__(self, original: Rows, policy: wh.Policy, trees: dict[str, dict], hidden: dict[int, list]) -> None:
        self.original = original
        self.policy = policy
        self.trees = trees
        self.hidden = hidden
        self.paths = {name: dict(_paths(tree, ())) for name, tree in trees.items()}

    def broken(self, published: Rows) -> set[Broken]:
        """Return every promise that a table breaks."""
        found: set[Broken] = set()
        for i, requirement in enumerate(self.policy.require):
            where = f"require[{i}]"
            if requirement.kind == "anonymity" and not _is_anonymous(published, requirement):
                found.add(("anonymity", where, ""))
            elif requirement.kind == "template" and not self._is_vague(published, requirement):
                found.add(("template", where, ""))
            elif requirement.kind == "risk" and not self._is_safe(published, requirement):
                found.add(("risk", where, ""))
            elif requirement.kind == "hidden":
                found |= self._exposed(published, i)
        names, known = list(published[0]), list(self.original[0])
        dropped = {name.casefold() for name in self.policy.drop}
        if any(name.casefold() in dropped for name in names):
            found.add(("drop", "drop", ""))
        if any(name not in known for name in names):
            found.add(("columns", "", ""))
        by_row = any(requirement.kind == "hidden" for requirement in self.policy.require)
        if len(published) != len(self.original) and (by_row or len(published) > len(self.original)):
            found.add(("rows", "", ""))
        shared = [name for name in names if name in known and name not in self.policy.drop]
        if len(published) <= len(self.original) and not self._are_rows_of_the_original(published, shared):
            found.add(("cells", "", ""))
        return found

    def _are_rows_of_the_original(self, published: Rows, names: list[str]) -> bool:
        """Return whether each row stands for one of the original, in order: row by row, or where some were removed."""
        left = iter(self.original)
        return all(
            any(all(self._may_stand_for(name, new[name], old[name]) for name in names) for old in left)
            for new in published
        )

    def _may_stand_for(self, name: str, new: str | None, old: str | None) -> bool:
        if new in (old, "*", None):
            return True
        if old is None:
            return name in self.trees and new == next(iter(self.trees[name]))
        if new in self.paths.get(name, {}).get(old, ()):
            return True
        if new.startswith("< "):
            return float(old) < float(new[2:])
        if new.startswith("≥ "):
            return float(old) >= float(new[2:])
        if new.startswith("["):
            low, high = (float(each) for each in new[1:-1].split(", "))
            return low <= float(old) and (float(old) <= high if new[-1] == "]" else float(old) < high)
        return False

    def _is_safe(self, published: Rows, risk: wh.Risk) -> bool:
        rows = [[_known(row[name]) for name in risk.columns] for row in published]
        weights = []
        for j, name in enumerate(risk.columns):
            given = risk.sensitive.get(name, 0.0)
            weights.append({row[j]: self._weight(name, row[j], given) for row in rows if row[j] is not None})
        chances = [Fraction(str(risk.known.get(name, 0.0))) for name in risk.columns]
        risks = slow_risks(rows, chances, weights, alpha=Fraction(str(risk.alpha)))
        return max(risks) <= Fraction(str(risk.at_most))

    def _weight(self, name: str, text: str, given: object) -> Fraction:
        if not isinstance(given, dict):
            return Fraction(str(given))
        below = [leaf for leaf, path in self.paths.get(name, {}).items() if text in path]
        return max((Fraction(str(given.get(value, 0.0))) for value in [text, *below]), default=Fraction(0))

    def _is_vague(self, published: Rows, template: wh.Template) -> bool:
        for column, value in template.terms:
            above = self.paths.get(column, {}).get(value, ())
            readings = [[row[column] if row[column] not in ("*", *above) else None for row in published]]
            if len(published) == len(self.original):
                readings.append([row[column] for row in self.original])
            for answers in readings:
                answered = [i for i, answer in enumerate(answers) if answer is not None]
                among = _groups([published[i] for i in answered], template.given)
                held = _groups([published[i] for i in answered if answers[i] == value], template.given)
                if any(Fraction(n, among[group]) > Fraction(str(template.at_most)) for group, n in held.items()):
                    return False
        return True

    def _exposed(self, published: Rows, number: int) -> set[Broken]:
        where, requirement = f"require[{number}]", self.policy.require[number]
        found: set[Broken] = set()
        if len(published) != len(self.original):
            return {("hidden", where, "")}
        climbs = requirement.modify == "generalize"
        cells = [(row, name) for row, name in self.hidden[number] if _known(self.original[row][name]) is not None]
        for row, name in cells:
            text = _known(published[row][name])
            path = self.paths.get(name, {}).get(self.original[row][name], ("*",))
            if text is not None and not (climbs and text in path):
                found.add(("hidden", where, ""))
        names = list(requirement.predictors or published[0])
        masked = {name for each in self.policy.require if isinstance(each, wh.Anonymity) for name in each.columns}
        masked |= {name for each in self.policy.require if isinstance(each, wh.Template) for name in each.given}
        shown = {name for name in published[0] if name not in masked}
        left = [(row, name) for row, name in cells if not self._is_deleted(published[row], row, shown, cells)]
        for against in requirement.against:
            if self._recovers(published, against, left, [n for n in published[0] if n in names], climbs):
                found.add(("hidden", where, against.adversary))
        return found

    def _is_deleted(self, new: dict, row: int, shown: set[str], cells: list) -> bool:
        """Return whether a row is published as a row of stars, but for columns that are masked as a whole."""
        old = {name: self.original[row][name] for name in shown if name in self.original[row]}
        knew = any(_known(text) is not None for name, text in old.items() if (row, name) not in cells)
        return knew and all(_known(new[name]) is None for name in shown)

    def _recovers(self, published: Rows, against: wh.Against, cells: list, names: list[str], climbs: bool) -> bool:
        columns = list(published[0])
        rows = [[_known(row[name]) for name in columns] for row in published]
        actual = {(row, name): self.original[row][name] for row, name in cells}
        if against.adversary == "rules":
            used = [name for name in columns if name in names or any(name == column for _, column in cells)]
            at = [columns.index(name) for name in used]
            chosen = [[row[j] for j in at] for row in rows]
            for (row, name), text in actual.items():
                chosen[row][used.index(name)] = text
            private = {(row, used.index(name)) for row, name in cells}
            support = int(against.support)
            return bool(slow_rules(chosen, private, confidence=Fraction(str(against.confidence)), support=support))
        trees = {name: tree for name, tree in self.trees.items() if name in columns} if climbs else {}
        domains = {name: self._domain(name, [row[j] for row in rows]) for j, name in enumerate(columns)}
        table = slow.Table(columns, rows, domains, trees)
        may_say = {
            ("naive-bayes", False): slow.nb_may_say,
            ("naive-bayes", True): slow.nb_may_say_g,
            ("id3", False): slow.id3_follows,
            ("id3", True): slow.id3_follows_g,
        }[against.adversary, climbs]
        return any(
            str(text) in may_say(table, row + 1, name, [each for each in names if each != name])
            for (row, name), text in actual.items()
            if not climbs or self._may_stand_for(name, published[row][name], text)
        )

    def _domain(self, name: str, texts: Sequence[str | None]) -> list[str]:
        """Return the values of a column in the order that decides ties: of its tree or bins, else of appearance."""
        if name in self.paths:
            return list(self.paths[name])
        bins = {str(text) for text in texts if text is not None and text.startswith("[")}
        if bins:
            return sorted({str(text) for text in texts if text is not None}, key=lambda text: text.strip("[])"))
        if name not in self.original[0]:
            return sorted({str(text) for text in texts})
        return list(dict.fromkeys(str(row[name]) for row in self.original if _known(row[name]) is not None))


def _paths(tree: dict, above: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """Return every leaf with the nodes above it."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for label, below in tree.items():
        if below:
            found += _paths(below, (*above, label))
        else:
            found.append((label, above))
    return found


def _known(text: str | None) -> str | None:
    return None if text in (None, "*", "?") else text


def _groups(rows: Rows, columns: Sequence[str]) -> Counter:
    return Counter(tuple(row[name] for name in columns) for row in rows)


def _is_anonymous(rows: Rows, anonymity: wh.Anonymity) -> bool:
    return min(_groups(rows, anonymity.columns).values()) >= anonymity.k
