"""Random small tables with random policies that mix all kinds of promises on shared columns.

One generator serves two sources of chance: `case_of(seed)` uses `random.Random`, `cases()` is a hypothesis strategy.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any, Protocol

from hypothesis import strategies as st
from tests.equivalence.mixtures.meaning import MISSING, WITHHELD, Column, Tree

import withhold as wh

KINDS = ("anonymity", "template", "diversity", "closeness", "hidden", "risk")
PAIRS = tuple(combinations_with_replacement(KINDS, 2))
NAMES = ("age", "sex", "home town", "job", "ill", "pay")
MARKER = "line"
"""A column that no requirement reads, by which shuffled rows can be found again."""


class Dice(Protocol):
    """A source of chance."""

    def integer(self, low: int, high: int) -> int:
        """Return a whole number, both ends included."""


class Seeded:
    """Chance from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class Drawn:
    """Chance from hypothesis, which prefers small numbers when it looks for a simpler example."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return int(self._draw(st.integers(low, high)))


@dataclass(frozen=True, kw_only=True)
class Case:
    """A table and a policy, as plain texts and dictionaries."""

    rows: list[dict[str, str]]
    policy: dict[str, Any]
    kinds: tuple[str, ...] = field(default=())


def case_of(seed: int, kinds: Sequence[str] | None = None, *, is_plain: bool = False) -> Case:
    """Return the case of a seed; the kinds go through all pairs, and larger mixtures every third time.

    A plain case spells each number in one way and leaves missing cells empty.
    """
    if kinds is None and seed % 3:
        kinds = PAIRS[seed // 3 % len(PAIRS)]
    return make_case(Seeded(seed), kinds, is_plain=is_plain)


@st.composite
def cases(draw: Callable[[Any], Any], kinds: Sequence[str] | None = None, *, is_plain: bool = False) -> Case:
    """Return a strategy of cases."""
    return make_case(Drawn(draw), kinds, is_plain=is_plain)


def make_case(dice: Dice, kinds: Sequence[str] | None, *, is_plain: bool = False) -> Case:
    """Return a random table with a policy of these kinds; of any mixture of one to five without them."""
    if kinds is None:
        kinds = [choose(dice, KINDS) for _ in range(dice.integer(1, 5))]
    return _Maker(dice, tuple(kinds), is_plain).case()


def choose(dice: Dice, options: Sequence[Any]) -> Any:
    """Return one of them."""
    return options[dice.integer(0, len(options) - 1)]


def some(dice: Dice, options: Sequence[Any], least: int, most: int) -> list[Any]:
    """Return a few of them, in their order."""
    left = list(range(len(options)))
    size = min(len(left), dice.integer(least, max(least, most)))
    chosen = [left.pop(dice.integer(0, len(left) - 1)) for _ in range(size)]
    return [options[i] for i in sorted(chosen)]


class _Maker:
    """Makes one case: first the columns, then the rows, then the requirements."""

    def __init__(self, dice: Dice, kinds: tuple[str, ...], is_plain: bool) -> None:
        self.dice = dice
        self.kinds = kinds
        self.is_plain = is_plain
        self.policy: dict[str, Any] = {}
        self.settings: dict[str, dict[str, Any]] = {}
        self.named: dict[str, Any] = {}
        self.names = list(NAMES[: dice.integer(3, 6)])
        self.rows: list[dict[str, str]] = [{} for _ in range(dice.integer(8, 40))]

    def happens(self, percent: int) -> bool:
        return self.dice.integer(1, 100) <= percent

    def choose(self, *options: Any) -> Any:
        return choose(self.dice, options)

    def case(self) -> Case:
        marks = self.choose([], [], ["?"], ["?", "-9"]) if not self.is_plain else []
        likeness = [self.dice.integer(0, 5) for _ in self.rows]
        for name in self.names:
            self._fill(name, likeness, marks)
        self._spoil()
        self._settle()
        self.policy["require"] = [getattr(self, f"_{kind}")() for kind in self.kinds]
        if marks:
            self.policy["missing"] = marks
        if self.settings:
            self.policy["columns"] = self.settings
        return Case(rows=self.rows, policy=self.policy, kinds=self.kinds)

    def _fill(self, name: str, likeness: list[int], marks: list[str]) -> None:
        """Fill a column; rows that are alike mostly hold the same value."""
        values = self._domain(name)
        strength, missing = self.choose(30, 60, 90), self.choose(0, 0, 0, 5, 20)
        for row, like in zip(self.rows, likeness, strict=True):
            if self.happens(missing):
                row[name] = self.choose(MISSING, *marks)
            else:
                value = values[like % len(values)] if self.happens(strength) else choose(self.dice, values)
                row[name] = choose(self.dice, value) if isinstance(value, tuple) else value

    def _domain(self, name: str) -> list[Any]:
        """Return the values of a column: categories, leaves of a taxonomy, or numbers in several spellings."""
        kind = self.choose("category", "taxonomy", "number")
        if kind == "category":
            return ["abcde"[i] for i in range(self.dice.integer(2, 5))]
        if kind == "taxonomy":
            nested = _taxonomy(self.dice)
            self.settings[name] = {"taxonomy": nested}
            return Tree(nested).leaves
        self.settings[name] = {"type": "number"}
        numbers = [
            ("1", "1.0", "01"),
            ("2",),
            ("0", "-0.0", "0.0"),
            ("2.5", "2.50"),
            ("7",),
            ("10", "1e1"),
            ("-3",),
            ("12",),
        ]
        return some(self.dice, [each[:1] if self.is_plain else each for each in numbers], 2, len(numbers))

    def _spoil(self) -> None:
        """Make the table odd now and then: an empty row, an empty column, a cell that was withheld before."""
        if self.happens(5):
            choose(self.dice, self.rows).update(dict.fromkeys(self.names, MISSING))
        if self.happens(3) and not self.is_plain:
            choose(self.dice, self.rows)[choose(self.dice, self.names)] = WITHHELD
        if self.happens(3):
            name = choose(self.dice, self.names)
            for row in self.rows:
                row[name] = MISSING

    def _settle(self) -> None:
        """Choose what a policy says beside its requirements, and add columns that no requirement reads."""
        if self.happens(40):
            self.policy["target"] = choose(self.dice, self.names)
        if self.happens(20):
            self.policy["splits"] = "valid"
        if self.happens(25):
            self.policy["drop"] = ["name"]
            for i, row in enumerate(self.rows):
                row["name"] = f"Person {i}"
        if self.happens(15):
            self.policy["rows"] = "shuffle"
            for i, row in enumerate(self.rows):
                row[MARKER] = f"line {i}"
        about_cells = {"hidden", "risk"} & {*self.kinds}
        for name in self.names:
            settings = self.settings.setdefault(name, {})
            if settings.get("type") == "number" and self.happens(40 if about_cells else 5):
                settings["bins"] = self.choose(2, 3, [-3, 0, 2, 12], [-5, 2.5, 20])
                if isinstance(settings["bins"], list) and self.happens(30):
                    settings["publish"] = "midpoint"
            if settings.get("type") == "number" and self.happens(10):
                settings["range"] = [-10, 50]
            if settings.get("type") != "number" and self.happens(8):
                settings["mask"] = self.choose("suppress", "generalize")
            if self.happens(3):
                settings["missing"] = self.choose("withhold", "any")
            if not settings:
                del self.settings[name]

    # The requirements

    def _values(self, name: str) -> list[str]:
        """Return the values of a column, each in its one spelling."""
        column = Column(name, self.settings.get(name, {}), ["?", "-9"], [row[name] for row in self.rows])
        return sorted(column.values)

    def _apart(self, most: int) -> tuple[list[str], str]:
        """Return some columns and one that is not among them."""
        one = choose(self.dice, self.names)
        return some(self.dice, [name for name in self.names if name != one], 1, most), one

    def _anonymity(self) -> dict[str, Any]:
        k = self.choose(2, 2, 3, 4, 5, len(self.rows) + (1 if self.happens(20) else -5))
        found = {"kind": "anonymity", "columns": some(self.dice, self.names, 1, 3), "k": max(2, k)}
        return found | ({"blanks": "any"} if self.happens(35) else {})

    def _template(self) -> dict[str, Any]:
        given, sensitive = self._apart(3)
        values = some(self.dice, self._values(sensitive), 1, 2) or ["a"]
        found = {
            "kind": "template",
            "given": given,
            "hide": {sensitive: values},
            "at_most": self.choose(0.3, 0.5, 0.6, 0.75, 0.9),
        }
        if self.happens(15):
            found["keep"] = some(self.dice, given, 1, 1)
        return found

    def _diversity(self) -> dict[str, Any]:
        columns, sensitive = self._apart(3)
        found = {"kind": "diversity", "columns": columns, "sensitive": sensitive, "l": self.choose(2, 2, 3)}
        model = self.choose("distinct", "entropy", "recursive", None)
        if model:
            found["model"] = model
        if model == "recursive":
            found["c"] = self.choose(1.0, 2.0, 3.5)
        return found

    def _closeness(self) -> dict[str, Any]:
        columns, sensitive = self._apart(3)
        found = {"kind": "closeness", "columns": columns, "sensitive": sensitive, "t": self.choose(0.1, 0.2, 0.35, 0.5)}
        distance = self.choose("equal", "ordered", "taxonomy", None)
        if distance:
            found["distance"] = distance
        return found

    def _hidden(self) -> dict[str, Any]:
        found: dict[str, Any] = {"kind": "hidden", "most_withheld": 1.0}
        predictors, target = self._apart(4)
        other = choose(self.dice, [name for name in self.names if name != target])
        texts = [] if self.settings.get(other, {}).get("type") == "number" else self._values(other)
        if self.named and self.happens(30):
            found |= self.named
            predictors = [name for name in predictors if name != found.get("column")] or [other]
        elif texts and self.happens(40):
            found |= {"column": target, "where": f"\"{other}\" = '{choose(self.dice, texts)}'"}
        else:
            rows = some(self.dice, range(len(self.rows)), 1, 6)
            targets = [target, other] if self.happens(15) else [target]
            found["cells"] = [[row, choose(self.dice, targets)] for row in rows]
        self.named = {key: found[key] for key in ("column", "where", "cells") if key in found}
        if self.happens(50) or self.policy.get("rows") == "shuffle":
            found["predictors"] = predictors
        if self.happens(20):
            found["informed"] = True
            names = self.choose(["naive-bayes"], ["id3"], None)
            return found | ({"against": names} if names else {})
        if self.happens(20):
            names = self.choose(["naive-bayes"], ["id3"], ["naive-bayes", "id3"])
            return found | {"against": [{"adversary": name, "modify": "generalize"} for name in names]}
        against: list[Any] = some(self.dice, ["naive-bayes", "id3", "rules"], 1, 3)
        rules = {"adversary": "rules", "confidence": self.choose(0.6, 0.8, 1.0), "support": self.choose(1, 2, 0.1)}
        bayes = self.choose("naive-bayes", "naive-bayes", {"adversary": "naive-bayes", "degree": 2})
        tree = self.choose("id3", "id3", {"adversary": "id3", "delete_above": 2})
        named = {"rules": rules, "naive-bayes": bayes, "id3": tree}
        return found | {"against": [named[name] for name in against]}

    def _risk(self) -> dict[str, Any]:
        known = {name: self.choose(0.05, 0.2, 0.5, 0.8, 1.0) for name in some(self.dice, self.names, 1, 4)}
        sensitive: dict[str, Any] = {}
        for name in some(self.dice, self.names, 1, 2):
            values = [] if "bins" in self.settings.get(name, {}) else some(self.dice, self._values(name), 1, 2)
            is_by_value = values and self.happens(60)
            sensitive[name] = (
                {value: self.choose(0.5, 1.0) for value in values} if is_by_value else self.choose(0.3, 1.0)
            )
        found = {"kind": "risk", "known": known, "sensitive": sensitive, "at_most": self.choose(2, 5, 10, 25, 60)}
        found["most_withheld"] = 1.0
        if self.happens(20):
            found |= {"alpha": 1.0, "at_most": self.choose(0.05, 0.1, 0.3)}
        if self.happens(25):
            found["modify"] = "generalize"
        return found


def _taxonomy(dice: Dice) -> dict[str, Any]:
    """Return a taxonomy of two or three levels below its root; single children and leaves of unequal depth occur."""
    groups: dict[str, Any] = {}
    for i in range(dice.integer(2, 3)):
        leaves = [f"{'xyz'[i]}{j}" for j in range(dice.integer(1, 3))]
        is_deep = len(leaves) > 1 and dice.integer(0, 2) == 0
        groups["XYZ"[i]] = {f"{'XYZ'[i]}{'XYZ'[i]}": leaves[1:], leaves[0]: {}} if is_deep else leaves
    return {choose(dice, ["Any", "*"]): groups}


def toml(value: Any) -> str:
    """Return a value as TOML writes it, all in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def policy_text(policy: dict[str, Any]) -> str:
    """Return a policy as a TOML file."""
    return "\n".join(f"{key} = {toml(value)}" for key, value in policy.items())


def as_policy(policy: dict[str, Any]) -> wh.Policy:
    """Return a policy for the package."""
    return wh.Policy.loads(policy_text(policy))
