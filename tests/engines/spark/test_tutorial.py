"""The tutorial about a cluster can be followed."""

from pathlib import Path
from typing import Any

import pytest

from docs.follow import fenced, follow

PAGE = Path(__file__).parents[3] / "docs" / "tutorials" / "cluster.md"


def test_a_release_on_a_cluster(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    follow(fenced(PAGE))
    assert (tmp_path / "release.parquet").is_dir()
