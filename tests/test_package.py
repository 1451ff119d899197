"""The package as a whole: public names, import layers, quick imports."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import withhold

SOURCE = Path(withhold.__file__).parent
PACKAGES = ["withhold"] + [
    module.name for module in pkgutil.walk_packages([str(SOURCE)], prefix="withhold.") if module.ispkg
]

TOP = {"_audit_page", "_explain", "_frame", "_inspect", "_read", "_release", "_staging"}  # the modules that join layers
FORBIDDEN = {
    "table": {"policy", "engines", "learners", "methods", "metrics", "audit", "report", "cli", "samples"},
    "policy": {"engines", "methods", "metrics", "audit", "report", "cli", "samples"},
    "engines": {"policy", "methods", "metrics", "audit", "report", "cli", "samples"},
    "methods": {"engines", "audit", "report", "cli", "metrics"},
    "learners": {"policy", "engines", "methods", "metrics", "audit", "attackers", "report", "cli", "samples"},
    "metrics": {"engines", "audit", "methods", "report", "cli"},
    "attackers": {"engines", "methods", "metrics", "audit", "policy", "report", "cli", "samples"},
    "audit": {"methods", "report", "cli", "samples"},
    "samples": {"engines", "methods", "audit", "report", "cli"},
    "report": {"engines", "cli"},
}


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_are_sorted_and_exist(name: str) -> None:
    module = importlib.import_module(name)
    assert list(module.__all__) == sorted(module.__all__)
    for public in module.__all__:
        assert getattr(module, public) is not None


def test_every_public_name_has_a_docstring() -> None:
    bare = [
        f"{name}.{public}"
        for name in PACKAGES
        for public in importlib.import_module(name).__all__
        if inspect.isroutine(value := getattr(importlib.import_module(name), public)) or inspect.isclass(value)
        if not value.__doc__
    ]
    assert bare == []


def imported_folders(path: Path) -> set[str]:
    """Return the folders of the package that a module imports, except for type checking."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    checking_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in checking_only:
            continue
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("withhold.")}
    return found


@pytest.mark.parametrize("layer", sorted(FORBIDDEN))
def test_layers_point_one_way(layer: str) -> None:
    for path in (SOURCE / layer).rglob("*.py"):
        top = TOP - {"_inspect"} if layer == "report" else TOP
        assert imported_folders(path) & (FORBIDDEN[layer] | top) == set(), path.name


def test_engines_are_imported_by_their_own_folder_only() -> None:
    for path in SOURCE.rglob("*.py"):
        inside = "engines" in path.relative_to(SOURCE).parts
        text = path.read_text(encoding="utf-8")
        assert inside or "import duckdb" not in text, path.name


def test_import_is_quick_and_pulls_in_nothing_heavy() -> None:
    code = (
        "import sys, time; begin = time.perf_counter(); import withhold; took = time.perf_counter() - begin;"
        "heavy = {'numba', 'pyspark', 'sklearn', 'nicegui', 'altair', 'pandas', 'duckdb'} & set(sys.modules);"
        "print(took, sorted(heavy))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    took, heavy = out.split(" ", 1)
    assert heavy.strip() == "[]"
    assert float(took) < 0.5


def test_reading_a_policy_does_not_compile_anything() -> None:
    code = "import sys; from withhold import Policy, Anonymity; print('numba' in sys.modules, 'duckdb' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False"]


def test_help_is_quick() -> None:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-m", "withhold", "--help"], capture_output=True, check=True)
    assert time.perf_counter() - begin < 2
