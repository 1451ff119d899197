"""Reports of a release: JSON and one HTML page, private to the owner."""

from withhold.report._html import write_audit_html, write_html
from withhold.report._private import private_report, release_metrics, write_private
from withhold.report._withheld import remove_withheld_sets, write_withheld_sets

__all__ = [
    "private_report",
    "release_metrics",
    "remove_withheld_sets",
    "write_audit_html",
    "write_html",
    "write_private",
    "write_withheld_sets",
]
