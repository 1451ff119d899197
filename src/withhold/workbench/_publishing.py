"""Publishing from the workbench: the release, what belongs to it, and what makes it again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from withhold._audit_page import write_audit
from withhold._staging import check_destination, write_beside
from withhold.auditing import Audit, audit
from withhold.releasing import Release
from withhold.workbench._project import Choices, save_project
from withhold.workbench._remake import Making, command_line, notebook, script

__all__ = ["Destination", "Published", "publish"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where everything about a release goes."""

    out: Path
    """The release itself."""

    @property
    def report(self) -> Path:
        """The page on how it was made, private to the owner."""
        return self.out.with_name(f"{self.out.name}.report.html")

    @property
    def audit(self) -> Path:
        """The page of its audit, private to the owner."""
        return self.out.with_name(f"{self.out.name}.audit.html")

    @property
    def project(self) -> Path:
        """The folder with the policy, the taxonomies, the script and the notebook."""
        return self.out.with_name(f"{self.out.name}.project")


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was written."""

    audit: Audit
    """What the check and the attacks on the written file found."""
    public: tuple[Path, ...]
    """Files that may be published."""
    private: tuple[Path, ...]
    """Files for the owner alone."""
    command: str | None
    """The command that makes the release again; None where only the script can."""


def publish(
    release: Release,
    making: Making,
    *,
    original: object,
    policy: str,
    taxonomies: Mapping[str, Path],
    choices: Choices,
    say: Callable[[str], object],
) -> Published:
    """Write a release once it is proven, then its audit, and a project that makes it again.

    The release comes first: where its check fails, nothing at all appears.
    """
    place = Destination(out=Path(making.out))
    check_destination(place.out)
    say("writing and proving the release")
    release.write(place.out, report=place.report)
    say("attacking the written file")
    found = audit(place.out, release.policy, original=original, quick=True, progress=say, rng=0)
    write_audit(found, place.audit, release=place.out, policy="policy.toml", original=Path(making.data).name)
    say("writing the script")
    save_project(place.project, policy=policy, choices=choices, taxonomies=taxonomies)
    own = replace(making, policy=str(place.project / "policy.toml"))
    made = place.project / "make_again.py"
    book = place.project / "make_again.ipynb"
    write_beside(made, lambda path: path.write_text(script(own), encoding="utf-8"))
    write_beside(book, lambda path: path.write_text(notebook(own), encoding="utf-8"))
    beside = [place.out.with_name(f"{place.out.name}.{kind}") for kind in ("codebook.csv", "withheld.json")]
    return Published(
        audit=found,
        public=(place.out, *(path for path in beside if path.exists())),
        private=(
            place.out.with_name(f"{place.out.name}.report.json"),
            place.report,
            place.audit,
            place.project / "policy.toml",
            made,
            book,
        ),
        command=command_line(own),
    )
