"""What else cells are hidden from: relatives of classifiers, any learner, rules that no hidden value is asked for."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError, Mistake, PolicyError
from withhold.requirements._guard import Say
from withhold.requirements.hidden._requirement import Against, whole
from withhold.requirements.hidden._unseen_rules import break_rules, count_named

if TYPE_CHECKING:
    from withhold.requirements.hidden._guard import HiddenGuard

__all__ = ["hide_from_families", "hide_from_learners", "hide_from_unseen_rules", "named_learners"]

PROTECTS = "protects hidden"
"""Why a cell is withheld that is not hidden itself."""


def named_learners(guard: "HiddenGuard", against: Against | None) -> list[Any]:
    """Return the learners to train; a name that does not exist is refused at once."""
    if against is None:
        return []
    from withhold.methods.learned import STANDARD, learners_of

    try:
        return learners_of(against.learners or STANDARD)
    except InputError as error:
        place = guard.requirement.against.index(against)
        where = f"require[{guard.number}].against[{place}].learners"
        raise PolicyError([Mistake(where, str(error))], source=guard.job.policy.source) from None


def hide_from_unseen_rules(guard: "HiddenGuard", against: Against) -> None:
    """Blank what lets a rule name a hidden cell, whatever stood there."""
    grid = guard.without_hidden(guard.job.draft.grid(guard.names))
    hidden = guard.by_column()
    settings = {"confidence": against.confidence, "support": whole(against.support)}
    if not guard.outcome.rules:
        guard.outcome.exposed["rules"] = count_named(grid, hidden, settings)
        guard.outcome.rules = {"by_length": {}, "by_column": {}, "blanked": 0}
    new = break_rules(grid, hidden, settings, blanking=whole(against.blanking))
    guard.outcome.rules["blanked"] += int(new.sum())
    for j, name in enumerate(guard.names):
        rows = np.flatnonzero(new[:, j])
        guard.outcome.n_blanked += guard.job.draft.blank(name, rows, guard.reason(PROTECTS))


def hide_from_families(guard: "HiddenGuard", classifiers: Sequence[Against], say: Say) -> None:
    """Blank what relatives of the classifiers recover hidden cells by."""
    from withhold.methods.family import FAMILIES, FamilyGuard

    members = [make for each in classifiers if each.family for make in FAMILIES[each.adversary]]
    if not members:
        return
    left = guard.left_cells()
    hidden = guard.by_column(left)
    grid = guard.job.draft.grid(guard.names, truth=hidden)
    # Sums of shares depend in their last digits on the order of values: here and in the check it is that of the texts.
    ranked = np.column_stack([_ranks(labels)[grid.codes[:, j]] for j, labels in enumerate(grid.labels)]).astype(
        np.int32
    )
    codes, cells, uses = ranked.copy(), {}, {}
    used = sorted(guard.requirement.predictors or guard.names)
    for name, rows in hidden.items():
        place = grid.place(name)
        codes[rows, place] = -1
        cells[place] = rows, ranked[rows, place].astype(np.int64)
        uses[place] = [grid.place(other) for other in used if other != name and other in guard.names]
    before = codes.copy()
    family = FamilyGuard(codes, cells, uses, members)
    family.run(lambda n_exposed: say(f"protecting hidden cells from relatives: {n_exposed} exposed"))
    guard.outcome.exposed.setdefault("family", family.n_exposed)
    guard.delete_rows(family.deleted)
    for j, name in enumerate(guard.names):
        rows = np.flatnonzero((codes[:, j] != before[:, j]) & ~guard.deleted)
        guard.outcome.n_blanked += guard.job.draft.blank(name, rows, guard.reason(PROTECTS))


def _ranks(labels: Sequence[str]) -> NDArray[np.int64]:
    """Return for each code the rank of its text, and last for unknown -1."""
    ranks = np.full(len(labels) + 1, -1, dtype=np.int64)
    ranks[sorted(range(len(labels)), key=lambda code: labels[code])] = np.arange(len(labels))
    return ranks


def hide_from_learners(guard: "HiddenGuard", against: Against, learners: Sequence[Any], say: Say) -> None:
    """Blank what learners recover hidden cells by, until none is better than a guess."""
    from withhold.methods.learned import HiddenColumn, LearnedGuard

    is_blind, hidden = guard.requirement.informed, guard.by_column(guard.left_cells())
    grid = guard.job.draft.grid(guard.names, truth=None if is_blind else hidden)
    grid = guard.without_hidden(grid) if is_blind else grid
    codes = grid.codes.copy()
    for name, rows in hidden.items():
        codes[rows, grid.place(name)] = -1
    used = guard.requirement.predictors or guard.names
    columns = [
        HiddenColumn(
            place=(place := grid.place(name)),
            rows=rows,
            truth=None if is_blind else grid.codes[rows, place].astype(np.int64),
            predictors=[grid.place(other) for other in guard.names if other in used and other != name],
        )
        for name, rows in hidden.items()
    ]
    before, seed = codes.copy(), guard.job.choices.below(2**31 - 1)
    learned = LearnedGuard(codes, columns, learners, certainty=against.certainty, rng=seed)
    learned.run(say)
    guard.outcome.exposed.setdefault("any", learned.n_exposed)
    guard.outcome.learners = [asdict(each) for each in learned.last]
    for j, name in enumerate(guard.names):
        rows = np.flatnonzero(codes[:, j] != before[:, j])
        guard.outcome.n_blanked += guard.job.draft.blank(name, rows, guard.reason(PROTECTS))
