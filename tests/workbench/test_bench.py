"""The workbench without its window: what a person does there, and what comes of it."""

import json
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import withhold as wh
from withhold.cli._main import cli
from withhold.cli.demo import write_clinic
from withhold.errors import InputError, OutputError, TaxonomyError
from withhold.requirements import KINDS
from withhold.workbench import Bench
from withhold.workbench._forms import blank_card, form_of, forms, known_key
from withhold.workbench._frontier import knobs_of
from withhold.workbench._jobs import Jobs
from withhold.workbench._policy_text import policy_toml, read_policy
from withhold.workbench._presets import PRESETS
from withhold.workbench._project import safe_name
from withhold.workbench._remake import command_line, notebook, script
from withhold.workbench._tree_editor import TreeEditor
from withhold.workbench._tree_makers import make_tree


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clinic(tmp_path_factory.mktemp("clinic"), rows=300, seed=0)


@pytest.fixture
def bench(clinic: Path, tmp_path: Path) -> Iterator[Bench]:
    (tmp_path / "private").mkdir()
    made = Bench(tmp_path / "private")
    assert made.open(clinic).wait().error == ""
    for name in ("insurance", "admission", "stay_days", "diagnosis"):
        made.set_role(name, "keep")
    made.set_field(0, "k", 5)
    yield made
    made.close()


def finished(bench: Bench) -> None:
    live = bench.start_run(is_playing=True).wait(60)
    assert (live.state, live.error) == ("done", "")
    assert bench.compared is not None


def test_every_kind_of_promise_has_a_form_and_a_card_to_start_from() -> None:
    assert [form.kind for form in forms()] == list(KINDS)
    for form in forms():
        assert form.question.endswith("?")
        assert form.sentence
        assert all(field.help for field in form.fields)
        card = blank_card(form.kind, known=["age", "sex"], sensitive=["diagnosis"])
        assert card["kind"] == form.kind
        assert set(card) >= {field.key for field in form.fields if field.is_required}


def test_fields_become_the_widgets_that_their_schema_asks_for() -> None:
    found = {(kind, field.key): field.widget for kind in KINDS for field in form_of(kind).fields}
    assert found["anonymity", "columns"] == "columns"
    assert found["diversity", "sensitive"] == "column"
    assert found["hidden", "column"] == "column"
    assert found["hidden", "where"] == "text"
    assert found["hidden", "against"] == "choices"
    assert found["template", "hide"] == "values"
    assert found["risk", "known"] == "shares"
    assert found["risk", "until_safe"] == "switch"
    assert [known_key(kind) for kind in KINDS].count(None) == 1


def test_a_text_and_its_keys_say_the_same() -> None:
    keys = {
        "drop": ["a b", 'q"\\'],
        "require": [{"kind": "template", "given": ["é"], "hide": {"x y": ["<b>"]}, "at_most": 0.5}],
    }
    text = policy_toml(keys)
    assert read_policy(text, folder=Path()).keys == keys
    assert wh.Policy.loads(text).require[0].says


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('drop = ["a"]\nk = = 3\n', 2),
        ('drop = ["a"]\n\n[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 1\n', 6),
        (
            '[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 3\n\n[[require]]\nkind = "anonymity"\ncolumns = ["aeg"]\nk = 3\n',
            8,
        ),
        ('[columns.age]\ntype = "nmber"\n[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 3\n', 2),
        ('taget = "x"\n[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 3\n', 1),
    ],
)
def test_mistakes_stand_at_their_lines(text: str, line: int) -> None:
    read = read_policy(text, folder=Path(), names=["age", "sex"])
    assert read.policy is None
    assert [mistake.line for mistake in read.mistakes] == [line]
    assert "require[" not in read.mistakes[0].what


def test_a_text_that_is_no_toml_keeps_the_cards_of_the_last_one(bench: Bench) -> None:
    cards = bench.keys["require"]
    bench.set_text(bench.read.text + "k = = 1")
    assert bench.keys["require"] == cards
    assert bench.mistakes
    with pytest.raises(InputError):
        bench.start_run(is_playing=True)


