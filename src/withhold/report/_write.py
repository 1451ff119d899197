"""Reports as files."""

import json
from pathlib import Path

from withhold._fingerprint import fingerprint
from withhold._private import open_private
from withhold.errors import OutputError
from withhold.record import Record, write_record
from withhold.report._making import check_made
from withhold.report._page import AuditReport, report_json, report_page

__all__ = ["check_suffix", "read_making", "write_report"]

SUFFIXES = (".html", ".htm", ".json")


def check_suffix(path: Path) -> None:
    """Refuse a report that is neither a page nor JSON, before any long work."""
    if path.suffix.lower() not in SUFFIXES:
        raise OutputError(f'{path.name}: a report cannot be "{path.suffix}". Hint: one of {", ".join(SUFFIXES)}.')


def write_report(report: AuditReport, path: Path, *, suffix: str | None = None) -> None:
    """Write a report, by suffix as a page or as JSON; a private one only its owner may read.

    Parameters
    ----------
    report
        The report.
    path
        Where it goes.
    suffix
        What it is, where the name of the file does not say.
    """
    if (suffix or path.suffix).lower() == ".json":
        if report.public:
            text = json.dumps(report_json(report), ensure_ascii=False, indent=1, allow_nan=False)
            path.write_text(text + "\n", encoding="utf-8")
        else:
            write_record(report_json(report), path)
        return
    page = report_page(report)
    if report.public:
        path.write_text(page, encoding="utf-8")
        return
    with open_private(path) as file:
        file.write(page)


def read_making(release: Path) -> Record | None:
    """Return the record that lies beside a release, or None where there is none that was made for this file.

    Anybody may have written it: one whose parts do not belong together is none, whatever fingerprint it has.
    """
    try:
        text = release.with_name(f"{release.name}.report.json").read_text(encoding="utf-8")
        found = Record.from_json(json.loads(text))
        if found.sha256 != fingerprint(release):
            return None
        check_made(found)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None
    return found
