"""The owner's report of a release, as JSON."""

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from withhold import metrics
from withhold._version import __version__
from withhold.methods.refine import Refinement
from withhold.policy import Anonymity, Hidden, Policy, Risk, Template
from withhold.report._notes import release_notes
from withhold.report._why import cell_reasons, stops
from withhold.table import Grid, Table, Taxonomy

if TYPE_CHECKING:
    from withhold._release import Release
    from withhold._single_cells import SingleCells

THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)

__all__ = ["private_report", "release_metrics", "write_private"]


def release_metrics(table: Table, refinement: Refinement, policy: Policy, single: "SingleCells") -> dict[str, Any]:
    """Return what was lost and what was kept, per column, per requirement and overall."""
    templates = [requirement for requirement in policy.require if isinstance(requirement, Template)]
    anonymity = [requirement for requirement in policy.require if isinstance(requirement, Anonymity)]
    penalty = metrics.ncp(table, refinement.recodings)
    kept = metrics.distinct_kept(table, refinement.recodings)
    found: dict[str, Any] = {
        "ncp": {"overall": metrics.ncp_overall(penalty), "columns": penalty},
        "distinct_values": {column: {"before": was, "after": now} for column, (was, now) in kept.items()},
        "groups": [
            {
                "columns": list(requirement.columns),
                "n_groups": len(sizes),
                "smallest": int(sizes.min()),
                "average_size": metrics.average_group_size(sizes),
                "discernibility": metrics.discernibility(sizes),
            }
            for requirement, sizes in zip(anonymity, refinement.group_sizes, strict=True)
        ],
    }
    if templates:
        found["inferences"] = {
            "above": list(THRESHOLDS),
            "before": list(metrics.count_inferences(table, templates, THRESHOLDS).values()),
            "after": list(
                metrics.count_inferences(table, templates, THRESHOLDS, recodings=refinement.recodings).values()
            ),
        }
    if single.before is not None:
        found["single_cells"] = _single_cell_metrics(table, single, single.before)
    if policy.target is not None:
        told = metrics.target_information(table, refinement.recodings, policy.target)
        found["target_information"] = {
            column: {"before": bits.before, "after": bits.after, "share": bits.share} for column, bits in told.items()
        }
    return found


def _single_cell_metrics(table: Table, single: "SingleCells", before: Grid) -> dict[str, Any]:
    """Return what withholding single cells cost, over the columns in which it did."""
    taxonomies = {
        name: domain
        for name in before.columns
        if table.has_given_domain(name) and isinstance(domain := table.domain(name), Taxonomy)
    }
    lost = metrics.suppression_metrics(before, single.after(before), taxonomies=taxonomies)
    return {
        "direct_distance": lost.direct_distance,
        "kullback_leibler": {name: _finite(bits) for name, bits in lost.kullback_leibler.items()},
        "sum_of_kullback_leibler": _finite(lost.skld),
        "change_of_mutual_information": _finite(lost.acmi),
        "conditional_entropy": {name: _finite(bits) for name, bits in lost.conditional_entropy.items()},
        "sum_of_conditional_entropies": _finite(lost.sce),
    }


def _finite(number: float) -> float | str | None:
    """Return a number as JSON can hold it."""
    return number if math.isfinite(number) else None if math.isnan(number) else "infinite"


def private_report(release: "Release") -> dict[str, Any]:
    """Return everything about a release, for its owner."""
    cells = metrics.withheld_cells(release.table, release.decision.recodings)
    single = {each.column: each for each in release.decision.cells}
    for column, each in single.items():
        n_blank = int(np.count_nonzero(np.array([text == "*" for text in each.texts])[each.picks]))
        was = cells.get(column, metrics.Withheld(blanked=0, coarsened=0))
        cells[column] = metrics.Withheld(blanked=was.blanked + n_blank, coarsened=was.coarsened + len(each) - n_blank)
    return {
        "withhold": __version__,
        "public": False,
        "source": getattr(release.table.store, "description", "the table"),
        "n_rows": release.table.n_rows,
        "rows": release.policy.rows,
        "seeded": release.is_seeded,
        "target": release.policy.target,
        "dropped": list(release.policy.drop),
        "missing": list(release.policy.missing),
        "requirements": _requirements(release),
        "steps": [asdict(step) for step in release.steps],
        "notes": release_notes(release),
        "withheld": {
            "columns": {column: asdict(changed) for column, changed in cells.items()},
            "requirements": [
                {
                    "columns": list(requirement.columns),
                    "blanked": sum(cells[column].blanked for column in requirement.columns if column in cells),
                    "coarsened": sum(cells[column].coarsened for column in requirement.columns if column in cells),
                }
                for requirement in release.policy.require
            ],
        },
        "cuts": {column: list(cut) for column, cut in release.refinement.cuts.items()},
        "stopped": stops(release),
        "cells": cell_reasons(release),
        "withheld_sets": {column: list(values) for column, values in release.refinement.withheld.items()},
        "metrics": release.metrics,
        "timings": {what: round(seconds, 4) for what, seconds in release.timings.items()},
    }


