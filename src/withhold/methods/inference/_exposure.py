"""Which hidden cells the adversaries recover from the table as it stands."""

from withhold._compiled import Array, compiled
from withhold.methods.inference._id3_tree import Tree, plant
from withhold.methods.inference._posteriors import is_predicted
from withhold.methods.inference._question import Questions
from withhold.methods.inference._state import State
from withhold.methods.inference._walks import NOWHERE, find_exposing_leaf

__all__ = ["find_exposed"]


@compiled
def find_exposed(state: State, tree: Tree, asked: Questions, is_exposed: Array) -> int:
    """Flag the cells whose actual value an adversary gives, and count them; ties must count."""
    n, planted = 0, -1
    for i in range(asked.rows.size):
        row, target, top, actual = asked.rows[i], asked.targets[i], asked.tops[i], asked.actuals[i]
        is_exposed[i] = actual >= 0 and asked.from_bayes and is_predicted(state, row, target, top, actual)
        if asked.from_id3 and actual >= 0 and not is_exposed[i]:
            if planted < 0 or target != asked.targets[planted] or top != asked.tops[planted]:
                plant(tree, state, target, top)
            planted = i
            is_exposed[i] = find_exposing_leaf(tree, state, target, top, row, actual) != NOWHERE
        n += is_exposed[i]
    return n
