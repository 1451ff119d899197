"""The statements of chapter 5, and of our own targets, held against the results, realisation by realisation."""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from experiments._cells import NO_COIN
from experiments._judge import CLOSE, agreed, claim, rises
from experiments._plots import TABLES, label
from experiments._registry import Claim, Results
from experiments._successes import success_claims, svm_claims

__all__ = ["claims", "grown"]

SINGLE = ("hid3", "dropp", "incp", "decp")
HYBRIDS = ("hid3_dropp", "hid3_incp", "hid3_decp")
SUFFIXES = {"": "", "_g": " (-G)", f"_g{NO_COIN}": " (-G without the coin)"}
SMALLER = {"direct distance": False, "SKLD": True, "ACMI": True, "SCE": True}
"""Whether a metric is said to be smaller for the -G versions."""
Lists = Mapping[str, Sequence[float]]


def claims(results: Results) -> Iterator[Claim]:
    """Yield every statement."""
    yield from _sizes(results)
    for table, title in TABLES.items():
        suffixes = [suffix for suffix in SUFFIXES if not suffix or table == "wisconsin"]
        for statement in (times_alike, success_claims, distances, hybrids, orders, auto):
            for each in statement(results[table], suffixes):
                yield replace(each, text=f"{title}: {each.text}")
    yield from svm_claims(results)
    yield from many_cells(results["wisconsin"]["enhanced"])


def _sizes(results: Results) -> Iterator[Claim]:
    for table, printed in (("wisconsin", (699, 10, 16)), ("car", (1728, 7, 0))):
        own = tuple(results[table][what] for what in ("rows", "columns", "unknown"))
        text = f"{TABLES[table]}: {printed[0]} rows, {printed[1]} columns, {printed[2]} unknown cells (table 5.1)"
        yield claim(text, own == printed, f"{own[0]}, {own[1]} and {own[2]}")


def shown(lists: Lists, digits: int = 2) -> str:
    """Return the means of named figures as text."""
    return ", ".join(f"{label(name)} {statistics.fmean(each):.{digits}f}" for name, each in lists.items())


def by_realisation(text: str, flags: Sequence[bool], evidence: str, *, is_ours: bool = False) -> Claim:
    """Return a statement that holds, or does not, only where all realisations agree."""
    proof = f"{evidence}; in {sum(flags)} of {len(flags)} realisations"
    return claim(text, agreed(flags), proof, is_ours=is_ours)


def in_order(text: str, lists: Lists, digits: int) -> Claim:
    """Hold an order of figures against each realisation."""
    return by_realisation(text, [rises(each) for each in zip(*lists.values(), strict=True)], shown(lists, digits))


