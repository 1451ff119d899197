"""What a table looks like before its policy is written: identifiers, numbers, dates, decimal commas."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
from withhold._first_policy import first_policy
from withhold._inspect import ColumnProfile, inspect_table
from withhold.cli._main import cli
from withhold.errors import DataError, OutputError, PolicyError

N_ROWS = 200


def profile(values: object) -> ColumnProfile:
    return inspect_table(wh.read(pd.DataFrame({"x": values}).astype("string")))[0]


def test_whole_numbers_of_people_are_identifiers_even_where_some_come_twice() -> None:
    rng = np.random.default_rng(0)
    assert profile(range(N_ROWS)).looks == "identifier"
    numbers = 10_000_000 + rng.choice(90_000_000, N_ROWS, replace=False)
    numbers[:20] = numbers[20:40]
    found = profile(numbers)
    assert (found.looks, found.n_distinct) == ("identifier", 180)
    assert "if it is an amount, take it out of `drop`" in found.note


def test_ages_are_numbers_and_unique_decimals_are_amounts() -> None:
    rng = np.random.default_rng(0)
    assert profile([f"{cost:.2f}" for cost in rng.lognormal(8, 0.7, N_ROWS)]).looks == "amount"
    assert profile((rng.lognormal(8, 1, N_ROWS) // 1).astype(int)).looks == "amount"
    assert profile(rng.integers(18, 60, N_ROWS)).looks == "number"


def test_most_rows_is_said_only_where_it_is_true() -> None:
    codes = [f"person {i}" for i in range(N_ROWS)]
    assert profile(codes).note.startswith("most rows have their own value")
    found = profile([f"person {i // 2}" for i in range(N_ROWS)])
    assert found.looks == "identifier"
    assert "belong together" in found.note


def test_numbers_of_patients_with_several_rows_are_a_unit_and_no_amount() -> None:
    rng = np.random.default_rng(0)
    often = np.repeat(np.arange(1, N_ROWS + 1), rng.choice([1, 1, 1, 2], N_ROWS))
    assert profile(often).kind == "unit"
    frame = pd.DataFrame({"customer_no": rng.permutation(often * 37), "customer_income": rng.permutation(often * 37)})
    assert [column.kind for column in inspect_table(wh.read(frame.astype("string")))] == ["unit", "amount"]
    alone = pd.DataFrame({"Patient": rng.permutation(np.arange(N_ROWS) ** 2)})
    assert inspect_table(wh.read(alone.astype("string")))[0].looks == "identifier"
    employers = pd.DataFrame({"company": [f"firm {i % 60}" for i in range(5 * N_ROWS)]})
    assert inspect_table(wh.read(employers))[0].kind != "unit"


def test_what_a_household_earns_is_an_amount_and_keeps_its_size() -> None:
    rng = np.random.default_rng(1)
    households = 100
    each = {"hhid": np.arange(households) + 1001, "income": rng.integers(20, 90, households) * 1000}
    frame = pd.DataFrame({name: np.repeat(values, 3) for name, values in each.items()})
    frame = frame.assign(age=rng.integers(1, 90, len(frame)), answer=rng.choice(["yes", "no"], len(frame)))
    table = wh.read(frame)
    policy = wh.Policy.loads(first_policy(table, inspect_table(table)).text)
    assert policy.unit == "hhid"
    published = wh.release(frame, policy).to_frame("pandas")["income"].astype(str)
    assert (published != "*").mean() > 0.9
    assert published.nunique() >= 5


def test_the_sensitive_column_that_is_proposed_is_one_whose_name_says_so() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 400).astype(str),
            "ward": rng.choice(["a", "b", "c"], 400),
            "answer": rng.choice(["a", "b", "c"], 400),
            "diagnosis": rng.choice(["a", "b", "c"], 400),
            "outcome": rng.choice(["a", "b"], 400),
        }
    )
    table = wh.read(frame)
    assert '# sensitive = "diagnosis"' in first_policy(table, inspect_table(table)).text


@pytest.mark.parametrize(
    ("values", "kind", "looks"),
    [
        ([f"p{i}@example.org" for i in range(N_ROWS)], "e-mail", "identifier"),
        ([f"+41 44 {i:03d} 22 11" for i in range(N_ROWS)], "phone", "identifier"),
        ([f"Anna Muster{chr(97 + i % 26)}{i}" for i in range(N_ROWS)], "name", "identifier"),
        ([f"{i % 40:05d}" for i in range(N_ROWS)], "postcode", "code"),
        ([f"{'EIJ'[i % 3]}{10 + i % 9}.{i % 4}" for i in range(N_ROWS)], "code", "code"),
        ([f"note {i} " * 9 for i in range(N_ROWS)], "text", "identifier"),
        (["x"] * N_ROWS, "constant", "constant"),
    ],
)
def test_signs_are_read_from_the_values(values: list[str], kind: str, looks: str) -> None:
    found = profile(values)
    assert (found.kind, found.looks) == (kind, looks)
    assert not any(value in found.note for value in values)


def test_codes_for_missing_answers_are_found_and_common_ones_are_answers() -> None:
    ages = [str(18 + i % 60) for i in range(N_ROWS - 6)]
    assert profile([*ages, "-8", "-8", "999", "999", "NA", "NA"]).missing_codes == ("-8", "999", "NA")
    assert profile([*ages, *["99"] * 6]).missing_codes == ()  # 99 may be an age
    assert profile([*["none"] * 150, *["flu", "cold"] * 25]).missing_codes == ()
    found = profile([*ages, *["unknown"] * 6])
    assert (found.looks, found.missing_codes) == ("number", ("unknown",))


def survey(n_rows: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "name": [f"Person{chr(65 + i % 26)} Name{i}" for i in range(n_rows)],
            "household_id": np.sort(rng.integers(1, n_rows // 3, n_rows)),
            "age": rng.integers(18, 90, n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
            "zip": [f"{8000 + z:05d}" for z in rng.integers(0, 60, n_rows)],
            "born_on": [
                f"{d.day:02d}.{d.month:02d}.{d.year}" for d in pd.date_range("1950-01-01", periods=n_rows, freq="29D")
            ],
            "weight": np.round(rng.uniform(20, 30, n_rows), 1),
            "income": np.round(rng.lognormal(8, 1, n_rows), 2),
            "illness": rng.choice(["flu", "cold", "cough"], n_rows),
        }
    ).astype(str)


def proposed(frame: pd.DataFrame, **words: object) -> dict[str, object]:
    table = wh.read(frame.astype("string"))
    return tomllib.loads(first_policy(table, inspect_table(table), **words).text)  # type: ignore[arg-type]


def test_the_first_policy_gives_each_column_a_role_and_a_reason() -> None:
    table = wh.read(survey().astype("string"))
    proposal = first_policy(table, inspect_table(table))
    policy = tomllib.loads(proposal.text)
    assert policy["drop"] == ["name", "household_id"]
    assert policy["columns"]["born_on"] == {"type": "date", "format": "%d.%m.%Y"}
    assert policy["columns"]["income"] == {"type": "number", "publish": "mean", "publish_k": 10}
    assert policy["columns"]["zip"] == {"taxonomy": "zip.taxonomy.csv"}
    assert list(proposal.taxonomies) == ["zip.taxonomy.csv"]
    assert policy["require"][0] == {"kind": "anonymity", "columns": ["age", "sex", "zip", "born_on"], "k": 10}
    assert policy["target"] == "illness"
    for reason in ("# age: anybody who knows", "looks like a sampling weight", "#   name: names"):
        assert reason in proposal.text


def test_k_depends_on_who_will_read_the_file() -> None:
    found = {purpose: proposed(survey(), purpose=purpose)["require"] for purpose in ("public", "research", "internal")}
    assert {purpose: each[0]["k"] for purpose, each in found.items()} == {"public": 10, "research": 5, "internal": 3}


def test_a_code_is_missing_in_its_own_column_only() -> None:
    frame = survey()
    frame["rooms"] = [str(i % 7) for i in range(597)] + ["88"] * 3
    policy = proposed(frame)
    assert policy["columns"]["rooms"]["missing_codes"] == ["88"]
    assert "missing_codes" not in policy["columns"]["age"]  # there 88 is an age


def test_the_first_policy_released_unedited_loses_no_column(tmp_path: Path) -> None:
    survey().to_csv(tmp_path / "data.csv", index=False)
    words = ["inspect", str(tmp_path / "data.csv"), "--policy-out", str(tmp_path / "policy.toml"), "--for", "research"]
    assert CliRunner().invoke(cli, words, catch_exceptions=False).exit_code == 0
    assert (tmp_path / "zip.taxonomy.csv").exists()
    again = CliRunner().invoke(cli, words)
    assert isinstance(again.exception, OutputError)
    made = wh.release(tmp_path / "data.csv", tmp_path / "policy.toml")
    made.write(tmp_path / "out.csv")
    shown = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert [name for name in shown if set(shown[name]) == {"*"}] == []
    assert shown["income"].value_counts().min() >= 5


def test_amounts_alone_and_odd_names_still_get_a_policy_that_loads(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for names in (["a"], ["x y", 'q"uote', "[z]"]):
        frame = pd.DataFrame({name: np.round(rng.lognormal(8, 1, 90), 2) for name in names}).astype(str)
        table = wh.read(frame)
        policy = wh.Policy.loads(first_policy(table, inspect_table(table)).text)
        assert len(wh.release(frame, policy).to_frame()) == 90


def firms(*, n_amounts: int, n_months: int = 6, n_firms: int = 60) -> pd.DataFrame:
    """Return the months of firms; amounts hardly move within a firm, answers do."""
    rng = np.random.default_rng(5)
    firm = np.repeat(np.arange(n_firms), n_months)
    frame = pd.DataFrame({"firm_id": firm + 100, "region": "r" + pd.Series(firm % 25).astype(str)})
    frame["month"] = np.tile(np.arange(1, n_months + 1), n_firms)
    for i in range(n_amounts):
        own = rng.lognormal(8, 2, n_firms)[firm]
        frame[f"revenue_{i}"] = np.round(own * rng.normal(1, 0.001, firm.size), 2)
    for i in range(8):
        frame[f"answer_{i}"] = rng.choice(["yes", "no"], firm.size)
    return frame.astype(str)


@pytest.mark.parametrize("n_amounts", [1, 9])
def test_few_columns_that_join_units_are_dropped_and_with_many_units_are_alike_as_a_whole(n_amounts: int) -> None:
    frame = firms(n_amounts=n_amounts)
    table = wh.read(frame)
    text = first_policy(table, inspect_table(table)).text
    policy = wh.Policy.loads(text)
    assert policy.unit == "firm_id"
    is_whole = [requirement.whole_units for requirement in policy.require]
    if n_amounts == 1:
        assert policy.drop == ("firm_id", "revenue_0")
        assert not any(is_whole)
        assert "revenue_0: it would join the rows of a firm_id again" in text
    else:
        assert policy.drop == ("firm_id",)
        assert any(is_whole)
    shown = wh.release(frame, policy).to_frame()
    assert not [name for name in shown if set(shown[name]) == {"*"}]


def dates(n: int = N_ROWS, *, form: str = "%Y-%m-%d") -> list[str]:
    return [day.strftime(form) for day in pd.date_range("2023-01-01", periods=n)]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y %H:%M"])
def test_dates_are_reported_with_what_to_do(form: str) -> None:
    for values in ([*dates(N_ROWS // 2, form=form)] * 2, dates(form=form)):
        found = profile(values)
        assert (found.looks, found.date_format) == ("date", None if form == "%Y-%m-%d" else form)
        assert found.note.startswith('dates: type = "date"')


def test_dates_and_commas_as_numbers_are_refused_with_what_to_do() -> None:
    policy = wh.Policy([wh.Anonymity(columns=["x"], k=2)], columns={"x": wh.ColumnSettings(type="number")})
    for values, hint in ((dates(), "declare type"), (["1,5", "2,5"] * 20, "need a point")):
        with pytest.raises((DataError, PolicyError), match=hint):
            wh.release(pd.DataFrame({"x": values}).astype(object), policy)


def test_decimal_commas_are_seen_between_blanks_and_marks() -> None:
    values = [f"{i % 90},{i % 7}" for i in range(N_ROWS)]
    values[:5] = ["NA"] * 5
    found = profile([*values, None, None])
    assert (found.looks, found.note) == ("category", "most values have a decimal comma; numbers need a point")


def shown(folder: Path, *words: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(cli, ["inspect", str(folder / "data.csv"), *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_the_table_breaks_no_word_and_notes_stand_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"Aufnahmedatum der Person": dates(100) * 2, "Kosten in Euro und Cent": ["1,5", "2,5"] * 100})
    frame.to_csv(tmp_path / "data.csv", index=False)
    output = shown(tmp_path, monkeypatch=monkeypatch)
    lines = output.splitlines()
    assert max(map(len, lines[:5])) <= 80
    assert any(line.startswith("Aufnahmedatum der Person   date") for line in lines)
    assert 'note     Aufnahmedatum der Person: dates: type = "date"' in lines


def test_rules_about_private_cells_are_the_shortest_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ward = rng.choice(["eye", "ear", "heart"], 300)
    frame = pd.DataFrame({"ward": ward, "ill": np.char.add("ill of the ", ward), "sex": rng.choice(["f", "m"], 300)})
    frame.to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "cells.csv").write_text("row,column\n0,ill\n1,ill\n2,ill\n")
    private = ("--private", str(tmp_path / "cells.csv"))
    output = shown(tmp_path, *private, monkeypatch=monkeypatch)
    assert f"ward = {ward[0]} → ill = ill of the {ward[0]}: 100% of" in output
    assert "sex =" not in output
    reported = json.loads(shown(tmp_path, *private, "--json", monkeypatch=monkeypatch))["strongest"]
    assert all(" and " not in left for left in reported["if"])
    assert len(reported["if"]) == len(set(ward[:3]))


def test_a_first_policy_proposes_promises_against_outsiders_who_know_the_method() -> None:
    frame = wh.Table.from_columns(wh.samples.clinic(600))
    text = first_policy(frame, inspect_table(frame)).text
    kept, _, proposed = text.partition("# What nobody should infer")
    asked = "\n".join(line.removeprefix("# ") for line in proposed.split("\n")[3:])
    (found,) = tomllib.loads(asked)["require"]
    assert (found["kind"], found["informed"], found["groups_of"]) == ("diversity", True, 40)
    assert found["sensitive"] not in kept.split("[[require]]")[1]
    assert len(tomllib.loads(text)["require"]) == kept.count("[[require]]")


ODD_NAMES = {
    "letters of TOML": ["a.b", 'q"x', "in come", "straße", "a b", "a_b"],
    "words of a policy": ["columns", "require", "kind", "k", "recoding", "weight"],
    "line ends and other controls": ["a\nb", "c\td", "\x07bell", "\x7f", "#g", "i=j"],
    "no Latin letter": ["日本", "é", "ü", "ß ", "年齢", "性別"],
    "parts of paths": ["a\\b", "a/b", "..", "a:b", "[h]", "* "],
}


@pytest.mark.parametrize("kind", ODD_NAMES)
def test_a_first_policy_of_odd_names_is_released_unedited(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    cells = [
        rng.integers(18, 90, 400),
        rng.choice([*"abcdefghijklmnopqrstuvwxyz"], 400),
        np.round(rng.lognormal(8, 1, 400), 2),
        rng.choice(["x", "y", "z"], 400),
        rng.choice([f"v{i}" for i in range(200)], 400),
        rng.choice([f"w{i}" for i in range(200)], 400),
    ]
    people = pd.DataFrame(dict(zip(ODD_NAMES[kind], cells, strict=True)))
    table = wh.read(people)
    proposal = first_policy(table, inspect_table(table), purpose="internal")
    (tmp_path / "policy.toml").write_text(proposal.text, encoding="utf-8")
    for file, tree in proposal.taxonomies.items():
        tree.write(tmp_path / file)
    assert len(proposal.taxonomies) == 2
    policy = wh.Policy.load(tmp_path / "policy.toml")
    assert wh.release(people, policy).write(tmp_path / "out.csv").ok
    assert wh.read(tmp_path / "out.csv").names == tuple(ODD_NAMES[kind])


def test_a_column_without_a_name_is_one_sentence() -> None:
    with pytest.raises(DataError, match="column 2 has no name"):
        wh.read(pd.DataFrame([[1, 2]], columns=["a", ""]))


def test_a_first_policy_of_identifiers_alone_is_refused_and_stars_are_missing_answers() -> None:
    ids = wh.read(pd.DataFrame({"id": [f"p{i}" for i in range(N_ROWS)]}))
    with pytest.raises(DataError, match="every column looks like an identifier"):
        first_policy(ids, inspect_table(ids))
    people = pd.DataFrame({"job": ["*", "cook"] * (N_ROWS // 2), "age": [str(20 + i % 50) for i in range(N_ROWS)]})
    table = wh.read(people)
    policy = wh.Policy.loads(first_policy(table, inspect_table(table)).text)
    assert policy.columns["job"].missing_codes == ("*",)
    assert len(wh.release(people, policy).to_frame()) == N_ROWS
