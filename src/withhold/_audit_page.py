"""The report of an audit as a file, from Python."""

from functools import partial
from pathlib import Path

from withhold._staging import check_outputs, write_beside
from withhold.auditing import Audit
from withhold.report import audit_report, check_suffix, read_making, write_report

__all__ = ["write_audit"]


def write_audit(
    audit: Audit,
    path: str | Path,
    *,
    release: str | Path | None = None,
    policy: str = "",
    original: str = "",
    public: bool = False,
    threshold: int = 10,
) -> None:
    """Write the report of an audit: a page (``.html``) or JSON (``.json``), as ``withhold audit --report`` does.

    Parameters
    ----------
    audit
        What `audit` found.
    path
        Where the report goes. Unless it is public, only its owner may read it.
    release
        The file that was audited, where there is one: its name and fingerprint are reported, and how it was made.
    policy, original
        Names of the policy and of the original, for the end of the page.
    public
        Leave out everything that only the owner of the original can know, and small counts.
    threshold
        In a public report, counts above 0 and below this are not published.

    Examples
    --------
    >>> import pandas as pd, tempfile, withhold as wh
    >>> frame = pd.DataFrame({"age": ["30"] * 5 + ["40"] * 20})
    >>> found = wh.audit(frame, wh.Policy([wh.Anonymity(columns=["age"], k=2)]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wh.write_audit(found, f"{folder}/audit.html", public=True)
    """
    out, file = Path(path), None if release is None else Path(release)
    check_suffix(out)
    check_outputs([out], [] if file is None else [file])
    audited = audit_report(
        audit,
        "the frame" if file is None else file.name,
        making=None if file is None else read_making(file),
        public=public,
        threshold=threshold,
        path=file,
        policy=policy,
        original=original,
    )
    write_beside(out, partial(write_report, audited, suffix=out.suffix))
