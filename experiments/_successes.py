"""The statements of chapter 5 about success: table 5.3, its hypotheses and its summary."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from experiments._cells import NO_COIN
from experiments._judge import agreed, claim, rises
from experiments._plots import TABLES, label
from experiments._printed import ADVERSARIES
from experiments._registry import Claim, Results

__all__ = ["success_claims", "svm_claims"]

OTHER = {"decp": "id3", "incp": "id3", "dropp": "id3", "hid3": "naive-bayes"}
"""The model that an algorithm is not made for."""
HYBRIDS = ("hid3_dropp", "hid3_incp", "hid3_decp")
COUNTED = {"with deleted": "a deleted row counted as success", "rate": "a deleted row counted as failure"}
ENDINGS = {"": "", "_g": " (-G)", f"_g{NO_COIN}": " (-G without the coin)"}
READINGS = {"_g": "-G with the coin", f"_g{NO_COIN}": "-G without it"}


def success_claims(found: Results, suffixes: Sequence[str]) -> Iterator[Claim]:
    """Yield what is said of one table."""
    for suffix in suffixes:
        yield from own_model(found, suffix)
        yield from other_model(found, suffix)
        yield from ranked(found, suffix)
        if suffix:
            yield alike(found, suffix)


def rate(found: Results, name: str, adversary: str, how: str = "with deleted") -> float:
    """Return a success rate in per cent."""
    return 100 * float(found["cells"][name][adversary][how])


def listed(figures: dict[str, float]) -> str:
    """Return named rates as text."""
    return ", ".join(f"{label(name)} {value:.0f}" for name, value in figures.items())


def own_model(found: Results, suffix: str) -> Iterator[Claim]:
    """Check the success against the model that an algorithm is made for, and of hybrids against both."""
    own = {name: "id3" if name == "hid3" else "naive-bayes" for name in OTHER}
    for how, shown in COUNTED.items():
        each = {name + suffix: rate(found, name + suffix, model, how) for name, model in own.items()}
        text = f"100 % against the own model, {shown}{ENDINGS[suffix]}"
        yield claim(text, min(each.values()) == 100, listed(each))
    names = [name + suffix for name in HYBRIDS]
    lowest = {name: min(rate(found, name, model) for model in ("naive-bayes", "id3")) for name in names}
    text = f"hybrids have 100 % against both, {COUNTED['with deleted']}{ENDINGS[suffix]}"
    yield claim(text, min(lowest.values()) == 100, listed(lowest))


def other_model(found: Results, suffix: str) -> Iterator[Claim]:
    """Check hypotheses 5.1 and 5.2."""
    each = {name + suffix: rate(found, name + suffix, model) for name, model in OTHER.items()}
    runs = [found["cells"][name + suffix][model]["each with deleted"] for name, model in OTHER.items()]
    flags = [min(rates) >= 0.65 for rates in zip(*runs, strict=True)]
    text = f"at least 65 % against the other model, {COUNTED['with deleted']}{ENDINGS[suffix]}"
    yield claim(text, agreed(flags), f"{listed(each)}; in {sum(flags)} of {len(flags)} realisations")


def ranked(found: Results, suffix: str) -> Iterator[Claim]:
    """Check the summary: those that lose more have more success."""
    names = [name + suffix for name in ("hid3", "dropp", "incp", "decp")]
    for how, shown in COUNTED.items():
        means = {
            name: fmean(rate(found, name, model, how) for model in ("naive-bayes", "id3", "svm")) for name in names
        }
        text = f"success, the mean over the three models, rises from HID3 over DROPP and INCP to DECP, {shown}"
        yield claim(text + ENDINGS[suffix], rises(list(means.values())), listed(means))


def alike(found: Results, suffix: str) -> Claim:
    """Check the summary: the -G versions have a similar success."""
    gaps = {
        f"{label(name)} against {ADVERSARIES[model]}": rate(found, name, model) - rate(found, name + suffix, model)
        for name in OTHER
        for model in ("naive-bayes", "id3", "svm")
    }
    worst = max(gaps, key=lambda each: abs(gaps[each]))
    text = f"-G versions have a similar success (to 10 points), {COUNTED['with deleted']}{ENDINGS[suffix]}"
    return claim(text, abs(gaps[worst]) <= 10, f"most for {worst}: {abs(gaps[worst]):.0f} points apart")


def svm_claims(results: Results) -> Iterator[Claim]:
    """Check hypothesis 5.3 and the range of the rates, for each way to encode the values, with the coin and without."""
    for model in ("svm", "svm, numbers"):
        tables = [table for table in TABLES if model in results[table]["cells"]["hid3"]]
        hidden = [f"{rate(results[table], 'hidden only', model):.0f} %" for table in tables]
        for suffix in [suffix for suffix in ENDINGS if suffix and tables]:
            names = {table: [*OTHER, *(name + suffix for name in OTHER if table == "wisconsin")] for table in tables}
            rates = [rate(results[table], name, model) for table in tables for name in names[table]]
            shown = f"{min(rates):.0f} % to {max(rates):.0f} %, {' and '.join(TABLES[table] for table in tables)}"
            where = f"{ADVERSARIES[model]}, {COUNTED['with deleted']}, {READINGS[suffix]}"
            holds = abs(min(rates) - 39) <= 5 and abs(max(rates) - 89) <= 5
            yield claim(f"success against SVM ranges from 39 % to 89 % (both to 5 points): {where}", holds, shown)
            shown += f"; only hidden {', '.join(hidden)}"
            text = f"SVM is blocked too (at least 65 %, as for the other models): {where}"
            yield claim(text, min(rates) >= 65, shown)
