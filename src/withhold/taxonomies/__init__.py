"""Build taxonomies from values, code lists and dates, and check any taxonomy against its column."""

from withhold.taxonomies._build import BUILDERS, By, taxonomy
from withhold.taxonomies._calendar import DATE_LEVELS, Period, calendar_of, date_tree, is_date_format, parse_dates
from withhold.taxonomies._check_taxonomy import Flaw, check_taxonomy
from withhold.taxonomies._code_list import read_code_list
from withhold.taxonomies._number_groups import round_between, round_widths

__all__ = [
    "BUILDERS",
    "DATE_LEVELS",
    "By",
    "Flaw",
    "Period",
    "calendar_of",
    "check_taxonomy",
    "date_tree",
    "is_date_format",
    "parse_dates",
    "read_code_list",
    "round_between",
    "round_widths",
    "taxonomy",
]
