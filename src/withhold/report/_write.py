"""Reports as files."""

import json
from pathlib import Path
from typing import Any

from withhold._fingerprint import fingerprint
from withhold.errors import OutputError
from withhold.report._page import AuditReport, report_json, report_page
from withhold.report._private import write_private

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
        What it is, where the name of the file does not tell.
    """
    if (suffix or path.suffix).lower() == ".json":
        if report.public:
            text = json.dumps(report_json(report), ensure_ascii=False, indent=1, allow_nan=False)
            path.write_text(text + "\n", encoding="utf-8")
        else:
            write_private(report_json(report), path)
        return
    path.write_text(report_page(report), encoding="utf-8")
    if not report.public:
        path.chmod(0o600)


def read_making(release: Path) -> dict[str, Any] | None:
    """Return the private report that lies beside a release, or None where there is none that was made for this file."""
    try:
        found = json.loads(release.with_name(f"{release.name}.report.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_ours = isinstance(found, dict) and "stopped" in found and found.get("sha256") == fingerprint(release)
    return found if is_ours else None
