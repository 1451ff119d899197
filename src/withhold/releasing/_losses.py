"""What a release lost and what it kept."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from withhold import metrics
from withhold.table import Grid, PartialStore, Taxonomy

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["column_losses", "release_metrics"]

THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)


def release_metrics(run: "Run") -> dict[str, Any]:
    """Return what was lost and what was kept, per column, per requirement and overall."""
    table, policy, refinement = run.table, run.policy, run.refinement
    penalty = {name: _penalty(run, name) for name in policy.refined}
    kept = metrics.distinct_kept(table, refinement.recodings)
    found: dict[str, Any] = {
        "ncp": {"overall": metrics.ncp_overall(penalty), "columns": penalty},
        "distinct_values": {column: {"before": was, "after": now} for column, (was, now) in kept.items()},
        "groups": [
            {
                "columns": list(columns),
                "n_groups": len(sizes),
                "smallest": int(sizes.min()),
                "average_size": metrics.average_group_size(sizes),
                "discernibility": metrics.discernibility(sizes),
            }
            for columns, sizes in run.group_sizes()
        ],
    }
    templates: list[Any] = [requirement for requirement in policy.require if requirement.shows == "inferences"]
    if templates and not isinstance(table.store, PartialStore):  # counted over values as they stood
        after = metrics.count_inferences(table, templates, THRESHOLDS, recodings=refinement.recodings)
        found["inferences"] = {
            "above": list(THRESHOLDS),
            "before": list(metrics.count_inferences(table, templates, THRESHOLDS).values()),
            "after": list(after.values()),
        }
    single = _single_cells(run)
    if single is not None:
        found["single_cells"] = single
    if run.target_kind == "number":
        found["target_variance"] = _variance_kept(run)
    elif policy.target is not None:
        bits = metrics.target_information(table, refinement.recodings, policy.target)
        found["target_information"] = {
            column: {"before": each.before, "after": each.after, "share": each.share} for column, each in bits.items()
        }
    return found


def _variance_kept(run: "Run") -> dict[str, Any]:
    """Return how much of the target's variance the columns explain together, before and after.

    Those whose values have one text each are also reported by themselves; else texts would speak for other columns.
    """
    table, draft, target = run.table, run.draft, str(run.policy.target)
    numbers = np.asarray(table.store.numbers(target, missing=table.missing), dtype=np.float64)[
        table.store.cells(target)
    ]
    names = [name for name in run.policy.refined if name != target]
    plain = [name for name in names if draft.column(name).is_by_value]

    def explained(before: Any, after: Any) -> dict[str, float]:
        was, now = (metrics.variance_explained(each, numbers, draft.weights) for each in (before, after))
        return {"before": was, "after": now, "share": now / was if was > 0 else 1.0}

    together = np.zeros(draft.n_rows, dtype=np.int64)
    for name in names:
        key = together * table.n_codes(name) + draft.column(name).codes
        together = np.unique(key, return_inverse=True)[1].reshape(-1)
    return {
        "columns": {c.name: explained(c.codes, c.text_codes) for c in map(draft.column, plain)},
        "together": explained(together, draft.groups(names)),
    }


def _penalty(run: "Run", name: str) -> float:
    """Return the certainty penalty of a refined column: by value, or over its rows where single cells differ."""
    column = run.draft.column(name)
    if not column.is_by_value:
        lost = column.prices()[column.nodes]
        return float(np.average(lost, weights=run.draft.weights)) if run.table.n_rows else 0.0
    recoding = next((each for each in run.refinement.recodings if each.column == name), None)
    return 0.0 if recoding is None else metrics.ncp(run.table, [recoding])[name]


def column_losses(run: "Run") -> dict[str, metrics.Withheld]:
    """Return for each column that changed how many cells were withheld, and how many coarsened."""
    names = [*run.policy.refined, *(c.name for c in run.draft.columns if c.name not in run.policy.refined)]
    found = {}
    for name in names:
        column = run.draft.column(name)
        n_cells = run.draft.count(column.nodes, len(column.labels)) if not column.is_by_value else None
        if n_cells is None:
            rows = run.table.distinct([name])
            counts = np.bincount(rows.codes[0], weights=rows.weights, minlength=column.n_codes)
            n_cells = np.bincount(column.cut, weights=counts, minlength=len(column.labels)).astype(np.int64)
        n_plain = int(n_cells[column.leaves].sum())
        loss = metrics.Withheld(blanked=int(n_cells[0]), coarsened=int(n_cells.sum()) - n_plain - int(n_cells[0]))
        if name in run.policy.refined or loss.blanked or loss.coarsened:
            found[name] = loss
    return found


def _single_cells(run: "Run") -> dict[str, Any] | None:
    """Return what withholding single cells cost, over the columns in which it did."""
    if run.draft.weights is not None:
        return None  # these figures compare cells row by row
    touched = [
        column for column in run.draft.columns if not column.is_by_value and (column.nodes != column.finest).any()
    ]
    if not touched:
        return None
    names = [column.name for column in touched]
    after = run.draft.grid(names)
    # What stood there: the finest nodes, under the same labels.
    codes = after.codes.copy()
    for j, column in enumerate(touched):
        place = {label: code for code, label in enumerate(after.labels[j])}
        lookup = np.array([place.get(str(label), -1) if node else -1 for node, label in enumerate(column.labels)])
        if column.missing is not None:
            lookup[column.missing] = -1
        codes[:, j] = lookup[column.finest]
    before = Grid(after.columns, after.labels, codes)
    domains = {name: run.table.domain(name) for name in names if run.table.has_given_domain(name)}
    taxonomies = {name: domain for name, domain in domains.items() if isinstance(domain, Taxonomy)}
    taxonomies = {
        name: tree for name, tree in taxonomies.items() if {*after.labels[after.place(name)]} <= {*tree.labels}
    }
    lost = metrics.suppression_metrics(before, after, taxonomies=taxonomies)
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
