"""What is said of outsiders follows from the raw results."""

from experiments import outsiders

CELLS = {"guess": 9, "before": 30, "after": 11, "n": 60, "low": 0.1, "high": 0.3, "price": 40, "price before": 0}
MARKS = {
    "guess": 0.86, "among all": 0.35, "before": 1.0, "n before": 169, "after": 0.87, "n": 211, "low": 0.83,
    "high": 0.9, "own": [0.8, 0.9], "price": 300, "price before": 170, "explained": True, "explained before": False,
    "plain expected": [0.93, 0.9, 0.96],
}  # fmt: skip


def results(**changed: object) -> dict:
    named = {"table": "car", "rows": 60, "attack": "named", "who": "ID3", "beats": 0, "tried": 2, **CELLS, **changed}
    refused = {"table": "adult", "rows": 60, "attack": "named", "refused": "InfeasibleError"}
    marks = {"table": "wisconsin", "rows": 683, "attack": "blanks as marks", **MARKS}
    asked = {"attacks": ["named", "blanks as marks"], "cells": 60, "k": 5}
    return {"parameters": asked, "found": [named, refused, marks]}


def test_lines_name_a_guess_an_interval_and_a_price() -> None:
    text = outsiders.report(results()).markdown
    assert "| car | 9 of 60 | 30 of 60 | 11 of 60 (ID3) | 10.0% to 30.0% | 0 of 2 | 40 |" in text
    assert "refused (InfeasibleError)" in text
    assert "93.0% (90.0% to 96.0%) | 87.0% of 211 | 86.0% (83.0% to 90.0%) | 170 → 300 |" in text


def test_claims_say_which_tables_fail() -> None:
    named, above, as_expected, as_all = outsiders.report(results()).claims
    assert (named.verdict, above.verdict) == ("holds", "holds")
    assert (as_expected.verdict, as_all.verdict) == ("holds", "does not hold")
    _, above, *_ = outsiders.report(results(low=0.16)).claims
    assert (above.verdict, above.evidence) == ("does not hold", "1 of 1 tables: car")
    named, *_ = outsiders.report(results(beats=1)).claims
    assert (named.verdict, named.evidence) == ("does not hold", "1 of 1 tables: car")
