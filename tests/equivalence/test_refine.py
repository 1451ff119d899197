"""Templates and joint policies against the obvious slow version, on random tables."""

import math
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_trees import leaves, paths, trees
from slow_refine import SlowAnonymity, SlowTemplate, Values, meets, slow_refine
from slow_tds import Range, Tree

from withhold import Anonymity, Numbers, Table, Taxonomy, Template
from withhold.errors import InfeasibleError
from withhold.methods.refine import run, start_search


@st.composite
def problems(draw: st.DrawFn) -> dict:
    n_columns = draw(st.integers(1, 4))
    kinds = draw(
        st.lists(st.sampled_from(["values", "values", "tree", "range"]), min_size=n_columns, max_size=n_columns)
    )
    n_rows = draw(st.integers(2, 40))
    domains: dict[str, Tree | Range | Values] = {}
    cells: dict[str, list] = {}
    for name, kind in zip("ABCD", kinds, strict=False):
        if kind == "range":
            domains[name] = Range(0, 9)
            pool = st.integers(0, 9)
        elif kind == "tree":
            domains[name] = draw(trees(name.lower()))
            pool = st.sampled_from(leaves(domains[name]))
        else:
            domains[name] = Values()
            pool = st.sampled_from(
                draw(st.sampled_from([["u", "v"], ["u", "v", "w", None], ["10", "9", "a", "b", "c"]]))
            )
        cells[name] = draw(st.lists(pool, min_size=n_rows, max_size=n_rows))
    for name, pool in (("S", ["s0", "s1", "s2"]), ("R", ["r0", "r1"]), ("kept", ["k0", "k1"]), ("class", ["Y", "N"])):
        cells[name] = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
    rows = [dict(zip(cells, values, strict=True)) for values in zip(*cells.values(), strict=True)]
    subsets = st.lists(st.sampled_from(sorted(domains)), min_size=1, max_size=n_columns, unique=True).map(tuple)
    sensitive = st.sampled_from([("S", ("s0",)), ("S", ("s1", "s0")), ("R", ("r0",))])
    shares = st.sampled_from(["0.3", "0.4", "0.5", "0.6", "0.75", "0.9", "1"])
    templates = st.builds(
        lambda given, hidden, share, keep: SlowTemplate(
            given=(*given, "kept") if keep else given,
            column=hidden[0],
            values=hidden[1],
            at_most=Fraction(share),
            keep=("kept",) if keep else (),
        ),
        subsets, sensitive, shares, st.booleans(),
    )  # fmt: skip
    anonymity = st.builds(SlowAnonymity, columns=subsets, k=st.integers(2, 5))
    kind = draw(st.sampled_from(["templates", "anonymity", "joint", "joint"]))
    requirements = []
    if kind != "anonymity":
        requirements += draw(st.lists(templates, min_size=1, max_size=2))
    if kind != "templates":
        requirements += draw(st.lists(anonymity, min_size=1, max_size=2))
    requirements = draw(st.permutations(requirements))
    named = {c for r in requirements for c in (r.columns if isinstance(r, SlowAnonymity) else r.given)}
    return {
        "rows": rows,
        "domains": {name: d for name, d in domains.items() if name in named},
        "requirements": requirements,
        "target": draw(st.sampled_from(["class", "class", None])),
        "score": draw(st.sampled_from([None, None, "ratio", "gain"])),
        "splits": draw(st.sampled_from(["best", "valid"])),
        "max_steps": draw(st.sampled_from([None, None, None, 3])),
    }


def search_of(problem: dict):
    columns = {name: [row[name] for row in problem["rows"]] for name in problem["rows"][0]}
    domains, masks = {}, {}
    for name, d in problem["domains"].items():
        masks[name] = "suppress" if isinstance(d, Values) else "generalize"
        if isinstance(d, Range):
            domains[name] = Numbers(sorted(set(columns[name])), bounds=(d.low, d.high))
        elif isinstance(d, Tree):
            domains[name] = Taxonomy.from_paths(paths(d))
    table = Table.from_columns(columns, domains=domains)
    requirements = [
        Anonymity(columns=r.columns, k=r.k)
        if isinstance(r, SlowAnonymity)
        else Template(given=r.given, hide={r.column: r.values}, at_most=float(r.at_most), keep=r.keep)
        for r in problem["requirements"]
    ]
    options = {name: problem[name] for name in ("target", "score", "splits")}
    return table, start_search(table, requirements, masks=masks, **options)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_the_search_makes_the_same_steps_as_the_slow_version(problem: dict) -> None:
    slow = slow_refine(**problem)
    if not slow.feasible:
        with pytest.raises(InfeasibleError):
            search_of(problem)
        return
    table, search = search_of(problem)
    fast = run(search, table, max_steps=problem["max_steps"], on_step=None)
    assert [(s.column, s.value, list(s.children)) for s in fast.steps] == [
        (s.column, s.value, list(s.children)) for s in slow.steps
    ]
    for ours, theirs in zip(fast.steps, slow.steps, strict=True):
        assert math.isclose(ours.gain, theirs.gain, abs_tol=1e-9)
        assert math.isclose(ours.loss, theirs.loss, abs_tol=1e-9)
        assert math.isclose(ours.score, theirs.score, abs_tol=1e-9)
        assert list(ours.reached) == pytest.approx(theirs.reached, abs=1e-9)
    texts = {column: [value or "missing" for value in values] for column, values in fast.withheld.items()}
    assert texts == slow.withheld
    assert {column: list(fast.cuts[column]) for column in slow.cuts} == slow.cuts
    assert list(fast.reached) == pytest.approx(slow.reached, abs=1e-9)
    check_published(fast.apply(table), slow, problem)


def check_published(published: dict, slow, problem: dict) -> None:
    released = [{**row} for row in problem["rows"]]
    for column, cells in published.items():
        domain = problem["domains"][column]
        root = f"[{domain.low:g}, {domain.high:g}]" if isinstance(domain, Range) else getattr(domain, "label", "*")
        expected = ["*" if row[column] == root else row[column] for row in slow.released]
        ours = ["missing" if cell is None else cell for cell in cells]
        assert ours == expected
        for row, cell in zip(released, ours, strict=True):
            row[column] = cell
    assert meets(released, problem["rows"], problem["requirements"])
