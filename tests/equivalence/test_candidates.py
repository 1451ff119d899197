"""Linkage by compatibility, against every pair of a row and a person, and against every assignment."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from tests.equivalence.slow_candidates import candidates, left_by_register

import withhold as wh
from withhold.auditing import Sight
from withhold.auditing.candidates import Candidates, Cover, Pairs, find_candidates, join_rows, still_possible
from withhold.auditing.earlier import Layer, lay_over
from withhold.engines import open_source
from withhold.policy import bind
from withhold.table import Table

JOBS = {"cook": "hand", "smith": "hand", "judge": "head", "nurse": "head"}
TREE = wh.Taxonomy.from_paths([[job, kind, "*"] for job, kind in JOBS.items()])
POLICY = wh.Policy([wh.Anonymity(columns=["age", "job"], k=2)], target="ill", columns={"job": {"taxonomy": TREE}})


def fits(name: str, text: str, value: str) -> bool:
    if text in ("*", value):
        return True
    if name == "job":
        return JOBS[value] == text or (text[0] == "{" and value in text[1:-1].split(", "))
    if text[0] not in "[(":
        return False
    low, high = text[1:-1].split(", ")
    return float(low) <= float(value) < float(high) or (text[-1] == "]" and float(value) == float(high))


def masked(name: str, value: str, rng: np.random.Generator) -> str:
    choice = rng.integers(4)
    if choice < 2:
        return value if choice else "*"
    if name == "job":
        other = str(rng.choice([job for job in JOBS if job != value]))
        return JOBS[value] if choice == 2 else f"{{{', '.join(sorted([value, other]))}}}"
    low = int(value) - int(rng.integers(3))
    return f"[{low}, {int(value) + 1 + int(rng.integers(3))})" if choice == 2 else f"[{low}, {value}]"


def random_pair(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(2, 7))
    people = pd.DataFrame(
        {
            "age": rng.integers(20, 25, n_rows).astype(str),
            "job": rng.choice(list(JOBS), n_rows),
            "ill": rng.choice(["flu", "hiv", "no"], n_rows),
        }
    )
    release = people.copy()
    for name in ("age", "job"):
        release[name] = [masked(name, value, rng) for value in people[name]]
    return people, release


@pytest.mark.parametrize("seed", range(0, 60, 20))
def test_candidates_are_those_of_every_pair_and_every_assignment(seed: int) -> None:
    for each in range(seed, seed + 20):
        people, release = random_pair(each)
        found = found_in(release, people)
        known = ["age", "job"]
        own = candidates(release[known].to_dict("records"), people[known].to_dict("records"), fits)
        sizes = [len(rows) for rows in own]
        left = left_by_register(own, len(release))
        assert (found.smallest, found.single) == (min(sizes), sizes.count(1)), each
        assert found.rate == pytest.approx(np.mean([1 / size for size in sizes]))
        assert sum(n or 0 for _, _, n in found.sizes) == len(people)
        assert found.register_single == sum(len(rows) == 1 for rows in left), each
        assert found.register_smallest == min(map(len, left))
        is_withheld = (release[known] == "*").any(axis=1)
        assert found.n_withheld == is_withheld.sum()
        assert found.withheld_single == sum(s == 1 and w for s, w in zip(sizes, is_withheld, strict=True))
        assert (found.read_off[0].certain, found.read_off[0].register_certain) == (
            n_certain(own, release, people),
            n_certain(left, release, people),
        ), each
        assert found.read_off[0].rate == pytest.approx(rate(own, release, people)), each


def found_in(release: pd.DataFrame, people: pd.DataFrame) -> Candidates:
    sight = Sight(open_source(release), POLICY, bind(POLICY, Table(open_source(people))))
    (found,) = find_candidates(sight, rng=np.random.default_rng(0))
    return found


def n_certain(own: list[set[int]], release: pd.DataFrame, people: pd.DataFrame) -> int:
    held = [{release["ill"][row] for row in rows} for rows in own]
    return sum(values == {truth} for values, truth in zip(held, people["ill"], strict=True))


def rate(own: list[set[int]], release: pd.DataFrame, people: pd.DataFrame) -> float:
    counts = [Counter(release["ill"][row] for row in sorted(rows)) for rows in own]
    guesses = [min(count, key=lambda value: (-count[value], value)) for count in counts]
    return float(np.mean([guess == truth for guess, truth in zip(guesses, people["ill"], strict=True)]))


def random_cover(rng: np.random.Generator, n_values: int) -> tuple[Cover, list[set[int]]]:
    sets = [set(np.flatnonzero(rng.random(n_values) < rng.random()).tolist()) for _ in range(4)]
    return Cover.of([[(code, code + 1) for code in sorted(own)] for own in sets]), sets


def test_rows_join_the_people_that_every_pair_would() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n_columns = int(rng.integers(1, 5))
        people = np.unique(rng.integers(0, 5, (int(rng.integers(1, 60)), n_columns)), axis=0)
        rows = np.unique(rng.integers(0, 4, (int(rng.integers(1, 30)), n_columns)), axis=0)
        covers, sets = zip(*(random_cover(rng, 5) for _ in range(n_columns)), strict=True)
        pairs = join_rows(rows, people, covers)
        assert pairs is not None
        for i, row in enumerate(rows.tolist()):
            own = sorted(pairs.others[pairs.starts[i] : pairs.starts[i + 1]].tolist())
            assert own == [j for j, p in enumerate(people.tolist()) if all(map(_inside, p, row, sets))], (seed, i)


def _inside(value: int, text: int, sets: list[set[int]]) -> bool:
    return value in sets[text]


def test_a_join_gives_up_where_it_is_too_much() -> None:
    cover = Cover.of([[(0, 100)], [(0, 100)]])
    rows, people = np.array([[0], [1]]), np.arange(100).reshape(-1, 1)
    assert join_rows(rows, people, [cover], most_pairs=150) is None
    assert join_rows(rows, people, [cover], most_work=150) is None
    assert join_rows(rows, people, [cover], most_pairs=200) is not None


def test_a_register_with_counts_leaves_what_single_rows_would() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n_rows = int(rng.integers(2, 8))
        row_of, person_of = rng.integers(0, 3, n_rows), rng.integers(0, 3, n_rows)
        may_be = (rng.random((3, 3)) < 0.4) | (np.histogram2d(row_of, person_of, bins=(range(4), range(4)))[0] > 0)
        others = np.concatenate([np.flatnonzero(own) for own in may_be]).astype(np.int32)
        pairs = Pairs(np.concatenate([[0], may_be.sum(axis=1).cumsum()]), others)
        true = np.unique(row_of * 3 + person_of)
        rows, people = still_possible(pairs, (true // 3, true % 3), 3)
        own = [set(np.flatnonzero(may_be[row_of, person]).tolist()) for person in person_of]
        for person, left in zip(person_of.tolist(), left_by_register(own, n_rows), strict=True):
            fast = {row for row in range(n_rows) if may_be[row_of[row], person] and rows[row_of[row]] == people[person]}
            assert fast == left, seed


def test_two_texts_together_allow_exactly_what_both_allow() -> None:
    for seed in range(60):
        people, first = random_pair(seed)
        rng = np.random.default_rng(1000 + seed)
        second = people.assign(
            **{name: [masked(name, value, rng) for value in people[name]] for name in ("age", "job")}
        )
        layers = [_layer(frame) for frame in (first, second)]
        both = lay_over(*layers, POLICY, None)
        for name in ("age", "job"):
            values = list(JOBS) if name == "job" else [str(age) for age in range(17, 30)]
            for row, code in enumerate(both.codes[name].tolist()):
                allowed = [v for v in values if fits(name, first[name][row], v) and fits(name, second[name][row], v)]
                assert [v for v in values if fits(name, str(both.texts[name][code]), v)] == allowed, (seed, name)


def _layer(frame: pd.DataFrame) -> Layer:
    codes, texts = {}, {}
    for name in ("age", "job"):
        texts[name], codes[name] = (part.tolist() for part in np.unique(frame[name], return_inverse=True))
    arrays = {name: np.array(own) for name, own in codes.items()}
    return Layer(people=np.arange(len(frame)), texts={n: tuple(t) for n, t in texts.items()}, codes=arrays)
