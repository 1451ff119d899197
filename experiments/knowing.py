"""Outsiders who know the method: attacks on hidden cells, on record risk and on groups, with and without `informed`.

``python -m experiments.knowing [TABLE …]`` prints tables in Markdown; nothing is kept. Hidden cells are attacked by all
attackers of an audit, judged together (exact McNemar test, Holm, 0.01). Of record risk the share of sensitive people
among all rows and among rows with a blank is compared, with a 95 % interval. Of templates the price is measured.
"""

import os
import sys
import time
from typing import Any

import numpy as np

import withhold as wh
from experiments.attacks import INFORMED, TARGETS, _bins, _cells, _frame
from withhold.attackers import wilson_interval
from withhold.errors import WithholdError

SIZES = {"adult": (6_000, 200), "wisconsin": (None, 100), "car": (None, 150), "clinic": (1_500, 150)}
"""For each table how many rows, and how many hidden cells."""
BOTH: list[Any] = ["naive-bayes", "id3"]
FAMILY: list[Any] = [{"adversary": name, "family": True} for name in ("naive-bayes", "id3")]
RULES: list[Any] = [{"adversary": "rules", "confidence": 0.6, "support": 0.005}]
WAYS: dict[str, tuple[list[Any], bool]] = {
    "named": (BOTH, False),
    "named, informed": (BOTH, True),
    "family": (FAMILY, False),
    "any": (["any"], False),
    "any, informed": (["any"], True),
    "rules, informed": (RULES, True),
}
RISKS: dict[str, tuple[list[str], str, str, float]] = {
    "adult": (["workclass", "education", "marital-status", "sex", "race"], "occupation", "Exec-managerial", 6.0),
    "wisconsin": (["clump_thickness", "cell_size", "mitoses"], "class", "4", 6.0),
    "car": (["buying", "maint", "doors", "persons"], "class", "vgood", 1.5),
    "clinic": (["sex", "insurance", "admission", "stay_days"], "diagnosis", "depression", 5.0),
}
SIZES_OF_GROUPS = (20, 100, 200, 400, 800, 1600, 3200)
"""The sizes of groups that are tried, up to the first that keeps the promise."""


def attack(name: str) -> None:
    """Print what attackers reach for each way to hide cells."""
    n_rows, n_cells = SIZES[name]
    frame = _frame(name, n_rows)
    cells = _cells(frame, name, n_cells, 7)
    for way, (against, informed) in WAYS.items():
        begin = time.perf_counter()
        hidden = wh.Hidden(cells=cells, against=against, informed=informed, most_withheld=1.0)
        policy = wh.Policy([hidden], target=TARGETS[name], columns=_bins(name))
        try:
            made = wh.release(frame, policy, rng=7)
            published = made.to_frame()
        except WithholdError as error:
            print(f"| {name} | {way} | {type(error).__name__} | | | | |", flush=True)
            continue
        seconds = time.perf_counter() - begin
        audit = wh.audit(published, policy, original=frame, quick=True, rng=8)
        tried = [each for each in audit.cell_attacks if each.scope == "hidden" and each.n_tried]
        best = [
            max(
                (each for each in tried if (each.attacker in INFORMED) == knows),
                key=lambda each: each.rate,
                default=None,
            )
            for knows in (False, True)
        ]
        n_beating = sum(each.beats_majority for each in tried)
        (entry,) = made.report["requirements"]
        shown = ["–" if each is None else f"{each.attacker} {each.rate:.0%} ({_interval(each)})" for each in best]
        price = f"{entry['others_blanked']:,} cells, {entry['rows_deleted']} rows"
        print(
            f"| {name} | {way} | {tried[0].majority_rate:.0%} | {shown[0]} | {shown[1]} | {n_beating} of {len(tried)} "
            f"| {price} | {seconds:.0f} s |",
            flush=True,
        )


def _interval(attack: Any) -> str:
    return ", ".join(f"{end:.0%}" for end in wilson_interval(attack.n_right, attack.n_tried))


def risk(name: str) -> None:
    """Print the share of sensitive people among blanked rows, with and without `informed`."""
    known, sensitive, value, at_most = RISKS[name]
    frame = _frame(name, SIZES[name][0])
    is_sensitive = (frame[sensitive].astype(str) == value).to_numpy()
    for informed in (False, True):
        asked = wh.Risk(
            known=dict.fromkeys(known, 0.3),
            sensitive={sensitive: {value: 1.0}},
            at_most=at_most,
            informed=informed,
            most_withheld=1.0,
        )
        made = wh.release(frame, wh.Policy([asked], columns=_bins(name)))
        blank = (made.to_frame()[[*known, sensitive]] == "*").any(axis=1).to_numpy()
        n, among = int(is_sensitive[blank].sum()), int(blank.sum())
        low, high = wilson_interval(n, among)
        (entry,) = made.report["requirements"]
        print(
            f"| {name} | {'informed' if informed else 'plain'} | {is_sensitive.mean():.1%} | {among:,} | "
            f"{n / max(among, 1):.1%} ({low:.1%}, {high:.1%}) | {entry['blanked']:,} |",
            flush=True,
        )


def groups(name: str) -> None:
    """Print what a template costs with and without `informed`."""
    known, sensitive, value, _ = RISKS[name]
    frame = _frame(name, SIZES[name][0]).astype(str)
    share = (frame[sensitive] == value).mean()
    at_most = round(min(0.9, 2 * share), 2)
    for size in (None, *SIZES_OF_GROUPS):
        fields: dict[str, Any] = {} if size is None else {"informed": True, "groups_of": size}
        asked: dict[str, Any] = {"given": known, "hide": {sensitive: [value]}, "at_most": at_most, **fields}
        try:
            made = wh.release(frame, wh.Policy([wh.Template(**asked)], recoding="local"))
        except WithholdError:
            continue
        (entry,) = made.report["requirements"]
        made_of = entry.get("groups_made_of", "–")
        print(f"| {name} | {at_most} | {size or '–'} | {made_of} | {made.metrics['ncp']['overall']:.3f} |", flush=True)
        if size is not None:
            return


def main() -> None:
    """Print all tables."""
    names = sys.argv[1:] or list(SIZES)
    os.environ.setdefault("WITHHOLD_DATA", "../shared/data")
    print("| table | way | sensitive | rows with a blank | sensitive among them | cells |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in names:
        risk(name)
    print("\n| table | at most | groups of | made of | NCP |\n| --- | --- | --- | --- | --- |")
    for name in names:
        groups(name)
    print("\n| table | hidden from | guess | best outsider | best informed | beat a guess | price | time |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in names:
        attack(name)


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
