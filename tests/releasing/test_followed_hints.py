"""A hint that is followed is not refused for the same reason: each error, and what its hint says, done."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.errors import WithholdError

N_ROWS = 120


@dataclass(frozen=True, kw_only=True)
class Case:
    """A policy that is refused, what its hint says, and the policy that follows it."""

    wrong: str
    hint: str
    followed: str

    @property
    def name(self) -> str:
        return self.hint[:40]


def people() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "home": [f"h{i // 2}" for i in range(N_ROWS)],
            "rent": [str(500 + i // 2) for i in range(N_ROWS)],
            "street": [f"street {i // 2}" for i in range(N_ROWS)],
            "age": [str(20 + i % 30) for i in range(N_ROWS)],
            "sex": rng.choice(["f", "m"], N_ROWS),
            "town": [f"t{i % 4}" for i in range(N_ROWS)],
            "income": [str(1000 + 10 * i) if i % 9 else "?" for i in range(N_ROWS)],
            "came": [f"{1 + i % 28:02d}.03.2024" for i in range(N_ROWS)],
            "left": [f"2024-04-{1 + i % 28:02d}" if i % 8 else "soon" for i in range(N_ROWS)],
            "number": [str(2**60 + i // 4) for i in range(N_ROWS)],
            "weight": [str(1 + i % 3) if i % 50 else "0" for i in range(N_ROWS)],
            "ill": rng.choice(["flu", "cold", "none"], N_ROWS),
            "star": ["*", "x"] * (N_ROWS // 2),
        }
    ).astype("string")


LOCAL = 'recoding = "local"\n'
DROPPED = 'unit = "home"\ndrop = ["home", "rent", "street", "came", "left", "number", "income"]\n'


def asks(columns: str, k: int = 5, **more: str) -> str:
    lines = "\n".join(f"{key} = {value}" for key, value in more.items())
    listed = ", ".join(f'"{name}"' for name in columns.split())
    return f'\n[[require]]\nkind = "anonymity"\ncolumns = [{listed}]\nk = {k}\n{lines}\n'


def column(name: str, settings: str) -> str:
    return f"[columns.{name}]\n{settings}\n"


HIDE = '\n[[require]]\nkind = "hidden"\ncolumn = "ill"\nwhere = "{where}"\nagainst = ["rules"]\npredictors = [{by}]\n'
NUMBER, DATE = 'type = "number"', 'type = "date"'
CASES = [
    Case(
        wrong=column("income", NUMBER) + asks("income"),
        hint="`missing_codes` of the column, or `missing`",
        followed=column("income", f'{NUMBER}\nmissing_codes = ["?"]') + asks("income"),
    ),
    Case(
        wrong=column("income", NUMBER) + asks("income"),
        hint="`missing` in the policy, names",
        followed='missing = ["?"]\n' + column("income", NUMBER) + asks("income"),
    ),
    Case(
        wrong=column("came", NUMBER) + asks("came"),
        hint='declare type = "date", and the format',
        followed=column("came", f'{DATE}\nformat = "%d.%m.%Y"') + asks("came"),
    ),
    Case(
        wrong=column("came", DATE) + asks("came"),
        hint='declare another with format = "%d.%m.%Y"',
        followed=column("came", f'{DATE}\nformat = "%d.%m.%Y"') + asks("came"),
    ),
    Case(
        wrong=column("left", DATE) + asks("left"),
        hint="list texts without a date in `missing_codes`",
        followed=column("left", f'{DATE}\nmissing_codes = ["soon"]') + asks("left"),
    ),
    Case(
        wrong=column("age", f"{NUMBER}\nrange = [30, 40]") + asks("age"),
        hint="widen `range`",
        followed=column("age", f"{NUMBER}\nrange = [0, 120]") + asks("age"),
    ),
    Case(
        wrong=column("age", f"{NUMBER}\nbins = [30, 40]") + HIDE.format(where="sex = 'f'", by='"age"'),
        hint="widen them",
        followed=column("age", f"{NUMBER}\nbins = [0, 30, 40, 120]") + HIDE.format(where="sex = 'f'", by='"age"'),
    ),
    Case(
        wrong=column("rent", NUMBER) + HIDE.format(where="sex = 'f'", by='"rent"'),
        hint='[columns."rent"] type = "number", bins = 10',
        followed=column("rent", f"{NUMBER}\nbins = 10") + HIDE.format(where="sex = 'f'", by='"rent"'),
    ),
    Case(
        wrong=column("rent", NUMBER) + HIDE.format(where="sex = 'f'", by='"rent", "town"'),
        hint="or leave it out of `predictors`",
        followed=column("rent", NUMBER) + HIDE.format(where="sex = 'f'", by='"town"'),
    ),
    Case(
        wrong=HIDE.format(where="sex = f", by='"town"'),
        hint="texts stand in single quotes",
        followed=HIDE.format(where="sex = 'f'", by='"town"'),
    ),
    Case(
        wrong='unit = "home"\n' + asks("age"),
        hint='drop = ["home"]',
        followed=DROPPED + asks("age"),
    ),
    Case(
        wrong='unit = "home"\n' + asks("age"),
        hint='ask for `unit_k` with recoding = "local"',
        followed=LOCAL + 'unit = "home"\n' + asks("town", unit_k="2"),
    ),
    Case(
        wrong='unit = "home"\ndrop = ["home", "street"]\n' + asks("age"),
        hint='drop "rent"',
        followed=DROPPED + asks("age"),
    ),
    Case(
        wrong='unit = "home"\ndrop = ["home", "street"]\n' + column("rent", NUMBER) + asks("age"),
        hint="give it `bins`",
        followed=DROPPED.replace('"rent", ', "") + column("rent", f"{NUMBER}\nbins = 4") + asks("age"),
    ),
    Case(
        wrong=DROPPED + column("sex", 'missing = "any"') + asks("sex"),
        hint='leave `unit` or "any" out',
        followed=DROPPED + asks("sex"),
    ),
    Case(
        wrong=DROPPED + asks("sex", blanks='"any"'),
        hint='blanks = "value"',
        followed=DROPPED + asks("sex", blanks='"value"'),
    ),
    Case(
        wrong=column("rent", f"{NUMBER}\ntop = 558") + asks("sex"),
        hint="a bound further inside",
        followed=column("rent", f"{NUMBER}\ntop = 550") + asks("sex"),
    ),
    Case(
        wrong=column("age", f'{NUMBER}\npublish = "mean"') + column("rent", NUMBER) + asks("age rent"),
        hint='publish = "mean" for all its columns averages them together',
        followed=column("age", f'{NUMBER}\npublish = "mean"')
        + column("rent", f'{NUMBER}\npublish = "mean"')
        + asks("age rent"),
    ),
    Case(
        wrong=LOCAL + column("age", f"{NUMBER}\nround = 5") + asks("age"),
        hint="`edges` instead says where they end",
        followed=LOCAL + column("age", f"{NUMBER}\nedges = [25, 30, 35, 40, 45]") + asks("age"),
    ),
    Case(
        wrong=column("age", f"{NUMBER}\nround = 5") + HIDE.format(where="sex = 'f'", by='"age"'),
        hint="`bins` instead publishes intervals",
        followed=column("age", f"{NUMBER}\nbins = 5") + HIDE.format(where="sex = 'f'", by='"age"'),
    ),
    Case(
        wrong=LOCAL + column("town", 'mask = "suppress"') + asks("town"),
        hint="suppress = true instead",
        followed=LOCAL + column("town", "suppress = true") + asks("town"),
    ),
    Case(
        wrong=column("number", NUMBER) + asks("number"),
        hint="category",
        followed=column("number", 'type = "category"') + asks("number"),
    ),
    Case(
        wrong='weight = "weight"\n' + asks("age"),
        hint="give `sample` instead",
        followed="sample = 0.1\n" + asks("age"),
    ),
    Case(
        wrong='weight = "age"\n' + asks("age sex"),
        hint="take it out of require[0]",
        followed='weight = "age"\n' + asks("sex"),
    ),
    Case(
        wrong=asks("sex", unit_k="2"),
        hint='unit = "COLUMN" at the top of the policy',
        followed=LOCAL + DROPPED + asks("sex", unit_k="2"),
    ),
    Case(
        wrong=DROPPED + asks("sex", unit_k="2"),
        hint='recoding = "local"',
        followed=LOCAL + DROPPED + asks("sex", unit_k="2"),
    ),
    Case(wrong=asks("sex", k=500), hint="lower k", followed=asks("sex", k=5)),
    Case(
        wrong='\n[[require]]\nkind = "diversity"\ncolumns = ["sex"]\nsensitive = "ill"\nl = 4\n',
        hint="ask for less",
        followed='\n[[require]]\nkind = "diversity"\ncolumns = ["sex"]\nsensitive = "ill"\nl = 2\n',
    ),
    Case(
        wrong='\n[[require]]\nkind = "template"\ngiven = ["sex"]\nhide = { ill = ["flu"] }\nat_most = 0.01\n',
        hint="raise at_most",
        followed='\n[[require]]\nkind = "template"\ngiven = ["sex"]\nhide = { ill = ["flu"] }\nat_most = 0.9\n',
    ),
    Case(
        wrong='\n[[require]]\nkind = "diversity"\ncolumns = ["sex"]\nsensitive = "ill"\nl = 2\ninformed = true\n',
        hint="groups_of = 50 is a start",
        followed=LOCAL
        + '\n[[require]]\nkind = "diversity"\ncolumns = ["sex"]\nsensitive = "ill"\nl = 2\ninformed = true\ngroups_of = 50\n',
    ),
    Case(wrong=asks("star"), hint="rename it", followed=asks("town")),
    # Averaging together does not go with units.
    Case(
        wrong=DROPPED + column("age", f'{NUMBER}\npublish = "mean"') + asks("age sex"),
        hint="`edges` instead says where they end",
        followed=DROPPED + column("age", f"{NUMBER}\nedges = [25, 30, 35, 40, 45]") + asks("age sex"),
    ),
    # A column with a bound can be neither counted nor put into bins.
    Case(
        wrong=DROPPED.replace('"rent", ', "") + column("rent", f"{NUMBER}\ntop = 550") + asks("sex"),
        hint="give it `round`",
        followed=DROPPED.replace('"rent", ', "") + column("rent", f"{NUMBER}\ntop = 550\nround = 50") + asks("sex"),
    ),
    Case(
        wrong=column("weight", f"{NUMBER}\ntop = 0.00001") + asks("sex"),
        hint="a bound that is a number, or none",
        followed=column("weight", f"{NUMBER}\ntop = 3") + asks("sex"),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_hint_that_is_followed_is_not_refused(case: Case) -> None:
    with pytest.raises(WithholdError) as refused:
        wh.release(people(), wh.Policy.loads(case.wrong))
    assert "Hint: " in str(refused.value)
    assert case.hint in str(refused.value).split("Hint: ", 1)[1]
    wh.release(people(), wh.Policy.loads(case.followed))


def test_only_ways_that_are_open_are_offered_for_a_column_that_joins_units() -> None:
    policy = 'unit = "home"\ndrop = ["home"]\n{top}' + asks("age")
    for top, offered, refused in (
        ("", ['drop "street"'], ["`bins`"]),
        ('target = "street"\n', ["count it in a requirement"], ['drop "street"', "`bins`"]),
    ):
        with pytest.raises(WithholdError) as error:
            wh.release(people(), wh.Policy.loads(policy.format(top=top)))
        (said,) = [line for line in str(error.value).split("unit: ") if '"street" joins' in line]
        assert all(each in said for each in offered)
        assert not any(each in said for each in refused)


def test_release_audit_and_page_name_a_column_that_lost_every_value_once(tmp_path: Path) -> None:
    policy = wh.Policy.loads(asks("number", k=50), folder=tmp_path)
    made = wh.release(people(), policy)
    made.write(tmp_path / "out.csv", report=tmp_path / "page.html")
    for notes in (made.notes, wh.audit(tmp_path / "out.csv", policy, attack=False).notes):
        assert sum("withheld altogether: number" in note for note in notes) == 1
    assert (tmp_path / "page.html").read_text().count("ithheld altogether: number") >= 1


def test_an_identifier_that_the_policy_needs_is_not_offered_to_be_dropped() -> None:
    data: Any = people().assign(key=[f"k{i}" for i in range(N_ROWS)])
    for drop_is_offered, policy in (
        (True, wh.Policy([wh.Anonymity(columns=["sex"], k=3)])),
        (False, wh.Policy([wh.Anonymity(columns=["sex"], k=3)], target="key")),
    ):
        found = [each.says for each in wh.audit(data, policy, attack=False).disclosures if each.columns == ("key",)]
        assert all(("drop key" in says) == drop_is_offered for says in found)
        assert found
