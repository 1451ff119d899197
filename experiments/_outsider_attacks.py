"""The attacks of the outsiders of docs/threats.md, each on a release without and with what answers it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import withhold as wh
from experiments._registry import Results
from experiments.attacks import _frame
from withhold.attackers import Target, View, attack_cells, standard_attackers, wilson_interval
from withhold.auditing import Candidates, expected_share
from withhold.errors import WithholdError

__all__ = ["ATTACKS", "KNOWN", "people"]

Frame = Any
BAYES = ("naive-bayes", "naive-bayes-smoothed", "naive-bayes-known")
LEARNERS = ("logistic-regression", "random-forest", "boosting", "nearest-neighbours")
INFORMED = ("second-guess", "second-guess-where-blanked", "simulate")
BOTH: list[Any] = ["naive-bayes", "id3"]
FAMILY: list[Any] = [{"adversary": name, "family": True} for name in BOTH]
HIDDEN = {
    "adult": "occupation",
    "wisconsin": "chromatin",
    "car": "class",
    "clinic": "diagnosis",
    "registry": "lunch",
}
"""For each table the column of which cells are hidden."""
KNOWN: dict[str, tuple[list[str], str, str, float]] = {
    "clinic": (["sex", "insurance", "admission", "stay"], "diagnosis", "depression", 5.0),
    "wisconsin": (["clump_thickness", "cell_size", "mitoses"], "class", "4", 6.0),
    "car": (["buying", "maint", "doors", "persons", "lug_boot"], "class", "vgood", 3.0),
    "registry": (["gender", "ethnicity", "grade", "school"], "dropout", "yes", 5.0),
    "adult": (["workclass", "education", "marital-status", "sex", "race"], "occupation", "Exec-managerial", 6.0),
}
"""For each table what outsiders may know, the sensitive column, its sensitive value, and the risk that is allowed."""


def people(name: str, n_rows: int | None) -> Frame:
    """Return a table as text, without numbers of many values; some rows of it where it has more."""
    if name == "registry":
        import pandas as pd

        registry = wh.samples.school_registry(n_rows or 10_000)
        names = ["gender", "ethnicity", "grade", "school", "language", "lunch", "homeless", "dropout", "suspended"]
        return pd.DataFrame({each: np.array(registry.dictionaries[each])[registry.codes[each]] for each in names})
    frame = _frame(name, n_rows)
    if name == "clinic":
        stay = np.minimum(frame["stay_days"].fillna(0).astype(int) // 4, 5)
        frame = frame.drop(columns=["age", "stay_days"]).assign(stay=stay)
    if n_rows is not None and len(frame) > n_rows:
        frame = frame.sample(n_rows, random_state=1)
    return frame.astype(str).reset_index(drop=True)


def hidden_cells(frame: Frame, name: str, n_cells: int, seed: int) -> list[tuple[int, str]]:
    """Return cells of the column that is hidden, drawn blindly."""
    rows = np.random.default_rng(seed).choice(len(frame), min(n_cells, len(frame) // 4), replace=False)
    return [(int(row), HIDDEN[name]) for row in sorted(rows)]


def _hide(frame: Frame, cells: Sequence[tuple[int, str]], against: list[Any], informed: bool, seed: int) -> Any:
    asked = wh.Hidden(cells=list(cells), against=against, informed=informed, most_withheld=1.0)
    made = wh.release(frame, wh.Policy([asked]), rng=seed)
    (entry,) = made.report["requirements"]
    return made.to_frame(), int(entry["others_blanked"])


def _guessed(published: Frame, frame: Frame, cells: Sequence[tuple[int, str]], who: Sequence[str], seed: int) -> Any:
    column = cells[0][1]
    rows = np.array([row for row, _ in cells])
    target = Target(column=column, rows=rows, truth=tuple(frame[column].iloc[rows]))
    attackers = [each for each in standard_attackers(learners=bool({*who} & {*LEARNERS})) if each.name in who]
    views = [View.of({name: _cells(each[name]) for name in frame}) for each in (published, frame)]
    return attack_cells(views[0], views[1], [target], attackers=attackers, max_train=2_000, rng=seed)


def _cells(column: Any) -> list[str | None]:
    return [each if isinstance(each, str) and each != "*" else None for each in column.tolist()]


def _on_cells(
    frame: Frame, name: str, asked: Results, seed: int, against: list[Any], who: Sequence[str], informed: bool = False
) -> Results:
    """Attack hidden cells: where only they are blank, and in the release."""
    cells = hidden_cells(frame, name, asked["cells"], seed)
    published, price = _hide(frame, cells, against, informed, seed)
    found = _guessed(published, frame, cells, who, seed)
    best = max(found, key=lambda each: each.n_right)
    before = max((each.before_right or 0) for each in found)
    return _figures(
        guess=best.majority_right,
        before=before,
        after=best.n_right,
        n=best.n_tried,
        price=price,
        who=best.title,
        beats=sum(each.beats_majority for each in found),
        tried=len(found),
    )


def named(frame: Frame, name: str, asked: Results, seed: int) -> Results:
    """Attack by the adversaries that the policy names."""
    return _on_cells(frame, name, asked, seed, BOTH, ("naive-bayes", "id3"))


def family(frame: Frame, name: str, asked: Results, seed: int) -> Results:
    """Attack by relatives of the named adversaries."""
    return _on_cells(frame, name, asked, seed, FAMILY, (*BAYES, "id3"))


def any_learner(frame: Frame, name: str, asked: Results, seed: int) -> Results:
    """Attack by learners that no policy names."""
    return _on_cells(frame, name, asked, seed, ["any"], LEARNERS)


def informed(frame: Frame, name: str, asked: Results, seed: int) -> Results:
    """Attack by those who know policy and cells: a release for named adversaries, and an informed one."""
    cells = hidden_cells(frame, name, asked["cells"], seed)
    plain, n_plain = _hide(frame, cells, BOTH, False, seed)
    made, n_made = _hide(frame, cells, BOTH, True, seed)
    before = max(each.n_right for each in _guessed(plain, frame, cells, INFORMED, seed))
    found = _guessed(made, frame, cells, INFORMED, seed)
    best = max(found, key=lambda each: each.n_right)
    return _figures(
        guess=best.majority_right,
        before=before,
        after=best.n_right,
        n=best.n_tried,
        price=n_made,
        price_before=n_plain,
        who=best.title,
        beats=sum(each.beats_majority for each in found),
        tried=len(found),
    )


def marked(frame: Frame, name: str, asked: Results, seed: int) -> Results:
    """Read blanks of record risk as a mark: the share of a sensitive value among people with a blank."""
    known, sensitive, value, at_most = KNOWN[name]
    is_held = (frame[sensitive] == value).to_numpy()
    codes = [np.unique(frame[each], return_inverse=True)[1] for each in known]
    shares, prices = [], []
    for reading in (False, True):
        weights = {sensitive: {value: 1.0}}
        risk = wh.Risk(known=dict.fromkeys(known, 0.3), sensitive=weights, at_most=at_most, informed=reading,
                       most_withheld=1.0)  # fmt: skip
        blank = (wh.release(frame, wh.Policy([risk]), rng=seed).to_frame()[[*known, sensitive]] == "*").to_numpy()
        shares.append(expected_share(codes, is_held, blank.any(axis=1)))
        prices.append(int(blank.sum()))
    plain, made = shares
    return {
        "guess": made.expected,
        "among all": made.among_all,
        "before": plain.found,
        "n before": plain.n_withheld,
        "after": made.found,
        "n": made.n_withheld,
        "low": made.low,
        "high": made.high,
        "own": wilson_interval(made.n_held, made.n_withheld) if made.n_withheld else [0.0, 1.0],
        "price": prices[1],
        "price before": prices[0],
        "explained": made.is_explained,
        "explained before": plain.is_explained,
        "plain expected": [plain.expected, plain.low, plain.high],
    }


def linked(frame: Frame, name: str, asked: Results, seed: int) -> Results:
    """Look for people by compatible rows: in the table, and in a release in which k of them look alike."""
    known = KNOWN[name][0]
    policy = wh.Policy([wh.Anonymity(columns=known, k=asked["k"])], recoding="local")
    published = wh.release(frame, policy, rng=seed).to_frame()
    audit = wh.audit(published, policy, original=frame, quick=True, rng=seed)
    found = next(each for each in audit.attacks if isinstance(each, Candidates))
    n_alone = int((frame.groupby(known)[known[0]].transform("size") == 1).sum())
    n_after = found.register_single if found.register_single is not None else found.single
    return _figures(
        guess=0, before=n_alone, after=n_after or 0, n=found.n_people, price=_changed(frame, published, known), who=""
    )


def earlier(frame: Frame, name: str, asked: Results, seed: int) -> Results:
    """Read a release together with an earlier one of most of the same people: made alone, and made with it."""
    known, n = KNOWN[name][0], len(frame)
    held = frame[known].assign(person=np.arange(n))
    policy = wh.Policy([wh.Anonymity(columns=known, k=asked["k"])], drop=["person"], recoding="local")
    then, now = held.iloc[: 4 * n // 5], held.iloc[n // 5 :]
    old = wh.Earlier(release=wh.release(then, policy, rng=seed).to_frame(), original=then)
    alone = wh.release(now, policy, rng=seed).to_frame()
    fields: dict[str, Any] = {"original": now, "earlier": [old], "key": "person", "quick": True, "rng": seed}
    before = wh.audit(alone, policy, **fields).together
    release = wh.release(now, policy, earlier=[old], key="person", hold_back=True, rng=seed)
    made, kept = release.to_frame(), now.drop(now.index[list(release.held_back)])
    after = wh.audit(made, policy, **fields | {"original": kept}).together
    assert before is not None
    assert after is not None
    return {
        **_figures(
            guess=0,
            before=before.single or 0,
            after=after.single or 0,
            n=len(now),
            price=_changed(kept, made, known),
            price_before=_changed(now, alone, known),
            who="",
        ),
        "exposed before": len(before.exposed),
        "exposed": len(after.exposed),
        "held back": len(release.held_back),
    }


def _changed(frame: Frame, published: Frame, names: Sequence[str]) -> int:
    """Return how many cells are not published as they stood."""
    return int(sum((published[each].astype(str).to_numpy() != frame[each].to_numpy()).sum() for each in names))


def _figures(*, n: int, after: int, price_before: int = 0, **others: Any) -> Results:
    low, high = wilson_interval(after, n)
    return {**others, "n": n, "after": after, "low": low, "high": high, "price before": price_before}


def _tried(work: Callable[[Frame, str, Results, int], Results]) -> Callable[[Frame, str, Results, int], Results]:
    """Return an attack that reports a policy which a table cannot meet instead of stopping."""

    def attempt(frame: Frame, name: str, asked: Results, seed: int) -> Results:
        try:
            return work(frame, name, asked, seed)
        except WithholdError as error:
            return {"refused": type(error).__name__}

    return attempt


ATTACKS: dict[str, Callable[[Frame, str, Results, int], Results]] = {
    "named": _tried(named),
    "family": _tried(family),
    "any learner": _tried(any_learner),
    "informed": _tried(informed),
    "blanks as marks": _tried(marked),
    "compatible linkage": _tried(linked),
    "earlier release": _tried(earlier),
}
"""Each attack of a table; it returns a guess, what was reached before and after, an interval, and the price."""
