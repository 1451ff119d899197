"""The page and the JSON about an audit: the same content, self-contained, and nothing private in the public ones."""

import hashlib
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.auditing import Audit
from withhold.report import audit_report, public_audit, report_json, report_page, report_schema

SECRET = "Xylography"
"""A value that only one patient has."""


def patients(n_rows: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    illness = rng.choice(["flu", "asthma", "gout", "none"], n_rows, p=[0.3, 0.2, 0.1, 0.4])
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n_rows),
            "job": rng.choice(["nurse", "clerk", "driver", "cook"], n_rows),
            "ward": np.where(rng.random(n_rows) < 0.8, np.char.add("ward-", illness), "ward-x"),
            "illness": illness,
            "readmitted": rng.choice(["yes", "no"], n_rows),
        }
    ).astype({"job": object, "ward": object, "illness": object, "readmitted": object})
    frame.loc[17, "job"] = SECRET
    return frame


POLICY = wh.Policy(
    [
        wh.Anonymity(columns=["age", "job"], k=8),
        wh.Hidden(
            cells=[(row, "illness") for row in range(0, 600, 10)],
            predictors=["ward"],
            against=[wh.Against(adversary="naive-bayes"), wh.Against(adversary="id3")],
            most_withheld=1.0,
        ),
    ],
    target="readmitted",
    columns={"age": wh.ColumnSettings(type="number")},
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[wh.Release, Audit, Path]:
    folder = tmp_path_factory.mktemp("page")
    frame = patients()
    release = wh.release(frame, POLICY, rng=1)
    release.write(folder / "out.csv", report=folder / "release.html")
    audit = wh.audit(folder / "out.csv", POLICY, original=frame, rng=1)
    assert audit.ok
    return release, audit, folder


def test_json_follows_its_schema_and_holds_what_was_found(made: tuple[wh.Release, Audit, Path]) -> None:
    release, audit, _ = made
    for public in (False, True):
        reported = report_json(audit_report(audit, "out.csv", making=release.summary, public=public))
        text = json.dumps(reported, allow_nan=False)
        jsonschema.validate(json.loads(text), report_schema())
        assert reported["ok"] is True
        assert reported["n_rows"] == 600
        assert [each["kind"] for each in reported["findings"]] == [finding.kind for finding in audit.findings]
    private = report_json(audit_report(audit, "out.csv", making=release.summary))
    attacks = [each for each in private["attacks"] if each["kind"] == "cells"]
    assert {each["attacker"] for each in attacks} >= {"naive-bayes", "id3", "boosting", "simulate"}
    assert private["making"]["steps"]
    assert private["utility"]["learners"][0]["learner"] == "c4.5"


def test_the_schema_rejects_a_report_without_a_verdict(made: tuple[wh.Release, Audit, Path]) -> None:
    reported = report_json(audit_report(made[1], "out.csv"))
    del reported["verdict"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(reported, report_schema())


def test_a_public_report_tells_no_value_no_attack_and_no_small_count(made: tuple[wh.Release, Audit, Path]) -> None:
    release, audit, _ = made
    reported = audit_report(audit, "out.csv", making=release.summary, public=True)
    found = report_json(reported)
    text = json.dumps(found) + report_page(reported)
    for value in (SECRET, "asthma", "gout", "ward-", "nurse", "clerk"):
        assert value not in text
    assert not [each for each in found["attacks"] if each["kind"] == "cells"]
    assert found["making"] is None
    assert found["timings"] == {}
    assert found["columns"] == []
    for kind in ("before_rate", "before_unique_rows", "before_certain_rows"):
        assert all(each.get(kind) is None for each in found["attacks"])
    assert smallest_count(found) >= 10


def smallest_count(reported: dict) -> int:
    """Return the smallest count above 0 that a public report publishes of the file."""
    counts = [
        each[key] for each in reported["attacks"] for key in ("unique_rows", "certain_rows", "smallest") if key in each
    ]
    for each in reported["uniques"]:
        counts += [*each["sets"], *each["rows"], *each["by_column"].values()]
    counts += [each["reached"] for each in reported["findings"] if each["kind"] in ("anonymity", "hidden", "cells")]
    return min((count for count in counts if count), default=10)


def test_small_counts_become_unknown_in_public() -> None:
    frame = pd.DataFrame({"age": ["1"] * 30 + ["2"] * 4 + ["3"], "s": ["x"] * 30 + ["y"] * 5})
    policy = wh.Policy([wh.Anonymity(columns=["age"], k=2)], target="s")
    audit = wh.audit(frame, policy)
    (link, reported) = public_audit(audit).attacks
    assert link.unique_rows is None
    assert reported.certain_rows == 35
    assert reported.single_rows is None
    assert public_audit(audit, threshold=40).attacks[1].certain_rows is None
    assert public_audit(audit, threshold=1).attacks[0].unique_rows == 1


def test_pages_need_nothing_but_themselves(made: tuple[wh.Release, Audit, Path]) -> None:
    release, audit, folder = made
    pages = [
        report_page(audit_report(audit, "out.csv", making=release.summary)),
        report_page(audit_report(audit, "out.csv", public=True)),
        (folder / "release.html").read_text(),
    ]
    for page in pages:
        outside = re.sub(r'xmlns(:xlink)?="[^"]*"', "", page)
        assert "http://" not in outside
        assert "https://" not in outside
        assert "<script" not in page
        identifiers = re.findall(r'\bid="([^"]*)"', page)
        assert len(identifiers) == len(set(identifiers))
    assert (folder / "release.html").stat().st_mode & 0o077 == 0


def test_values_in_a_page_are_text() -> None:
    frame = pd.DataFrame({"<b>job": ["<script>alert(1)</script>"] * 5 + ["x&y"] * 5, "s": ["p", "q"] * 5})
    policy = wh.Policy([wh.Anonymity(columns=["<b>job"], k=2)], target="s")
    release = wh.release(frame, policy)
    audit = wh.audit(release.to_frame(), policy, original=frame, rng=1)
    page = report_page(audit_report(audit, "<img>.csv", making=release.record))
    assert "<script>" not in page
    assert "<img>" not in page
    assert "<b>job" not in page


def test_letters_that_cannot_be_drawn_do_not_end_the_process() -> None:
    frame = pd.DataFrame({"a\x01": ["\x07bell", "", "", "\ufffe", "x", "x"], "s": ["p", "q"] * 3})
    blank = frame.assign(**{"a\x01": ["*", "*", "", "\ufffe", "x", "x"]})
    policy = wh.Policy([wh.Anonymity(columns=["s"], k=2)])
    audit = wh.audit(blank, policy, original=frame)
    report = audit_report(audit, "out.csv")
    assert "<figure>" in report_page(report)
    assert "" in audit.columns[0].labels
    assert "\x00" not in report_page(report)
    assert "\\u0000" not in json.dumps(report_json(report))


def test_notebooks_show_a_release_and_an_audit(made: tuple[wh.Release, Audit, Path]) -> None:
    release, audit, _ = made
    assert "Every requirement is met" in audit._repr_html_()
    assert "Naive Bayes" in audit._repr_html_()
    shown = release._repr_html_()
    assert "coarsened cells" in shown
    assert SECRET not in shown


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium on this machine")
    return found


def test_the_page_opens_in_a_browser_without_a_request_or_an_error(made: tuple[wh.Release, Audit, Path]) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    release, audit, folder = made
    report = audit_report(audit, "out.csv", making=release.summary)
    page_file = folder / "audit.html"
    page_file.write_text(report_page(report), encoding="utf-8")
    requests: list[str] = []
    errors: list[str] = []
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(page_file.as_uri())
        page.screenshot(path=folder / "audit.png", full_page=True)
        assert requests == [page_file.as_uri()]
        assert errors == []
        assert page.title() == "out.csv: every promise holds"
        assert report.verdict[0] in page.locator(".verdict").inner_text()
        plots = page.locator("figure svg")
        assert plots.count() >= 6
        assert all(box["width"] > 50 and box["height"] > 20 for box in boxes(plots))
        reported = report_json(report)
        text = page.locator("body").inner_text()
        for attack in (each for each in reported["attacks"] if each["kind"] == "cells"):
            row = page.locator("tr", has_text=attack["title"]).first.inner_text()
            assert f"{attack['rate']:.1%}" in row or attack["scope"] == "other"
        for finding in reported["findings"]:
            assert finding["says"] in text
        for learner in reported["utility"]["learners"]:
            assert f"{learner['released']['error']:.1%}" in text
        page.set_viewport_size({"width": 420, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        browser.close()
    assert (folder / "audit.png").stat().st_size > 50_000


def boxes(plots: object) -> list[dict[str, float]]:
    return [plots.nth(i).bounding_box() for i in range(plots.count())]  # type: ignore[attr-defined]


def test_a_page_says_which_file_it_is_about(made: tuple[wh.Release, Audit, Path]) -> None:
    _, audit, folder = made
    digest = hashlib.sha256((folder / "out.csv").read_bytes()).hexdigest()
    about = {"path": folder / "out.csv", "policy": "policy.toml", "original": "patients.csv"}
    private = audit_report(audit, "out.csv", **about)
    public = audit_report(audit, "out.csv", public=True, **about)
    assert private.sha256 == public.sha256 == digest
    for text in (digest, "policy.toml", "patients.csv", private.date):
        assert text in report_page(private)
    assert public.original == public.date == ""
    assert "patients.csv" not in report_page(public)
    assert digest in (folder / "release.html").read_text()


def test_a_public_page_tells_whole_percents_and_no_empty_column_about_before(
    made: tuple[wh.Release, Audit, Path],
) -> None:
    page = report_page(audit_report(made[1], "out.csv", public=True))
    assert not re.search(r"\d\.\d%", page)
    assert "before</th>" not in page
    assert "before</th>" in report_page(audit_report(made[1], "out.csv"))


def test_the_verdict_is_in_doubt_where_an_attacker_is_better_than_a_guess(made: tuple[wh.Release, Audit, Path]) -> None:
    audit = made[1]
    kept = [replace(each, beats_majority=False, is_ahead=False) for each in audit.cell_attacks]
    assert 'class="verdict"' in report_page(audit_report(replace(audit, attacks=tuple(kept)), "out.csv"))
    beaten = (replace(kept[0], beats_majority=True), *kept[1:])
    page = report_page(audit_report(replace(audit, attacks=beaten), "out.csv"))
    assert 'class="verdict doubtful"' in page
    assert "decide whether it is acceptable" in page


def test_codes_with_leading_zeros_and_taxonomies_are_categories_on_a_page() -> None:
    frame = pd.DataFrame({"zip": ["01067", "80331"] * 10, "ward": ["1", "2"] * 10, "age": ["30", "40"] * 10})
    wards = wh.ColumnSettings(taxonomy={"Any": ["1", "2"]})
    policy = wh.Policy([wh.Anonymity(columns=["zip", "ward"], k=2)], columns={"ward": wards})
    kinds = {each.column: each.kind for each in wh.audit(frame, policy, original=frame, quick=True).columns}
    assert kinds == {"zip": "category", "ward": "category", "age": "number"}


def test_an_audit_is_one_line_in_a_console(made: tuple[wh.Release, Audit, Path]) -> None:
    assert re.fullmatch(r"<Audit: every requirement is met; 600 rows, \d+ findings, \d+ attacks>", repr(made[1]))
