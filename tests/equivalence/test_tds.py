"""The fast search against the obvious slow version, on random tables."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_trees import leaves, paths, trees
from slow_tds import Range, Tree, slow_tds

from withhold import Anonymity, Numbers, Table, Taxonomy
from withhold.errors import InfeasibleError
from withhold.methods import tds


def numbers(domain: Range) -> st.SearchStrategy:
    """Return numbers of a domain; some are missing where it says so."""
    present = st.integers(0, int(domain.high))
    return st.one_of(present, present, present, st.none()) if domain.has_missing else present


@st.composite
def problems(draw: st.DrawFn) -> dict:
    n_columns = draw(st.integers(1, 4))
    domains: dict[str, Tree | Range] = {}
    for i in range(n_columns):
        name = "ABCD"[i]
        number = Range(0, draw(st.sampled_from([4, 9])), has_missing=draw(st.booleans()))
        domains[name] = number if draw(st.booleans()) else draw(trees(name.lower()))
    n_rows = draw(st.integers(1, 40))
    classes = draw(st.sampled_from([["Y"], ["Y", "N"], ["x", "y", "z"]]))
    cells = {
        name: draw(
            st.lists(
                numbers(d) if isinstance(d, Range) else st.sampled_from(leaves(d)),
                min_size=n_rows,
                max_size=n_rows,
            )
        )
        for name, d in domains.items()
    }
    cells["class"] = draw(st.lists(st.sampled_from(classes), min_size=n_rows, max_size=n_rows))
    rows = [dict(zip(cells, values, strict=True)) for values in zip(*cells.values(), strict=True)]
    subsets = st.lists(st.sampled_from(sorted(domains)), min_size=1, max_size=n_columns, unique=True).map(tuple)
    requirements = draw(st.lists(st.tuples(subsets, st.integers(2, 6)), min_size=1, max_size=3))
    named = {column for columns, _ in requirements for column in columns}
    return {
        "rows": rows,
        "domains": {name: d for name, d in domains.items() if name in named},
        "requirements": requirements,
        "target": draw(st.sampled_from(["class", "class", None])),
        "score": draw(st.sampled_from(["ratio", "ratio", "ratio+1", "gain"])),
        "splits": draw(st.sampled_from(["best", "valid"])),
        "max_steps": draw(st.sampled_from([None, None, 2])),
    }


def table_of(problem: dict) -> Table:
    columns = {name: [row[name] for row in problem["rows"]] for name in problem["rows"][0]}
    domains = {
        name: Numbers(sorted({*columns[name]} - {None}), bounds=(d.low, d.high), missing=d.has_missing)
        if isinstance(d, Range)
        else Taxonomy.from_paths(paths(d))
        for name, d in problem["domains"].items()
    }
    return Table.from_columns(columns, domains=domains)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_the_search_makes_the_same_steps_as_the_slow_version(problem: dict) -> None:
    slow = slow_tds(**problem)
    table = table_of(problem)
    requirements = [Anonymity(columns=columns, k=k) for columns, k in problem["requirements"]]
    options = {name: problem[name] for name in ("target", "score", "splits", "max_steps")}
    if not slow.feasible:
        with pytest.raises(InfeasibleError):
            tds(table, requirements, **options)
        return
    fast = tds(table, requirements, **options)
    assert [(s.column, s.value, list(s.children)) for s in fast.steps] == [
        (s.column, s.value, list(s.children)) for s in slow.steps
    ]
    for ours, theirs in zip(fast.steps, slow.steps, strict=True):
        assert math.isclose(ours.gain, theirs.gain, abs_tol=1e-9)
        assert math.isclose(ours.loss, theirs.loss, abs_tol=1e-9)
        assert math.isclose(ours.score, theirs.score, abs_tol=1e-9)
        assert list(ours.reached) == theirs.anonymity
    assert {column: list(cut) for column, cut in fast.cuts.items()} == slow.cuts
    assert list(fast.reached) == slow.anonymity
    published = fast.apply(table)
    for column, cells in published.items():
        domain = problem["domains"][column]
        root = f"[{domain.low:g}, {domain.high:g}]" if isinstance(domain, Range) else domain.label
        is_root = fast.cuts[column] == (root,)
        texts = ["missing" if cell is None else cell for cell in cells]
        assert [("*" if is_root else row[column]) for row in slow.released] == texts