def write_private(report: dict[str, Any], path: Path) -> None:
    """Write a report that only its owner may read."""
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(report, file, ensure_ascii=False, indent=1)
        file.write("\n")


def _hidden_entry(release: "Release", requirement: Hidden, number: int) -> dict[str, Any]:
    """Tell what was done for hidden cells: by column and value, never by person."""
    outcome = next(each for each in release.single.hidden if each.number == number)
    what = "told" if requirement.informed else "recovered"
    return {
        "columns": list(dict.fromkeys(name for _, name in outcome.cells)),
        "informed": requirement.informed,
        "asked": {what: 0},
        "reached": {what: 0},
        "ok": True,
        "cells": len(outcome.cells),
        "missing_before": outcome.n_missing,
        "exposed_before": outcome.exposed,
        "classes": outcome.classes,
        "others_blanked": outcome.n_blanked,
        "others_coarsened": outcome.n_coarsened,
        "rows_deleted": len(outcome.deleted),
        **({"rules": outcome.rules} if outcome.rules else {}),
    }


def _risk_entry(release: "Release", requirement: Risk, number: int) -> dict[str, Any]:
    """Tell how exposed records were, and what was withheld until none is above the threshold."""
    outcome = next(each for each in release.single.risks if each.number == number)
    return {
        "asked": {"at_most": requirement.at_most},
        "reached": {"risk": outcome.largest},
        "ok": outcome.largest <= requirement.at_most,
        "records_above_before": outcome.n_above,
        "rounds": outcome.n_rounds,
        "blanked": outcome.n_blanked,
        "coarsened": outcome.n_coarsened,
        "sensitive_blanked": outcome.n_sensitive,
        "given_back": outcome.n_given_back,
        "ncp": outcome.ncp,
        "histogram": {"before": _bars(outcome.before), "after": _bars(outcome.after)},
        "risk_by_column": outcome.by_column,
    }


def _bars(bars: Sequence[tuple[float, float, int]]) -> list[list[float | None]]:
    """Return a histogram as JSON can hold it: the last class has no end."""
    return [[low, high if math.isfinite(high) else None, n] for low, high, n in bars]


def _requirements(release: "Release") -> Sequence[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    figures = iter(release.reached)
    for requirement in release.policy.require:
        entry: dict[str, Any] = {"kind": requirement.kind, "columns": list(requirement.columns)}
        if isinstance(requirement, Hidden):
            entry |= _hidden_entry(release, requirement, len(found))
        elif isinstance(requirement, Risk):
            entry |= _risk_entry(release, requirement, len(found))
        elif isinstance(requirement, Anonymity):
            smallest = next(figures)
            entry |= {"asked": {"k": requirement.k}, "reached": {"k": smallest}, "ok": smallest >= requirement.k}
        elif isinstance(requirement, Template):
            shares = {term: next(figures) for term in requirement.terms}
            reached = [{"column": c, "value": v, "confidence": share} for (c, v), share in shares.items()]
            largest = max(shares.values())
            entry |= {"hide": {column: list(values) for column, values in requirement.hide.items()}}
            entry |= {"asked": {"at_most": requirement.at_most}, "reached": {"confidence": largest, "values": reached}}
            entry |= {"ok": largest <= requirement.at_most}
        found.append(entry)
    if release.checked is not None:
        for i, entry in enumerate(found):
            about = [finding for finding in release.checked.findings if finding.where == f"require[{i}]"]
            entry["ok"] = all(finding.ok for finding in about)
            entry["proven"] = True
    return found
