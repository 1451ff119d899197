"""Local recoding: what it publishes, what it refuses, and what it must not depend on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.errors import InfeasibleError, InputError
from withhold.methods.local import (
    Column,
    NumberColumn,
    Promise,
    Recoded,
    Recoding,
    SetColumn,
    SuppressColumn,
    TreeColumn,
    at_least,
    at_most_share,
    distinct_values,
    recode,
)
from withhold.table import Taxonomy

JOBS = Taxonomy.from_nested(
    {"*": {"desk": {"clerk": {}, "judge": {}}, "hand": {"cook": {}, "smith": {}, "tailor": {}}}}
)


def table(n_rows: int, seed: int = 0) -> tuple[list[Column], np.ndarray]:
    rng = np.random.default_rng(seed)
    columns: list[Column] = [
        TreeColumn(JOBS),
        NumberColumn(np.arange(18.0, 60.0)),
        SuppressColumn(["f", "m"]),
        SetColumn(["north", "east", "south", "west"]),
    ]
    codes = np.stack([rng.integers(0, column.n_leaves, n_rows) for column in columns], axis=1)
    return columns, codes.astype(np.int32)


def size(k: int, columns: int = 4) -> list[Promise]:
    return [Promise(rule=at_least(k), columns=tuple(range(columns)))]


def lines(made: Recoded) -> list[tuple]:
    texts = [made.published(c) for c in range(len(made.columns))]
    return list(zip(*([text.values[code] for code in text.codes] for text in texts), strict=True))


@pytest.mark.parametrize("effort", ["quick", "normal", "thorough"])
def test_every_group_has_k_rows(effort: str) -> None:
    columns, codes = table(700)
    made = recode(columns, codes, None, size(5), effort=effort)
    assert np.bincount(made.groups()).min() >= 5
    assert 0 < made.loss < 0.3


def test_more_effort_loses_less() -> None:
    columns, codes = table(2000)
    losses = [recode(columns, codes, None, size(5), effort=effort).loss for effort in ("quick", "normal", "thorough")]
    assert losses[0] > losses[1] > losses[2]


def test_result_is_the_same_on_any_number_of_threads() -> None:
    columns, codes = table(9000)
    promises = [*size(4), Promise(rule=distinct_values(3, 2), columns=(0, 1), lanes=codes[:, 1] % 3)]
    one, two = (recode(columns, codes, None, promises, threads=n) for n in (1, 2))
    assert np.array_equal(one.low, two.low)
    assert np.array_equal(one.high, two.high)
    assert np.array_equal(one.sets[3], two.sets[3])


def test_a_seed_repeats_and_another_differs() -> None:
    columns, codes = table(3000)
    first, again, other = (recode(columns, codes, None, size(7), rng=seed) for seed in (1, 1, 2))
    assert lines(first) == lines(again)
    assert lines(first) != lines(other)


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_order_of_rows_does_not_matter(seed: int) -> None:
    columns, codes = table(200, seed)
    order = np.random.default_rng(seed).permutation(200)
    whole, mixed = recode(columns, codes, None, size(3)), recode(columns, codes[order], None, size(3))
    assert [lines(whole)[i] for i in order] == lines(mixed)


def test_counted_rows_are_recoded_as_repeated_ones() -> None:
    columns, codes = table(300)
    weights = np.random.default_rng(0).integers(1, 4, 300)
    counted = recode(columns, codes, weights, size(4))
    repeated = recode(columns, np.repeat(codes, weights, axis=0), None, size(4))
    assert counted.loss == pytest.approx(repeated.loss)
    assert [line for line, n in zip(lines(counted), weights, strict=True) for _ in range(n)] == lines(repeated)


def test_names_of_values_do_not_matter() -> None:
    codes = np.random.default_rng(0).integers(0, 4, (200, 2)).astype(np.int32)
    made = [
        recode([SuppressColumn(names), SuppressColumn(names)], codes, None, size(3, 2)) for names in ("abcd", "wxyz")
    ]
    assert lines(made[0]) == lines(made[1])


def test_promises_of_separate_columns_are_kept_apart() -> None:
    columns, codes = table(400)
    promises = [Promise(rule=at_least(5), columns=(0, 1)), Promise(rule=at_least(20), columns=(2, 3))]
    made = recode(columns, codes, None, promises)
    assert np.bincount(made.groups([0, 1])).min() >= 5
    assert np.bincount(made.groups([2, 3])).min() >= 20
    alone = recode(columns[:2], codes[:, :2], None, promises[:1])
    assert np.array_equal(made.low[:, :2], alone.low)


def test_a_column_of_one_promise_is_finer_than_in_groups_over_all_columns() -> None:
    columns, codes = table(500)
    promises = [Promise(rule=at_least(5), columns=(0, 1)), Promise(rule=at_least(5), columns=(0, 3))]
    made, union = recode(columns, codes, None, promises), recode(columns, codes, None, size(5))
    assert np.bincount(made.groups([0, 1])).min() >= 5
    assert np.bincount(made.groups([0, 3])).min() >= 5
    assert made.loss < union.loss


def test_a_column_of_no_promise_is_published_as_it_is() -> None:
    columns, codes = table(100)
    made = recode(columns, codes, None, [Promise(rule=at_least(5), columns=(1,))])
    for c in (0, 2, 3):
        assert np.array_equal(made.low[:, c], codes[:, c])
        assert np.array_equal(made.high[:, c], codes[:, c])


def test_an_important_column_loses_less() -> None:
    _, codes = table(500)
    codes = codes[:, :2]
    widths = []
    for weight in (1.0, 20.0):
        columns: list[Column] = [TreeColumn(JOBS), NumberColumn(np.arange(18.0, 60.0), weight=weight)]
        made = recode(columns, codes, None, size(5, 2))
        widths.append((made.high[:, 1] - made.low[:, 1]).mean())
    assert widths[1] < widths[0]


def test_prices_of_nodes_can_be_given() -> None:
    free = TreeColumn(JOBS, prices=np.zeros(JOBS.n_nodes))
    columns, codes = table(200)
    made = recode([free, columns[1]], codes[:, :2], None, size(3, 2))
    plain = recode([columns[0], columns[1]], codes[:, :2], None, size(3, 2))
    assert (made.high - made.low)[:, 1].mean() < (plain.high - plain.low)[:, 1].mean()


def test_the_finest_level_is_what_a_single_value_publishes() -> None:
    _, codes = table(200)
    made = recode([TreeColumn(JOBS, finest=1)], codes[:, :1], None, size(3, 1))
    assert {JOBS.labels[node] for node in made.published(0).values} <= {"desk", "hand", "*"}
    assert made.loss >= 0.25


def test_nothing_is_coarser_than_the_coarsest_level() -> None:
    columns, codes = table(300)
    made = recode([TreeColumn(JOBS, coarsest=1), columns[1]], codes[:, :2], None, size(5, 2))
    assert "*" not in {JOBS.labels[node] for node in made.published(0).values}
    assert np.bincount(made.groups()).min() >= 5


def test_a_kept_column_stays_and_rare_values_are_withheld_within_the_limit() -> None:
    codes = np.array([[0], [0], [0], [0], [0], [0], [1], [1], [2]], dtype=np.int32)
    column = SuppressColumn(["a", "b", "c"], keep=True)
    with pytest.raises(InfeasibleError, match="3 records"):
        recode([column], codes, None, size(3, 1))
    made = recode([column], codes, None, size(3, 1), most_withheld=0.34)
    assert made.withheld.tolist() == [False] * 6 + [True] * 3
    assert [made.published(0).values[code] for code in made.published(0).codes] == [1] * 6 + [0] * 3


def test_withheld_rows_are_a_group_of_their_own() -> None:
    codes = np.array([[0]] * 9 + [[1]] * 2 + [[2]] * 4, dtype=np.int32)
    made = recode([SuppressColumn(["a", "b", "c"], keep=True)], codes, None, size(4, 1), most_withheld=0.5)
    assert made.withheld.tolist() == [False] * 9 + [True] * 6


def test_kept_columns_of_two_promises_need_not_be_frequent_together() -> None:
    rng = np.random.default_rng(0)
    columns: list[Column] = [
        SuppressColumn([str(i) for i in range(6)], keep=True),
        NumberColumn(np.arange(10.0)),
        SuppressColumn([str(i) for i in range(6)], keep=True),
    ]
    codes = np.stack([rng.integers(0, column.n_leaves, 60) for column in columns], axis=1).astype(np.int32)
    promises = [Promise(rule=at_least(4), columns=(0, 1)), Promise(rule=at_least(4), columns=(1, 2))]
    made = recode(columns, codes, None, promises)
    assert np.bincount(made.groups([0, 1])).min() >= 4
    assert np.bincount(made.groups([1, 2])).min() >= 4
    assert np.array_equal(made.low[:, 0], codes[:, 0])


def test_outliers_are_withheld_where_that_pays() -> None:
    values = np.arange(1001.0)
    codes = np.array([[i] for i in range(100) for _ in range(3)] + [[400], [700], [1000]], dtype=np.int32)
    columns = [NumberColumn(values), NumberColumn(values)]
    both = np.concatenate([codes, codes], axis=1)
    kept = recode(columns, both, None, size(3, 2))
    made = recode(columns, both, None, size(3, 2), most_withheld=0.02)
    assert made.loss <= kept.loss
    assert made.withheld.sum() in (0, 3)
    assert np.bincount(made.groups()).min() >= 3


def test_intervals_end_at_edges_unless_they_are_one_value() -> None:
    rng = np.random.default_rng(0)
    age = NumberColumn(np.arange(17.0, 91.0), edges=np.arange(20, 90, 5))
    codes = rng.integers(0, 74, (300, 1)).astype(np.int32)
    for ends in recode([age], codes, None, size(6, 1)).published(0).values:
        assert isinstance(ends, tuple)
        low, high = ends
        assert low == high or (low in (17, *range(20, 90, 5)) and high in (90, *range(20, 90, 5)))


def test_a_missing_number_and_a_number_are_published_as_a_star() -> None:
    column = NumberColumn([1, 2, 3], missing=True)
    made = recode([column], np.array([[0], [1], [3], [3], [2]], dtype=np.int32), None, size(5, 1))
    assert made.published(0).values == (None,)
    made = recode([column], np.array([[0], [1], [3], [3]], dtype=np.int32), None, size(2, 1))
    assert set(made.published(0).values) == {(), (1.0, 2.0)}


def test_sets_are_small_and_never_larger_than_allowed() -> None:
    codes = np.random.default_rng(1).integers(0, 6, (40, 2)).astype(np.int32)
    column = SetColumn(list("abcdef"), most=2)
    made = recode([column, column], codes, None, size(3, 2))
    members = [value for c in (0, 1) for value in made.published(c).values if value is not None]
    assert max(len(value) for value in members) == 2


def test_a_share_steers_the_cuts() -> None:
    rng = np.random.default_rng(3)
    age = rng.integers(0, 40, 600)
    ill = (rng.random(600) < age / 60).astype(np.int32)
    promise = Promise(rule=at_most_share(2, [1], 0.4), columns=(0,), lanes=ill)
    made = recode([NumberColumn(np.arange(40.0))], age[:, None].astype(np.int32), None, [promise])
    groups = made.groups()
    shares = np.bincount(groups, weights=ill) / np.bincount(groups)
    assert shares.max() <= 0.4
    assert made.loss < 0.9


def test_new_rows_get_the_cheapest_texts_that_cover_them() -> None:
    columns, codes = table(400)
    made = recode(columns, codes, None, size(5))
    found = made.assign(codes)
    assert (found >= 0).all()
    for c in range(4):
        text = made.published(c)
        prices = [column_price(made.columns[c], text.values[code]) for code in text.codes]
        assert all(covers(made.columns[c], text.values[text.codes[j]], codes[i, c]) for i, j in enumerate(found))
        assert len(prices) == 400


def covers(column: Column, value: object, code: int) -> bool:
    if isinstance(column, TreeColumn):
        assert isinstance(value, int)
        return bool(column.taxonomy.first[value] <= code < column.taxonomy.last[value])
    if isinstance(column, SuppressColumn):
        return value in (0, code + 1)
    if isinstance(column, NumberColumn):
        assert isinstance(value, tuple)
        return bool(value[0] <= column.values[code] <= value[1])
    return value is None or (isinstance(value, tuple) and code in value)


def column_price(column: Column, value: object) -> float:
    return 0.0 if value is None else column.weight


def test_a_row_that_no_text_covers_is_not_assigned() -> None:
    column = NumberColumn(np.arange(10.0))
    made = recode([column], np.array([[1], [2], [7], [8]], dtype=np.int32), None, size(2, 1))
    assert made.assign(np.array([[2], [4], [8]], dtype=np.int32)).tolist() == [0, -1, 2]


def test_a_search_stopped_at_any_step_keeps_every_promise() -> None:
    columns, codes = table(1500)
    for n_steps in (0, 1, 3, 30):
        recoding = Recoding(columns, codes, None, size(6))
        steps = recoding.steps()
        for _ in range(n_steps):
            next(steps, None)
        made = recoding.result()
        assert np.bincount(made.groups()).min() >= 6
        assert made.loss < 0.5


def test_progress_counts_records_and_stops_the_search() -> None:
    columns, codes = table(800)
    seen: list[tuple[int, int]] = []

    def note(done: int, n_all: int) -> bool:
        seen.append((done, n_all))
        return len(seen) == 2

    made = recode(columns, codes, None, size(6), on_progress=note)
    assert len(seen) == 2
    assert seen[0][0] < seen[1][0] <= seen[1][1] == 800
    assert np.bincount(made.groups()).min() >= 6


def test_an_empty_table_is_published_as_it_is() -> None:
    columns, codes = table(0)
    made = recode(columns, codes, None, size(5))
    assert made.low.shape == (0, 4)
    assert made.loss == 0


def test_too_few_rows_are_infeasible() -> None:
    columns, codes = table(4)
    with pytest.raises(InfeasibleError) as caught:
        recode(columns, codes, None, size(5))
    assert (caught.value.requirement, caught.value.asked, caught.value.reached) == (0, 5, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effort": "medium"}, "effort"),
        ({"most_withheld": 1.5}, "most_withheld"),
        ({"most_withheld": float("nan")}, "most_withheld"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(change: dict, message: str) -> None:
    columns, codes = table(10)
    with pytest.raises(InputError, match=message):
        recode(columns, codes, None, size(2), **change)


def test_bad_tables_are_refused_before_compiled_code_sees_them() -> None:
    columns, codes = table(10)
    with pytest.raises(InputError, match="leaves"):
        recode(columns, codes + 100, None, size(2))
    with pytest.raises(InputError, match="weights"):
        recode(columns, codes, np.zeros(10, dtype=np.int64), size(2))
    with pytest.raises(InputError, match="one column"):
        recode(columns[:2], codes, None, size(2, 2))
    with pytest.raises(InputError, match="lanes"):
        recode(
            columns, codes, None, [Promise(rule=distinct_values(2, 2), columns=(0,), lanes=np.full(10, 7, np.int32))]
        )
    with pytest.raises(InputError, match="needs"):
        Promise(rule=distinct_values(2, 2), columns=(0,))
    with pytest.raises(InputError, match="positions"):
        recode(columns, codes, None, size(2, 5))
    with pytest.raises(InputError, match="weight of a column"):
        recode([SuppressColumn("ab", weight=-1.0)], codes[:, 2:3], None, size(2, 1))
    with pytest.raises(InputError, match="ascending"):
        NumberColumn([2, 1])
    with pytest.raises(InputError, match="bounds"):
        NumberColumn([1, 9], bounds=(0, 5))
