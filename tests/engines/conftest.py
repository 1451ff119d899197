"""What tests of conditions share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engines.condition_cases import FRAME, SECRET

from withhold.engines import Source, open_source


@pytest.fixture(scope="module")
def source() -> Iterator[Source]:
    opened = open_source(FRAME)
    yield opened
    opened.close()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    return path
