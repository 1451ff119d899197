"""Hidden cells: blank, and not recovered by adversaries who learn from the rest."""

from withhold.requirements.hidden._list import CELLS, Rows, find_cells, read_cells, unasked_columns
from withhold.requirements.hidden._requirement import Against, Hidden, whole

__all__ = ["CELLS", "Against", "Hidden", "Rows", "find_cells", "read_cells", "unasked_columns", "whole"]
