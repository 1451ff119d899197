"""Which values a withheld cell may stand for, for publication beside the release."""

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold._version import __version__
from withhold.table import Recoding

if TYPE_CHECKING:
    from withhold.releasing._release import Release

__all__ = ["is_json_of_release", "remove_withheld_sets", "write_withheld_sets"]


def write_withheld_sets(release: "Release", destination: Path, path: Path) -> bool:
    """Write which values a withheld cell of `destination` may stand for; return whether there was anything to write.

    Whoever sees a ``*`` that can stand for one value only knows the value, so the sets are no secret. But a value that
    fewer than k rows hold, in a column that an anonymity requirement names, would reveal that such a person is there:
    these are only counted.
    """
    withheld = release.refinement.withheld
    if not withheld:
        return False
    columns = {r.column: _entry(release, r, destination) for r in release.decision.recodings if r.column in withheld}
    text = json.dumps({"withhold": __version__, "public": True, "columns": columns}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")
    return True


def is_json_of_release(path: Path) -> bool:
    """Return whether a file is JSON that a release wrote."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "withhold" in found


def remove_withheld_sets(path: Path) -> None:
    """Remove the file of an earlier release; one that is not ours is left alone."""
    if is_json_of_release(path):
        with suppress(OSError):
            path.unlink()


def _entry(release: "Release", recoding: Recoding, destination: Path) -> dict[str, Any]:
    column = recoding.column
    mark = release.source.mark(recoding, destination)
    values = list(release.refinement.withheld[column])
    if mark is None and None not in values and None in release.table.store.values(column):
        values.append(None)
    least = max(requirement.least_rows(column) for requirement in release.policy.require)
    rows = release.table.distinct([column], as_text=[column])
    texts = release.table.store.values(column)
    n_rows: dict[str | None, int] = {}
    for position, weight in zip(rows.codes[0].tolist(), rows.weights.tolist(), strict=True):
        n_rows[texts[position]] = n_rows.get(texts[position], 0) + weight
    common = [value for value in values if value is None or n_rows.get(value, 0) >= least]
    return {"mark": mark, "may_stand_for": common, "others": len(values) - len(common)}
