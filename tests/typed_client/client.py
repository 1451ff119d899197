"""A small program as a user would write it; `mypy --strict` reads it with the types that the package exports."""

from pathlib import Path
from typing import Any, assert_type

import withhold as wh


def publish(data: Path, out: Path) -> bool:
    """Release a file and audit it."""
    policy = wh.Policy(
        [wh.Anonymity(columns=("age", "sex"), k=5)],
        drop=["name"],
        recoding="local",
        columns={"age": wh.ColumnSettings(type="number", range=(0, 120))},
    )
    release = wh.release(data, policy, rng=1)
    assert_type(release, wh.Release)
    release.write(out)
    found = wh.audit(out, policy, original=data)
    assert_type(found, wh.Audit)
    for finding in found.findings:
        print(finding)
    return found.ok


def what_went_wrong(error: wh.errors.WithholdError) -> int:
    """Return the exit code of an error."""
    assert_type(error.exit_code, int)
    return error.exit_code


def schema() -> dict[str, Any]:
    """Return the schema of policies."""
    return wh.policy_schema()
