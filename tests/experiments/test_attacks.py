"""What is said of attacks follows from the raw results, and counts each thing once."""

from experiments import attacks


def result(method: str, named: list[str], **rates: tuple[float, float]) -> dict[str, object]:
    """Return raw results: for each attacker how often it is right, and its corrected p-value; all win before."""
    found = {
        name.replace("_", "-"): {"rate": rate, "p": p, "before": 0.9 - rate / 10, "before_p": 0.001}
        for name, (rate, p) in rates.items()
    }
    return {
        "table": "car",
        "method": method,
        "named": named,
        "majority": 0.3,
        "guess_before": 0.2,
        "others": 7,
        "attacks": found,
    }


HIDDEN = [
    result(
        "DROPP", ["naive-bayes"], naive_bayes=(0.0, 1.0), id3=(0.1, 1.0), rules=(0.2, 1.0), boosting=(0.4, 0.02),
        random_forest=(0.3, 1.0), simulate=(0.8, 0.001),
    ),
    result(
        "informed, both", ["naive-bayes", "id3"], naive_bayes=(0.2, 1.0), id3=(0.2, 1.0), rules=(0.2, 1.0),
        boosting=(0.3, 0.5), random_forest=(0.2, 1.0), simulate=(0.2, 1.0),
    ),
    result(
        "rules", ["rules"], naive_bayes=(0.5, 0.001), id3=(0.2, 1.0), rules=(0.6, 0.002), boosting=(0.3, 0.5),
        random_forest=(0.2, 1.0),
    ),
]  # fmt: skip


def test_claims_count_tables_once_and_tell_both_readings_of_named() -> None:
    before, classifiers, rules, others, informed, made_for = attacks.report({"hidden": HIDDEN, "groups": []}).claims
    assert before.evidence == "1 of 1 tables"
    assert (classifiers.verdict, classifiers.evidence) == ("holds", "0 of 3 attacks do")
    assert (rules.verdict, rules.evidence) == ("does not hold", "1 of 1 attacks do: car, rules: rules")
    assert others.evidence == "1 of 11 attacks do: car, rules: naive-bayes"
    assert informed.evidence == "1 of 1 attacks do: car, DROPP: simulate"
    assert (made_for.verdict, made_for.evidence) == ("holds", "0 of 1 attacks do")


def test_a_line_names_one_attacker_before_and_after_and_both_guesses() -> None:
    lines = attacks.report({"hidden": HIDDEN, "groups": []}).markdown.splitlines()
    dropp = next(line for line in lines if "DROPP" in line)
    assert "20 → 30" in dropp
    assert "boosting **86** → 40" in dropp
    assert "simulate **80**" in dropp
    assert "| – | 7 |" in next(line for line in lines if line.startswith("| car | rules"))
