"""Trees from files and back, and every way in which a file can fail to be a tree."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from withhold import Taxonomy
from withhold.errors import TaxonomyError

EDUCATION = {"Any": {"School": {"9th": {}, "10th": {}}, "University": {"Bachelors": {}, "Grad": {"Masters": {}}}}}


def test_leaf_intervals_tell_what_is_below_what() -> None:
    tree = Taxonomy.from_nested(EDUCATION)
    assert tree.leaves == ("9th", "10th", "Bachelors", "Masters")
    university = tree.node("University")
    assert (tree.first[university], tree.last[university]) == (2, 4)
    assert tree.is_below(tree.node("Masters"), university)
    assert not tree.is_below(tree.node("9th"), university)
    assert tree.is_below(university, university)
    assert not tree.is_below(tree.node("Grad"), tree.node("Masters"))
    assert [tree.labels[child] for child in tree.children(0)] == ["School", "University"]
    assert tree.labels[tree.ancestor(tree.node("Masters"), 2)] == "University"
    assert tree.ancestor(tree.node("Masters"), 9) == 0


@pytest.mark.parametrize("suffix", [".csv", ".toml", ".json"])
def test_a_tree_survives_its_file(tmp_path: Path, suffix: str) -> None:
    tree = Taxonomy.from_nested({"Any": {"North; east": {'a "b"': {}, "ü, 1": {}}, "South": {"0123": {}}}})
    tree.write(tmp_path / f"tree{suffix}")
    assert Taxonomy.read(tmp_path / f"tree{suffix}") == tree


@pytest.mark.parametrize(
    ("text", "n_leaves"),
    [
        ("9th;School;*\nBachelors;*\n", 2),
        ("9th,School,*\r\n10th,School,*\r\n", 2),
        ("\ufeff9th;School;*\n", 1),
        ('"a;b";School;*\n', 1),
        ("M\nF\n", 2),
        ("Male;Male;*\nFemale;Female;*\n", 2),
        ("9th;School\nBachelors;University\n", 2),
        ("9th;School;*;;\n10th;School;*;;\n", 2),
        ("9th;School;*\n\n", 1),
        (" 9th;School;*\n", 1),
    ],
)
def test_hierarchy_files_of_many_shapes_are_read(tmp_path: Path, text: str, n_leaves: int) -> None:
    path = tmp_path / "tree.csv"
    path.write_text(text, encoding="utf-8")
    assert Taxonomy.read(path).n_leaves == n_leaves


def test_paths_without_a_common_root_get_one() -> None:
    tree = Taxonomy.from_paths([("9th", "School"), ("Bachelors", "University")])
    assert tree.labels[0] == "*"
    assert [tree.labels[child] for child in tree.children(0)] == ["School", "University"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tree.csv: the file is empty"),
        ("  \n", "tree.csv: the file is empty"),
        ("a;b;a\n", 'tree.csv, line 1: "a" stands above itself (a cycle)'),
        ("a;b;c;*\nb;a;*\n", "line 2: .*cycle"),
        ("x;a;b;*\ny;b;a;*\n", 'line 2: "b" has two parents|line 2: "b" stands above itself|cycle'),
        ("a;g;*\nb;g;h;*\n", 'tree.csv, line 2: "g" has two parents: "\\*" in line 1, here "h"'),
        ("a;g;*\na;h;*\n", 'tree.csv, line 2: "a" has another path in line 1'),
        ("a;*\nb;a;*\n", 'line 1: "a" is a value of its own and also a group'),
        ("a;*\n\nb;*\n", "tree.csv, line 2: is empty"),
        ("a;;*\n", "tree.csv, line 1: level 2 has no name"),
        ("a;*\nb;Any\n", 'some paths end in "\\*" and some do not'),
    ],
)
def test_what_is_not_a_tree_is_refused_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "tree.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        TaxonomyError, match=message.replace("(", r"\(").replace(")", r"\)") if "(a" in message else message
    ):
        Taxonomy.read(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tree.json", b"{", "tree.json, line 1: is not JSON"),
        ("tree.toml", b"= 1", "tree.toml: is not TOML"),
        ("tree.json", b"{}", "is empty"),
        ("tree.json", b'{"Any": {"a": 3}}', 'below "a" stands a single value'),
        ("tree.csv", b"a;*\nb\xff;*\n", "tree.csv, line 2: is not UTF-8"),
        ("tree.json", b'{"Any": {"a": {"x": {}}, "b": {"x": {}}}}', '"x" has another path'),
    ],
)
def test_unreadable_files_are_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TaxonomyError, match=message):
        Taxonomy.read(tmp_path / name)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"gone\.csv: there is no such taxonomy file"):
        Taxonomy.read(tmp_path / "gone.csv")


def test_missing_gets_a_leaf_below_the_root_once() -> None:
    tree = Taxonomy.from_nested(EDUCATION)
    with_missing = tree.with_missing()
    assert tree.missing is None
    assert with_missing.missing == 4
    assert with_missing.with_missing() is with_missing
    assert with_missing.parent[with_missing.node(None)] == 0


@st.composite
def nested_trees(draw: st.DrawFn) -> dict:
    names = iter(f"n{i}" for i in range(1000))

    def grow(depth: int) -> dict:
        return {next(names): grow(depth - 1) for _ in range(draw(st.integers(0, 3) if depth else st.just(0)))}

    return {next(names): grow(3) or {next(names): {}}}


@given(nested_trees())
def test_nested_paths_and_arrays_describe_the_same_tree(nested: dict) -> None:
    tree = Taxonomy.from_nested(nested)
    assert Taxonomy.from_paths(list(tree.paths())) == tree
    assert Taxonomy.from_nested(tree.to_nested()) == tree
    for node in range(tree.n_nodes):
        below = [leaf for leaf in range(tree.n_leaves) if tree.is_below(int(tree.leaf_nodes[leaf]), node)]
        assert below == list(range(tree.first[node], tree.last[node]))
        for child in tree.children(node):
            assert tree.parent[child] == node


def test_blanks_around_a_value_are_part_of_it_and_the_hint_says_so() -> None:
    from withhold import Table

    tree = Taxonomy.from_paths([(" a", "*"), (" b", "*")])
    assert Table.from_columns({"x": [" a", " b"]}, domains={"x": tree}).domain("x").leaves == (" a", " b")
    with pytest.raises(TaxonomyError, match="they differ from the taxonomy only in blanks around them"):
        Table.from_columns({"x": ["a", " b"]}, domains={"x": tree})


def test_lost_leading_zeros_are_hinted_at() -> None:
    from withhold import Table

    tree = Taxonomy.from_paths([("01067", "East", "*"), ("80331", "South", "*")])
    with pytest.raises(TaxonomyError, match=r"the first in row 0 \(from 0\)\. Hint: .* only in leading zeros"):
        Table.from_columns({"zip": ["1067", "80331"]}, domains={"zip": tree})
