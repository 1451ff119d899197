"""Tables and their domains: encoded columns, taxonomies, numbers, missing values."""

from withhold.table._bins import Bins, bins_of
from withhold.table._cell_recoding import CellRecoding, cell_recodings
from withhold.table._decision import WITHHELD, CategoryRecoding, Decision, NumberRecoding, Recoding, unseen_error
from withhold.table._draft import Draft, Reason
from withhold.table._draft_column import DraftColumn
from withhold.table._draft_decision import decision_of
from withhold.table._grid import UNKNOWN, Grid
from withhold.table._intervals import Interval, parse_interval
from withhold.table._look_alikes import COMMAS, DATES, are_dates, have_decimal_commas
from withhold.table._mdav import mdav_groups
from withhold.table._mean_groups import mean_groups
from withhold.table._numbers import Numbers, format_number, is_number
from withhold.table._round_cuts import cuts_at, round_cuts
from withhold.table._store import (
    Codes,
    CountedStore,
    Kind,
    MemoryStore,
    Mergeable,
    MissingCodes,
    NewCells,
    PartialStore,
    Rereadable,
    Store,
)
from withhold.table._table import Distinct, Domain, Table
from withhold.table._taxonomy import Taxonomy
from withhold.table._units import joined_rows, units_of

__all__ = [
    "COMMAS",
    "DATES",
    "UNKNOWN",
    "WITHHELD",
    "Bins",
    "CategoryRecoding",
    "CellRecoding",
    "Codes",
    "CountedStore",
    "Decision",
    "Distinct",
    "Domain",
    "Draft",
    "DraftColumn",
    "Grid",
    "Interval",
    "Kind",
    "MemoryStore",
    "Mergeable",
    "MissingCodes",
    "NewCells",
    "NumberRecoding",
    "Numbers",
    "PartialStore",
    "Reason",
    "Recoding",
    "Rereadable",
    "Store",
    "Table",
    "Taxonomy",
    "are_dates",
    "bins_of",
    "cell_recodings",
    "cuts_at",
    "decision_of",
    "format_number",
    "have_decimal_commas",
    "is_number",
    "joined_rows",
    "mdav_groups",
    "mean_groups",
    "parse_interval",
    "round_cuts",
    "units_of",
    "unseen_error",
]
