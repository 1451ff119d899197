"""Templates in whole releases: alone, together with anonymity, on the paper's tables."""

import json
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pytest

import withhold as wh
from real_data import ADULT_NUMBERS, adult, adult_bounds, adult_trees, crx
from withhold.errors import InfeasibleError, PolicyError
from withhold.methods import pda, tds
from withhold.metrics import count_inferences

PDA = json.loads((Path(__file__).parent / "golden" / "pda.json").read_text())
TDS = json.loads((Path(__file__).parent / "golden" / "tds.json").read_text())
TABLE3 = {entry["id"]: entry for entry in PDA["table3"]}
CRX_ATTRIBUTES = ["A1", "A4", "A5", "A12", "A13"]


@lru_cache
def table(name: str) -> wh.Table:
    frame = crx() if name == "crx" else adult()
    return wh.read(frame).load()


def templates(entry: dict, at_most: float = 1.0) -> list[wh.Template]:
    return [wh.Template(given=entry["ic"], hide=entry["sensitive"], at_most=at_most)]


@pytest.mark.parametrize(
    ("name", "entry"), [("crx", "crx-top4"), ("adult", "adult-table3"), ("adult", "adult-top4-as-text")]
)
def test_table_3_counts_of_inferences(name: str, entry: str) -> None:
    expected = TABLE3[entry]["expected"]
    found = count_inferences(table(name), templates(TABLE3[entry]), [float(share) for share in expected])
    assert list(found.values()) == list(expected.values())


def test_section_5_1_what_stays_suppressed_on_crx_at_70_percent() -> None:
    entry = TABLE3["crx-top4"]
    result = pda(table("crx"), templates(entry, 0.7), target="A16")
    assert {column: list(values) for column, values in result.withheld.items()} == entry["run_h_0.7"]["sup"]
    after = count_inferences(table("crx"), templates(entry), [0.7], recodings=result.recodings)
    assert after == {0.7: 0}


def top(entry: dict, n_sensitive: int, at_most: float) -> list[wh.Template]:
    chosen = dict(list(entry["sensitive"].items())[:n_sensitive])
    return [wh.Template(given=entry["ic"], hide=chosen, at_most=at_most)]


