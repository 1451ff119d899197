"""Record risk in whole releases: measured, withheld until no record is above the threshold, recomputed from the file."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.command_line import run_here

import withhold as wh
from withhold.errors import PolicyError
from withhold.report import audit_report, report_page

KNOWN = {"gender": 0.8, "parish": 0.3, "grade": 0.3, "dropout": 0.01}
SENSITIVE = {"dropout": {"yes": 1.0}, "lunch": 0.5}


def registry(n_rows: int = 400, seed: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "gender": rng.choice(["f", "m"], n_rows),
            "parish": rng.choice([f"p{i}" for i in range(12)], n_rows, p=np.arange(1, 13) / 78),
            "grade": rng.choice([str(i) for i in range(1, 9)], n_rows),
            "dropout": rng.choice(["yes", "no"], n_rows, p=[0.1, 0.9]),
            "lunch": rng.choice(["free", "paid"], n_rows),
        }
    )


def policy(**changed: object) -> wh.Policy:
    fields: dict = {"known": KNOWN, "sensitive": SENSITIVE, "at_most": 10.0, **changed}
    return wh.Policy([wh.Risk(**fields)])


def test_no_record_is_above_the_threshold() -> None:
    made = wh.release(registry(), policy())
    published = made.to_frame()
    (entry,) = made.report["requirements"]
    assert entry["records_above_before"] > 0
    assert entry["reached"]["risk"] <= 10.0
    assert entry["ok"] is entry["proven"] is True
    changed = published != registry()
    assert changed.to_numpy().sum() == entry["blanked"] > 0
    assert (published.to_numpy()[changed.to_numpy()] == "*").all()
    assert sum(bar[2] for bar in entry["histogram"]["after"]) == 400


def test_a_file_with_a_risky_record_is_refused(tmp_path: Path) -> None:
    frame = registry()
    made = wh.release(frame, policy())
    made.write(tmp_path / "out.csv", report=tmp_path / "r.html")
    assert "Record risk" in (tmp_path / "r.html").read_text()
    assert wh.audit(tmp_path / "out.csv", policy()).ok
    frame.to_csv(tmp_path / "raw.csv", index=False)
    found = wh.audit(tmp_path / "raw.csv", policy())
    assert not found.ok
    assert "have a risk above 10" in found.findings[0].says


def test_together_with_hidden_cells() -> None:
    hidden = wh.Hidden(cells=[(0, "lunch"), (7, "parish")], against=["naive-bayes", "id3"])
    both = wh.Policy([wh.Risk(known=KNOWN, sensitive=SENSITIVE, at_most=10.0), hidden])
    made = wh.release(registry(), both, rng=1)
    published = made.to_frame()
    assert published.loc[0, "lunch"] == published.loc[7, "parish"] == "*"
    assert all(entry["proven"] for entry in made.report["requirements"])


def test_values_climb_before_they_are_blanked() -> None:
    parishes = {"Any": {"North": [f"p{i}" for i in range(6)], "South": [f"p{i}" for i in range(6, 12)]}}
    settings = {"parish": wh.ColumnSettings(taxonomy=parishes)}
    climbing = wh.Risk(known=KNOWN, sensitive=SENSITIVE, at_most=10.0, modify="generalize")
    made = wh.release(registry(), wh.Policy([climbing], columns=settings))
    published = made.to_frame()
    assert set(published["parish"]) & {"North", "South"}
    assert made.report["requirements"][0]["coarsened"] > 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"known": {"gender": 1.5}}, "from 0 to 1"),
        ({"sensitive": {"dropout": -0.1}}, "from 0 to 1"),
        ({"sensitive": {}}, "at least one entry"),
        ({"alpha": 0}, "above 0"),
        ({"at_most": -1}, "at least 0"),
        ({"known": {"gender": 0.0}}, "no column a chance above 0"),
        ({"known": {f"c{i}": 0.1 for i in range(64)}}, "at most 63"),
    ],
)
def test_bad_fields_say_what_is_wrong(changed: dict, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        policy(**changed)


def test_bad_names_and_values_say_what_is_wrong() -> None:
    with pytest.raises(PolicyError, match='no column "gendr"; did you mean "gender"'):
        wh.release(registry(), policy(known={"gendr": 0.5}))
    with pytest.raises(PolicyError, match='the value "maybe" does not occur'):
        wh.release(registry(), policy(sensitive={"dropout": {"maybe": 1.0}}))


def test_inspect_tells_how_exposed_records_are(tmp_path: Path) -> None:
    registry().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "p.toml").write_text(
        '[[require]]\nkind = "risk"\nknown = { gender = 0.8, parish = 0.3 }\n'
        "sensitive = { dropout = { yes = 1.0 } }\nat_most = 2.0\n"
    )
    words = ["inspect", "data.csv", "--policy", "p.toml"]
    done = run_here(*words, "--json", folder=tmp_path)
    assert "Infinity" not in done.stdout
    (risk,) = json.loads(done.stdout)["risks"]
    assert sum(bar[2] for bar in risk["histogram"]) == 400
    assert set(risk["risk_by_column"]) == {"gender", "parish"}
    shown = run_here(*words, folder=tmp_path)
    assert "records above 2" in shown.stdout


def test_the_private_report_is_json_that_every_program_reads() -> None:
    release = wh.release(registry(), policy())
    assert (
        json.loads(json.dumps(release.report, allow_nan=False))["requirements"][0]["histogram"]["after"][-1][1] is None
    )
    page = report_page(
        audit_report(wh.audit(release.to_frame(), policy(), attack=False), "o.csv", making=release.record)
    )
    assert "<td>above 100</td>" in page
