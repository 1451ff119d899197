"""Policies: every mistake at once, with its key and a hint."""

import json
from pathlib import Path

import pytest

from withhold import Anonymity, ColumnSettings, Policy, Table, Template, policy_schema
from withhold.errors import InfeasibleError, PolicyError
from withhold.policy import bind
from withhold.requirements import redundant_templates
from withhold.requirements.hidden import read_cells

GOOD = """
target = "income"
drop = ["name"]
[columns.age]
type = "number"
range = [0, 120]
[[require]]
kind = "anonymity"
columns = ["age", "sex"]
k = 2
"""


def table(**columns: list) -> Table:
    rows = {"name": ["n1", "n2", "n3"], "age": ["30", "40", "50"], "sex": ["f", "m", "f"], "income": ["a", "b", "a"]}
    return Table.from_columns({**rows, **columns})


def mistakes(text: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        bind(Policy.loads(text), table())
    return [str(mistake) for mistake in caught.value.mistakes]


def test_a_policy_file_becomes_frozen_dataclasses() -> None:
    policy = Policy.loads(GOOD)
    assert policy.require == (Anonymity(columns=("age", "sex"), k=2),)
    assert (policy.target, policy.drop) == ("income", ("name",))
    assert policy.columns["age"] == ColumnSettings(type="number", range=(0, 120))
    with pytest.raises(AttributeError):
        policy.require[0].k = 3  # type: ignore[misc]


def test_binding_gives_columns_their_domains() -> None:
    bound = bind(Policy.loads(GOOD), table())
    assert bound.domain("age").interval(0, 3) == "[0, 120]"
    assert bound.domain("sex").leaves == ("f", "m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('columns = ["age", "sex"]', 'columns = ["age", "sexx"]'),
            'require[0].columns: no column "sexx"; did you mean "sex"?',
        ),
        (("k = 2", "k = 0"), "require[0].k: must be an integer of at least 2; got 0."),
        (("k = 2", "k = 1"), "require[0].k: must be an integer of at least 2; got 1."),
        (("k = 2", 'k = "ten"'), "require[0].k: must be an integer of at least 2; got 'ten'."),
        (("k = 2", "k = 2.5"), "require[0].k: must be an integer of at least 2; got 2.5."),
        (("k = 2", ""), "require[0].k: is missing."),
        (
            ("k = 2", "kay = 2\nk = 2"),
            'require[0].kay: there is no such key; there are: "columns", "k", "blanks", "unit_k", "k_map", "individual_risk", "estimator", "kind"',
        ),
        (('target = "income"', 'tarket = "income"'), 'tarket: there is no such key; did you mean "target"?'),
        (
            ('"anonymity"', '"anonimity"'),
            """require[0].kind: must be one of 'anonymity', 'template', 'hidden', 'risk', 'diversity', 'closeness'; got 'anonimity'; did you mean "anonymity"?""",
        ),
        (('columns = ["age", "sex"]', "columns = []"), "require[0].columns: must hold at least one entry."),
        (('columns = ["age", "sex"]', 'columns = ["age", "age"]'), 'require[0].columns: names "age" twice.'),
        (('drop = ["name"]', 'drop = ["nam"]'), 'drop: no column "nam"; did you mean "name"?'),
        (
            ('drop = ["name"]', 'drop = ["age"]'),
            'require[0].columns: column "age" is dropped, so it cannot be used here.',
        ),
        (('target = "income"', 'target = "incme"'), 'target: no column "incme"; did you mean "income"?'),
        (
            ("range = [0, 120]", "range = [120, 0]"),
            "columns.age.range: must be [low, high] with low <= high, both finite.",
        ),
        (('type = "number"', 'typ = "number"'), 'columns.age.typ: there is no such key; did you mean "type"?'),
        (("[columns.age]", "[columns.aeg]"), 'columns: no column "aeg"; did you mean "age"?'),
    ],
)
def test_a_mistake_names_its_key(change: tuple[str, str], message: str) -> None:
    assert mistakes(GOOD.replace(*change)) == [message]


