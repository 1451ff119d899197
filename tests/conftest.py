"""How tests are spread over workers: a file stays on one, and so does all that starts one cluster."""

from pathlib import Path
from typing import Any

import pytest

TOGETHER = "tests/engines/spark"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what gives tests to workers."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            place = nodeid.split("::", 1)[0]
            return TOGETHER if Path(place).parent.as_posix() == TOGETHER else place

    return ByFile(config, log)
