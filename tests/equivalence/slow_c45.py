"""C4.5 in plain Python: items are (row, weight), nothing is shared between nodes, nothing is fast.

A tree is ("leaf", label, weights of the classes) or ("test", label, weights, attribute, cut, branches), where cut is a
number or None and branches is a dict from a value (or "low" and "high") to a tree.
"""

from itertools import pairwise
from math import exp, inf, isnan, log, log2, sqrt

NEAR = 1e-9
Z = {0.25: 0.84 + (0.25 - 0.84) * (0.25 - 0.2) / (0.4 - 0.2), 0.1: 1.28}


class SlowC45:
    def __init__(self, minimum=2, confidence=0.25, raising=True):
        self.minimum, self.confidence, self.raising = minimum, confidence, raising

    def fit(self, columns, kinds, labels):
        """Columns are lists; kinds are "number" or "category"; None is unknown."""
        self.kinds = kinds
        self.columns = [list(column) for column in columns]
        self.classes = sorted(set(labels))
        self.labels = list(labels)
        self.values = [sorted({cell for cell in column if cell is not None}) for column in self.columns]
        items = [(row, 1.0) for row in range(len(labels))]
        self.tree = self.prune(self.grow(items), items)
        return self

    def grow(self, items):
        weights = self.weigh(items)
        label = largest(weights, self.classes[0])
        total = sum(weights.values())
        leaf = ("leaf", label, weights)
        if total - weights[label] <= NEAR or total < 2 * self.minimum - NEAR:
            return leaf
        options = [(a, *self.evaluate(a, items)) for a in range(len(self.columns))]
        options = [option for option in options if option[1] is not None]
        few = [
            a
            for a in range(len(self.columns))
            if self.kinds[a] == "number" or max([*self.values[a], -1]) + 1 < 0.3 * len(self.labels)
        ]
        counted = [gain for a, gain, _, _ in options if a in few or not few]
        average = sum(counted) / len(counted) if counted else inf
        best, best_ratio = None, 0.0
        for a, gain, info, cut in options:
            if gain > NEAR and gain >= average - 0.001 - NEAR and info > 0.001 and gain / info > best_ratio + NEAR:
                best, best_ratio = (a, cut), gain / info
        if best is None:
            return leaf
        a, cut = best
        parts = self.divide(a, cut, items)
        empty = ("leaf", label, dict.fromkeys(self.classes, 0.0))
        branches = {name: self.grow(part) if part else empty for name, part in parts.items()}
        if sum(self.seen_errors(branch) for branch in branches.values()) >= total - weights[label] - 0.001:
            return leaf
        return ("test", label, weights, a, cut, branches)

    def evaluate(self, a, items):
        """Return gain, split information and cut of the best test of an attribute, or None."""
        known = [(row, w) for row, w in items if self.columns[a][row] is not None]
        total, total_known = mass(items), mass(known)
        nothing = (None, None, None)
        cuts = [None]
        if self.kinds[a] == "number":
            present = sorted({self.columns[a][row] for row, _ in known})
            least = max(min(0.1 * total_known / len(self.classes), 25), self.minimum)
            cuts = []
            for low, high in pairwise(present):
                below = mass([(row, w) for row, w in known if self.columns[a][row] <= low])
                if below >= least - NEAR and total_known - below >= least - NEAR:
                    cuts.append((low, high))
        best = nothing
        for cut in cuts:
            groups = {}
            for row, w in known:
                cell = self.columns[a][row]
                groups.setdefault(cell if cut is None else cell > cut[0], []).append((row, w))
            if sum(mass(group) >= self.minimum - NEAR for group in groups.values()) < 2:
                continue
            before = entropy(self.weigh(known).values())
            after = sum(mass(group) / total_known * entropy(self.weigh(group).values()) for group in groups.values())
            gain = total_known / total * (before - after)
            info = entropy([*(mass(group) for group in groups.values()), total - total_known])
            if best == nothing or gain > best[0] + NEAR:
                best = (gain, info, cut)
        if best == nothing or self.kinds[a] == "category":
            return best
        gain, info, (low, high) = best
        gain -= log2(len(cuts)) / total
        cut = max(value for value in self.values[a] if value <= (low + high) / 2)
        return (gain, info, cut) if gain > NEAR else nothing

    def divide(self, a, cut, items):
        """Return the items of each branch; unknown ones go down every branch that has known ones, in shares."""
        names = ["low", "high"] if cut is not None else list(range(max(self.values[a]) + 1))
        parts = {name: [] for name in names}
        unknown = []
        for row, w in items:
            cell = self.columns[a][row]
            if cell is None:
                unknown.append((row, w))
            elif cut is None:
                parts[cell].append((row, w))
            else:
                parts["low" if cell <= cut else "high"].append((row, w))
        known = {name: mass(part) for name, part in parts.items()}
        for name, part in parts.items():
            if known[name] > 0:
                part += [(row, w * known[name] / sum(known.values())) for row, w in unknown]
        return parts

    def seen_errors(self, tree):
        if tree[0] == "leaf":
            return sum(tree[2].values()) - tree[2][tree[1]]
        return sum(self.seen_errors(branch) for branch in tree[5].values())

    def prune(self, tree, items):
        weights = self.weigh(items)
        label = largest(weights, tree[1])
        leaf = ("leaf", label, weights)
        if tree[0] == "leaf":
            return leaf
        _, _, _, a, cut, branches = tree
        parts = self.divide(a, cut, items)
        branches = {name: self.prune(branches[name], part) if part else branches[name] for name, part in parts.items()}
        pruned = ("test", label, weights, a, cut, branches)
        biggest = branches[largest({name: mass(part) for name, part in parts.items()}, next(iter(parts)))]
        as_leaf, as_tree = self.expected(leaf, items), self.expected(pruned, items)
        as_branch = self.expected(biggest, items) if self.raising else inf
        if as_leaf <= as_branch + 0.1 and as_leaf <= as_tree + 0.1:
            return leaf
        if as_branch <= as_tree + 0.1:
            return self.prune(biggest, items)
        return pruned

    def expected(self, tree, items):
        if not items:
            return 0.0
        if tree[0] == "leaf":
            weights = self.weigh(items)
            total = sum(weights.values())
            wrong = max(total - weights[largest(weights, tree[1])], 0.0)
            return wrong + more_errors(total, wrong, self.confidence)
        parts = self.divide(tree[3], tree[4], items)
        return sum(self.expected(tree[5][name], part) for name, part in parts.items())

    def weigh(self, items):
        weights = dict.fromkeys(self.classes, 0.0)
        for row, w in items:
            weights[self.labels[row]] += w
        return weights

    def predict(self, cells):
        """Return the class of one row, given as a list of cells."""
        chances = self.descend(self.tree, cells)
        return max(self.classes, key=lambda label: (round(chances[label], 12), -self.classes.index(label)))

    def descend(self, tree, cells):
        if tree[0] == "leaf":
            total = sum(tree[2].values())
            if total == 0:
                return {label: float(label == tree[1]) for label in self.classes}
            return {label: weight / total for label, weight in tree[2].items()}
        _, _, _, a, cut, branches = tree
        cell = cells[a]
        if cell is not None and cut is not None:
            return self.descend(branches["low" if cell <= cut else "high"], cells)
        if cell is not None and cell in branches:
            return self.descend(branches[cell], cells)
        sizes = {name: sum(branch[2].values()) for name, branch in branches.items()}
        found = {name: self.descend(branch, cells) for name, branch in branches.items() if sizes[name] > 0}
        total = sum(sizes.values())
        return {label: sum(sizes[name] / total * found[name][label] for name in found) for label in self.classes}


def mass(items):
    return sum(w for _, w in items)


def largest(weights, start):
    best = start
    for name, weight in weights.items():
        if weight > weights[best] + NEAR:
            best = name
    return best


def entropy(weights):
    weights = [w for w in weights if w > 0]
    total = sum(weights)
    return sum(w / total * log2(total / w) for w in weights)


def more_errors(n, wrong, confidence):
    """Return what the upper confidence limit of a binomial adds to the errors."""
    none = n * (1 - exp(log(confidence) / n))
    if wrong < 1e-6:
        return none
    if wrong < 0.9999:
        return none + wrong * (more_errors(n, 1.0, confidence) - none)
    if wrong + 0.5 >= n:
        return 0.67 * (n - wrong)
    z, share = Z[confidence], (wrong + 0.5) / n
    return (
        n * (share + z * z / (2 * n) + z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)
        - wrong
    )


def as_cells(column):
    """Return a column of codes or numbers with None for unknown."""
    return [None if (cell == -1 and isinstance(cell, int)) or isnan(cell) else cell for cell in column]
