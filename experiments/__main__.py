"""Run the experiments and write the page: ``python -m experiments [NAME ...]``."""

import argparse
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from experiments._page import build, build_own
from experiments._registry import NAMES, Experiment, experiments
from experiments._runs import missing_data, perform, plan_of

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; return 1 if an experiment failed, else 0."""
    options = _options(arguments)
    failed: list[str] = []
    every = list(experiments(failed=failed))
    chosen = [each for each in every if not options.names or each.SPEC.name in options.names]
    if options.list:
        for each in chosen:
            print(f"{each.SPEC.name:<16} {each.SPEC.paper:<7} {each.SPEC.title}")
        return 0
    out = options.out or ROOT / ("results-quick" if options.quick else "results")
    page = options.page or (out / "reproduction.md" if options.quick else ROOT / "docs" / "reproduction.md")
    if not options.page_only:
        failed += run_all(chosen, data=options.data, out=out, quick=options.quick, again=options.again)
    # The page of the papers is left as it is where only others were asked for.
    if not chosen or any(each.SPEC.page is None for each in chosen):
        failed += build(every, out, page, say=_say)
        _say(f"the page is {page}")
    for each, own in ((each, page.with_name(each.SPEC.page)) for each in chosen if each.SPEC.page):
        failed += build_own(each, out, own, say=_say)
        _say(f"the page is {own}")
    if failed:
        _say(f"failed: {', '.join(failed)}")
    return int(bool(failed))


def run_all(chosen: Sequence[Experiment], *, data: Path, out: Path, quick: bool, again: bool = False) -> list[str]:
    """Run every experiment that is not finished, whatever happens to the others; return those that failed."""
    failed = []
    for place, each in enumerate(chosen, start=1):
        name = each.SPEC.name
        head = f"[{place}/{len(chosen)}] {name}"
        missing = missing_data(each.SPEC, data)
        if missing:
            _say(f"{head}: skipped, {data} has no {', '.join(missing)}")
            continue
        plan = plan_of(each.SPEC, data, quick=quick)
        begin = time.perf_counter()
        try:
            is_new = perform(each, plan, data=data, folder=out / name, say=_saying(head), again=again)
        except Exception:
            traceback.print_exc()
            _say(f"{head}: failed")
            failed.append(name)
        else:
            _say(f"{head}: done in {time.perf_counter() - begin:.0f} s" if is_new else f"{head}: finished before")
    return failed


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    known = [name for names in NAMES.values() for name in names]
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments to run; all where none is named")
    tables = "the folder of the real tables (UCI Adult, Breast Cancer Wisconsin, Car Evaluation, Credit Approval; "
    tables += "the trees of the TDS program); else WITHHOLD_DATA, else ../shared/data; now %(default)s"
    parser.add_argument("--data", type=Path, default=_data(), help=tables)
    parser.add_argument("--out", type=Path, help="where raw results are kept; `results`, or `results-quick`")
    parser.add_argument("--quick", action="store_true", help="a short run of everything")
    parser.add_argument("--again", action="store_true", help="run what is finished once more")
    parser.add_argument("--page", type=Path, help="the page to write; docs/reproduction.md, or below OUT when quick")
    parser.add_argument("--page-only", action="store_true", help="run nothing, write the page from the raw results")
    parser.add_argument("--list", action="store_true", help="list the experiments")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no experiment is called {', '.join(unknown)}. Hint: there are {', '.join(known)}.")
    return options


def _data() -> Path:
    named = os.environ.get("WITHHOLD_DATA")
    return Path(named).expanduser() if named else ROOT.parent / "shared" / "data"


def _saying(head: str) -> Callable[[str], None]:
    return lambda text: _say(f"{head}: {text}")


def _say(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
