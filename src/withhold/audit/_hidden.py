"""The check of hidden cells: the audit trains its own adversaries on the written file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from withhold.attackers import View, bayes_guesses, bayes_recovers, id3_guesses, id3_recovers, rules_recover
from withhold.audit._empty import EMPTY
from withhold.audit._finding import UNTRIED, Finding
from withhold.audit._listed import Cells, asked_columns, hidden_cells
from withhold.audit._reading import given_tree, plain, tree_with
from withhold.audit._source import source_of
from withhold.audit._spelling import spellings, tree_of
from withhold.audit._told import bins_in_order, told_as, told_in_bins
from withhold.engines import Source
from withhold.errors import Mistake, PolicyError, did_you_mean
from withhold.policy import Against, Hidden, Policy
from withhold.policy._hidden import whole
from withhold.table import Grid, Numbers, Table, Taxonomy
from withhold.table._decision import WITHHELD

__all__ = ["check_hidden"]

NAMES = {"naive-bayes": "naive Bayes", "id3": "ID3", "rules": "association rules"}


def check_hidden(source: Source, policy: Policy, number: int, original: Table | None) -> list[Finding]:
    """Check that the cells are withheld, and that no adversary trained on the file gives what stood there.

    A row of which nothing is published counts as deleted; see `_deleted_rows`.
    """
    requirement = policy.require[number]
    assert isinstance(requirement, Hidden)
    if original is None:
        if requirement.column is not None:
            what = "which cells are hidden is known only with the original. Hint: --original."
            raise PolicyError([Mistake(f"require[{number}].column", what)], source=policy.source)
        cells = hidden_cells(source, policy, number)
        found = _are_withheld(_texts(source, source.names, policy, None), cells, {}, {}, number)
        return [replace(found, says=f"{found.says}; {UNTRIED}", is_complete=False)]
    if source.n_rows != original.n_rows:
        return [_other_rows(source, original, number)]
    numbers = [name for name in original.names if isinstance(original.domain(name), Numbers)]
    listed = hidden_cells(source_of(original), policy, number, numbers=numbers)
    every = [cell for i in _places(policy) for cell in hidden_cells(source_of(original), policy, i, numbers=numbers)]
    _check_published(source, listed, policy, number)
    texts = _texts(source, source.names, policy, original)
    actual = _actual(original, policy, requirement, listed, texts)
    cells = [cell for cell in listed if actual[cell] is not None]
    orders = _orders(original, policy, every, texts)
    trees = _trees(requirement, original, orders, texts)
    findings = [_are_withheld(texts, cells, actual, trees, number)]
    if requirement.informed:
        return findings + [
            _listen(texts, requirement, against, cells, orders, number) for against in requirement.against
        ]
    is_deleted = _deleted_rows(texts, original, policy, cells)
    left = [cell for cell in cells if not is_deleted[cell[0]]]
    gone = [cell for cell in cells if is_deleted[cell[0]]]
    view = View.of(texts, unknown=(WITHHELD,), taxonomies=trees)
    predictors = list(requirement.predictors or source.names)
    said = _of_deleted(texts, gone, actual)
    for against in requirement.against:
        findings.append(_attack(view, against, left, actual, predictors, orders, number, said))
    return findings


def _deleted_rows(
    texts: dict[str, list[str | None]], original: Table, policy: Policy, cells: Cells
) -> NDArray[np.bool_]:
    """Tell which rows were deleted: something but hidden cells was known, and all of it is withheld.

    Columns that another requirement masks keep their cells; no adversary predicts from them.
    """
    hidden = set(cells)
    n_rows = original.n_rows
    is_blank, was_known = np.ones(n_rows, dtype=bool), np.zeros(n_rows, dtype=bool)
    masked = {name for each in policy.require for name in each.masked}
    for name in [name for name in texts if name not in masked]:
        is_blank &= np.array([text is None or text == WITHHELD for text in texts[name]], dtype=bool)
        if name not in original.names:
            continue
        known = np.array([plain(value, policy, is_numeric=False) is not None for value in original.store.values(name)])
        here = known[original.store.cells(name)]
        here[[row for row, column in hidden if column == name]] = False
        was_known |= here
    return is_blank & was_known


def _of_deleted(
    texts: dict[str, list[str | None]], gone: Cells, actual: dict[tuple[int, str], str | None]
) -> dict[str, int]:
    """Tell how many cells lie in deleted rows, and how many of them the most frequent value would be right on."""
    n_right = 0
    for name in dict.fromkeys(name for _, name in gone):
        counts = Counter(text for text in texts[name] if text is not None and text != WITHHELD)
        common = counts.most_common(1)[0][0] if counts else None
        n_right += sum(actual[row, column] == common for row, column in gone if column == name)
    return {"cells": len(gone), "most_frequent_value": n_right}


def _places(policy: Policy) -> list[int]:
    return [i for i, requirement in enumerate(policy.require) if isinstance(requirement, Hidden)]


def _texts(source: Source, names: Sequence[str], policy: Policy, original: Table | None) -> dict[str, list[str | None]]:
    """Return the cells of a source as text, spelled as in the original; None where nothing is known."""
    found = {}
    for name in names:
        is_numeric = original is not None and name in original.names and isinstance(original.domain(name), Numbers)
        spelled = spellings(source, policy, original, name).all(source.values(name))
        values = [plain(value, policy, is_numeric=is_numeric) for value in spelled]
        found[name] = np.array(values, dtype=object)[source.cells(name)].tolist()
    return found


def _actual(
    original: Table, policy: Policy, requirement: Hidden, cells: Cells, texts: dict[str, list[str | None]]
) -> dict[tuple[int, str], str | None]:
    """Return what stood in each cell, as it would have been published; None where it was missing."""
    found: dict[tuple[int, str], str | None] = {}
    for name in dict.fromkeys(name for _, name in cells):
        rows = [row for row, column in cells if column == name]
        places = original.store.cells(name)
        shown = [None if text == WITHHELD else text for text in texts[name]]
        is_numeric = isinstance(original.domain(name), Numbers)
        values = [plain(value, policy, is_numeric=is_numeric) for value in original.store.values(name)]
        known = [i for i, value in enumerate(values) if value is not None]
        if _is_binned(policy, name):
            numbers = original.store.numbers(name, missing=original.missing)
            labels = told_in_bins(numbers, places.astype(np.int64), shown)
            told = [labels[i] for i in known]
        elif requirement.modify == "generalize" and original.has_given_domain(name):
            told = [str(values[i]) for i in known]
        else:
            labels = [text for text in dict.fromkeys(shown) if text is not None]
            tree = tree_of(policy, original, name)
            told = told_as([str(values[i]) for i in known], labels, tree=tree, is_numeric=is_numeric)
        truth: dict[int, str] = dict(zip(known, told, strict=True))
        found |= {(row, name): truth.get(place) for row, place in zip(rows, places[rows].tolist(), strict=True)}
    return found


def _is_binned(policy: Policy, name: str) -> bool:
    return name in policy.columns and policy.columns[name].bins is not None


def _orders(
    original: Table, policy: Policy, every: Cells, texts: dict[str, list[str | None]]
) -> dict[str, tuple[str, ...]]:
    """Return for each column the order of its values, which decides ties.

    Where nothing may hang on hidden values, a value's place in a column without a domain is where it appears elsewhere.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in texts:
        if name not in original.names:
            continue
        if _is_binned(policy, name):
            found[name] = bins_in_order([text for text in texts[name] if text != WITHHELD])
            continue
        grid = Grid.of(original, [name])
        if name in asked_columns(policy) and not original.has_given_domain(name):
            grid = grid.without([cell for cell in every if cell[1] == name])
        found[name] = grid.labels[0]
    return {name: tuple(label or EMPTY for label in labels) for name, labels in found.items()}


