"""Release random mixtures and let the oracle prove or refute each.

``python -m tests.equivalence.mixtures.run --n 10000 --from 0 --jobs 2`` prints a summary and every failing seed.
"""

import argparse
import csv
import multiprocessing
import re
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.equivalence.mixtures.cells import named_cells
from tests.equivalence.mixtures.generate import PAIRS, Case, as_policy, case_of
from tests.equivalence.mixtures.meaning import MISSING, WITHHELD
from tests.equivalence.mixtures.oracle import all_withheld, columns_of, violations

import withhold as wh
from withhold.errors import InfeasibleError, InputError, UnmetError

FAILURES = ("unmet", "crash", "false-met", "false-infeasible", "depends")
MOST_SECONDS = 120

MAY_BE_REFUSED = (
    "does not occur in the column",
    "is listed twice",
    "has only one value",
    "no row meets the condition",
    "every cell it names is missing already",
    "different numbers, and requirements about single cells need",
    "needs two different values that are not private",
    "lie outside the edges",
    "which is how a withheld value is written",
    "is missing from taxonomy",  # `*` in the original
    "is a number column, but",
    "which it may not",  # a condition on a column that is hidden from the informed
    "predictors` holds the hidden column",
    "is kept here, but",
    "must be the same for all requirements about hidden cells",
    "needs a `range`",
    "is for columns that anonymity alone counts",
    "holds numbers, which have an order and no taxonomy",
    "which is nothing to hide",
)
"""What refusals may say."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one case."""

    seed: int
    kinds: tuple[str, ...]
    status: str
    """met, infeasible or refused; or a failure.

    unmet: the package's own check fails. crash: any other error. false-met: the oracle refutes it. false-infeasible: the
    table with everything withheld would do. depends: another value in a cell that is hidden from the informed gives another
    release.
    """
    sentences: tuple[str, ...] = ()
    withheld: float = 0.0
    """The share of cells that are published as `*`."""

    @property
    def is_failure(self) -> bool:
        return self.status in FAILURES


def try_one(
    seed: int, kinds: Sequence[str] | None = None, *, is_plain: bool = False, recoding: str = "global"
) -> Outcome:
    """Make the case of a seed, release it, and let the oracle judge."""
    case = case_of(seed, kinds, is_plain=is_plain)
    if recoding == "limited":  # the papers' search with a limit of rows
        case = Case(
            rows=case.rows, policy={**case.policy, "most_rows_withheld": (0.1, 0.3)[seed % 2]}, kinds=case.kinds
        )
    elif recoding != "global":
        settings = {"recoding": recoding, "most_rows_withheld": (0.0, 0.1, 0.3)[seed % 3]}
        settings |= {"effort": "quick"} if recoding == "local" else {}
        case = Case(rows=case.rows, policy={**settings, **_for_groups(case.policy)}, kinds=case.kinds)
    return try_case(case, seed)


def _for_groups(policy: dict[str, Any]) -> dict[str, Any]:
    """Return a policy without what only the papers' search follows."""
    made = {key: value for key, value in policy.items() if key != "splits"}
    if "columns" in policy:
        made["columns"] = {
            name: {key: value for key, value in each.items() if key != "mask"}
            for name, each in policy["columns"].items()
        }
    return made


def try_case(case: Case, seed: int = 0) -> Outcome:
    """Release a case and let the oracle judge."""
    made: dict[str, Any] = {"seed": seed, "kinds": tuple(sorted(case.kinds))}
    try:
        with tempfile.TemporaryDirectory() as folder, at_most_seconds(MOST_SECONDS):
            published = released(case, Path(folder), seed)
            other = with_other_values(case)
            is_same = other is None or released(other, Path(folder), seed) == published
    except InfeasibleError as error:
        in_order = {**case.policy, "rows": "keep"}
        is_so = violations(case.rows, all_withheld(case.rows, case.policy), in_order)
        return Outcome(**made, status="infeasible" if is_so else "false-infeasible", sentences=(str(error),))
    except InputError as error:
        return Outcome(**made, status="refused", sentences=tuple(str(error).splitlines()))
    except UnmetError as error:
        return Outcome(**made, status="unmet", sentences=(str(error),))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, {last.name}"
        return Outcome(**made, status="crash", sentences=(f"{type(error).__name__}: {error} ({where})",))
    found = violations(case.rows, published, case.policy)
    wrong = found
    texts = [text for row in published for text in row.values()]
    status = "false-met" if wrong else "met" if is_same else "depends"
    return Outcome(**made, status=status, sentences=tuple(wrong), withheld=texts.count(WITHHELD) / len(texts))