def test_all_mistakes_are_reported_at_once() -> None:
    text = GOOD.replace('"sex"]', '"sexx"]').replace('target = "income"', 'target = "incme"').replace("120]", "45]")
    found = mistakes(text)
    assert len(found) == 3
    assert any(message.startswith("columns.age.range: column") for message in found)


def test_a_policy_without_requirements_is_refused() -> None:
    assert mistakes('target = "income"') == ["require: is missing."]


def test_broken_toml_is_one_sentence() -> None:
    assert mistakes("k = = 1")[0].startswith("is not TOML: ")


def test_a_wrong_field_in_python_is_one_sentence() -> None:
    with pytest.raises(PolicyError, match="Anonymity: there is no field `kk`"):
        Anonymity(columns=["a"], k=2, kk=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="Anonymity: `columns` is missing"):
        Anonymity(k=2)  # type: ignore[call-arg]


def test_a_taxonomy_and_numbers_exclude_each_other() -> None:
    with pytest.raises(PolicyError, match="not both"):
        ColumnSettings(type="number", taxonomy="x.csv")
    with pytest.raises(PolicyError, match='`range` needs type = "number"'):
        ColumnSettings(range=(0, 1))


def test_too_few_rows_is_infeasible_and_says_by_how_much() -> None:
    with pytest.raises(InfeasibleError, match=r"require\[0\]: .* only 3 rows, 7 too few") as caught:
        bind(Policy.loads(GOOD.replace("k = 2", "k = 10")), table())
    assert (caught.value.requirement, caught.value.asked, caught.value.reached) == (0, 10, 3)


def test_a_value_that_reads_as_withheld_is_refused() -> None:
    with pytest.raises(PolicyError, match='column "sex" has a value "\\*"'):
        bind(Policy.loads(GOOD), table(sex=["f", "*", "f"]))


def test_taxonomies_are_found_beside_the_policy_file(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    (tmp_path / "policy.toml").write_text(GOOD + '[columns.sex]\ntaxonomy = "sex.csv"\n')
    bound = bind(Policy.load(tmp_path / "policy.toml"), table())
    assert bound.domain("sex").source == "sex.csv"


def test_a_taxonomy_that_does_not_cover_the_data_names_file_and_column(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("f;*\n")
    (tmp_path / "policy.toml").write_text(GOOD + '[columns.sex]\ntaxonomy = "sex.csv"\n')
    with pytest.raises(
        PolicyError, match=r'policy\.toml: columns\.sex\.taxonomy: column "sex": 1 distinct value is .*sex\.csv'
    ):
        bind(Policy.load(tmp_path / "policy.toml"), table())


def test_the_schema_describes_every_key() -> None:
    schema = policy_schema()
    json.dumps(schema)
    assert set(schema["properties"]) >= {"require", "target", "drop", "columns", "rows", "splits", "score", "missing"}
    assert schema["required"] == ["require"]
    assert schema["additionalProperties"] is False
    assert "description" in schema["properties"]["target"]


TEMPLATE = """
[[require]]
kind = "template"
given = ["age", "sex"]
hide = { income = ["a"] }
at_most = 0.75
"""


def test_a_template_becomes_a_frozen_dataclass() -> None:
    template = Policy.loads(TEMPLATE).require[0]
    assert template == Template(given=["age", "sex"], hide={"income": "a"}, at_most=0.75)
    assert (template.masked, template.terms) == (("age", "sex"), (("income", "a"),))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('["a"]', '["z"]'),
            'require[0].hide.income: the value "z" does not occur in the column. Hint: values are compared as text.',
        ),
        (('"age", "sex"]', '"age", "income"]'), 'require[0]: `given` holds the sensitive column "income" itself.'),
        (("0.75", "0"), "require[0].at_most: must be above 0 and at most 1; got 0."),
        (("0.75", "1.5"), "require[0].at_most: must be above 0 and at most 1; got 1.5."),
        (
            ("at_most = 0.75", 'at_most = 0.75\nkeep = ["name"]'),
            'require[0]: `keep` names "name", which is not in `given`.',
        ),
        (("0.75", "true"), "require[0].at_most: must be a number; got True."),
        (("0.75", '"0.5"'), "require[0].at_most: must be a number; got '0.5'."),
        (('["a"]', '["a", "a"]'), 'require[0].hide.income: names "a" twice.'),
        (('["a"]', "[1]"), "require[0].hide.income[0]: must be a text in quotes; got 1."),
        (
            ('"template"', '"secret"'),
            "require[0].kind: must be one of 'anonymity', 'template', 'hidden', 'risk', 'diversity', 'closeness'; got 'secret'.",
        ),
        (("given", "givn"), 'require[0].givn: there is no such key; did you mean "given"?'),
        (("income", "incme"), 'require[0].hide: no column "incme"; did you mean "income"?'),
        (('hide = { income = ["a"] }', "hide = {}"), "require[0].hide: must hold at least one entry."),
    ],
)
def test_a_mistake_in_a_template_names_its_key(change: tuple[str, str], message: str) -> None:
    assert message in mistakes(TEMPLATE.replace(*change))


