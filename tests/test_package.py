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

TOP = {"_audit_page", "_frame", "_inspect", "_read", "_staging", "releasing"}  # what joins layers
FORBIDDEN = {
    "table": {
        "policy",
        "requirements",
        "engines",
        "learners",
        "methods",
        "metrics",
        "auditing",
        "report",
        "cli",
        "samples",
    },
    "conditions": {
        "table",
        "policy",
        "requirements",
        "engines",
        "learners",
        "methods",
        "metrics",
        "auditing",
        "report",
        "cli",
    },
    "policy": {"engines", "methods", "metrics", "auditing", "report", "cli", "samples"},
    "engines": {"policy", "requirements", "methods", "metrics", "auditing", "report", "cli", "samples"},
    "methods": {"engines", "policy", "requirements", "auditing", "report", "cli", "metrics"},
    "learners": {
        "policy",
        "requirements",
        "engines",
        "methods",
        "metrics",
        "auditing",
        "attackers",
        "report",
        "cli",
        "samples",
    },
    "metrics": {"engines", "auditing", "methods", "report", "cli"},
    "attackers": {"engines", "methods", "metrics", "auditing", "policy", "requirements", "report", "cli", "samples"},
    "auditing": {"methods", "report", "cli", "samples"},
    "samples": {"engines", "methods", "auditing", "report", "cli"},
    "taxonomies": {"policy", "requirements", "engines", "methods", "metrics", "auditing", "report", "cli", "samples"},
    "inspecting": {"policy", "requirements", "engines", "methods", "metrics", "auditing", "report", "cli", "samples"},
    "record": {"engines", "policy", "requirements", "auditing", "report", "cli", "samples"},
    "report": {"engines", "cli"},
    "requirements": {"report", "cli", "samples", "metrics"},
}
KINDS = ("Anonymity", "Template", "Hidden", "Risk", "Diversity", "Closeness")


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_are_sorted_and_exist(name: str) -> None:
    module = importlib.import_module(name)
    assert list(module.__all__) == sorted(
        module.__all__, key=lambda each: (not each.isupper(), each[0].islower(), each)
    )
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


def asks_for_a_kind(node: ast.AST) -> bool:
    """Return whether a piece of code asks which kind a requirement is."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
        names = {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
        return bool(names & set(KINDS))
    if isinstance(node, ast.Compare):
        words = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
        return ast.unparse(node.left).endswith((".kind", "['kind']")) and bool(words & {kind.lower() for kind in KINDS})
    return False


def test_no_module_outside_requirements_asks_for_a_kind() -> None:
    asking = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        if "requirements" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if asks_for_a_kind(node)
    ]
    assert asking == []
    assert asks_for_a_kind(ast.parse("isinstance(each, Hidden | Risk)", mode="eval").body)


def test_the_registry_lists_every_folder_of_a_kind() -> None:
    from withhold.requirements import KINDS as REGISTERED

    folders = {path.parent.name for path in (SOURCE / "requirements").glob("*/_requirement.py")}
    assert set(REGISTERED) == folders
    for kind in REGISTERED.values():
        assert callable(kind.check.check)
        assert kind.guard.GUARD.__doc__
        assert kind.words.says.__doc__


def test_no_check_imports_a_guard_or_a_method() -> None:
    code = (
        "import sys, importlib; from withhold.requirements import KINDS;"
        "[importlib.import_module(f'withhold.requirements.{name}._check') for name in KINDS];"
        "print([m for m in sys.modules if m.startswith('withhold.methods') or m.endswith('_guard')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    # What guards have in common is named by the package; it holds no way to keep a promise.
    assert set(ast.literal_eval(out)) <= {"withhold.requirements._guard"}


def test_private_modules_are_imported_by_their_own_folder_only() -> None:
    crossing = []
    for path in SOURCE.rglob("*.py"):
        own = ".".join(("withhold", *path.relative_to(SOURCE).parts[:-1]))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) and node.module else ""
            owner, _, private = module.partition("._")
            if (
                private
                and owner != "withhold"
                and owner.startswith("withhold")
                and not f"{own}.".startswith(f"{owner}.")
            ):
                crossing.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert crossing == []


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


def test_what_takes_longest_is_still_there() -> None:
    from tests.conftest import LONGEST

    assert [place for place in LONGEST if not (Path(__file__).parents[1] / place).exists()] == []
    assert len(set(LONGEST)) == len(LONGEST)
