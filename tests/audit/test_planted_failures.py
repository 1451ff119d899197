"""Releases that are broken on purpose: the audit finds every break, names the right promise, and raises no other alarm."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
import withhold.auditing
from audit.slow_promises import Promises, Rows
from withhold.cli._main import cli
from withhold.engines.duckdb import open_columns
from withhold.policy import bind

JOBS = {"Any": {"Kitchen": {"cook": {}, "baker": {}}, "Office": {"clerk": {}, "boss": {}}, "Idle": {"none": {}}}}
ILLS = {"Any": {"Lung": {"flu": {}, "asthma": {}}, "Gut": {"ulcer": {}, "ileus": {}}}}
TREES = """
[columns.job.taxonomy.Any]
Kitchen = ["cook", "baker"]
Office = ["clerk", "boss"]
Idle = ["none"]
[columns.ill.taxonomy.Any]
Lung = ["flu", "asthma"]
Gut = ["ulcer", "ileus"]
"""
NUMBER = '[columns.age]\ntype = "number"\n'
ANONYMITY = '[[require]]\nkind = "anonymity"\ncolumns = ["job", "age", "city"]\nk = 4\n'
PAIR = '[[require]]\nkind = "anonymity"\ncolumns = ["job", "city"]\nk = 6\n'
TEMPLATE = (
    '[[require]]\nkind = "template"\ngiven = ["job", "city"]\nhide = { ill = ["ulcer", "flu"] }\nat_most = 0.55\n'
)
HIDDEN = (
    '[[require]]\nkind = "hidden"\ncells = [[0, "ill"], [3, "ill"], [5, "job"], [11, "ill"]]\nmost_withheld = 1.0\n'
)
SEEN = 'predictors = ["job", "city", "sex", "ill"]\n'
BOTH = 'against = ["naive-bayes", "id3"]\n'
CLIMBING = (
    'against = [{adversary = "naive-bayes", modify = "generalize"}, {adversary = "id3", modify = "generalize"}]\n'
)
RULES = 'against = [{adversary = "rules", confidence = 0.5, support = 2}]\n'
RISK = """[[require]]
kind = "risk"
most_withheld = 1.0
known = { job = 0.4, city = 0.3, sex = 0.8 }
sensitive = { ill = { ulcer = 1.0, flu = 0.5 }, sex = 0.1 }
at_most = 25.0
"""
DROP = 'drop = ["name", "age"]\n'
KEPT = 'drop = ["name"]\n'

POLICIES = {
    "anonymity": KEPT + NUMBER + TREES + ANONYMITY,
    "two anonymities": KEPT + NUMBER + ANONYMITY + PAIR,
    "template": DROP + TEMPLATE,
    "anonymity and template": KEPT + NUMBER + TREES.split("[columns.ill")[0] + ANONYMITY + TEMPLATE,
    "hidden": DROP + HIDDEN + SEEN + BOTH,
    "hidden, rules": DROP + HIDDEN + SEEN + RULES,
    "hidden, climbing": DROP + TREES + HIDDEN + SEEN + CLIMBING,
    "hidden, bins": KEPT + NUMBER + "bins = 3\n" + HIDDEN + BOTH,
    "risk": DROP + RISK,
    "risk, climbing": DROP + TREES + RISK + 'modify = "generalize"\n',
    "hidden and risk": DROP + HIDDEN + SEEN + BOTH + RISK,
    "anonymity and hidden": KEPT
    + NUMBER
    + '[[require]]\nkind = "anonymity"\ncolumns = ["age", "city"]\nk = 3\n'
    + '[[require]]\nkind = "hidden"\ncells = [[2, "ill"], [9, "ill"]]\nmost_withheld = 1.0\npredictors = ["job", "sex"]\n'
    + BOTH,
}
SEEDS = (3, 5)
N_MUTATIONS = 12


@dataclass
class Planted:
    """A release, and everything that is needed to find what breaks it."""

    text: str
    original: Rows
    published: Rows
    promises: Promises
    table: wh.Table

    def audit(self, rows: Rows) -> wh.Audit:
        """Audit rows against the original, which is read once."""
        source = open_columns({name: [row[name] for row in rows] for name in rows[0]})
        try:
            return withhold.auditing.check_source(source, self.promises.policy, original=self.table)
        finally:
            source.close()


@cache
def planted(kind: str, seed: int) -> Planted:
    """Return a release of a random table under a policy of one kind."""
    rng = np.random.default_rng(seed)
    n_rows = 14 if "rules" in kind else 24
    job = rng.choice(["cook", "baker", "clerk", "boss", "none"], n_rows)
    ill = np.where(rng.random(n_rows) < 0.6, np.where(job == "cook", "ulcer", "asthma"), "flu")
    ill = np.where(rng.random(n_rows) < 0.3, rng.choice(["flu", "asthma", "ulcer", "ileus"], n_rows), ill)
    frame = pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(n_rows)],
            "job": job,
            "age": [str(each) for each in rng.integers(18, 70, n_rows)],
            "city": rng.choice(["Bern", "Biel", "Thun"], n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
            "ill": ill,
        }
    )
    frame.loc[:3, "ill"] = ["flu", "asthma", "ulcer", "ileus"]
    frame.loc[:4, "job"] = ["cook", "baker", "clerk", "boss", "none"]
    original: Rows = frame.to_dict("records")
    policy = wh.Policy.loads(POLICIES[kind])
    published: Rows = wh.release(frame, policy, rng=seed).to_frame("pandas").to_dict("records")
    trees = {"job": JOBS, "ill": ILLS} if "[columns.ill" in POLICIES[kind] else {}
    trees = {"job": JOBS} if not trees and "[columns.job" in POLICIES[kind] else trees
    hidden = {i: list(each.cells) for i, each in enumerate(policy.require) if each.kind == "hidden"}
    table = bind(policy, wh.Table(open_columns(frame.to_dict("list"))))
    return Planted(POLICIES[kind], original, published, Promises(original, policy, trees, hidden), table)


def mutated(kind: str, made: Planted, rng: np.random.Generator) -> tuple[str, Rows]:
    """Return a release with one random edit, and what the edit is called."""
    rows: Rows = [dict(row) for row in made.published]
    names = list(rows[0])
    i, j = (int(each) for each in rng.choice(len(rows), 2, replace=False))
    name = str(rng.choice(names))
    changed = [(r, n) for r, row in enumerate(rows) for n in names if row[n] != made.original[r][n]]
    edits = [
        "restore",
        "restore",
        "restore row",
        "restore column",
        "restore the rest",
        "blank",
        "other",
        "swap",
        "lose",
        "add",
    ]
    edits += ["overwrite", "drop", "DROP"] + ([] if "hidden" in kind else ["fresh", "copy"])
    edit = str(rng.choice(edits))
    if edit == "restore" and changed:
        i, name = changed[int(rng.integers(len(changed)))]
        rows[i][name] = made.original[i][name]
    elif edit == "restore row" and changed:
        i = changed[int(rng.integers(len(changed)))][0]
        rows[i] = {n: made.original[i][n] for n in names}
    elif edit == "restore column":
        for row, old in zip(rows, made.original, strict=True):
            row[name] = old[name]
    elif edit == "restore the rest":
        rows = broken_on_purpose("unprotected", made)
    elif edit == "blank":
        rows[i][name] = "*"
    elif edit == "other":
        rows[i][name] = made.original[j][name]
    elif edit == "fresh":
        rows[i][name] = "zz"
    elif edit == "swap":
        rows[i], rows[j] = rows[j], rows[i]
    elif edit == "overwrite":
        rows[i] = dict(rows[j])
    elif edit == "lose":
        del rows[i]
    elif edit == "add":
        rows.insert(i, dict(rows[j]))
    elif edit in ("drop", "DROP"):
        spelling = "name" if edit == "drop" else str(rng.choice(["NAME", "Name", "nAmE"]))
        for row, old in zip(rows, made.original, strict=True):
            row[spelling] = old["name"]
    elif edit == "copy":
        for at, row in enumerate(rows):
            row["row"] = str(at % 2)
    return edit, rows


def failing(found: wh.Audit) -> set[tuple[str, str, str]]:
    return {(each.kind, each.where, str(each.details.get("adversary", ""))) for each in found.findings if not each.ok}


@pytest.mark.parametrize("kind", POLICIES)
def test_an_untouched_release_breaks_nothing(kind: str) -> None:
    for seed in SEEDS:
        made = planted(kind, seed)
        assert made.promises.broken(made.published) == set()
        assert failing(made.audit(made.published)) == set()


def breaks_found(kind: str) -> Counter[str]:
    """Edit releases of a policy at random; the audit must find what the slow check finds. Return how often what broke."""
    tally: Counter[str] = Counter()
    for seed in SEEDS:
        made = planted(kind, seed)
        rng = np.random.default_rng([seed, len(kind)])
        for _ in range(N_MUTATIONS):
            edit, rows = mutated(kind, made, rng)
            broken = made.promises.broken(rows)
            found = made.audit(rows)
            assert failing(found) == broken, (kind, seed, edit)
            assert found.ok == (not broken)
            tally["broken" if broken else "kept"] += 1
            tally.update({adversary or sort for sort, _, adversary in broken})
    assert tally["broken"] >= len(SEEDS) * N_MUTATIONS / 2, kind
    return tally


def test_every_break_of_every_sort_is_found_and_nothing_else() -> None:
    total = sum((breaks_found(kind) for kind in POLICIES), Counter())
    assert total["broken"] >= 200
    assert total["kept"] >= 10
    sorts = [
        "anonymity",
        "template",
        "hidden",
        "naive-bayes",
        "id3",
        "rules",
        "risk",
        "drop",
        "columns",
        "cells",
        "rows",
    ]
    assert all(total[sort] >= 5 for sort in sorts), total


BREAKS = {
    "anonymity": ("anonymity", "NOT MET  anonymity require[0]: 1 combination of job, age, city"),
    "template": ("template", 'implies ill = "flu" with confidence above 0.55'),
    "hidden": ("restored", "NOT MET  hidden require[0]: 1 of 4 cells in ill, job are published"),
    "hidden, climbing": ("restored", "NOT MET  hidden require[0]: 1 of 4 cells in ill, job are published"),
    "hidden, rules": ("unprotected", "NOT MET  hidden require[0]: association rules, trained on the file"),
    "hidden, bins": ("restored", "NOT MET  hidden require[0]: 1 of 4 cells in ill, job are published"),
    "risk": ("unprotected", "NOT MET  risk require[0]: "),
    "hidden and risk": ("dropped", "NOT MET  drop: the release holds Name"),
    "risk, climbing": ("added", "NOT MET  rows: the release has 25 rows, the original 24"),
    "anonymity and hidden": ("swapped", "NOT MET  cells: "),
    "anonymity and template": ("numbered", "NOT MET  columns: the original has no column row"),
}


def broken_on_purpose(edit: str, made: Planted) -> Rows:
    """Return a release with an edit that breaks its promise for certain."""
    rows: Rows = [dict(row) for row in made.published]
    if edit == "anonymity":
        rows[0]["city"] = "Nowhere"
    elif edit == "template":
        for row in rows:
            row["job"] = "boss" if row["ill"] == "flu" else row["job"]
    elif edit == "restored":
        rows[3]["ill"] = made.original[3]["ill"]
    elif edit == "unprotected":
        hidden = {cell for cells in made.promises.hidden.values() for cell in cells}
        rows = [
            {n: "*" if (i, n) in hidden else row[n] if n == "age" else made.original[i][n] for n in row}
            for i, row in enumerate(rows)
        ]
    elif edit == "dropped":
        rows = [row | {"Name": str(i)} for i, row in enumerate(rows)]
    elif edit == "added":
        rows.append(dict(rows[7]))
    elif edit == "swapped":
        at = next(i for i, row in enumerate(rows) if row["job"] not in ("*", rows[0]["job"]))
        rows[0], rows[at] = rows[at], rows[0]
    else:
        rows = [row | {"row": str(i)} for i, row in enumerate(rows)]
    return rows


@pytest.mark.parametrize("kind", BREAKS)
def test_the_command_line_names_the_broken_promise(kind: str, tmp_path: Path) -> None:
    edit, line = BREAKS[kind]
    made = planted(kind, SEEDS[1])
    (tmp_path / "policy.toml").write_text(made.text)
    pd.DataFrame(made.original).to_csv(tmp_path / "data.csv", index=False)
    paths = ["--policy", str(tmp_path / "policy.toml"), "--original", str(tmp_path / "data.csv")]
    for rows, code in ((made.published, 0), (broken_on_purpose(edit, made), 1)):
        pd.DataFrame(rows).to_csv(tmp_path / "out.csv", index=False)
        done = CliRunner().invoke(cli, ["audit", str(tmp_path / "out.csv"), *paths])
        assert done.exit_code == code, done.output
        assert (line in done.output) == bool(code), done.output
