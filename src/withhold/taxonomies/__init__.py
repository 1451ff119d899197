"""Build taxonomies from values, code lists and dates, and check any taxonomy against its column."""

from withhold.taxonomies._build import BUILDERS, By, taxonomy
from withhold.taxonomies._calendar import DATE_LEVELS, Period, calendar_of, date_tree, is_date_format, parse_dates
from withhold.taxonomies._check_taxonomy import Flaw, check_taxonomy
from withhold.taxonomies._code_list import read_code_list
from withhold.taxonomies._day_numbers import NO_DAY, Days, ages_between, days_of, first_and_last_days, moved_texts
from withhold.taxonomies._number_groups import round_between, round_widths

__all__ = [
    "BUILDERS",
    "DATE_LEVELS",
    "NO_DAY",
    "By",
    "Days",
    "Flaw",
    "Period",
    "ages_between",
    "calendar_of",
    "check_taxonomy",
    "date_tree",
    "days_of",
    "first_and_last_days",
    "is_date_format",
    "moved_texts",
    "parse_dates",
    "read_code_list",
    "round_between",
    "round_widths",
    "taxonomy",
]
