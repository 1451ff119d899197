"""Taxonomies are built by prefix, interval, quantile, date, frequency and code list, and fit their column."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import DataError, InputError, TaxonomyError
from withhold.taxonomies import check_taxonomy


def path_of(tree: wh.Taxonomy, value: str) -> list[str | None]:
    return next(path for path in tree.paths() if path[0] == value)


def test_codes_of_one_length_keep_it_and_others_end_in_one_star() -> None:
    assert path_of(wh.taxonomy(["01234", "01299"], by="prefix", lengths=[3]), "01234") == ["01234", "012**", "*"]
    tree = wh.taxonomy(["E11.9", "E11", "I10"], by="prefix", code="icd10")
    assert path_of(tree, "E11.9") == ["E11.9", "E11*", "E*", "*"]
    assert path_of(tree, "E11") == ["E11", "E11*", "E*", "*"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-500, 5_000), min_size=2, max_size=200), st.sampled_from(["intervals", "quantiles"]))
def test_outer_intervals_and_quantile_groups_hold_enough_rows(numbers: list[int], by: str) -> None:
    tree = wh.taxonomy([str(n) for n in numbers], by=by, least=7)  # type: ignore[arg-type]
    assert not [flaw for flaw in check_taxonomy(tree, [str(n) for n in numbers]) if flaw.is_error]
    place = {leaf: i for i, leaf in enumerate(tree.leaves)}
    rows = np.array([place[str(n)] for n in numbers])
    leaves = set(tree.leaf_nodes.tolist())
    for node in set(range(tree.n_nodes)) - leaves - {0}:
        held = int(((rows >= tree.first[node]) & (rows < tree.last[node])).sum())
        if by == "quantiles" or str(tree.labels[node]).startswith(("<", "≥")):
            assert held >= 7


def test_an_edge_of_a_quantile_is_round_unless_many_rows_hold_it() -> None:
    rng = np.random.default_rng(5)
    amounts = np.round(rng.lognormal(7, 1, 2_000), 2)
    tree = wh.taxonomy([repr(float(each)) for each in amounts], by="quantiles", groups=8)
    groups = {str(label) for node, label in enumerate(tree.labels) if node not in set(tree.leaf_nodes.tolist())}
    edges = {float(part) for text in groups - {"*"} for part in text.strip("[)<≥ ").split(",")}
    assert edges
    assert not edges & set(amounts.tolist())
    tied = wh.taxonomy(["37"] * 50 + ["40"] * 50, by="quantiles", groups=2)
    assert {"< 40", "≥ 40"} <= set(tied.labels)


def test_rare_values_are_together_and_never_alone() -> None:
    cells = ["clerk"] * 40 + ["cook"] * 20 + ["pilot"]
    tree = wh.taxonomy(cells, by="frequency", least=10)
    assert path_of(tree, "pilot") == ["pilot", "(other)", "*"]
    assert path_of(tree, "cook") == ["cook", "(other)", "*"]  # else everybody would know who the other one is
    assert path_of(tree, "clerk") == ["clerk", "*"]


def test_dates_climb_to_the_decade() -> None:
    tree = wh.taxonomy(["24.12.2021", "05.03.2024"], by="dates", date_format="%d.%m.%Y")
    above = ["2024-03", "2024-Q1", "2024", "2020–2024", "2020–2029", "*"]
    assert path_of(tree, "05.03.2024") == ["05.03.2024", *above]
    short = wh.taxonomy(["2024-03-05"], by="dates", levels=["year", "month"])
    assert path_of(short, "2024-03-05") == ["2024-03-05", "2024-03", "2024", "*"]


def test_a_code_list_names_groups_by_code_and_label(tmp_path: Path) -> None:
    listed = tmp_path / "icd.csv"
    listed.write_text("code,label,parent\nE,Endocrine,\nE11,Type 2 diabetes,E\nE11.9,Without complications,E11\n")
    tree = wh.taxonomy(["E11.9", "E11"], by="codes", codes=listed)
    assert path_of(tree, "E11.9") == ["E11.9", "E11 Type 2 diabetes", "E Endocrine", "*"]
    assert path_of(tree, "E11") == ["E11", "E11 Type 2 diabetes", "E Endocrine", "*"]
    with pytest.raises(TaxonomyError, match="1 distinct values of the column are not in it"):
        wh.taxonomy(["Z00"], by="codes", codes=listed)


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ({"by": "prefix", "lengths": [1, 2]}, "falling"),
        ({"by": "intervals", "widths": [5, 12]}, "12 is none of 5"),
        ({"by": "quantiles", "least": 1}, "at least 2"),
        ({"by": "dates", "levels": ["week"]}, '"week" is no level'),
        ({"by": "magic"}, "must be one of"),
        ({"by": "codes"}, "needs `codes`"),
    ],
)
def test_wrong_settings_are_refused(how: dict[str, object], what: str) -> None:
    with pytest.raises(InputError, match=what):
        wh.taxonomy(["1", "2"], **how)  # type: ignore[arg-type]


def test_text_among_numbers_and_dates_is_counted() -> None:
    with pytest.raises(DataError, match="1 distinct values are no numbers"):
        wh.taxonomy(["1", "2", "none"], by="intervals")
    with pytest.raises(DataError, match="1 distinct texts are no dates"):
        wh.taxonomy(["2024-02-30", "2024-02-28"], by="dates")


def test_a_written_taxonomy_reads_back_and_serves_a_release(tmp_path: Path) -> None:
    codes = [f"{i % 40 + 1000:05d}" for i in range(400)]
    wh.taxonomy(codes, by="prefix").write(tmp_path / "t.csv")
    settings = {"code": wh.ColumnSettings(taxonomy="t.csv")}
    policy = wh.Policy([wh.Anonymity(columns=["code"], k=50)], columns=settings, folder=tmp_path)
    import pandas as pd

    shown = wh.release(pd.DataFrame({"code": codes}), policy).to_frame()["code"]
    assert set(shown) == {"0100*", "0101*", "0102*", "0103*"}


def test_dates_of_birth_climb_to_ages_and_are_not_published_themselves() -> None:
    import pandas as pd

    days = pd.date_range("1940-01-01", "2005-12-31", periods=500).strftime("%Y-%m-%d").tolist()
    tree = wh.taxonomy(days, by="dates", age_at="2024-06-30", widths=[5, 10, 20])
    assert path_of(tree, days[250])[1:4] == ["51", "[50, 55)", "[50, 60)"]
    columns = {"born": wh.ColumnSettings(taxonomy=tree, levels=(0, 4))}
    policy = wh.Policy([wh.Anonymity(columns=["born"], k=4)], columns=columns, recoding="local")
    assert not set(wh.release(pd.DataFrame({"born": days}), policy).to_frame()["born"]) & set(days)
    with pytest.raises(DataError, match="lie after `age_at`"):
        wh.taxonomy(days, by="dates", age_at="1999-01-01")
    with pytest.raises(InputError, match="must be a day"):
        wh.taxonomy(days, by="dates", age_at="soon")