def _check_published(source: Source, cells: Cells, policy: Policy, number: int) -> None:
    """Refuse a file without the columns of the hidden cells: nothing can be said about them."""
    absent = [name for name in dict.fromkeys(name for _, name in cells) if name not in source.names]
    if absent:
        mistakes = [Mistake(f"require[{number}]", f'no column "{n}"{did_you_mean(n, source.names)}') for n in absent]
        raise PolicyError(mistakes, source=policy.source)


def _trees(
    requirement: Hidden,
    original: Table,
    orders: dict[str, tuple[str, ...]],
    texts: dict[str, list[str | None]],
) -> dict[str, Taxonomy]:
    """Return the trees along which cells may have climbed; a root over the values where none was given."""
    if requirement.modify != "generalize":
        return {}
    found = {}
    for name, order in orders.items():
        tree = given_tree(original, name) or Taxonomy.flat(order)
        found[name] = tree_with(tree, (text for text in texts[name] if text is not None))
    return found


def _are_withheld(
    texts: dict[str, list[str | None]],
    cells: Cells,
    actual: dict[tuple[int, str], str | None],
    trees: dict[str, Taxonomy],
    number: int,
) -> Finding:
    """Check that every cell is blank, or published as something coarser than what stood there."""
    n_open = 0
    for row, name in cells:
        text = texts[name][row]
        if text is None or text == WITHHELD:
            continue
        tree, was = trees.get(name), actual.get((row, name))
        is_coarser = (
            tree is not None
            and was is not None
            and text != was
            and text in tree.labels
            and tree.is_below(tree.node(was), tree.node(text))
        )
        n_open += not is_coarser
    columns = tuple(dict.fromkeys(name for _, name in cells))
    said = f"{len(cells):,} cells in {', '.join(columns)}"
    says = f"all {said} are withheld" if n_open == 0 else f"{n_open:,} of {said} are published"
    return Finding(
        kind="hidden",
        where=f"require[{number}]",
        columns=columns,
        asked=0,
        reached=n_open,
        ok=n_open == 0,
        says=says,
        details={"cells": len(cells), "published": n_open},
    )


