"""The draft: nodes, undo, reasons, and the decision that follows from it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.table import Draft, Reason, Table, Taxonomy, decision_of

TREE = Taxonomy.from_nested({"Any": {"School": ["9th", "10th"], "University": ["Bachelors", "Masters"]}})
VALUES = ["9th", "10th", "Bachelors", "Masters", None]


def draft_of(values: list[str | None]) -> Draft:
    return Draft(Table.from_columns({"degree": values}, domains={"degree": TREE}))


def test_cells_climb_and_never_come_down_by_coarsening() -> None:
    draft = draft_of(["9th", "Masters"])
    school = TREE.with_missing().node("School")
    assert draft.coarsen("degree", [0, 1], school, Reason(0, "group")) == 1, "Masters does not lie below School"
    assert draft.texts("degree") == ["School", "Masters"]
    assert draft.blank("degree", [0], Reason(1, "hidden")) == 1
    assert draft.coarsen("degree", [0], school, Reason(0, "group")) == 0
    assert [(reason, rows.tolist()) for reason, rows in draft.reasons_of("degree")] == [(Reason(1, "hidden"), [0])]


def test_a_missing_cell_holds_nothing_to_blank() -> None:
    draft = draft_of(["9th", None])
    assert draft.blank("degree", [0, 1], Reason(0, "risk")) == 1
    assert draft.texts("degree") == ["*", None]


def test_columns_that_nobody_asked_for_stay_with_the_engine() -> None:
    draft = Draft(Table.from_columns({"a": ["x", "y"], "b": ["u", "v"]}))
    draft.column("a")
    assert [column.name for column in draft.columns] == ["a"]
    assert decision_of(draft, read=["a", "b"]).recodings == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(VALUES), min_size=1, max_size=12), st.data())
def test_undo_restores_every_cell_and_reason(values: list[str | None], data: st.DataObject) -> None:
    draft = draft_of(values)
    states = []
    for number in range(data.draw(st.integers(1, 5))):
        states.append((draft.mark, draft.texts("degree"), draft.column("degree").reasons.copy()))
        rows = data.draw(st.lists(st.integers(0, len(values) - 1), unique=True, max_size=len(values)))
        node = data.draw(st.integers(0, len(draft.column("degree").labels) - 1))
        draft.coarsen("degree", rows, node, Reason(number, "group"))
    for mark, texts, reasons in reversed(states):
        draft.undo(mark)
        assert draft.texts("degree") == texts
        assert np.array_equal(draft.column("degree").reasons, reasons)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(VALUES), min_size=1, max_size=12), st.data())
def test_groups_are_rows_with_equal_texts(values: list[str | None], data: st.DataObject) -> None:
    draft = draft_of(values)
    rows = data.draw(st.lists(st.integers(0, len(values) - 1), unique=True))
    draft.coarsen("degree", rows, data.draw(st.integers(0, 6)), Reason(0, "group"))
    texts, groups = draft.texts("degree"), draft.groups(["degree"])
    for i in range(len(values)):
        for j in range(len(values)):
            assert (texts[i] == texts[j]) == (groups[i] == groups[j])
