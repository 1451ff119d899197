"""What an audit found, all of it."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from withhold import _markup
from withhold.attackers import Attack
from withhold.auditing._count_uniques import Uniques
from withhold.auditing._disclosures import Disclosure
from withhold.auditing._finding import Finding
from withhold.auditing._linkage import Homogeneity, Linkage
from withhold.auditing._published_columns import Uncovered
from withhold.auditing._published_sets import SetGuess
from withhold.auditing._sampled import SampledRisk
from withhold.auditing._undone import Undone
from withhold.auditing.candidates import Candidates
from withhold.auditing.earlier import Together
from withhold.metrics import ColumnProfile, Dependence, Utility

__all__ = ["Audit", "CellAttack", "RiskSpread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAttack(Attack):
    """How often an attacker recovers withheld cells."""

    kind: Literal["cells"] = "cells"
    scope: Literal["hidden", "other"]
    """The cells that a requirement hides, or the others that the release withholds."""
    where: str = ""
    """The requirement that hides them."""
    is_named: bool = False
    """Whether the requirement names this very adversary, so that the release must stand against it."""

    @classmethod
    def of(
        cls, attack: Attack, *, scope: Literal["hidden", "other"], where: str = "", is_named: bool = False
    ) -> "CellAttack":
        """Return the outcome of an attack, with what it was about."""
        outcome: dict[str, Any] = {each.name: getattr(attack, each.name) for each in fields(Attack)}
        return cls(**outcome, scope=scope, where=where, is_named=is_named)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskSpread:
    """How the risk of records is spread, before and after, for one requirement about risk."""

    where: str
    """The requirement."""
    at_most: float
    """What it allows."""
    after: tuple[tuple[float, float | None, int | None], ...]
    """Records with a risk above the first number and at most the second; None has no end, or is not published."""
    before: tuple[tuple[float, float | None, int], ...] = ()
    """The same in the original, where it was given."""
    above_before: int | None = None
    """How many records of the original were above it, as far as they were measured."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Audit:
    """What an audit found."""

    findings: tuple[Finding, ...]
    """One for each requirement, and for each other promise of the policy."""
    n_rows: int
    """The number of rows of the file."""
    notes: tuple[str, ...] = ()
    """What is not promised, but a publisher should know."""
    disclosures: tuple[Disclosure, ...] = ()
    """What gives people or withheld values away, whatever was promised; the most serious first."""
    undone: tuple[Undone, ...] = ()
    """Columns that determine what others withhold; only the original shows it."""
    uncovered: Uncovered | None = None
    """The columns by which no requirement keeps people from being recognised, where there are any."""
    attacks: tuple[CellAttack | Linkage | Homogeneity | Candidates | SetGuess, ...] = ()
    """What attacks on the file came to; those on cells need the original."""
    together: Together | None = None
    """What the file says together with earlier releases, where these were given."""
    uniques: tuple[Uniques, ...] = ()
    """On how few columns rows of the file are unique; then the same of the original, where it was given."""
    risks: tuple[RiskSpread, ...] = ()
    """How the risk of records is spread, for each requirement about it."""
    populations: tuple[SampledRisk, ...] = ()
    """How exposed people are in the population that the file is a sample of, where the policy says what is known."""
    utility: Utility | None = None
    """What somebody loses who learns to predict the target."""
    columns: tuple[ColumnProfile, ...] = ()
    """Each column before and after."""
    dependence: tuple[Dependence, ...] = ()
    """How strongly columns depend on each other: in the file, then in the original."""
    quick: bool = False
    """Whether attacks and losses were measured on smaller samples."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds, by part of the audit."""

    @property
    def ok(self) -> bool:
        """Whether every requirement is met."""
        return all(finding.ok for finding in self.findings)

    @property
    def is_complete(self) -> bool:
        """Whether everything was checked; what needs the original, without it is not, nor what stopped early."""
        return all(finding.is_complete for finding in self.findings)

    @property
    def cell_attacks(self) -> tuple[CellAttack, ...]:
        """The attacks on withheld cells."""
        return tuple(attack for attack in self.attacks if isinstance(attack, CellAttack))

    def __repr__(self) -> str:
        return (
            f"<Audit: {self._word()}; {self.n_rows:,} rows, {len(self.findings)} findings, {len(self.attacks)} attacks>"
        )

    def _repr_html_(self) -> str:
        """Show the audit in a notebook: the verdict, the promises and the attacks; no value of any person."""
        rows = [(f.ok, " ".join(dict.fromkeys((f.kind, f.where))).strip(), f.says) for f in self.findings]
        parts = [
            _markup.paragraph(
                f"{self._word().capitalize()}. {self.n_rows:,} rows.",
                kind="met" if self.ok and self.is_complete and not self.disclosures else "unmet",
            ),
            *(_markup.paragraph(each.says, kind="unmet") for each in self.disclosures),
            _markup.table(("", "promise", "finding"), rows),
            *(_markup.paragraph(note[:1].upper() + note[1:], kind="note") for note in self.notes),
        ]
        if self.cell_attacks:
            lines = [
                (a.title, a.scope, f"{a.rate:.1%}", f"{a.low:.1%} to {a.high:.1%}", f"{a.majority_rate:.1%}")
                for a in self.cell_attacks
            ]
            parts.append(_markup.table(("attacker", "cells", "recovered", "95 % interval", "majority"), lines))
        return _markup.fragment(parts)

    def _word(self) -> str:
        met = "every requirement is met" if self.is_complete else "no requirement is broken, but not all was checked"
        if self.disclosures:
            met += f", and {len(self.disclosures)} other finding{'s' * (len(self.disclosures) > 1)}"
        return met if self.ok else "a requirement is not met"
