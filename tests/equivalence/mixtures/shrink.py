"""Makes a failing case small: ``python -m tests.equivalence.mixtures.shrink 1227 hidden risk --plain``."""

import argparse
from collections.abc import Callable, Iterator
from copy import deepcopy
from pprint import pprint
from typing import Any

from tests.equivalence.mixtures.generate import Case, case_of
from tests.equivalence.mixtures.run import stripped, try_case


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return a case that still fails, of which nothing more can be left out."""
    found = True
    while found:
        found = False
        for smaller in _smaller(case):
            if fails(smaller):
                case, found = smaller, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Yield cases with one requirement, column, row or setting less."""
    size = len(case.rows) // 2
    while size:
        for start in range(0, len(case.rows), size):
            rows = range(start, min(start + size, len(case.rows)))
            left = [row for i, row in enumerate(case.rows) if i not in rows]
            if left:
                yield _changed(case, lambda policy, rows=rows: _without_rows(policy, rows), left)
        size //= 2
    for i in range(len(case.policy["require"]) - 1, -1, -1):
        if len(case.policy["require"]) > 1:
            yield _changed(case, lambda policy, i=i: policy["require"].pop(i))
    for key in [key for key in case.policy if key != "require"]:
        yield _changed(case, lambda policy, key=key: policy.pop(key))
    for name, settings in case.policy.get("columns", {}).items():
        for key in settings:
            yield _changed(case, lambda policy, name=name, key=key: policy["columns"][name].pop(key))
    for i, requirement in enumerate(case.policy["require"]):
        for key, value in requirement.items():
            if key in ("predictors", "keep", "model", "distance", "alpha", "modify"):
                yield _changed(case, lambda policy, i=i, key=key: policy["require"][i].pop(key))
            for j in range(len(value) if isinstance(value, list) and len(value) > 1 else 0):
                yield _changed(case, lambda policy, i=i, key=key, j=j: policy["require"][i][key].pop(j))
            for each in value if isinstance(value, dict) and len(value) > 1 else ():
                yield _changed(case, lambda policy, i=i, key=key, each=each: policy["require"][i][key].pop(each))
    for name in case.rows[0] if len(case.rows[0]) > 1 else ():
        rows = [{key: text for key, text in row.items() if key != name} for row in case.rows]
        yield _changed(case, lambda policy, name=name: policy.get("columns", {}).pop(name, None), rows)


def _without_rows(policy: dict[str, Any], rows: range) -> None:
    for requirement in policy["require"]:
        if "cells" in requirement:
            left = [(i, name) for i, name in requirement["cells"] if i not in rows]
            requirement["cells"] = [[i - len(rows) * (i >= rows.stop), name] for i, name in left]


def _changed(case: Case, change: Callable[[dict[str, Any]], Any], rows: list[dict[str, str]] | None = None) -> Case:
    policy = deepcopy(case.policy)
    change(policy)
    return Case(rows=case.rows if rows is None else rows, policy=policy, kinds=case.kinds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--plain", action="store_true")
    asked = parser.parse_args()
    case = case_of(asked.seed, asked.kinds or None, is_plain=asked.plain)
    first = try_case(case, asked.seed)
    print(first)

    def fails(smaller: Case) -> bool:
        try:
            now = try_case(smaller, asked.seed)
        except (KeyError, IndexError):  # the oracle does not check policies
            return False
        is_alike = now.status != "crash" or stripped(now.sentences[0]) == stripped(first.sentences[0])
        return now.status == first.status and is_alike

    small = shrink(case, fails)
    print(try_case(small, asked.seed))
    pprint(small.policy, sort_dicts=False, width=120)
    print(list(small.rows[0]))
    for row in small.rows:
        print(list(row.values()))


if __name__ == "__main__":
    main()