@pytest.mark.parametrize(
    ("name", "entry", "target"), [("crx", "crx-top4", "A16"), ("adult", "adult-top4-as-text", "income")]
)
@pytest.mark.parametrize("n_sensitive", [1, 2, 3, 4])
@pytest.mark.parametrize("at_most", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_every_setting_of_figure_3_releases_or_says_why_not(
    name: str, entry: str, target: str, n_sensitive: int, at_most: float
) -> None:
    wanted = top(TABLE3[entry], n_sensitive, at_most)
    data = table(name)
    shares = []
    for column, value in wanted[0].terms:
        rows = data.distinct([column], as_text=[column])
        held = rows.weights[[data.store.values(column)[code] == value for code in rows.codes[0]]].sum()
        shares.append(held / data.n_rows)
    if max(shares) > at_most:
        with pytest.raises(InfeasibleError, match=r"require\[0\]: template .* its share is 0\.\d+ \(\d+ of \d+ rows\)"):
            pda(data, wanted, target=target)
        return
    result = pda(data, wanted, target=target)
    frame = (crx() if name == "crx" else adult()).astype(str)
    for column, cells in result.apply(wh.read(frame)).items():
        frame[column] = cells
    for column, value in wanted[0].terms:
        groups = frame.groupby(list(wanted[0].given), dropna=False)[column]
        assert (groups.apply(lambda cells, value=value: (cells == value).mean()) <= at_most).all()
    assert wh.audit(frame, wh.Policy(wanted)).ok


def test_the_authors_released_run_of_tds_is_reproduced() -> None:
    run = TDS["authors_run"]
    data = wh.read(adult())
    trees = {n: wh.Taxonomy.from_nested(t) for n, t in adult_trees(mode="flat").items() if n in run["qid"]}
    numbers = {n: data.numbers(n, bounds=adult_bounds()[n]) for n in ADULT_NUMBERS if n in run["qid"]}
    data = data.with_domains({**trees, **numbers})
    masks = dict.fromkeys(trees, "suppress")
    for score in ("ratio", "ratio+1"):
        result = tds(data, [wh.Anonymity(columns=run["qid"], k=run["k"])], target="income", masks=masks, score=score)
        assert sorted(result.group_sizes[0].tolist(), reverse=True) == run["group_sizes"]


PATIENTS = pd.DataFrame(wh.samples.clinic(3_000, seed=5))
JOINT = wh.Policy(
    [
        wh.Template(given=["sex", "postcode", "insurance"], hide={"diagnosis": ["depression", "stroke"]}, at_most=0.25),
        wh.Anonymity(columns=["age", "sex", "insurance"], k=10),
    ],
    target="readmitted",
    drop=["name"],
    columns={"age": wh.ColumnSettings(type="number"), "postcode": wh.ColumnSettings(mask="suppress")},
)


def test_a_joint_policy_holds_in_one_release(tmp_path: Path) -> None:
    release = wh.release(PATIENTS, JOINT)
    assert release.write(tmp_path / "out.csv").ok
    frame = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    assert frame.groupby(["age", "sex", "insurance"]).size().min() >= 10
    for value in ("depression", "stroke"):
        shares = frame.groupby(["sex", "postcode", "insurance"])["diagnosis"].apply(lambda c, v=value: (c == v).mean())
        assert shares.max() <= 0.25
    assert {step.method for step in release.steps} == {"tds", "pda"}


def test_the_withheld_sets_are_published_with_the_release(tmp_path: Path) -> None:
    release = wh.release(PATIENTS, JOINT)
    release.write(tmp_path / "out.csv")
    sets = json.loads((tmp_path / "out.csv.withheld.json").read_text())
    assert sets["public"] is True
    withheld = set(sets["columns"]["postcode"]["may_stand_for"])
    published = set(release.to_frame()["postcode"])
    assert withheld == set(PATIENTS["postcode"]) - published
    assert release.report["withheld_sets"]["postcode"] == sorted(withheld)
    wh.release(PATIENTS, wh.Policy([wh.Anonymity(columns=["sex"], k=5)])).write(tmp_path / "out.csv")
    assert not (tmp_path / "out.csv.withheld.json").exists()


def test_the_report_counts_inferences_before_and_after() -> None:
    found = wh.release(PATIENTS, JOINT).report["metrics"]["inferences"]
    assert found["above"] == [0.1, 0.3, 0.5, 0.7, 0.9]
    assert found["before"][1] > found["after"][1] == 0


def test_a_lone_withheld_value_and_a_redundant_template_are_reported() -> None:
    frame = pd.DataFrame({"g": ["a"] * 4 + ["b"] * 4, "s": ["x"] + ["y"] * 7, "t": ["0", "1"] * 2 + ["1"] * 4})
    policy = wh.Policy(
        [
            wh.Template(given=["g"], hide={"s": ["x"]}, at_most=0.9),
            wh.Template(given=["g"], hide={"s": ["x"]}, at_most=0.95),
        ],
        target="t",
    )
    release = wh.release(frame, policy)
    assert release.refinement.withheld == {"g": ("b",)}
    notes = release.report["notes"]
    assert any("`*` stands for one value only" in note for note in notes)
    assert any(note.startswith("require[1] is implied by require[0]") for note in notes)


def test_a_template_may_follow_a_taxonomy(tmp_path: Path) -> None:
    policy = wh.Policy(
        [wh.Template(given=["postcode"], hide={"diagnosis": ["stroke"]}, at_most=0.2)],
        columns={"postcode": wh.ColumnSettings(taxonomy=wh.samples.CLINIC_TAXONOMIES["postcode"])},
        target="readmitted",
    )
    release = wh.release(PATIENTS, policy)
    assert {step.method for step in release.steps} == {"tds"}
    assert release.write(tmp_path / "out.csv").ok
    assert release.reached[0] <= 0.2


def test_kept_columns_stay_as_they_are() -> None:
    policy = wh.Policy(
        [wh.Template(given=["sex", "postcode"], hide={"diagnosis": ["stroke"]}, at_most=0.25, keep=["sex"])],
        target="readmitted",
    )
    release = wh.release(PATIENTS, policy)
    frame = release.to_frame()
    assert frame["sex"].tolist() == PATIENTS["sex"].tolist()
    assert "sex" not in release.refinement.cuts


def test_an_infeasible_template_is_exit_code_3(tmp_path: Path) -> None:
    with pytest.raises(InfeasibleError, match=r"require\[0\]: template for diagnosis = \"stroke\"") as caught:
        wh.release(PATIENTS, wh.Policy([wh.Template(given=["sex"], hide={"diagnosis": ["stroke"]}, at_most=0.001)]))
    assert caught.value.exit_code == 3


def test_numbers_cannot_be_suppressed_value_by_value() -> None:
    policy = wh.Policy(
        [wh.Template(given=["age"], hide={"diagnosis": ["stroke"]}, at_most=0.5)],
        columns={"age": wh.ColumnSettings(mask="suppress")},
    )
    with pytest.raises(PolicyError, match=r'columns\.age\.mask: .* mask = "suppress" needs type = "category"'):
        wh.release(PATIENTS, policy)


def _kept(kept: list, settings: dict, missing: list[str]) -> tuple[object, wh.Policy]:
    import pyarrow as pa

    frame = pa.table({"g": ["a"] * 4, "s": ["x", "y", "x", "y"], "k": kept})
    policy = wh.Policy(
        [wh.Template(given=["g", "k"], keep=["k"], hide={"s": ["x"]}, at_most=0.5)],
        columns={"k": wh.ColumnSettings(**settings)},
        missing=missing,
    )
    return frame, policy


@pytest.mark.parametrize(
    ("kept", "settings", "missing"),
    [
        (["?", None] * 2, {}, ["?"]),
        (["1", "1.0"] * 2, {"type": "number"}, []),
        ([0.0, -0.0] * 2, {}, []),
    ],
)
def test_kept_values_have_one_published_text_and_are_counted_so(
    kept: list, settings: dict, missing: list[str], tmp_path: Path
) -> None:
    frame, policy = _kept(kept, settings, missing)
    release = wh.release(frame, policy)
    assert len(set(release.to_frame()["k"].to_pylist())) == 1
    assert release.write(tmp_path / "out.parquet").ok


def test_kept_integers_beyond_a_double_are_different_values() -> None:
    with pytest.raises(InfeasibleError, match=r"its share is 1\.0000 \(2 of 2 rows\)"):
        wh.release(*_kept([2**53, 2**53 + 1] * 2, {}, []))


def test_sensitive_values_are_compared_as_text() -> None:
    frame = pd.DataFrame({"g": ["a"] * 4, "s": [2**53, 2**53 + 1] * 2})
    policy = wh.Policy([wh.Template(given=["g"], hide={"s": [str(2**53)]}, at_most=0.6)])
    release = wh.release(frame, policy)
    assert release.reached == (0.5,)
    assert wh.audit(release.to_frame(), policy).ok


@pytest.mark.parametrize("share", [1 / 3, 1 / 7, 2 / 3, 0.1 + 0.2])
def test_the_search_and_the_check_agree_on_a_threshold(share: float, tmp_path: Path) -> None:
    n_all, n_hold = (3, 1) if share == 1 / 3 else (7, 1) if share == 1 / 7 else (3, 2) if share == 2 / 3 else (10, 3)
    cells = ["x"] * n_hold + ["y"] * (n_all - n_hold)
    frame = pd.DataFrame({"g": ["a"] * n_all + ["b"] * n_all, "s": cells * 2})
    policy = wh.Policy([wh.Template(given=["g"], hide={"s": ["x"]}, at_most=share)])
    assert wh.release(frame, policy).write(tmp_path / "out.csv").ok


def test_the_requirement_that_cannot_be_met_is_the_one_that_is_named() -> None:
    frame = pd.DataFrame({"g": ["a"] * 6, "k": ["p"] * 3 + ["q"] * 3, "s": ["x"] * 3 + ["y"] * 3})
    hide = {"s": ["x"]}
    policy = wh.Policy(
        [
            wh.Template(given=["g"], hide=hide, at_most=0.5),
            wh.Template(given=["g", "k"], keep=["k"], hide=hide, at_most=0.5),
        ]
    )
    with pytest.raises(InfeasibleError, match=r"require\[1\]: ") as caught:
        wh.release(frame, policy)
    assert caught.value.requirement == 1


def test_rare_values_are_only_counted_in_the_published_sets(tmp_path: Path) -> None:
    jobs = ["clerk"] * 20 + ["cook"] * 20 + ["Bishop of Chur", "Astronaut"]
    frame = pd.DataFrame({"job": jobs, "t": ["0", "1"] * 21})
    policy = wh.Policy(
        [wh.Anonymity(columns=["job"], k=3)], target="t", columns={"job": wh.ColumnSettings(mask="suppress")}
    )
    wh.release(frame, policy).write(tmp_path / "out.csv")
    text = (tmp_path / "out.csv.withheld.json").read_text()
    assert "Bishop" not in text
    assert json.loads(text)["columns"]["job"]["others"] == 2


def test_the_mark_of_a_typed_column_is_null_and_so_is_disclosed_missing(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    zips = [100] * 6 + [200] * 4 + [None] * 6
    pq.write_table(
        pa.table({"zip": zips, "s": ["x", "y"] * 3 + ["x"] * 4 + ["x", "y"] * 3, "t": ["0", "1"] * 8}),
        tmp_path / "in.parquet",
    )
    policy = wh.Policy(
        [wh.Template(given=["zip"], hide={"s": ["x"]}, at_most=0.7)],
        target="t",
        columns={"zip": wh.ColumnSettings(type="category")},
    )
    release = wh.release(tmp_path / "in.parquet", policy)
    release.write(tmp_path / "out.parquet")
    release.write(tmp_path / "out.csv")
    typed = json.loads((tmp_path / "out.parquet.withheld.json").read_text())["columns"]["zip"]
    plain = json.loads((tmp_path / "out.csv.withheld.json").read_text())["columns"]["zip"]
    assert typed["mark"] is None
    assert plain["mark"] == "*"
    assert None in typed["may_stand_for"]


def test_releases_of_one_table_in_several_threads_do_not_mix(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    data = wh.read(PATIENTS)
    policies = [
        wh.Policy(
            [wh.Template(given=["postcode", "sex"], hide={"diagnosis": ["stroke"]}, at_most=h)], target="readmitted"
        )
        for h in (0.2, 0.9)
    ]
    releases = [wh.release(data, policy) for policy in policies]
    for i, release in enumerate(releases):
        release.write(tmp_path / f"expected{i}.csv")
    expected = [(tmp_path / f"expected{i}.csv").read_text() for i in range(2)]

    def write(number: int) -> bool:
        path = tmp_path / f"out{number}.csv"
        releases[number % 2].write(path)
        return path.read_text() == expected[number % 2]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(write, range(24)))


def test_a_file_of_someone_else_beside_the_release_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out.csv.withheld.json").write_text('{"mine": 1}')
    wh.release(PATIENTS, wh.Policy([wh.Anonymity(columns=["sex"], k=5)])).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv.withheld.json").read_text() == '{"mine": 1}'


def test_rare_values_beside_withheld_common_ones_are_noted() -> None:
    sex = ["m"] * 100 + ["w"] * 90 + ["divers"] * 6 + ["DIVERS"]
    ill = ["sad"] * 60 + ["well"] * 40 + ["sad"] * 50 + ["well"] * 40 + ["sad"] * 3 + ["well"] * 4
    frame = pd.DataFrame({"sex": sex, "ill": ill}).astype(object)
    template = wh.Template(given=["sex"], hide={"ill": ["sad"]}, at_most=0.58)
    release = wh.release(frame, wh.Policy([template]))
    assert set(release.refinement.withheld["sex"]) == {"m", "w"}
    said = 'column "sex": 2 values held by fewer than 10 rows are published while more common ones are withheld. '
    assert f"{said}Hint: add an anonymity requirement." in release.notes
    joint = wh.release(frame, wh.Policy([template, wh.Anonymity(columns=["sex"], k=10)]))
    assert not any("more common ones" in note for note in joint.notes)
