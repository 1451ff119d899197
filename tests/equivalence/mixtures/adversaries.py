"""What naive Bayes and association rules infer about a hidden cell from a release, by their definitions.

Naive Bayes: Hintoğlu (2011), without smoothing. Rules: Aggarwal, Pei and Zhang (2006). The ID3 tree is in `id3`.
A blank is unknown. Any other text is a value of its own; only with taxonomies (`modify = "generalize"`) it is a node, and
what is known of a node is shared out among the values below it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil

from tests.equivalence.mixtures.meaning import BLANKS, Column, Tree

Row = dict[str, str]
ROOT = "(any value)"


class View:
    """A release as an adversary sees it: None where nothing is known."""

    def __init__(self, published: Sequence[Row], columns: dict[str, Column], *, with_trees: bool = False) -> None:
        self.n_rows = len(published)
        self.columns = columns
        self.with_trees = with_trees
        self._cells = [{name: None if text in BLANKS else text for name, text in row.items()} for row in published]
        self.trees = {name: self._tree(columns[name]) for name in published[0]} if with_trees else {}

    def get(self, row: int | None, name: str) -> str | None:
        """Return a cell; the row None is one without values."""
        return None if row is None else self._cells[row][name]

    def texts(self, name: str) -> set[str]:
        """Return what is published in a column."""
        return {str(row[name]) for row in self._cells if row[name] is not None}

    def labelled(self, name: str, *, but: int | None) -> list[int]:
        """Return the rows with a known cell in a column, all but one."""
        return [i for i in range(self.n_rows) if i != but and self.get(i, name) is not None]

    def _tree(self, column: Column) -> Tree:
        """Return a column's taxonomy; without one, a root over its values as they would be published."""
        texts = sorted(self.texts(column.name))
        if column.tree is not None:
            return column.tree.with_leaves(texts)
        read = (text for value in column.values for text in sorted(column.read_as(value, texts)))
        return Tree({ROOT: {text: {} for text in [*texts, *read]}})


def said_by_bayes(scores: dict[str, Fraction]) -> str | None:
    """Return the value that is more probable than every other one; None where there is no such value."""
    best = [value for value, score in scores.items() if score == max(scores.values())]
    return best[0] if len(best) == 1 and scores[best[0]] > 0 else None


def bayes_scores(view: View, row: int | None, target: str, predictors: Sequence[str], but: int) -> dict[str, Fraction]:
    """Return p(v) · Π p(x|v) for each published value v: blanks in other rows stay in the denominator.

    All rows train but the one that holds the hidden cell.
    """
    known = view.labelled(target, but=but)
    scores = {}
    for value in sorted(view.texts(target)):
        members = [i for i in known if view.get(i, target) == value]
        if not members:
            continue
        score = Fraction(len(members), len(known))
        for name in predictors:
            if view.get(row, name) is not None:
                alike = [i for i in members if view.get(i, name) == view.get(row, name)]
                score *= Fraction(len(alike), len(members))
        scores[value] = score
    return scores


def shared_bayes_scores(view: View, row: int, target: str, predictors: Sequence[str]) -> dict[str, Fraction]:
    """Return p(v) · Π p(x|v) for each value v below the hidden cell's node, with counts shared out along the trees.

    Rows labelled at or below that node train; an unknown cell is at the root.
    """
    tree = view.trees[target]
    top = view.get(row, target) or tree.root
    others = [i for i in range(view.n_rows) if i != row]
    labels = {i: view.get(i, target) or tree.root for i in others}
    known = [i for i in others if labels[i] == top or tree.is_below(labels[i], top)]
    members = share_out(tree, Counter(labels[i] for i in known), top)
    scores = {}
    for value in tree.leaves_below(top):
        score = members[value] / len(known) if known else Fraction(0)
        for name in predictors:
            seen = view.get(row, name)
            if seen is not None:
                own = view.trees[name]
                nodes = Counter(view.get(i, name) or own.root for i in others if labels[i] == value)
                score *= share_out(own, nodes, own.root)[seen] / members[value] if members[value] else 0
        scores[value] = score
    return scores


def share_out(tree: Tree, counts: Counter[str], top: str) -> dict[str, Fraction]:
    """Return the count of every node at and below `top`: its own and those below, and its part of what stands above.

    What a node holds beyond its children goes to them in proportion to what they hold, in equal parts if that is nothing.
    """

    def held(node: str) -> int:
        return counts[node] + sum(held(child) for child in tree.children[node])

    found = {top: Fraction(held(top))}
    for node in [top, *(each for each in tree.children if tree.is_below(each, top))]:
        children = tree.children[node]
        below = sum(held(child) for child in children)
        for child in children:
            found[child] = found[node] * (Fraction(held(child), below) if below else Fraction(1, len(children)))
    return found


def adversarial_rules(
    view: View, hidden: dict[int, set[str]], target: str, predictors: Sequence[str], confidence: float, support: float
) -> Iterator[str]:
    """Yield each rule X → y that holds often enough, both where the column is published and where it is hidden.

    `hidden` has for each row of a hidden cell the texts that give it away.
    """
    least = Fraction(str(confidence))
    n_least = int(support) if support >= 1 else max(1, ceil(Fraction(str(support)) * view.n_rows))
    for size in range(1, len(predictors) + 1):
        for names in combinations(predictors, size):
            covers: dict[tuple[str | None, ...], list[int]] = {}
            for i in range(view.n_rows):
                covers.setdefault(tuple(view.get(i, name) for name in names), []).append(i)
            for texts, rows in covers.items():
                if None in texts:
                    continue
                public = Counter(view.get(i, target) for i in rows if i not in hidden)
                del public[None]
                private = [i for i in rows if i in hidden]
                for value, n_right in sorted(public.items()):
                    n_hit = sum(value in hidden[i] for i in private)
                    is_public = sum(public.values()) >= n_least and Fraction(n_right, sum(public.values())) >= least
                    if is_public and private and Fraction(n_hit, len(private)) >= least:
                        yield f"{dict(zip(names, texts, strict=True))} → {target} = {value}"
