"""The check of a template: how often a sensitive value is published in a group, and how often it stood there."""

from dataclasses import dataclass

import numpy as np

from withhold.auditing import Finding, Meaning, Sight
from withhold.engines import Confidence
from withhold.requirements._check import Question
from withhold.requirements.template._requirement import Template

__all__ = ["absent", "check"]


def check(question: Question) -> list[Finding]:
    """Count for every combination how many of its rows hold each sensitive value, however it is spelled.

    Both must be at most what is allowed: among the rows whose published cell says whether it is the value, the share
    that says so; and with the original, among the rows that answered, the share that held it. Cells hidden from the
    informed are no answers. A share is compared by dividing: 3 of 10 and ``0.3`` are the same number, while ``0.1 * 3``
    is another one.
    """
    requirement = question.policy.require[question.number]
    assert isinstance(requirement, Template)
    return [
        _Term(question.sight, question.number, requirement, column, value).finding()
        for column, value in requirement.terms
    ]


def absent(finding: Finding) -> list[str]:
    """Return the sensitive value where no row of the file holds it: any file keeps a promise about it."""
    return [str(finding.details["term"])] * (finding.details["rows_holding"] == 0)


@dataclass(frozen=True, slots=True)
class _Term:
    """One sensitive value."""

    sight: Sight
    number: int
    requirement: Template
    column: str
    value: str

    def finding(self) -> Finding:
        meaning = self.sight.meaning(self.column, [self.value])
        shown, n_unknown = self._published(meaning)
        stood = self._in_original(meaning, shown, n_unknown)
        worst = (
            shown if stood is None else max(shown, stood, key=lambda each: (each.n_above > 0, each.held / each.among))
        )
        is_known = not n_unknown or stood is not None
        term = f'{self.column} = "{self.value}"'
        details: dict[str, object] = {} if stood is None else {"published": shown.held / shown.among}
        return Finding(
            kind="template",
            where=f"require[{self.number}]",
            columns=self.requirement.given,
            asked=self.requirement.at_most,
            reached=worst.held / worst.among,
            ok=worst.n_above == 0,
            says=_says(self.requirement, term, worst, is_stood=worst is not shown) + _of_unknown(n_unknown, is_known),
            is_complete=is_known,
            details={
                "term": term,
                "groups": worst.n_groups,
                "groups_above": worst.n_above,
                "rows_above": worst.n_rows_above,
                "rows_holding": shown.n_holding,
                "rows_unknown": n_unknown,
                **details,
            },
        )

    def _published(self, meaning: Meaning) -> tuple[Confidence, int]:
        """Count what the file says; also return how many of its rows may hold the value without saying so."""
        holds, may_hold = meaning.reads(self.value)
        texts = np.array(meaning.texts, dtype=object)
        found = self.sight.source.confidence(
            self.requirement.given,
            self.column,
            texts[holds].tolist(),
            self.requirement.at_most,
            unknown=texts[may_hold].tolist(),
        )
        return found, int(self.sight.n_texts(self.column)[may_hold].sum()) if may_hold.any() else 0

    def _in_original(self, meaning: Meaning, shown: Confidence, n_unknown: int) -> Confidence | None:
        """Count what stood there, in the groups of the file; None where nobody knows which row is which.

        Where the column is published as it stood, or no more of it is blank than was missing, the file says it.
        """
        sight = self.sight
        if sight.original is None or self.column not in sight.original.names:
            return None
        if not sight.has_rows:
            n_unanswered = int(sight.n_values(self.column)[meaning.was_missing].sum())
            return shown if sight.source.n_rows == sight.original.n_rows and n_unknown <= n_unanswered else None
        if sight.is_unchanged(self.column):
            return shown
        cells = sight.original.store.cells(self.column)
        is_answer = ~meaning.was_missing[cells]
        is_answer[sight.unanswered(self.column)] = False
        if sight.rows is None:
            is_whole = sight.source.n_rows == cells.size and n_unknown <= np.count_nonzero(~is_answer)
            return shown if is_whole else None
        answered = is_answer[sight.rows]
        held = answered & meaning.holds(self.value)[cells[sight.rows]]
        groups = sight.groups(self.requirement.given)
        among = np.bincount(groups[answered], minlength=1)
        n_held = np.bincount(groups[held], minlength=among.size)
        share = n_held / np.maximum(among, 1)
        is_above = share > self.requirement.at_most
        top = int(np.lexsort((-among, share))[-1])
        return Confidence(
            n_groups=int(np.count_nonzero(among)),
            n_above=int(is_above.sum()),
            n_rows_above=int(among[is_above].sum()),
            held=int(n_held[top]),
            among=max(int(among[top]), 1),
            n_holding=int(n_held.sum()),
        )


def _says(requirement: Template, term: str, found: Confidence, *, is_stood: bool) -> str:
    names = ", ".join(requirement.given)
    share = f"{found.held / found.among:.4f} ({found.held:,} of {found.among:,} rows"
    share += " that answered in the original)" if is_stood else ")"
    if found.n_above == 0:
        return f"no combination of {names} implies {term} with confidence above {share} (asked: {requirement.at_most})"
    groups, imply = ("combination", "implies") if found.n_above == 1 else ("combinations", "imply")
    rows = "row" if found.n_rows_above == 1 else "rows"
    return (
        f"{found.n_above:,} {groups} of {names} ({found.n_rows_above:,} {rows}) {imply} {term} with "
        f"confidence above {requirement.at_most}; the largest is {share}"
    )


def _of_unknown(n_unknown: int, is_known: bool) -> str:
    """Say how many rows lower no share, and where only the original would show what stood there."""
    if not n_unknown:
        return ""
    rows = "1 row is" if n_unknown == 1 else f"{n_unknown:,} rows are"
    says = f"; {rows} withheld, missing or coarser there, and {'lowers' if n_unknown == 1 else 'lower'} no share"
    only = "only what is published was counted, because the original, or which of its rows is which, is not known"
    return says if is_known else f"{says} ({only})"
