"""FAiR: the adversarial rules of a table with private cells."""

from collections.abc import Collection

from withhold.methods.rules._limits import PRUNING, Counting, Pruning, limits_of
from withhold.methods.rules._miner import find
from withhold.methods.rules._private_cells import Private, grid_of, private_mask
from withhold.methods.rules._rule_table import Rules
from withhold.methods.rules._slots import slots_of
from withhold.table import Grid, Table

__all__ = ["fair"]


def fair(
    table: Table | Grid,
    private: Private,
    *,
    confidence: float,
    support: float,
    min_antecedent: int = 1,
    max_antecedent: int | None = None,
    counting: Counting = "public",
    pruning: Collection[Pruning] = PRUNING,
) -> Rules:
    """Find every rule by which an outsider can predict private cells from what is published.

    A rule says: where these values stand, that column holds this value. It is *adversarial* if it is right often enough
    where an outsider can check it, is right as often on private cells, and rests on enough rows.

    Parameters
    ----------
    table
        The table; a missing cell is neither public nor private.
    private
        The private cells, as (row, column) pairs with rows counted from 0, or as a mask of rows by columns. Private
        cells that are missing are left out and counted in `Rules.n_missing`.
    confidence
        The least share of right predictions, public and private, above 0 and at most 1. It is compared as a quotient,
        so that 4 of 5 reaches 0.8.
    support
        The least support: a count of rows, or a fraction of the rows between 0 and 1, rounded up exactly.
    min_antecedent
        The fewest values that a rule starts from. 0 adds the plain guess of a column's most frequent value.
    max_antecedent
        The most values that a rule starts from; all columns but one where None.
    counting
        What support counts: ``"public"`` the rows where antecedent and predicted column are public, ``"antecedent"``
        those where the antecedent is public, ``"joint"`` those where both are and the prediction is right.
    pruning
        Which of the paper's pruning rules to use. They change how much is searched, never what is found.

    Returns
    -------
        The rules, as a table in arrays.

    Notes
    -----
    With ``pub`` the rows where the antecedent and the predicted column are public, and ``hid`` those where the
    antecedent is public and the predicted column private, a rule is adversarial if neither is empty, and ``pub_y /
    pub_n`` and ``hid_y / hid_n`` reach the confidence. Itemsets are searched depth first; each costs its rows times the
    columns that can still be predicted. *Non-discriminative* itemsets are cut for each attribute by itself, and
    *contrast* ones only where no private value at all is public: read as printed, the first loses rules.

    References
    ----------
    C. C. Aggarwal, J. Pei, B. Zhang: On Privacy Preservation against Adversarial Data Mining. KDD 2006.

    Examples
    --------
    >>> from withhold import Table
    >>> table = Table.from_columns({"title": ["Boss", "Boss", "Boss", "Cook"], "pay": ["high", "high", "high", "low"]})
    >>> fair(table, [(0, "pay")], confidence=0.8, support=2)
    <Rules: 1 rule predicts 1 of 1 private cells>
      title = Boss → pay = high   100% of 2 public, 100% of 1 private
    """
    grid = grid_of("fair", table)
    mask, n_missing = private_mask("fair", grid, private)
    limits = limits_of(
        "fair",
        *grid.codes.shape,
        confidence=confidence,
        support=support,
        min_antecedent=min_antecedent,
        max_antecedent=max_antecedent,
        counting=counting,
        pruning=pruning,
    )
    slots = slots_of(grid.codes, mask, least_cover=limits.least_cover, least_y=limits.least_y)
    found = find(slots, slots.cells, limits)
    return Rules._of(found, slots, grid, n_private=int(mask.sum()), n_missing=n_missing)
