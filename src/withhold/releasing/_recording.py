"""Make the record of a release."""

from dataclasses import fields
from typing import TYPE_CHECKING

from withhold._version import __version__
from withhold.record import Losses, Record, RequirementLoss, RequirementRecord
from withhold.releasing._losses import column_losses
from withhold.releasing._notes import release_notes
from withhold.releasing._why import cell_reasons, stops

if TYPE_CHECKING:
    from withhold.releasing._release import Release
    from withhold.releasing._run import Run

__all__ = ["record_of"]


def record_of(release: "Release", *, sha256: str = "") -> Record:
    """Return the record of a release."""
    run, policy = release.run, release.policy
    losses = column_losses(run)
    cells = cell_reasons(run)
    return Record(
        withhold=__version__,
        source=getattr(run.bound.store, "description", "the table"),
        n_rows=run.table.n_rows,
        rows=policy.rows,
        recoding=policy.recoding,
        seeded=release.is_seeded,
        target=policy.target,
        dropped=policy.drop,
        missing=policy.missing,
        requirements=tuple(_requirements(release)),
        steps=release.steps,
        regrouping=run.regrouping,
        repairs=tuple(run.repairs),
        notes=tuple(release_notes(release)),
        withheld=Losses(
            columns=losses,
            requirements=tuple(
                RequirementLoss(
                    columns=requirement.columns,
                    blanked=sum(losses[name].blanked for name in requirement.columns if name in losses),
                    coarsened=sum(losses[name].coarsened for name in requirement.columns if name in losses),
                    cells=_n_cells(run, number),
                )
                for number, requirement in enumerate(policy.require)
            ),
        ),
        cuts=run.refinement.cuts,
        stopped=stops(run),
        cells=cells,
        withheld_sets=run.refinement.withheld,
        metrics=release.metrics,
        timings={what: round(seconds, 4) for what, seconds in run.timings.items()},
        sha256=sha256,
    )


def _n_cells(run: "Run", number: int) -> int:
    """Return how many cells were withheld or coarsened one by one for a requirement."""
    draft = run.draft
    reasons = (pair for column in draft.columns for pair in draft.reasons_of(column.name))
    return sum(draft.n_cells(rows) for reason, rows in reasons if reason.requirement == number)


def _requirements(release: "Release") -> list[RequirementRecord]:
    found = []
    for guard, requirement in zip(release.run.guards, release.policy.require, strict=True):
        entry = {
            "columns": requirement.columns,
            "reached": {},
            "ok": True,
            **release.run.reached_by(guard),
            **guard.entry(),
        }
        own = {each.name for each in fields(RequirementRecord)}
        about = [] if release.checked is None else [
            finding for finding in release.checked.findings if finding.where == f"require[{guard.number}]"
        ]  # fmt: skip
        is_proven = release.checked is not None
        found.append(
            RequirementRecord(
                kind=requirement.kind,
                says=requirement.says,
                columns=tuple(entry["columns"]),
                asked=entry["asked"],
                reached=entry["reached"],
                ok=all(finding.ok for finding in about) if is_proven else entry["ok"],
                proven=is_proven,
                details={key: value for key, value in entry.items() if key not in own},
            )
        )
    return found
