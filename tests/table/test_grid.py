"""Tables cell by cell."""

from withhold.table import Grid, Table, Taxonomy
from withhold.table._grid import UNKNOWN


def test_values_stand_in_order_of_appearance_unless_a_domain_says_otherwise() -> None:
    cells = {"a": ["y", "x", None, "y"], "b": ["y", "x", "x", "y"]}
    table = Table.from_columns(cells, domains={"b": Taxonomy.flat(["x", "y", "z"])})
    grid = Grid.of(table)
    assert grid.labels == (("y", "x"), ("x", "y", "z"))
    assert grid.codes.T.tolist() == [[0, 1, UNKNOWN, 0], [1, 0, 0, 1]]


def test_numbers_are_one_value_however_they_are_written() -> None:
    table = Table.from_columns({"n": ["2", "1.0", "?", "1"]}, missing=["?"])
    grid = Grid.of(table.with_domains({"n": table.numbers("n")}), ["n"])
    assert grid.labels == (("1", "2"),)
    assert grid.codes[:, 0].tolist() == [1, 0, UNKNOWN, 0]


def test_marks_of_missing_cells_are_unknown_and_weights_are_rows() -> None:
    grid = Grid.of(Table.from_columns({"a": ["?", "x"]}, weights=[2, 1], missing=["?"]))
    assert grid.codes[:, 0].tolist() == [UNKNOWN, UNKNOWN, 0]
    assert grid.n_rows == 3
    assert grid.n_values.tolist() == [1]
    assert grid.place("a") == 0
