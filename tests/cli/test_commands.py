"""The commands as a person runs them: output, exit codes, one clear sentence for each mistake."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from tests.command_line import run_here, run_process

POLICY = """
target = "income"
[columns.age]
type = "number"
[columns.job]
taxonomy = "job.csv"
[[require]]
kind = "anonymity"
columns = ["age", "job"]
k = 2
"""
DATA = "age,job,income\n" + "".join(
    f"{20 + i},{['cook', 'clerk'][i % 2]},{['low', 'high'][i // 5]}\n" for i in range(10)
)
JOBS = "cook;Kitchen;*\nclerk;Office;*\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "job.csv").write_text(JOBS)
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_here(*words, folder=folder)


def release(folder: Path, *more: str, data: str = "data.csv", policy: str = "policy.toml", out: str = "out.csv"):
    return run(folder, "release", data, "--policy", policy, "--out", out, *more)


def test_release_then_audit(folder: Path) -> None:
    words = ("--policy", "policy.toml")
    done = run_process("release", "data.csv", *words, "--out", "out.csv", "--report", "page.html", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "every combination of age, job is shared by at least" in done.stdout
    assert sorted(path.name for path in folder.iterdir()) == [
        "data.csv", "job.csv", "out.csv", "out.csv.codebook.csv", "out.csv.report.json", "page.html", "policy.toml",
    ]  # fmt: skip
    checked = run_process("audit", "out.csv", *words, "--original", "data.csv", folder=folder)
    assert checked.returncode == 0
    failed = run_process("audit", "data.csv", *words, "--report", "audit.html", folder=folder)
    assert failed.returncode == 1
    assert "NOT MET" in failed.stdout
    assert "20" not in failed.stdout
    assert "A requirement is not met" in (folder / "audit.html").read_text()


def test_json_for_machines(folder: Path) -> None:
    done = json.loads(release(folder, "--json").stdout)
    assert (done["ok"], done["requirements"][0]["asked"]["k"]) == (True, 2)
    checked = run(folder, "audit", "data.csv", "--policy", "policy.toml", "--json")
    assert checked.returncode == 1
    assert json.loads(checked.stdout)["findings"][0]["details"]["small_groups"] == 10


def test_json_on_a_terminal_holds_no_withheld_value(folder: Path) -> None:
    rows = ["Xylographer,flu", *["cook,flu", "cook,none"] * 4, *["guard,none"] * 4]
    (folder / "people.csv").write_text("job,ill\n" + "\n".join(rows) + "\n")
    hide = '[[require]]\nkind = "template"\ngiven = ["job"]\nat_most = 0.5\nhide = { ill = ["flu"] }\n'
    (folder / "hide.toml").write_text(f'target = "ill"\n{hide}')
    done = release(folder, "--json", data="people.csv", policy="hide.toml")
    assert done.returncode == 0
    assert "Xylographer" in (folder / "out.csv.report.json").read_text()
    words = ("out.csv", "--policy", "hide.toml", "--original", "people.csv")
    checked = run(folder, "audit", *words, "--json", "--report", "audit.json")
    assert checked.returncode == 0
    assert "Xylographer" in (folder / "audit.json").read_text()
    assert "Xylographer" not in done.stdout + checked.stdout
    assert {stop["column"] for stop in json.loads(done.stdout)["stopped"]} == {"job"}


def test_max_steps_stops_early(folder: Path) -> None:
    assert json.loads(release(folder, "--json", "--max-steps", "0").stdout)["steps"] == []


def test_parquet_out(folder: Path) -> None:
    assert release(folder, out="out.parquet").returncode == 0
    assert run(folder, "audit", "out.parquet", "--policy", "policy.toml").returncode == 0


def edit(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


BAD_INPUT = {
    "ragged": (lambda f: edit(f, "data.csv", "21,clerk,low", "21,clerk,low,secret"), 2, "data.csv, line 3: has 4 cells, but the header has 3."),
    "empty": (lambda f: (f / "data.csv").write_text(""), 2, "data.csv: the file is empty."),
    "deep policy": (lambda f: (f / "policy.toml").write_text(f"a = {'[' * 5000}{']' * 5000}"), 2, "policy.toml: is nested too deeply"),
    "endless number": (lambda f: edit(f, "policy.toml", "k = 2", f"k = {'9' * 5000}"), 2, "policy.toml: is nested too deeply, or holds a number"),
    "header only": (lambda f: (f / "data.csv").write_text("age,job,income\n"), 2, "data.csv: there is a header but no row."),
    "duplicate header": (lambda f: edit(f, "data.csv", "age,job,income", "age,job,job"), 2, 'columns 2 and 3 are both called "job"'),
    "value missing from its taxonomy": (lambda f: edit(f, "job.csv", "clerk;Office;*\n", ""), 2, 'columns.job.taxonomy: column "job": 1 distinct value is missing from job.csv, the first in row 1 (from 0).'),
    "unknown column": (lambda f: edit(f, "policy.toml", '"age", "job"', '"age", "jbo"'), 2, 'policy.toml: require[0].columns: no column "jbo"; did you mean "job"?'),
    "k = 0": (lambda f: edit(f, "policy.toml", "k = 2", "k = 0"), 2, "require[0].k: must be an integer of at least 2; got 0."),
    "k > rows": (lambda f: edit(f, "policy.toml", "k = 2", "k = 11"), 3, "require[0]: anonymity over age, job with k = 11 cannot be met: the table has only 10 rows, 1 too few."),
    "typo in the policy": (lambda f: edit(f, "policy.toml", "target =", "tarket ="), 2, 'tarket: there is no such key; did you mean "target"?'),
    "cycle": (lambda f: (f / "job.csv").write_text("cook;clerk;cook\n"), 2, 'job.csv, line 1: "cook" stands above itself (a cycle).'),
    "text in a number column": (lambda f: edit(f, "data.csv", "21,clerk", "secret,clerk"), 2, 'columns.age.type: column "age" is a number column, but 1 of its distinct values is none, the first in row 1 (from 0).'),
    "non-UTF-8": (lambda f: (f / "data.csv").write_bytes(b"age,job,income\n1,cook,\xff\n"), 2, "data.csv, line 2: is not UTF-8."),
    "no taxonomy file": (lambda f: (f / "job.csv").unlink(), 2, "job.csv: there is no such taxonomy file."),
    "no policy file": (lambda f: (f / "policy.toml").unlink(), 2, "policy.toml: there is no such policy file."),
    "policy is not TOML": (lambda f: (f / "policy.toml").write_text("a = = 1"), 2, "policy.toml: is not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(BAD_INPUT))
def test_bad_input_is_one_clear_sentence_and_an_exit_code(folder: Path, name: str) -> None:
    spoil, code, sentence = BAD_INPUT[name]
    spoil(folder)
    (folder / "out.csv").write_text("as it was")
    before = sorted(path.name for path in folder.iterdir())
    done = release(folder)
    assert done.returncode == code
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("withhold: ")
    assert "secret" not in done.stderr + done.stdout
    assert (folder / "out.csv").read_text() == "as it was"
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"out": "gone/out.csv"}, "out.csv: its folder does not exist."),
        ({"out": "data.csv"}, "data.csv: is an input, which is never changed."),
        ({"out": "./sub/../data.csv"}, "is an input, which is never changed"),
        (
            {"out": "policy.toml.csv", "more": ("--report", "data.csv")},
            "data.csv: is an input, which is never changed.",
        ),
        ({"more": ("--report", "policy.toml")}, "policy.toml: is an input"),
        ({"out": "job.csv"}, "job.csv: is an input"),
        ({"more": ("--report", "out.csv")}, "out.csv: would be written twice."),
        ({"more": ("--report", "gone/page.html")}, "its folder does not exist."),
        ({"out": "."}, "is a folder, not a file to write."),
        ({"data": "."}, "is a folder, not a data file."),
        ({"data": "gone.csv"}, "gone.csv: there is no such file."),
        ({"out": "out.docx"}, 'out.docx: cannot write ".docx".'),
        ({"policy": "."}, "is a folder, not a policy file."),
    ],
)
def test_bad_paths_are_one_clear_sentence(folder: Path, options: dict, sentence: str) -> None:
    (folder / "sub").mkdir()
    done = release(folder, *options.pop("more", ()), **options)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert (folder / "data.csv").read_text() == DATA
    assert (folder / "policy.toml").read_text() == POLICY
    assert (folder / "job.csv").read_text() == JOBS


def test_inspect_tells_counts_and_no_values(folder: Path) -> None:
    (folder / "people.csv").write_text(
        "name,zip,age,sick\n" + "".join(f"secret{i},0{i % 3},{i % 9},{i % 2}\n" for i in range(40))
    )
    done = run_process("inspect", "people.csv", "--policy-out", "first.toml", folder=folder)
    assert done.returncode == 0
    assert "secret" not in done.stdout
    policy = (folder / "first.toml").read_text()
    assert 'drop = ["name"]' in policy
    assert '[columns."age"]\ntype = "number"' in policy
    assert '[columns."zip"]' not in policy
    assert release(folder, data="people.csv", policy="first.toml").returncode == 0
    assert run(folder, "inspect", "people.csv", "--policy-out", "first.toml").returncode == 2
    assert json.loads(run(folder, "inspect", "people.csv", "--json").stdout)["n_rows"] == 40


def test_the_demo_leaves_real_patients_alone(folder: Path) -> None:
    (folder / "patients.csv").write_text("name,ill\nAda,flu\n")
    refused = run(folder, "demo", ".", "--rows", "20")
    assert refused.returncode == 2
    assert "is not overwritten" in refused.stderr
    assert (folder / "patients.csv").read_text() == "name,ill\nAda,flu\n"


def test_policy_schema_is_json(folder: Path) -> None:
    assert json.loads(run_process("policy-schema").stdout)["title"] == "withhold policy"


def test_demo_runs_the_whole_job(tmp_path: Path) -> None:
    done = run_process("demo", "--rows", "2000", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "withhold-demo").iterdir()}
    assert names >= {"patients.csv", "policy.toml", "release.csv", "release.csv.report.json", "report.html"}
    assert "NOT MET" not in done.stdout
    assert done.stdout.splitlines()[-3].startswith("Every requirement is met: ")
    assert done.stdout.splitlines()[-2].startswith("Green: ")
    assert done.stdout.splitlines()[-1].startswith("Not covered: ")


def test_every_command_has_help() -> None:
    from withhold.cli._main import COMMANDS

    for name in COMMANDS:
        done = run_process(name, "--help")
        assert done.returncode == 0
        assert len(done.stdout.splitlines()) > 4


def test_an_unknown_command_or_option_is_exit_code_2(folder: Path) -> None:
    assert run(folder, "relaese").returncode == 2
    assert run(folder, "release", "data.csv").returncode == 2
    assert release(folder, "--engine", "flink").returncode == 2
    assert release(folder, "--master", "local").returncode == 2


def test_columns_that_no_requirement_masks_are_named(folder: Path) -> None:
    done = release(folder)
    assert "note     published as they are, because no requirement masks them: income; 0 of 10 rows" in done.stdout
    checked = run(folder, "audit", "out.csv", "--policy", "policy.toml")
    assert "published as they are" in checked.stdout


def test_a_policy_and_a_taxonomy_from_an_office_program_are_read(folder: Path) -> None:
    (folder / "policy.toml").write_bytes(b"\xef\xbb\xbf" + POLICY.encode())
    (folder / "job.csv").write_bytes(JOBS.replace("\n", "\r\n").encode() + b"\r\n")
    assert release(folder).returncode == 0


def test_tabs_in_and_commas_out(folder: Path) -> None:
    (folder / "data.tsv").write_text(DATA.replace(",", "\t"))
    assert release(folder, data="data.tsv").returncode == 0
    assert (folder / "out.csv").read_text().startswith("age,job,income\n")


def test_demo_keeps_an_edited_policy(tmp_path: Path) -> None:
    run(tmp_path, "demo", "--rows", "300", "my demo")
    policy = tmp_path / "my demo" / "policy.toml"
    policy.write_text(policy.read_text().replace("k = 10", "k = 40"))
    done = run(tmp_path, "demo", "--rows", "300", "my demo")
    assert "(asked: 40)" in done.stdout
    assert "--policy 'my demo/policy.toml'" in done.stdout


def test_inspect_counts_the_inferences_of_a_policy(folder: Path) -> None:
    template = '[[require]]\nkind = "template"\ngiven = ["job"]\nhide = { income = ["low"] }\nat_most = 0.7\n'
    (folder / "templates.toml").write_text(template)
    done = run(folder, "inspect", "data.csv", "--policy", "templates.toml")
    assert "above 50%: 1" in done.stdout
    assert "above 70%: 0" in done.stdout


def test_inspect_shows_no_cell_of_a_file_without_a_header(folder: Path) -> None:
    (folder / "bare.csv").write_text("31,Xylographer\n32,clerk\n")
    done = run(folder, "inspect", "bare.csv")
    assert done.returncode == 2
    assert "1 of its cells is a number" in done.stderr
    assert "Xylographer" not in done.stdout + done.stderr
    assert run(folder, "inspect", "bare.csv", "--header").returncode == 0


def test_inspect_sees_numbers_behind_a_mark_for_missing(folder: Path) -> None:
    (folder / "marks.csv").write_text("age\n" + "".join(f"{i}\n" for i in range(15)) * 4 + "?\n")
    found = json.loads(run(folder, "inspect", "marks.csv", "--json").stdout)
    assert found["columns"][0]["looks"] == "number"
    assert found["columns"][0]["note"] == "? seems to stand for a missing answer: name it in `missing_codes`"
    assert 'missing_codes = ["?"]' in found["policy"]


def test_a_table_of_constants_still_gets_a_policy_that_loads(folder: Path) -> None:
    (folder / "same.csv").write_text("a\nx\nx\nx\n")
    assert run(folder, "inspect", "same.csv", "--policy-out", "same.toml").returncode == 0
    assert release(folder, data="same.csv", policy="same.toml").returncode == 0


def test_the_audit_ends_with_its_verdict_and_tells_public_shares_in_whole_percents(folder: Path) -> None:
    release(folder)
    audited = run(folder, "audit", "out.csv", "--policy", "policy.toml", "--original", "data.csv")
    assert audited.stdout.splitlines()[-3].startswith("Every requirement is met: ")
    assert audited.stdout.splitlines()[-1].startswith("Not covered: 1 column is published as it is, and 0 of 10 rows")
    public = run(folder, "audit", "out.csv", "--policy", "policy.toml", "--public")
    assert re.search(r"the right row in (below )?\d+% of cases", public.stdout)
    with (folder / "out.csv").open("a") as file:
        file.write("1,cook,low\n")
    broken = run(folder, "audit", "out.csv", "--policy", "policy.toml", "--original", "data.csv", "--checks-only")
    assert broken.returncode == 1
    assert broken.stdout.splitlines()[-2].startswith("A requirement is not met, do not publish this file: ")
    assert broken.stdout.splitlines()[-1].startswith("Red: ")


def test_the_release_says_that_its_report_is_private(folder: Path) -> None:
    assert "note     out.csv.report.json is private to you: do not publish it." in release(folder).stdout


def test_the_release_says_what_else_to_publish(folder: Path) -> None:
    template = '[[require]]\nkind = "template"\ngiven = ["job"]\nhide = { income = ["low"] }\nat_most = 0.5\n'
    (folder / "templates.toml").write_text(template)
    said = "note     out.csv.withheld.json belongs to the release: publish it with the file."
    assert said in release(folder, policy="templates.toml").stdout
    assert "withheld.json" not in release(folder).stdout


def test_long_lines_are_folded_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    from withhold.cli._show import print_line

    text = "every combination of age, sex, postcode, occupation is shared by at least twelve rows " * 2
    print_line("met    ", text)
    assert len(capsys.readouterr().out.splitlines()) == 1
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_line("met    ", text)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 60
    assert all(line.startswith(" " * 9) for line in lines[1:])


def test_every_command_fits_in_the_list_of_commands() -> None:
    shown = run_process("--help").stdout
    assert "..." not in shown.partition("Commands:")[2]


def test_inspect_sees_numbers_with_a_decimal_comma(folder: Path) -> None:
    (folder / "comma.csv").write_text("lab;age\n" + "".join(f"{i},5;30\n" for i in range(30)))
    found = json.loads(run(folder, "inspect", "comma.csv", "--json").stdout)
    assert found["columns"][0]["is_number"]
    (folder / "comma.csv").write_text("lab;age\n" + "".join(f"{i % 9},500;30\n" for i in range(60)))
    found = json.loads(run(folder, "inspect", "comma.csv", "--json").stdout)
    assert found["columns"][0]["note"].startswith("numbers with a decimal comma")
