"""How tests are spread over workers: a file stays on one, and so does all that starts one cluster; long ones begin."""

from pathlib import Path
from typing import Any

import pytest

TOGETHER = "tests/engines/spark"
LONGEST = (
    TOGETHER,
    "tests/equivalence/mixtures/test_mixtures.py",
    "tests/test_adult.py",
    "tests/workbench/test_story.py",
    "tests/cli/test_crashes.py",
    "tests/audit/test_odd_tables.py",
    "tests/audit/test_planted_failures.py",
    "tests/cli/test_commands.py",
    "tests/experiments/test_runner.py",
    "tests/equivalence/test_informed.py",
    "tests/audit/test_attacks.py",
    "tests/equivalence/test_replay.py",
    "tests/properties/test_release.py",
    "tests/experiments/test_thesis.py",
    "tests/test_hidden.py",
    "tests/test_informed.py",
    "tests/equivalence/test_few_rows.py",
    "tests/engines/files/test_databases.py",
    "tests/test_pycanon.py",
    "tests/workbench/test_adult.py",
    "tests/workbench/test_accessibility.py",
    "tests/docs/test_documents.py",
    "tests/docs/test_tutorials.py",
    "tests/docs/test_notebooks.py",
    "tests/test_templates.py",
    "tests/audit/test_other_tools.py",
    "tests/golden/test_rules.py",
    "tests/equivalence/test_ties.py",
    "tests/equivalence/test_rules.py",
    "tests/equivalence/test_local.py",
    "tests/report/test_public.py",
    "tests/experiments/test_recoding.py",
    "tests/experiments/test_tds_pda.py",
    "tests/methods/local/test_local_recoding.py",
    "tests/releasing/test_units.py",
    "tests/audit/test_hidden.py",
    "tests/audit/test_unfinished.py",
    "tests/releasing/test_repeatable.py",
    "tests/equivalence/test_refine.py",
)
"""What takes longest comes first, so that no worker begins it when the others are done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest; the rest follows in its order."""
    rank = {place: i for i, place in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(scope_of(item.nodeid), len(rank)))


def scope_of(nodeid: str) -> str:
    """Return what stays on one worker."""
    place = nodeid.split("::", 1)[0]
    return TOGETHER if Path(place).parent.as_posix() == TOGETHER else place


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what gives tests to workers, in the order in which they are collected."""
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid)

    return ByFile(config, log)