def test_a_sensitive_column_may_be_masked_by_another_requirement() -> None:
    other = '[[require]]\nkind = "template"\ngiven = ["income"]\nhide = { sex = ["f"] }\nat_most = 0.9\n'
    anonymity = '[[require]]\nkind = "anonymity"\ncolumns = ["income"]\nk = 2\n'
    table = Table.from_columns({"age": ["1", "2"], "sex": ["f", "m"], "income": ["a", "b"]})
    for text in (TEMPLATE + other, TEMPLATE + anonymity):
        bind(Policy.loads(text), table)


def test_a_column_that_is_both_kept_and_masked_is_a_contradiction() -> None:
    kept = TEMPLATE.replace("at_most = 0.75", 'at_most = 0.75\nkeep = ["sex"]')
    anonymity = '[[require]]\nkind = "anonymity"\ncolumns = ["sex"]\nk = 2\n'
    assert mistakes(kept + anonymity) == [
        'require[0].keep: column "sex" is kept here, but require[1] may withhold its cells.'
    ]


def test_redundant_templates_need_all_three_conditions() -> None:
    wide = Template(given=["a", "b"], hide={"s": ["x"]}, at_most=0.7)
    assert redundant_templates([wide, Template(given=["a"], hide={"s": ["x"]}, at_most=0.7)]) == [(1, 0)]
    assert redundant_templates([wide, Template(given=["a"], hide={"s": ["x"]}, at_most=0.6)]) == []
    assert redundant_templates([wide, Template(given=["a"], hide={"s": ["y"]}, at_most=0.7)]) == []
    assert redundant_templates([wide, Template(given=["c"], hide={"s": ["x"]}, at_most=0.7)]) == []
    assert redundant_templates([wide, wide]) == [(1, 0)]


@pytest.mark.parametrize("bins", ["1", '"many"', '[0, "x"]'])
def test_bad_bins_are_one_mistake(bins: str) -> None:
    (found,) = mistakes(GOOD.replace("range = [0, 120]", f"bins = {bins}"))
    assert found.startswith("columns.age.bins: must be an integer of at least 2, or a list of edges; got ")
    with pytest.raises(PolicyError, match=r"^ColumnSettings: `bins` must be an integer of at least 2, or a list"):
        ColumnSettings(bins=1)


def test_a_list_of_cells_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "cells.csv").write_text("Row;Column\n3;a\n")
    with pytest.raises(PolicyError) as caught:
        read_cells(tmp_path / "cells.csv", ("a",), 5)
    assert str(caught.value) == "cells.csv: the first line must be `row,column`."