def times_alike(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check that the algorithms take about the same time."""
    for suffix in suffixes:
        each = {name + suffix: [found["times"][name + suffix]["mean"]] for name in SINGLE}
        times = [mean for (mean,) in each.values()]
        text = "all algorithms take remarkably similar times, in ms (at most 1.1-fold)" + SUFFIXES[suffix]
        yield claim(text, max(times) <= 1.1 * min(times), shown(each, 3))


def of_cells(found: Results, names: Sequence[str]) -> Lists:
    """Return the mean direct distance of algorithms in each realisation."""
    return {name: found["cells"][name]["direct distance"] for name in names}


def distances(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the order of figure 5.1."""
    for suffix in suffixes:
        lists = of_cells(found, [*(name + suffix for name in SINGLE), "nrd"])
        flags = [
            hid3 <= dropp <= nrd and dropp < min(incp, decp)
            for hid3, dropp, incp, decp, nrd in zip(*lists.values(), strict=True)
        ]
        text = "HID3, then DROPP have the least average direct distance, both below NRD; INCP and DECP are above"
        yield by_realisation(text + SUFFIXES[suffix], flags, shown(lists))
        if suffix:
            pairs = of_cells(found, [each for name in SINGLE for each in (name, name + suffix)])
            text = "-G versions have a slightly larger average direct distance (1 to 1.5-fold)"
            yield by_realisation(text + SUFFIXES[suffix], slightly_larger(pairs, suffix), shown(pairs))


def slightly_larger(lists: Lists, suffix: str) -> list[bool]:
    """Return for each realisation whether all -G versions are as large or a little larger."""
    pairs = [zip(lists[name], lists[name + suffix], strict=True) for name in SINGLE]
    return [
        all(plain <= own * (1 + CLOSE) and own <= 1.5 * plain for plain, own in each)
        for each in zip(*pairs, strict=True)
    ]


def hybrids(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the order of figure 5.6, and what chapter 6 says of hybrids."""
    for suffix in suffixes:
        text = "average direct distance: HID3+DROPP below HID3+INCP below HID3+DECP" + SUFFIXES[suffix]
        yield in_order(text, of_cells(found, [name + suffix for name in HYBRIDS]), 2)
        for name in HYBRIDS:
            lists = of_cells(found, [name + suffix, name.removeprefix("hid3_") + suffix])
            flags = [own < alone / 2 for own, alone in zip(*lists.values(), strict=True)]
            plain = label(name.removeprefix("hid3_"))
            text = f"HID3+{plain} has substantially less side effects than {plain} alone (less than half)"
            yield by_realisation(text + SUFFIXES[suffix], flags, shown(lists))


def auto(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check our own targets."""
    lowest = min(100 * float(found["cells"]["auto"][each]["rate"]) for each in ("naive-bayes", "id3"))
    yield claim("`auto` has 100 % against both", lowest == 100, f"{lowest:.2f} %", is_ours=True)
    deleted = 100 * found["cells"]["auto"]["deleted"]
    yield claim("`auto` deletes less than 1 % of the rows", deleted < 1, f"{deleted:.2f} %", is_ours=True)
    lists = of_cells(found, ("auto", *HYBRIDS))
    flags = [own < min(others) for own, *others in zip(*lists.values(), strict=True)]
    text = "`auto` has a smaller mean direct distance than every hybrid"
    yield by_realisation(text, flags, shown(lists), is_ours=True)
    for name in HYBRIDS:
        m = found["cells"][name]
        own, ours = m["distance where kept"], m["auto where kept"]
        text = f"the same on the cells whose row {label(name)} keeps"
        yield claim(text, ours < own, f"auto {ours:.2f}, {label(name)} {own:.2f}", is_ours=True)


def grown(found: Results, name: str, metric: str) -> list[float]:
    """Return a metric in each realisation, at the largest number of values."""
    of = found["growing"][name]
    return [math.inf if value is None else value for value in of[max(of, key=int)][metric]]


def orders(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check figures 5.2 to 5.5, at the largest number of values."""
    n = max(found["growing"]["hid3"], key=int)
    for metric in SMALLER:
        readings = {metric: lambda value: value}
        if metric == "ACMI":
            readings["the distance of ACMI from 1"] = lambda value: abs(value - 1)
        for title, reading in readings.items():
            lists = {
                name: [reading(value) for value in grown(found, name, metric)]
                for suffix in suffixes
                for name in (single + suffix for single in SINGLE)
            }
            for each in of_metric(lists, metric, f"{title} of {n} values", suffixes):
                yield each if metric != "ACMI" else judged_by(each, found)


def judged_by(each: Claim, found: Results) -> Claim:
    """Withhold the verdict where most pairs of columns share no information, so that the mean hardly moves."""
    empty, pairs = found["pairs without information"], found["pairs"]
    if 2 * empty < pairs:
        return each
    why = f"{empty} of {pairs} pairs of columns share no information; {each.evidence}"
    return replace(each, verdict="cannot be judged", evidence=why)


def of_metric(lists: Lists, metric: str, title: str, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the order of the algorithms, that those on the model lose more, and how the -G versions compare."""
    digits = 0 if metric == "direct distance" else 4
    for suffix in suffixes:
        mine = {name + suffix: lists[name + suffix] for name in SINGLE}
        text = f"{title} rises from HID3 over DROPP and INCP to DECP" + SUFFIXES[suffix]
        yield in_order(text, mine, digits)
        if metric in ("ACMI", "SCE"):
            flags = [max(hid3, dropp) < min(incp, decp) for hid3, dropp, incp, decp in zip(*mine.values(), strict=True)]
            text = f"{title} is larger for INCP and DECP than for HID3 and DROPP" + SUFFIXES[suffix]
            yield by_realisation(text, flags, shown(mine, digits))
        if suffix:
            pairs = {each: lists[each] for name in SINGLE for each in (name, name + suffix)}
            word = "smaller" if SMALLER[metric] else "slightly larger (1 to 1.5-fold)"
            flags = smaller(pairs, suffix) if SMALLER[metric] else slightly_larger(pairs, suffix)
            yield by_realisation(f"{title} is {word} for -G versions" + SUFFIXES[suffix], flags, shown(pairs, digits))


def smaller(lists: Lists, suffix: str) -> list[bool]:
    """Return for each realisation whether no -G version is larger, and one is smaller by more than counts as equal."""
    pairs = [zip(lists[name], lists[name + suffix], strict=True) for name in SINGLE]
    return [
        all(own <= plain * (1 + CLOSE) for plain, own in each) and any(own * (1 + CLOSE) < plain for plain, own in each)
        for each in zip(*pairs, strict=True)
    ]


def many_cells(found: Results) -> Iterator[Claim]:
    """Check that the many-cell versions halve the changes."""
    for name, of in found.items():
        together = [sum(each) for each in zip(*(m["together"] for m in of.values()), strict=True)]
        for way in ("each on a fresh copy", "one after the other"):
            apart = [sum(each) for each in zip(*(m[way] for m in of.values()), strict=True)]
            saved = [1 - own / other for own, other in zip(together, apart, strict=True)]
            text = (
                f"Wisconsin: e-{label(name)} changes nearly 50 % (40 % to 60 %) fewer cells than {label(name)}, {way}"
            )
            evidence = f"{fewer(1 - sum(together) / sum(apart))}; {fewer(min(saved))} to {fewer(max(saved))}"
            yield by_realisation(text, [0.4 <= share <= 0.6 for share in saved], evidence)


def fewer(share: float) -> str:
    """Return a share that was saved, or was not."""
    return f"{100 * abs(share):.0f} % {'fewer' if share >= 0 else 'more'}"
