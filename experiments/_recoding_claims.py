"""What was asked of local recoding, held against the figures."""

from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean

from experiments._errors import percent
from experiments._held_out import LEARNERS
from experiments._judge import claim
from experiments._printed_recodings import ARX_ERRORS, ASKED, ASKED_WIDE, PRINTED
from experiments._registry import Claim, Results

__all__ = ["claims", "error_of"]

RIVALS = ("Mondrian, tight edges, trees", "levels, 5 % of rows")
QUERIED = {
    "ARX, local": ("local, normal", "local, thorough", "local, thorough, nodes only", "local, tight edges, thorough"),
    "anonypy, Mondrian with sets": ("local, normal", "local, tight edges, sets, thorough"),
}


def claims(results: Results) -> list[Claim]:
    """Return everything that was asked; a run of some rows decides nothing about the whole table."""
    is_whole = results["rows"] is None
    return [*_losses(results, is_whole), *_queries(results, is_whole), *_errors(results, is_whole), *_tables(results)]


def error_of(results: Results, protocol: str, way: str, k: int, learner: str) -> float | None:
    """Return the mean error of the folds, or None where it was not measured."""
    for each in results["models"]["ways"]:
        if (each["protocol"], each["way"], each["k"]) == (protocol, way, k):
            return fmean(fold[learner] for fold in each["folds"])
    return None


def _held(
    text: str, figures: Mapping[int, float | None], bounds: Mapping[int, float], *, below: bool, is_whole: bool
) -> Claim:
    """Return whether figures are at most, or below, the bounds at every k; those that are not are bold.

    Figures that must be below are shares.
    """
    there = {k: value for k, value in figures.items() if value is not None and k in bounds}
    met = {k: value < bounds[k] or (value == bounds[k] and not below) for k, value in there.items()}
    shown = {k: percent(value) if below else f"{value:.4f}" for k, value in there.items()}
    evidence = ", ".join(f"{k}: {figure if met[k] else f'**{figure}**'}" for k, figure in shown.items())
    is_decided = is_whole and there.keys() == bounds.keys()
    return claim(text, all(met.values()) if is_decided else None, evidence or "not measured", is_ours=True)


def _bounds(bounds: Mapping[int, float], *, are_shares: bool = False) -> str:
    return ", ".join(f"{100 * value:g} %" if are_shares else f"{value:g}" for value in bounds.values())


def _at(bounds: Mapping[int, float]) -> str:
    return f"k = {', '.join(str(k) for k in bounds)}"


def _losses(results: Results, is_whole: bool) -> list[Claim]:
    found = []
    for way, bounds in ASKED.items():
        figures = {each["k"]: each["ncp"] for each in results["adult"] if each["way"] == way}
        text = f"Adult × 8, {way}: loss at most {_bounds(bounds)} at {_at(bounds)}"
        found.append(_held(text, figures, bounds, below=False, is_whole=is_whole))
    for way in ("local, normal", "local, tight edges, normal"):
        figures = {each["k"]: each["ncp"] for each in results["wide"] if each["way"] == way}
        text = f"Adult × 14, {way}: loss at most {_bounds(ASKED_WIDE)} at {_at(ASKED_WIDE)}"
        found.append(_held(text, figures, ASKED_WIDE, below=False, is_whole=is_whole))
    return found


def _queries(results: Results, is_whole: bool) -> list[Claim]:
    found = []
    for peer, ways in QUERIED.items():
        bounds = PRINTED[peer][1]
        for way in ways:
            figures = {each["k"]: each["query"] for each in results["adult"] if each["way"] == way}
            text = f"Queries, {way}: error below that of {peer} ({_bounds(bounds, are_shares=True)})"
            found.append(_held(text, figures, bounds, below=True, is_whole=is_whole))
    return found


def _errors(results: Results, is_whole: bool) -> list[Claim]:
    found = []
    for how, bounds in ARX_ERRORS.items():
        for way in ("local", "local, target income"):
            for learner in LEARNERS:
                figures = {k: error_of(results, "A", way, k, learner) for k in bounds}
                text = f"Income, {way}, {learner}: error below ARX's {how} ({_bounds(bounds, are_shares=True)})"
                made = _held(text, figures, bounds, below=True, is_whole=is_whole)
                raw = [fold[learner] for fold in results["models"]["raw"]]
                found.append(replace(made, evidence=f"{made.evidence}; raw {percent(raw)}") if raw else made)
    return found


def _tables(results: Results) -> list[Claim]:
    """Judge whether local recoding loses less on every other table, at every k."""
    pairs = [
        ("local, normal", RIVALS[0]),
        ("local, normal", "Mondrian, round edges, trees"),
        ("local, tight edges, normal", RIVALS[0]),
        ("local, normal", RIVALS[1]),
    ]
    found = []
    for ours, other in pairs:
        worse, n = [], 0
        for each in results["others"]:
            losses = {way["way"]: way["ncp"] for way in each["ways"]}
            n += 1
            if losses[ours] >= losses[other]:
                worse.append(f"{each['table']}, k = {each['k']}: {losses[ours]:.4f} against {losses[other]:.4f}")
        evidence = f"{n - len(worse)} of {n}" + (f"; not {'; '.join(worse)}" if worse else "")
        found.append(claim(f"Other tables: {ours} loses less than {other}", not worse, evidence, is_ours=True))
    return found
