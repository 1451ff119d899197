"""The statements of chapter 5, and of our own targets, held against the results."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from experiments._judge import claim, rises
from experiments._plots import TABLES, label
from experiments._registry import Claim, Results

__all__ = ["claims"]

SECONDARY = {"decp": "id3", "incp": "id3", "dropp": "id3", "hid3": "naive-bayes"}
BOTH = ("naive-bayes", "id3")
HYBRIDS = ("hid3_dropp", "hid3_incp", "hid3_decp")


def claims(results: Results) -> Iterator[Claim]:
    """Yield every statement."""
    for table, title in TABLES.items():
        suffixes = ("", "_g") if table == "wisconsin" else ("",)
        for statement in (times_alike, primary, primary_kept, secondary, inside_the_row, hybrids, auto):
            for each in statement(results[table], suffixes):
                yield replace(each, text=f"{title}: {each.text}")
        for metric in ("direct distance", "SKLD", "ACMI", "SCE"):
            for each in orders(results[table], metric, suffixes):
                yield replace(each, text=f"{title}: {each.text}")
    yield from many_cells(results["wisconsin"]["enhanced"])


def listed(figures: dict[str, float], digits: int = 2) -> str:
    """Return named figures as text."""
    return ", ".join(f"{label(name)} {value:.{digits}f}" for name, value in figures.items())


def times_alike(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check that the algorithms take about the same time."""
    for suffix in suffixes:
        each = {name + suffix: found["times"][name + suffix]["mean"] for name in SECONDARY}
        alike = max(each.values()) <= 1.1 * min(each.values())
        yield claim("all algorithms take about the same time, in ms" + " (-G)" * bool(suffix), alike, listed(each, 3))


def primary(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the success against the model that an algorithm is made for."""
    for suffix in suffixes:
        each = {name + suffix: rate(found, name + suffix, against(name), "with deleted") for name in SECONDARY}
        text = "100 % against the own model, a deleted row counted as success"
        yield claim(text + " (-G)" * bool(suffix), min(each.values()) == 100, listed(each, 0))


def primary_kept(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the same as the text defines it: without deleting the row."""
    for suffix in suffixes:
        each = {name + suffix: rate(found, name + suffix, against(name), "rate") for name in SECONDARY}
        text = "100 % against the own model without deleting the row, as section 5.2 defines success"
        yield claim(text + " (-G)" * bool(suffix), min(each.values()) == 100, listed(each, 0))


def secondary(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the success against the other model."""
    for suffix in suffixes:
        each = {name + suffix: rate(found, name + suffix, other, "with deleted") for name, other in SECONDARY.items()}
        text = "at least 65 % against the other model, a deleted row counted as success"
        yield claim(text + " (-G)" * bool(suffix), min(each.values()) >= 65, listed(each, 0))


def against(name: str) -> str:
    """Return the model that an algorithm is made for."""
    return "id3" if name == "hid3" else "naive-bayes"


def rate(found: Results, name: str, adversary: str, how: str) -> float:
    """Return a success rate in per cent."""
    return 100 * float(found["cells"][name][adversary][how])


def mean_distance(found: Results, name: str) -> float:
    """Return the mean direct distance of an algorithm."""
    each = found["cells"][name]["direct distance"]
    return float(sum(each) / len(each))


def inside_the_row(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the order of figure 5.1."""
    for suffix in suffixes:
        names = [name + suffix for name in ("hid3", "dropp", "incp", "decp")]
        each = {name: mean_distance(found, name) for name in names} | {"nrd": mean_distance(found, "nrd")}
        holds = each[names[0]] <= each[names[1]] <= each["nrd"] and each[names[1]] < min(each[names[2]], each[names[3]])
        text = "HID3, then DROPP have the least average direct distance, both below NRD; INCP and DECP are above"
        yield claim(text + " (-G)" * bool(suffix), holds, listed(each))
    if "_g" in suffixes:
        each = {name: mean_distance(found, name) for single in SECONDARY for name in (single, single + "_g")}
        holds = all(each[name] <= each[name + "_g"] for name in SECONDARY)
        yield claim("-G versions have a slightly larger average direct distance", holds, listed(each))


def hybrids(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the success of hybrids, and the order of figure 5.6."""
    for suffix in suffixes:
        names = [name + suffix for name in HYBRIDS]
        lowest = {
            name: min(rate(found, name, each, "with deleted") for each in ("naive-bayes", "id3")) for name in names
        }
        text = "hybrids have 100 % against both, a deleted row counted as success"
        yield claim(text + " (-G)" * bool(suffix), min(lowest.values()) == 100, listed(lowest, 0))
        each = {name: mean_distance(found, name) for name in names}
        text = "average direct distance: HID3+DROPP below HID3+INCP below HID3+DECP"
        yield claim(text + " (-G)" * bool(suffix), rises(list(each.values())), listed(each))


def auto(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check our own targets."""
    lowest = min(rate(found, "auto", each, "rate") for each in BOTH)
    yield claim("our target: `auto` has 100 % against both", lowest == 100, f"{lowest:.2f} %")
    deleted = 100 * found["cells"]["auto"]["deleted"]
    yield claim("our target: `auto` deletes less than 1 % of the rows", deleted < 1, f"{deleted:.2f} %")
    each = {name: mean_distance(found, name) for name in ("auto", *HYBRIDS)}
    holds = each["auto"] < min(each[name] for name in HYBRIDS)
    yield claim("our target: `auto` has a smaller mean direct distance than every hybrid", holds, listed(each))
    for name in HYBRIDS:
        m = found["cells"][name]
        own, ours = m["distance where kept"], m["auto where kept"]
        text = f"the same on the cells whose row {label(name)} keeps"
        yield claim(text, ours < own, f"auto {ours:.2f}, {label(name)} {own:.2f}")


def orders(found: Results, metric: str, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Check the order of figures 5.2 to 5.5, at the largest number of values."""
    n = max(found["growing"]["hid3"], key=int)
    values = {name: of[n][metric] for name, of in found["growing"].items() if of[n][metric] is not None}
    digits = 0 if metric == "direct distance" else 4
    for suffix in suffixes:
        each = {name: values[name] for name in (single + suffix for single in ("hid3", "dropp", "incp", "decp"))}
        text = f"{metric} of {n} values rises from HID3 over DROPP and INCP to DECP"
        yield claim(text + " (-G)" * bool(suffix), rises(list(each.values())), listed(each, digits))
    if "_g" in suffixes:
        pairs = {name: values[name] for single in SECONDARY for name in (single, single + "_g")}
        larger = metric == "direct distance"
        holds = all((values[name] <= values[name + "_g"]) == larger for name in SECONDARY)
        text = f"{metric} of {n} values is {'larger' if larger else 'smaller'} for -G versions"
        yield claim(text, holds, listed(pairs, digits))


def many_cells(found: Results) -> Iterator[Claim]:
    """Check that the many-cell versions halve the changes."""
    for name, of in found.items():
        together = sum(m["together"] for m in of.values())
        for way in ("each on a fresh copy", "one after the other"):
            saved = 1 - together / sum(m[way] for m in of.values())
            text = f"Wisconsin: e-{label(name)} changes nearly 50 % fewer cells than {label(name)}, {way}"
            yield claim(text, saved >= 0.4, f"{100 * saved:.0f} % fewer")