def with_other_values(case: Case) -> Case | None:
    """Return the case with other values in the cells that are hidden from the informed; None if there are none."""
    rows = [dict(row) for row in case.rows]
    columns = columns_of(case.rows, case.policy)
    cells = {
        cell
        for requirement in case.policy["require"]
        if requirement.get("informed")
        for cell in named_cells(requirement, case.rows)
    }
    for row, name in sorted(cells):
        known = [i for i in range(len(rows)) if (i, name) not in cells]
        texts = sorted({rows[i][name] for i in known if columns[name].value(rows[i][name]) != MISSING})
        if texts and columns[name].value(rows[row][name]) != MISSING:
            rows[row][name] = texts[row % len(texts)]
    return None if rows == case.rows else Case(rows=rows, policy=case.policy, kinds=case.kinds)


def released(case: Case, folder: Path, seed: int) -> list[dict[str, str]]:
    """Write the table, release it, and read the release as texts."""
    source, out = folder / "table.csv", folder / "release.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(case.rows[0]))
        writer.writeheader()
        writer.writerows(case.rows)
    wh.release(source, as_policy(case.policy), rng=seed).write(out)
    with out.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def is_expected_refusal(sentence: str) -> bool:
    """Return whether a refusal is known, today or for good."""
    known = MAY_BE_REFUSED
    return any(part in sentence for part in known)


@contextmanager
def at_most_seconds(seconds: int) -> Iterator[None]:
    """Stop what takes too long, with a `TimeoutError`."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"not done within {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def stripped(sentence: str) -> str:
    """Return a sentence without digits and names, so that equal ones can be counted."""
    return re.sub(r"\d+", "#", re.sub(r'"[^"]*"', '"…"', sentence))[:160]


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return the figures: by pair of kinds, by sentence, and every failing seed."""
    lines = [f"{len(outcomes)} cases: {dict(Counter(each.status for each in outcomes))}", ""]
    lines.append(f"{'kinds':<28}{'met':>7}{'infeas.':>9}{'refused':>9}{'failed':>8}{'withheld':>10}")
    names = [tuple(sorted(pair)) for pair in PAIRS]
    for pair in [*names, ()]:
        mine = [each for each in outcomes if (each.kinds == pair if pair else each.kinds not in names)]
        met = [each for each in mine if each.status == "met"]
        share = f"{sum(each.withheld for each in met) / len(met):.0%}" if met else ""
        n = Counter("failed" if each.is_failure else each.status for each in mine)
        title = " + ".join(pair) or "other mixtures"
        lines.append(f"{title:<28}{n['met']:>7}{n['infeasible']:>9}{n['refused']:>9}{n['failed']:>8}{share:>10}")
    refused = Counter(stripped(s) for each in outcomes if each.status == "refused" for s in each.sentences)
    lines += ["", "refusals:"]
    lines += [f"{n:>7}  {'' if is_expected_refusal(s) else 'NEW '}{s}" for s, n in refused.most_common()]
    lines += ["", "failures:"]
    lines += [
        f"{each.seed:>7}  {each.status}: {' | '.join(each.sentences[:2])[:240]}" for each in outcomes if each.is_failure
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", help="only these kinds")
    parser.add_argument("--plain", action="store_true", help="one spelling for each number, and no missing marks")
    parser.add_argument("--recoding", choices=("global", "limited", "local", "levels"), default="global")
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.n)
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        one = partial(try_one, kinds=asked.kinds or None, is_plain=asked.plain, recoding=asked.recoding)
        print(summary(pool.map(one, seeds, chunksize=20)))


if __name__ == "__main__":
    main()
