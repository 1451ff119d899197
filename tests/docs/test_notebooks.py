"""Every notebook runs from its first cell to its last, in one process, and is kept without outputs."""

import asyncio
import os
import sys
import warnings
from pathlib import Path

import pytest

import withhold

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_notebooks_run_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(Path(withhold.__file__).parents[1]))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    spec = tmp_path / "kernels" / "python3"
    spec.mkdir(parents=True)
    words = f'["{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"]'
    (spec / "kernel.json").write_text(f'{{"argv": {words}, "display_name": "Python 3", "language": "python"}}')
    # One kernel for all: what the first notebook compiles and imports serves the others.
    whole = nbformat.v4.new_notebook()
    for path in NOTEBOOKS:
        whole.cells += nbformat.read(path, as_version=4).cells
    for number, cell in enumerate(whole.cells):
        cell["id"] = f"cell-{number}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client = nbclient.NotebookClient(whole, timeout=240, resources={"metadata": {"path": os.fspath(tmp_path)}})
        asyncio.run(client.async_execute())


def test_notebooks_are_kept_without_outputs() -> None:
    assert len(NOTEBOOKS) == 5
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert '"outputs": []' in text
        assert '"output_type"' not in text
