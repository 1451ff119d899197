"""One page about a release: the verdict first, then what it rests on. No script, nothing fetched."""

import datetime
import html
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from withhold._fingerprint import fingerprint
from withhold._markup import document, paragraph, section, table
from withhold._version import __version__
from withhold.auditing import Audit
from withhold.record import Record
from withhold.report import _attacked, _sections
from withhold.report._making import making
from withhold.report._public import THRESHOLD, public_audit
from withhold.report._sampled_people import sampled_people
from withhold.report._together_section import together
from withhold.report._verdict import LEVELS, UNTRIED, Level, level_of, verdict

__all__ = ["AuditReport", "audit_report", "report_json", "report_page", "report_schema"]

BOXES = {"green": "verdict", "amber": "verdict doubtful", "red": "verdict broken", "none": "verdict plain"}
WHOLE = re.compile(r"\b(\d+)\.0%")
"""A whole percent with a decimal; public reports have no others, so the decimal would claim too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """Everything that a page or a JSON report about an audited file reports."""

    withhold: str
    """The version that made it."""
    public: bool
    """Whether it may be published."""
    file: str
    """The name of the file."""
    ok: bool
    """Whether no requirement is broken."""
    is_complete: bool
    """Whether every check went through all rows: without it, `ok` is no proof."""
    level: Level | Literal["none"]
    """How serious what was found is; a public report has no colour, as long as no promise is broken."""
    verdict: tuple[str, ...]
    """The verdict: one sentence that decides, then what it rests on."""
    audit: Audit
    """What was found."""
    sha256: str = ""
    """The fingerprint of the file, where it was read from one: what was signed is what is published."""
    policy: str = ""
    """The name of the policy file."""
    original: str = ""
    """The name of the original, where it was given; never in a public report."""
    date: str = ""
    """The day of the audit; never in a public report."""
    making: dict[str, Any] | None = None
    """How the release was made: its record, without single cells, where it lies beside the file; never in public."""

    @property
    def meaning(self) -> str:
        """What the colour means, in a sentence; none in a public report."""
        is_untried = self.level == "green" and not self.audit.attacks
        return UNTRIED if is_untried else LEVELS.get(self.level, "")


def audit_report(
    audit: Audit,
    file: str,
    *,
    making: Record | None = None,
    public: bool = False,
    threshold: int = THRESHOLD,
    path: Path | None = None,
    policy: str = "",
    original: str = "",
) -> AuditReport:
    """Return the report of an audit.

    Parameters
    ----------
    audit
        What was found.
    file
        The name of the file.
    making
        The private report of the release, for the owner's page.
    public
        Leave out everything that only the owner of the original can know; see `public_audit`.
    threshold
        In a public report, counts above 0 and below this are not published.
    path
        The file itself, for its fingerprint.
    policy, original
        The names of the policy file and of the original.
    """
    shown = public_audit(audit, threshold=threshold) if public else audit
    kept = None if public or making is None else replace(making, cells={}).to_json()
    return AuditReport(
        withhold=__version__,
        public=public,
        file=file,
        ok=audit.ok,
        is_complete=audit.is_complete,
        level=_shown_level(audit, public=public),
        verdict=verdict(shown),
        audit=shown,
        sha256="" if path is None else fingerprint(path),
        policy=policy,
        original="" if public else original,
        date="" if public else datetime.date.today().isoformat(),
        making=kept,
    )


def report_page(report: AuditReport) -> str:
    """Return a report as a page."""
    audit = report.audit
    mark = "May be published." if report.public else "Private to the owner: do not publish this page."
    box = "".join(paragraph(line) for line in report.verdict[1:])
    parts = [
        section(report.file, [paragraph(f"{audit.n_rows:,} rows. {mark}", kind="note")], level=1),
        f'<div class="{BOXES[report.level]}"><p><strong>{html.escape(report.verdict[0])}</strong></p>'
        f"{paragraph(report.meaning) if report.meaning else ''}{box}</div>",
        _sections.promises(audit),
        section("What is not promised", [paragraph(note[:1].upper() + note[1:]) for note in audit.notes]),
        together(audit),
        _attacked.attacks(audit),
        _sections.records(audit),
        sampled_people(audit),
        _sections.utility(audit),
        _sections.columns(audit),
        making(Record.from_json(report.making)) if report.making is not None else "",
        _identity(report),
    ]
    holds = "every promise holds" if report.is_complete else "not proven"
    holds = "not to be published" if report.level == "red" else holds
    page = document(f"{report.file}: {holds if report.ok else 'a promise is broken'}", parts)
    return WHOLE.sub(r"\1%", page) if report.public else page


def _shown_level(audit: Audit, *, public: bool) -> Level | Literal["none"]:
    """Return the colour; that of a public page would say whether attacks found something."""
    level = level_of(audit)
    return level if not public or not audit.ok else "amber" if not audit.is_complete else "none"


def _identity(report: AuditReport) -> str:
    """Return which file, policy and original this page is about."""
    lines = [
        ("file", report.file),
        ("SHA-256 of the file", report.sha256),
        ("policy", report.policy),
        ("original", report.original),
        ("audited on", report.date),
        ("by", f"withhold {report.withhold}"),
    ]
    return section("What this page is about", [table(("", ""), [(name, text) for name, text in lines if text])])


def report_json(report: AuditReport) -> dict[str, Any]:
    """Return a report as JSON can hold it, what was found beside the verdict; `report_schema` describes it."""
    found: dict[str, Any] = _adapter().dump_python(report, mode="json")
    return {**found.pop("audit"), **found}


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema of an audit's JSON report.

    Examples
    --------
    >>> [key for key in report_schema()["properties"] if key in ("ok", "findings", "attacks")]
    ['findings', 'attacks', 'ok']
    """
    schema: dict[str, Any] = _adapter().json_schema(mode="serialization")
    inner = schema["$defs"].pop("Audit")
    del schema["properties"]["audit"]
    schema["properties"] = {**inner["properties"], **schema["properties"]}
    schema["required"] = [*inner["required"], *(key for key in schema["required"] if key != "audit")]
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(AuditReport)
