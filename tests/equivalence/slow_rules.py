"""A slow reference of adversarial rules (Aggarwal, Pei and Zhang: FAiR and GraDeS, KDD 2006).

Every antecedent that occurs, every consequent and every count is enumerated from the rows. Nothing is pruned or kept.
A missing value, an entry of P and an entry of K are not public. An entry is hidden if it is in P, not missing and not
in K. The confidence threshold lies in (0, 1].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

Cell = tuple[int, int]
Cells = AbstractSet[Cell]
Rows = list[list[str | None]]
Item = tuple[int, str]
Itemset = tuple[Item, ...]


@dataclass(frozen=True, order=True)
class SlowRule:
    """X -> y with the size of pub(R), the size of hid(R), and in how many tuples of each the value is y."""

    antecedent: Itemset
    consequent: Item
    pub_n: int
    pub_y: int
    hid_n: int
    hid_y: int


def slow_rules(
    rows: Rows,
    private: Cells,
    blanked: Cells = frozenset(),
    *,
    confidence: Fraction,
    support: int,
    min_antecedent: int = 1,
) -> list[SlowRule]:
    """All adversarial rules, sorted."""
    candidates = every_rule(rows, private, blanked, min_antecedent)
    return sorted(rule for rule in candidates if is_adversarial(rule, confidence, support))


def predicted_cells(rules: Iterable[SlowRule], rows: Rows, private: Cells, blanked: Cells) -> set[Cell]:
    """Every private entry on which one of the rules fires, rightly or wrongly."""
    return {
        (row, rule.consequent[0])
        for rule in rules
        for row in hidden_set(rule.antecedent, rule.consequent[0], rows, private, blanked)
    }


def is_safe(
    rows: Rows, private: Cells, blanked: Cells, *, confidence: Fraction, support: int, min_antecedent: int = 1
) -> bool:
    """No rule is adversarial."""
    candidates = every_rule(rows, private, blanked, min_antecedent)
    return not any(is_adversarial(rule, confidence, support) for rule in candidates)


def slow_grades(
    rows: Rows,
    private: Cells,
    *,
    confidence: Fraction,
    support: int,
    blanking: int = 1,
    min_antecedent: int = 1,
    rounds: int | None = None,
) -> set[Cell]:
    """The entries GraDeS blanks. A round mines once and blanks until none of these rules is adversarial."""
    blanked: set[Cell] = set()
    done = 0
    while rounds is None or done < rounds:
        rules = slow_rules(
            rows, private, blanked, confidence=confidence, support=support, min_antecedent=min_antecedent
        )
        if not rules:
            break
        while rules:
            blanked.update(heaviest_entries(rules, rows, private, blanked, blanking))
            recounted = [counted(rule.antecedent, rule.consequent, rows, private, blanked) for rule in rules]
            rules = [rule for rule in recounted if is_adversarial(rule, confidence, support)]
        done += 1
    return blanked


def exact_minimum(
    rows: Rows, private: Cells, *, confidence: Fraction, support: int, min_antecedent: int = 1, most: int = 4
) -> int | None:
    """The size of the smallest safe K, or None if it is larger than `most`."""
    entries = [
        (row, column)
        for row, values in enumerate(rows)
        for column in range(len(values))
        if is_public((row, column), rows, private, frozenset())
    ]
    for size in range(most + 1):
        for blanked in combinations(entries, size):
            if is_safe(
                rows,
                private,
                frozenset(blanked),
                confidence=confidence,
                support=support,
                min_antecedent=min_antecedent,
            ):
                return size
    return None


def is_public(cell: Cell, rows: Rows, private: Cells, blanked: Cells) -> bool:
    """The value can be read in the published table."""
    row, column = cell
    return rows[row][column] is not None and cell not in private and cell not in blanked


def is_hidden(cell: Cell, rows: Rows, private: Cells, blanked: Cells) -> bool:
    """The value is one that has to be protected."""
    row, column = cell
    return rows[row][column] is not None and cell in private and cell not in blanked


def publicly_appears(antecedent: Itemset, row: int, rows: Rows, private: Cells, blanked: Cells) -> bool:
    """Every item of the antecedent can be read in the row."""
    return all(
        rows[row][column] == value and is_public((row, column), rows, private, blanked) for column, value in antecedent
    )


def public_set(antecedent: Itemset, column: int, rows: Rows, private: Cells, blanked: Cells) -> list[int]:
    """pub(R): the rows where the antecedent publicly appears and the entry of the column is public."""
    return [
        row
        for row in range(len(rows))
        if is_public((row, column), rows, private, blanked)
        and publicly_appears(antecedent, row, rows, private, blanked)
    ]


def hidden_set(antecedent: Itemset, column: int, rows: Rows, private: Cells, blanked: Cells) -> list[int]:
    """hid(R): the rows where the antecedent publicly appears and the entry of the column is hidden."""
    return [
        row
        for row in range(len(rows))
        if is_hidden((row, column), rows, private, blanked)
        and publicly_appears(antecedent, row, rows, private, blanked)
    ]


def counted(antecedent: Itemset, consequent: Item, rows: Rows, private: Cells, blanked: Cells) -> SlowRule:
    """The rule with its counts on this table."""
    column, value = consequent
    public = [rows[row][column] for row in public_set(antecedent, column, rows, private, blanked)]
    hidden = [rows[row][column] for row in hidden_set(antecedent, column, rows, private, blanked)]
    return SlowRule(antecedent, consequent, len(public), public.count(value), len(hidden), hidden.count(value))


def is_adversarial(rule: SlowRule, confidence: Fraction, support: int) -> bool:
    """Public confidence, hidden confidence and support reach their thresholds."""
    return (
        rule.pub_n >= 1
        and rule.hid_n >= 1
        and rule.pub_n >= support
        and Fraction(rule.pub_y, rule.pub_n) >= confidence
        and Fraction(rule.hid_y, rule.hid_n) >= confidence
    )


def public_itemsets(rows: Rows, private: Cells, blanked: Cells, shortest: int) -> list[Itemset]:
    """Every set of at least `shortest` items that publicly appears in some row, sorted."""
    itemsets: set[Itemset] = set()
    for row, values in enumerate(rows):
        items = [
            (column, value)
            for column, value in enumerate(values)
            if value is not None and is_public((row, column), rows, private, blanked)
        ]
        for size in range(shortest, len(items) + 1):
            itemsets.update(combinations(items, size))
    return sorted(itemsets)


def every_rule(rows: Rows, private: Cells, blanked: Cells, min_antecedent: int) -> Iterator[SlowRule]:
    """Every antecedent that publicly appears with every value of every other column."""
    items = sorted({(column, value) for values in rows for column, value in enumerate(values) if value is not None})
    for antecedent in public_itemsets(rows, private, blanked, min_antecedent):
        used = {column for column, _ in antecedent}
        for consequent in items:
            if consequent[0] not in used:
                yield counted(antecedent, consequent, rows, private, blanked)


def entry_weights(rules: Iterable[SlowRule], rows: Rows, private: Cells, blanked: Cells) -> dict[Cell, Fraction]:
    """The weight of every entry that has one: what blanking it contributes to hiding the rules."""
    weights: dict[Cell, Fraction] = {}
    for rule in rules:
        column, value = rule.consequent
        used = [each for each, _ in rule.antecedent]
        public = public_set(rule.antecedent, column, rows, private, blanked)
        hidden = hidden_set(rule.antecedent, column, rows, private, blanked)
        for row in public:
            if rows[row][column] == value:
                for each in [*used, column]:
                    weights[row, each] = weights.get((row, each), Fraction(0)) + Fraction(1, len(public))
        for row in hidden:
            for each in used:
                weights[row, each] = weights.get((row, each), Fraction(0)) + Fraction(1, len(hidden))
    return weights


def heaviest_entries(rules: Iterable[SlowRule], rows: Rows, private: Cells, blanked: Cells, number: int) -> list[Cell]:
    """The entries of largest weight, the smaller (row, column) first among equals."""
    weights = entry_weights(rules, rows, private, blanked)
    return sorted(weights, key=lambda cell: (-weights[cell], cell))[:number]