def _attack(
    view: View,
    against: Against,
    cells: Cells,
    actual: dict[tuple[int, str], str | None],
    predictors: list[str],
    orders: dict[str, tuple[str, ...]],
    number: int,
    deleted: dict[str, int],
) -> Finding:
    """Let one adversary try every cell."""
    columns = tuple(dict.fromkeys(name for _, name in cells))
    n_recovered = 0
    details: dict[str, object] = {"adversary": against.adversary, "cells": len(cells), "deleted": deleted}
    if against.adversary == "rules":
        hidden = {name: {row: str(actual[row, name]) for row, column in cells if column == name} for name in columns}
        found = rules_recover(
            view, hidden, confidence=against.confidence, support=whole(against.support), predictors=predictors
        )
        details["rules"] = found.n_rules
        n_recovered = found.n_rules
        what = f"{found.n_rules:,} adversarial rules are left"
    else:
        for name in columns:
            rows = [row for row, column in cells if column == name]
            texts = [str(actual[row, name]) for row in rows]
            used = [each for each in predictors if each != name]
            if against.adversary == "naive-bayes":
                is_recovered: NDArray[np.bool_] = bayes_recovers(view, name, rows, texts, predictors=used)
            else:
                is_recovered = id3_recovers(view, name, rows, texts, predictors=used, order=orders)
            n_recovered += int(is_recovered.sum())
        what = f"it recovers {n_recovered:,} of {len(cells):,} hidden cells"
    gone = ""
    if deleted["cells"]:
        gone = (
            f"; {deleted['cells']:,} more lie in deleted rows, of which nothing is published "
            f"(the most frequent value is right on {deleted['most_frequent_value']} of them)"
        )
    return Finding(
        kind="hidden",
        where=f"require[{number}]",
        columns=columns,
        asked=0,
        reached=n_recovered,
        ok=n_recovered == 0,
        says=f"{NAMES[against.adversary]}, trained on the file: {what}{gone}",
        details=details,
    )


def _listen(
    texts: dict[str, list[str | None]],
    requirement: Hidden,
    against: Against,
    cells: Cells,
    orders: dict[str, tuple[str, ...]],
    number: int,
) -> Finding:
    """Let one adversary speak of every cell, and of a row without values, which stands last in its view."""
    view = View.of({name: [*column, None] for name, column in texts.items()}, unknown=(WITHHELD,))
    columns = tuple(dict.fromkeys(name for _, name in cells))
    n_told = 0
    for name in columns:
        rows = np.array([*(row for row, column in cells if column == name), view.n_rows - 1], dtype=np.int64)
        used = [each for each in requirement.predictors or texts if each != name]
        if against.adversary == "naive-bayes":
            said = bayes_guesses(view, name, rows, predictors=used)
        else:
            said = id3_guesses(view, name, rows, predictors=used, order=orders)
        n_told += int(np.count_nonzero((said[:-1] >= 0) & (said[:-1] != said[-1])))
    return Finding(
        kind="hidden",
        where=f"require[{number}]",
        columns=columns,
        asked=0,
        reached=n_told,
        ok=n_told == 0,
        says=(
            f"{NAMES[against.adversary]}, trained on the file: of {n_told:,} of {len(cells):,} hidden cells it says "
            "more than of a row without values"
        ),
        details={"adversary": against.adversary, "cells": len(cells), "told": n_told},
    )


def _other_rows(source: Source, original: Table, number: int) -> Finding:
    return Finding(
        kind="hidden",
        where=f"require[{number}]",
        columns=(),
        asked=0,
        reached=1,
        ok=False,
        says=f"the file has {source.n_rows:,} rows and the original {original.n_rows:,}, so no cell can be found",
    )