def test_a_click_on_a_role_changes_every_promise_that_lists_the_same_columns(bench: Bench) -> None:
    bench.set_role("diagnosis", "sensitive")
    bench.use_preset(PRESETS[0])
    assert [card["kind"] for card in bench.keys["require"]] == ["anonymity", "diversity"]
    bench.set_role("insurance", "known")
    assert all("insurance" in card["columns"] for card in bench.keys["require"])
    bench.set_role("insurance", "drop")
    assert all("insurance" not in card["columns"] for card in bench.keys["require"])
    assert bench.keys["drop"] == ["name", "insurance"]
    assert bench.roles["diagnosis"] == "sensitive"
    bench.remove_card(1)
    bench.protect("diagnosis")
    assert bench.keys["require"][1]["sensitive"] == "diagnosis"
    assert bench.mistakes == ()
    bench.set_role("sex", "target")
    assert (bench.roles["sex"], bench.roles["readmitted"]) == ("target", "keep")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_presets_are_policies(bench: Bench, preset: object) -> None:
    bench.set_role("diagnosis", "sensitive")
    bench.use_preset(preset)  # type: ignore[arg-type]
    assert bench.mistakes == ()


def test_what_a_run_makes_is_what_the_command_line_makes_byte_for_byte(
    bench: Bench, clinic: Path, tmp_path: Path
) -> None:
    bench.seed = 3
    bench.set_key("rows", "shuffle")
    finished(bench)
    assert bench.compared is not None
    bench.compared.release.write(tmp_path / "out.csv")
    bench.save_project(tmp_path / "project")
    policy = tmp_path / "project" / "policy.toml"
    words = ["release", str(clinic), "--policy", str(policy), "--out", str(tmp_path / "same.csv"), "--seed", "3"]
    assert CliRunner().invoke(cli, words).exit_code == 0
    assert (tmp_path / "same.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    assert "--seed 3" in str(command_line(bench.making(tmp_path / "out.csv")))


def test_steps_that_were_chosen_by_hand_are_repeated_by_the_script(bench: Bench, tmp_path: Path) -> None:
    bench.set_key("recoding", "global")
    live = bench.start_run(is_playing=False)
    until(lambda: live.state == "paused")
    assert live.candidates
    live.step()
    until(lambda: len(live.steps) == 1 and live.state == "paused")
    live.back()
    until(lambda: not live.steps)
    worst = min((m for m in live.candidates if m.is_valid and m.is_beneficial), key=lambda move: move.score)
    live.first(worst.column, worst.value)
    until(lambda: len(live.steps) == 1)
    assert (live.steps[0].column, live.steps[0].value) == (worst.column, worst.value)  # type: ignore[union-attr]
    live.stop()
    live.wait(60)
    assert bench.compared is not None
    making = bench.making(tmp_path / "again.csv")
    assert making.moves.chosen == ((worst.column, worst.value),)
    assert command_line(making) is None
    bench.compared.release.write(tmp_path / "first.csv")
    bench.save_project(tmp_path / "project")
    text = script(making).replace('"policy.toml"', repr(str(tmp_path / "project" / "policy.toml")))
    exec(compile(text, "script", "exec"), {})
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "first.csv").read_bytes()
    cells = json.loads(notebook(making))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "code", "code", "code"]


def test_a_column_that_is_never_split_stays_withheld(bench: Bench) -> None:
    bench.set_key("recoding", "global")
    bench.forbid("age", is_forbidden=True)
    finished(bench)
    assert bench.live is not None
    assert all(getattr(step, "column", "") != "age" for step in bench.live.steps)
    assert {row[1] for row in bench.compared.page(0, 20).after} == {"*"}  # type: ignore[union-attr]


def test_a_run_that_is_stopped_early_is_valid_and_says_after_how_many_steps(bench: Bench) -> None:
    bench.set_key("recoding", "global")
    live = bench.start_run(is_playing=False)
    live.step()
    until(lambda: len(live.steps) == 1)
    live.stop()
    live.wait(60)
    assert live.state == "done"
    assert live.moves.max_steps == 1
    assert "--max-steps 1" in str(command_line(bench.making(Path("x.csv"))))


def test_cancelling_leaves_the_page_usable(bench: Bench) -> None:
    live = bench.start_run(is_playing=False)
    live.cancel()
    live.wait(60)
    assert live.state == "cancelled"
    assert bench.compared is None
    finished(bench)


