"""Tables and their domains: encoded columns, taxonomies, numbers, missing values."""

from withhold.table._bins import Bins, bins_of
from withhold.table._cells import CellRecoding, cell_recodings
from withhold.table._decision import CategoryRecoding, Decision, NumberRecoding, Recoding
from withhold.table._grid import Grid
from withhold.table._intervals import Interval, parse_interval
from withhold.table._numbers import Numbers, format_number
from withhold.table._store import Codes, Kind, MemoryStore, Store
from withhold.table._table import Distinct, Domain, Table
from withhold.table._taxonomy import Taxonomy

__all__ = [
    "Bins",
    "CategoryRecoding",
    "CellRecoding",
    "Codes",
    "Decision",
    "Distinct",
    "Domain",
    "Grid",
    "Interval",
    "Kind",
    "MemoryStore",
    "NumberRecoding",
    "Numbers",
    "Recoding",
    "Store",
    "Table",
    "Taxonomy",
    "bins_of",
    "cell_recodings",
    "format_number",
    "parse_interval",
]
