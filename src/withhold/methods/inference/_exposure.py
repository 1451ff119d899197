"""Which hidden cells the adversaries recover from the table as it stands."""

from withhold._compiled import Array, compiled
from withhold.methods.inference._bayes import is_predicted
from withhold.methods.inference._state import State
from withhold.methods.inference._tree import Tree, plant
from withhold.methods.inference._walks import NOWHERE, find_exposing_leaf

__all__ = ["find_exposed"]


@compiled
def find_exposed(
    state: State, tree: Tree, rows: Array, targets: Array, tops: Array, actuals: Array,
    from_bayes: bool, from_id3: bool, is_exposed: Array,
) -> int:  # fmt: skip
    """Flag the cells whose actual value an adversary gives, and count them; cells are sorted by target and top.

    Ties must count.
    """
    n = 0
    for i in range(rows.size):
        is_exposed[i] = False
        if actuals[i] < 0:
            continue
        if from_bayes and is_predicted(state, rows[i], targets[i], tops[i], actuals[i]):
            is_exposed[i] = True
        n += is_exposed[i]
    if not from_id3:
        return n
    planted = -1
    for i in range(rows.size):
        if actuals[i] < 0 or is_exposed[i]:
            continue
        if planted < 0 or targets[i] != targets[planted] or tops[i] != tops[planted]:
            plant(tree, state, targets[i], tops[i])
        planted = i
        if find_exposing_leaf(tree, state, targets[i], tops[i], rows[i], actuals[i]) != NOWHERE:
            is_exposed[i] = True
            n += 1
    return n
