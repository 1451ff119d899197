"""The recodings of withhold beside each other and beside what others reach: a page of its own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from experiments._bounds import bound_shares
from experiments._count_queries import draw_queries, query_error
from experiments._errors import seconds_of
from experiments._held_out import MODELS, PROTOCOLS, fold_errors, folds_of, raw_errors
from experiments._key_tables import ADULT_FILES, OTHERS, KeyTable, adult_keys, other_table
from experiments._published import NumberKey, Reading, read_texts
from experiments._recoding_page import report
from experiments._recoding_plots import draw
from experiments._registry import Context, Results, Spec
from experiments._ways import WAYS, checked

__all__ = ["SPEC", "draw", "report", "run"]

OTHER_WAYS = (
    "local, normal",
    "local, tight edges, normal",
    "Mondrian, round edges, trees",
    "Mondrian, tight edges, trees",
    "levels, 5 % of rows",
)
WIDE_WAYS = ("local, normal", "local, tight edges, normal", "Mondrian, tight edges, trees")

SPEC = Spec(
    name="recoding",
    paper="ours",
    title="Recodings compared: what is kept at the same k",
    page="recoding-compared.md",
    data=(
        *ADULT_FILES,
        *(other.path for other in OTHERS),
        *(f"{other.trees}{name}.csv" for other in OTHERS[1:] if other.trees for name in other.keys),
    ),
    parameters={
        "rows": None,
        "k": [2, 5, 10, 50, 500],
        "queries": 1000,
        "wide k": [5, 50],
        "tables": [other.name for other in OTHERS],
        "other k": [3, 5, 10],
        "model k": [5, 50, 500],
        "folds": 10,
    },
    quick={
        "rows": 200,
        "k": [5],
        "queries": 50,
        "wide k": [5],
        "tables": ["testdata2"],
        "other k": [3],
        "model k": [5],
        "folds": 2,
    },
)


def run(context: Context) -> Results:
    """Publish every table in every way, and read what was published."""
    asked = context.parameters
    return {
        "rows": asked["rows"],
        "adult": _adult(context),
        "wide": _wide(context),
        "others": _others(context),
        "models": _models(context),
        "queries": asked["queries"],
    }


def _sample(table: KeyTable, context: Context) -> KeyTable:
    """Return some rows of a table, where not all are asked for."""
    if context.parameters["rows"] is None:
        return table
    rows = np.random.default_rng(context.seeds[0]).permutation(table.n_rows)[: context.parameters["rows"]]
    cells = {name: texts[rows] for name, texts in table.cells.items()}
    keys = [
        NumberKey.of(key.name, cells[key.name])
        if isinstance(key, NumberKey)
        else replace(key, n_occurring=len(set(cells[key.name].tolist())))
        for key in table.keys
    ]
    return KeyTable(cells=cells, keys=keys)


def _adult(context: Context) -> list[Results]:
    """Return losses, errors of queries and what bounds give away, for Adult with eight key columns."""
    table = _sample(adult_keys(context.data), context)
    truth = read_texts(table.keys, table.cells)
    queries = draw_queries(table.keys, table.cells, context.parameters["queries"], context.seeds[0])

    def measured(way: str, k: int) -> Results:
        published, seconds = seconds_of(lambda: WAYS[way](table, k))
        reading = checked(table, k, published)
        ages = [key for key in table.keys if isinstance(key, NumberKey)]
        return {
            "way": way,
            "k": k,
            **_lost(reading),
            "ncp, half-open": _half_open(table, published),
            "query": query_error(reading, truth, queries),
            "bounds": bound_shares(reading, ages[0], table.cells[ages[0].name]),
            "seconds": seconds,
        }

    return [
        context.part(f"adult {k} {way}", lambda way=way, k=k: measured(way, k))
        for k in context.parameters["k"]
        for way in WAYS
    ]


def _lost(reading: Reading) -> Results:
    return {
        "ncp": reading.ncp(),
        "columns": reading.losses(),
        "withheld rows": reading.withheld_rows(),
        "withheld columns": reading.withheld_columns(),
    }


def _half_open(table: KeyTable, published: Any) -> float:
    """Return the loss where ``[20, 30)`` counts as ten years wide, as numbers of any precision do."""
    keys = [replace(key, step=0.0) if isinstance(key, NumberKey) else key for key in table.keys]
    return read_texts(keys, published).ncp()


def _measured(table: KeyTable, way: str, k: int) -> Results:
    published, seconds = seconds_of(lambda: WAYS[way](table, k))
    return {"way": way, "k": k, **_lost(checked(table, k, published)), "seconds": seconds}


def _wide(context: Context) -> list[Results]:
    """Return losses for Adult with fourteen key columns."""
    table = _sample(adult_keys(context.data, 14), context)
    return [
        context.part(f"wide {k} {way}", lambda way=way, k=k: _measured(table, way, k))
        for k in context.parameters["wide k"]
        for way in WIDE_WAYS
    ]


def _others(context: Context) -> list[Results]:
    """Return losses for the other tables; one with fewer than 2 k rows is a single group, and left out."""
    found: list[Results] = []
    for other in (other for other in OTHERS if other.name in context.parameters["tables"]):
        table = other_table(context.data, other)
        numbers = [key.name for key in table.keys if isinstance(key, NumberKey)]
        about = {"table": other.name, "rows": table.n_rows, "keys": table.names, "numbers": numbers}
        for k in (k for k in context.parameters["other k"] if table.n_rows >= 2 * k):
            ways: Sequence[Results] = [
                context.part(f"{other.name} {k} {way}", lambda way=way, k=k, t=table: _measured(t, way, k))
                for way in OTHER_WAYS
            ]
            found.append({**about, "k": k, "ways": ways})
    return found


def _models(context: Context) -> Results:
    """Return the errors of income on held-out rows."""
    table = _sample(adult_keys(context.data), context)
    n_folds = context.parameters["folds"]
    fold_of = folds_of(table.n_rows, n_folds, context.seeds[0])
    raw = [context.part(f"raw {f}", lambda f=f: raw_errors(table, fold_of == f)) for f in range(n_folds)]
    found = []
    for protocol in PROTOCOLS:
        for k in context.parameters["model k"]:
            for way in MODELS:
                folds = [
                    context.part(
                        f"fold {protocol} {k} {way} {f}",
                        lambda f=f, k=k, way=way, p=protocol: fold_errors(table, k, way, p, fold_of == f),
                    )
                    for f in range(n_folds)
                ]
                found.append({"protocol": protocol, "k": k, "way": way, "folds": folds})
            context.say(f"protocol {protocol}, k = {k}")
    return {"raw": raw, "ways": found}
