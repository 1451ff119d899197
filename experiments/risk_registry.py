"""Tables 1 and 2, Figures 2 and 3 of the paper on record risk, on a synthetic registry of the paper's size."""

import math
import time
from typing import Any

import numpy as np
from benchmarks.risk import PAPER_SHARE, SAMPLE, threshold

from experiments import _models
from experiments._registry import Context, Results, Spec
from experiments._risk_report import draw, report
from withhold import Anonymity
from withhold.methods import record_risk, suppress_risk, tds
from withhold.metrics import record_ncp
from withhold.samples import Registry, school_registry
from withhold.table import Grid
from withhold.table._decision import WITHHELD

__all__ = ["SPEC", "draw", "report", "run"]

SPEC = Spec(
    name="risk_registry",
    paper="risk",
    title="Tables 1 and 2, Figures 2 and 3: record risk of a school registry, and what its suppression loses",
    seeds=(0,),
    parameters={
        "rows": 1_009_993,
        "alpha": 100,
        "printed threshold": 0.01,
        "quasi-identifiers above": 0.01,
        "threshold": {"share above": PAPER_SHARE, "sample": SAMPLE},
        "relative width": 0.02,
        "edges": [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 50, 100, 500],
        "k": [2, 5, 10, 20, 50],
        "t": [0.1, 0.2, 0.3],
        "facts": [5, 11, 17],
    },
    quick={"rows": 4_000, "k": [2, 5], "t": [0.2], "facts": [5, 17]},
)
SHOWN = ("age", "gender", "dropout", "corrections_contact")


def run(context: Context) -> Results:
    """Measure, suppress as printed and until safe, and compare the loss with other privacy models."""
    asked = context.parameters
    registry = school_registry(asked["rows"], seed=context.seeds[0])
    grid = Grid.of(registry.table())
    sample = asked["threshold"]["sample"]
    at_most = context.part("threshold", lambda: threshold(grid, registry.known, registry.sensitive, **sample))
    found: Results = {"parameters": dict(asked), "threshold": at_most, "table 1": _table1(registry), "suppressions": {}}
    found["before"] = context.part("before", lambda: _histogram(grid, registry, asked))
    context.say(f"threshold {at_most:g}; the risk before is measured")
    for name, until_safe in (("as printed, one pass", False), ("until safe", True)):
        options: dict[str, Any] = {"at_most": at_most, "until_safe": until_safe}
        done = context.part(name, lambda options=options: _suppressed(grid, registry, asked, **options))
        found["suppressions"][name] = done
        context.say(f"{name}: {done['above']:,} above before, {done['still above']:,} after")
    found["models"] = [
        context.part(f"{way} {name}", lambda name=name, way=way: _lost(registry, asked, name, way))
        for name in _model_names(asked)
        for way in (("whole", "local", "tds") if name[0] == "k" else ("whole", "local"))
    ]
    context.say(f"{len(found['models'])} other models")
    return found


def _table1(registry: Registry) -> Results:
    """Return the chances and weights of the attributes that the paper shows."""
    return {name: {"known": registry.known[name], "weights": dict(registry.sensitive.get(name, {}))} for name in SHOWN}


def _quasi(registry: Registry, asked: Any) -> list[str]:
    return [name for name, chance in registry.known.items() if chance > asked["quasi-identifiers above"]]


def _histogram(grid: Grid, registry: Registry, asked: Any) -> Results:
    """Return how many records have their risk in each class, and how many are above the printed threshold.

    A class is its edges, the records whose interval has its middle there, the fewest and the most there can be.
    """
    risk = record_risk(grid, registry.known, registry.sensitive, relative=asked["relative width"])
    classes = []
    for low, high, n in risk.histogram(asked["edges"]):
        inside = (risk.low > low) & (risk.high <= high) if high else risk.high == 0
        touching = (risk.high > low) & (risk.low <= high) if high else risk.low == 0
        classes.append((low, high if math.isfinite(high) else None, n, int(inside.sum()), int(touching.sum())))
    return {
        "classes": classes,
        "without risk": int((risk.high == 0).sum()),
        "above printed": int((risk.value > asked["printed threshold"]).sum()),
        "largest": float(risk.value.max()),
        "median": float(np.median(risk.value)),
    }


def _suppressed(grid: Grid, registry: Registry, asked: Any, **options: Any) -> Results:
    begin = time.process_time()
    done = suppress_risk(grid, registry.known, registry.sensitive, **options)
    seconds = time.process_time() - begin
    quasi = _quasi(registry, asked)
    before, after = done.before.low > options["at_most"], done.after.low > options["at_most"]
    return {
        "above": done.rounds[0].above if done.rounds else 0,
        "still above": done.still_above,
        "bystanders": int((after & ~before).sum()),
        "rounds": [each.above for each in done.rounds],
        "cells": len(done.blanked[0]),
        "NCP": record_ncp(done.published, original=done.original, columns=quasi),
        "NCP of all columns": record_ncp(done.published, original=done.original),
        "seconds": seconds,
        "after": _histogram(done.published, registry, asked),
    }


def _model_names(asked: Any) -> list[tuple[str, float]]:
    return [("k", k) for k in asked["k"]] + [("l", n) for n in asked["facts"]] + [("t", t) for t in asked["t"]]


def _lost(registry: Registry, asked: Any, name: tuple[str, float], way: str) -> Results:
    """Return the share of the quasi-identifying cells that a privacy model withholds."""
    quasi = _quasi(registry, asked)
    facts = np.stack([registry.codes[each] for each in registry.codes if each not in quasi], axis=1)
    kind, strength = name
    begin = time.process_time()
    if way == "tds":
        title, lost = f"{strength}-anonymity", _by_tds(registry, quasi, int(strength))
    else:
        n_rows = len(facts)
        model = {
            "k": lambda: _models.k_anonymity(n_rows, int(strength)),
            "l": lambda: _models.diversity(facts, int(strength)),
            "t": lambda: _models.closeness(facts, strength),
        }[kind]()
        codes = np.stack([registry.codes[each] for each in quasi], axis=1)
        title, lost = model.name, float(getattr(_models, way)(codes, model).mean())
    seconds = time.process_time() - begin
    return {"kind": kind, "strength": strength, "way": way, "title": title, "NCP": lost, "seconds": seconds}


def _by_tds(registry: Registry, quasi: list[str], k: int) -> float:
    """Return the loss of our own top-down specialization, which withholds a value everywhere or nowhere."""
    chosen = registry.table()
    found = tds(chosen, [Anonymity(columns=quasi, k=k)], masks=dict.fromkeys(quasi, "suppress"))
    return float(np.mean([(cells == WITHHELD).mean() for cells in found.apply(chosen).values()]))
