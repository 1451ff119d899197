"""Reports of a release and of an audit: JSON, and one HTML page that needs nothing but itself."""

from withhold.report._candidate_section import candidate_sentence
from withhold.report._page import AuditReport, audit_report, report_json, report_page, report_schema
from withhold.report._public import public_audit
from withhold.report._verdict import level_of, trained_on, verdict
from withhold.report._write import check_suffix, read_making, write_report

__all__ = [
    "AuditReport",
    "audit_report",
    "candidate_sentence",
    "check_suffix",
    "level_of",
    "public_audit",
    "read_making",
    "report_json",
    "report_page",
    "report_schema",
    "trained_on",
    "verdict",
    "write_report",
]