def test_a_crash_of_a_run_says_no_cell_and_the_next_run_works(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from withhold.releasing import Run

    def crash(self: Run, *words: object) -> None:
        raise RuntimeError("Anna Weber has pneumonia")

    with monkeypatch.context() as broken:
        broken.setattr(Run, "step", crash)
        live = bench.start_run(is_playing=True).wait(60)
    assert live.state == "failed"
    assert "RuntimeError" in live.error
    assert "Anna" not in live.error
    assert bench.start_run(is_playing=True).wait(60).state == "done"


def test_a_policy_that_no_table_can_meet_is_an_error_on_the_page(bench: Bench) -> None:
    bench.set_field(0, "k", 100_000)
    live = bench.start_run(is_playing=True).wait(60)
    assert live.state == "failed"
    assert live.error
    bench.set_field(0, "k", 5)
    assert bench.is_stale
    finished(bench)


def test_mistakes_that_only_the_table_shows_come_to_their_lines(bench: Bench) -> None:
    bench.set_text(bench.read.text.replace("[columns.age]", '[columns.sex]\ntype = "number"\n\n[columns.age]'))
    bench.start_run(is_playing=True).wait(60)
    assert [bench.read.text.splitlines()[mistake.line - 1] for mistake in bench.mistakes] == ['type = "number"']


def test_cells_are_what_the_release_says_they_are(bench: Bench) -> None:
    finished(bench)
    compared = bench.compared
    assert compared is not None
    page = compared.page(0, compared.n_rows)
    lost = compared.record.withheld.columns
    for j, name in enumerate(page.names):
        fates = [row[j] for row in page.fates]
        if name in lost:
            assert fates.count("blank") == lost[name].blanked
            assert fates.count("coarser") == lost[name].coarsened
    assert {row[0] for row in page.fates} == {"not published"}
    row, j = next((i, j) for i, fates in enumerate(page.fates) for j, fate in enumerate(fates) if fate == "coarser")
    assert compared.why(row, page.names[j]).published == page.after[row][j]
    for name in page.names:
        assert compared.why(row, name) == compared.release.explain(row, name)


def test_a_changed_policy_cannot_be_published(bench: Bench, tmp_path: Path) -> None:
    finished(bench)
    bench.set_field(0, "k", 4)
    with pytest.raises(InputError, match="changed since"):
        bench.start_publish(tmp_path / "out.csv")


def test_the_frontier_costs_more_for_more_protection_and_a_setting_is_taken(bench: Bench) -> None:
    assert bench.read.policy is not None
    knob = knobs_of(bench.read.policy, bench.keys)[0]
    assert bench.start_frontier(knob, (2, 10, 100_000)).wait().error == ""
    few, many, impossible = bench.points
    assert few.loss is not None
    assert many.loss is not None
    assert few.loss < many.loss
    assert impossible.loss is None
    bench.take_setting(10)
    assert bench.keys["require"][0]["k"] == 10


def test_a_project_holds_the_choices_and_not_the_data(bench: Bench, clinic: Path, tmp_path: Path) -> None:
    bench.tree("postcode").replace(bench.make_tree("postcode", "prefix", lengths=[3, 2, 1]))
    bench.save_tree("postcode")
    bench.set_role("diagnosis", "sensitive")
    bench.save_project(tmp_path / "project")
    assert stat.S_IMODE((tmp_path / "project").stat().st_mode) == 0o700  # its taxonomies list values of the table
    assert sorted(path.name for path in (tmp_path / "project").iterdir()) == [
        "diagnosis.taxonomy.csv",
        "policy.toml",
        "postcode.csv",
        "workbench.json",
    ]
    somebody = clinic.read_text().splitlines()[1].split(",")[0]
    assert somebody not in "".join(path.read_text() for path in (tmp_path / "project").iterdir())
    (tmp_path / "other").mkdir()
    other = Bench(tmp_path / "other")
    job = other.open_project(tmp_path / "project")
    assert job is not None
    assert job.wait().error == ""
    assert (other.roles, other.read.text) == (bench.roles, bench.read.text)
    assert other.tree("postcode").paths() == bench.tree("postcode").paths()
    finished(other)
    other.close()
    with pytest.raises(OutputError):
        bench.save_project(clinic.parent.parent)


def test_a_first_line_that_looks_like_data_is_opened_when_somebody_insists(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "years.csv").write_text("place,2023,2024\n" + "\n".join(f"a,{i},{i}" for i in range(9)))
    assert "looks like data" in bench.open(tmp_path / "years.csv").wait().error
    assert bench.data is not None
    assert bench.data.name == "patients.csv"  # what was open stays open
    assert bench.open_with_header().wait().error == ""
    assert bench.data.table.names == ("place", "2023", "2024")
    assert bench.open_sample().wait().error == ""
    assert bench.data.is_copy


def test_names_of_files_stay_in_their_folder(bench: Bench) -> None:
    for name in ("../../etc/passwd", "/etc/passwd", "..\\..\\x.csv", "a\0b.csv", "...", ".bashrc", "x" * 500 + ".csv"):
        place = bench.receive(name)
        assert place.resolve().parent == (bench.folder / "received").resolve()
        assert not safe_name(name).startswith(".")


def test_only_one_job_runs_and_a_crash_says_no_cell() -> None:
    jobs, gate = Jobs(lambda: None), threading.Event()
    first = jobs.start("Waiting", lambda job: gate.wait(10))
    with pytest.raises(InputError, match="Waiting is still going on"):
        jobs.start("Another", lambda job: None)
    gate.set()
    first.wait()

    def crash(job: object) -> None:
        raise ValueError("Alice has flu")

    assert "Alice" not in jobs.start("Crashing", crash).wait().error

    def endless(job: object) -> None:
        while True:
            job.say("going on")  # type: ignore[attr-defined]
            time.sleep(0.01)

    job = jobs.start("Endless", endless)
    job.cancel()
    assert job.wait(10).is_cancelled


def test_a_tree_is_edited_by_hand_and_every_change_is_undone() -> None:
    tree = TreeEditor.over("city", ["Bonn", "Lyon", "Nice", "Ulm"])
    tree.group("France", ["Lyon", "Nice"])
    tree.group("Germany", ["Bonn"])
    tree.move("Ulm", "Bonn")  # onto a value: into its group
    assert tree.children("Germany") == ["Bonn", "Ulm"]
    tree.group("Europe", ["France", "Germany"])
    with pytest.raises(TaxonomyError, match="below itself"):
        tree.move("Europe", "France")
    with pytest.raises(TaxonomyError, match="already"):
        tree.rename("France", "Germany")
    tree.rename("France", "FR")
    tree.dissolve("Europe")
    assert tree.coverage().ok
    while tree.undo():
        pass
    assert tree.paths() == TreeEditor.over("city", ["Bonn", "Lyon", "Nice", "Ulm"]).paths()
    while tree.redo():
        pass
    assert tree.parent["FR"] == "*"


def test_values_that_a_tree_does_not_cover_are_named_and_put_in() -> None:
    tree = TreeEditor.of("city", ["Bonn", "Oslo"], [("Bonn", "DE", "*"), ("Rome", "IT", "*")])
    assert (tree.coverage().uncovered, tree.coverage().unused) == (("Oslo",), ("Rome",))
    tree.cover()
    assert tree.coverage().ok


@pytest.mark.parametrize(
    ("how", "cells"),
    [
        ("prefix", ["01234", "01299", "5", "777"]),
        ("intervals", [*map(str, range(100)), "?"]),
        ("quantiles", [str(n * n) for n in range(50) for _ in range(n)]),
        ("dates", ["2024-01-31", "2024-12-01", "2025-02-03", "?"]),
        ("frequency", [f"job {n}" for n in range(30) for _ in range(n)]),
        ("hand", ["cook", "clerk"]),
    ],
)
def test_trees_that_are_made_cover_every_value_and_survive_their_file(
    how: str, cells: list[str], tmp_path: Path
) -> None:
    table = wh.Table.from_columns({"column": cells})
    tree = make_tree(table, "column", list(dict.fromkeys(cells)), how, missing=["?"])
    assert tree.coverage().ok
    tree.save(tmp_path / "tree.csv")
    again = wh.Taxonomy.read(tmp_path / "tree.csv")
    assert set(again.leaves) == set(tree.values)
    assert sorted(map(tuple, again.paths())) == sorted(tree.paths())


def test_nothing_but_its_command_imports_the_workbench() -> None:
    source = Path(wh.__file__).parent
    others = [path for path in source.rglob("*.py") if "workbench" not in path.relative_to(source).as_posix()]
    assert len(others) > 300
    assert [path.name for path in others if "withhold.workbench" in path.read_text()] == []


def until(is_so: object, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.01)
