"""Full-domain recoding: one level of its hierarchy for a whole column, and a limit on withheld rows.

The lattice of all combinations of levels is searched for the one that loses least, best first, with proof.
"""

from withhold.methods.levels._column import LevelColumn, doubling
from withhold.methods.levels._levelled import Alternative, Levelled
from withhold.methods.levels._recode_levels import recode_levels

__all__ = ["Alternative", "LevelColumn", "Levelled", "doubling", "recode_levels"]
