"""What docs/stability.md promises: public names, keys of policies and reports, exit codes, exported types."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import withhold as wh
from withhold.cli._main import BROKEN_PIPE, COMMANDS, INTERRUPTED, UNEXPECTED
from withhold.errors import InfeasibleError, InputError, MissingExtraError, UnmetError
from withhold.report import report_schema

ROOT = Path(__file__).parents[1]
PROMISED = (ROOT / "tests" / "data" / "public_names.txt").read_text(encoding="utf-8").split("\n")
PARAMETERS = [
    line.split()
    for line in (ROOT / "tests" / "data" / "public_parameters.txt").read_text(encoding="utf-8").split("\n")[1:-1]
]
SCHEMAS = {"policy": wh.policy_schema, "record": wh.record_schema, "audit": report_schema}


def promised(prefix: str) -> list[str]:
    return [line.removeprefix(f"{prefix} ") for line in PROMISED if line.startswith(f"{prefix} ")]


def test_every_public_name_of_the_last_release_still_exists() -> None:
    assert len(promised("name")) > 60
    for name in promised("name"):
        module, _, public = name.rpartition(".")
        assert hasattr(importlib.import_module(module), public), name


def test_every_parameter_of_the_last_release_still_exists_and_new_ones_have_defaults() -> None:
    assert len(PARAMETERS) > 100
    for name, *parameters in PARAMETERS:
        module, _, public = name.rpartition(".")
        now = inspect.signature(getattr(importlib.import_module(module), public)).parameters
        assert set(parameters) <= set(now), name
        empty = inspect.Parameter.empty
        added = [each for each in now.values() if each.name not in parameters and each.default is empty]
        assert [each.name for each in added if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)] == [], name


def test_every_command_of_the_last_release_still_exists() -> None:
    assert set(promised("command")) <= set(COMMANDS)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_key_of_the_last_release_still_exists(schema: str) -> None:
    assert promised(schema)
    assert set(promised(schema)) <= keys(schema)


def keys(schema: str) -> set[str]:
    """Return the keys of a schema, those of its objects behind their names."""
    whole = SCHEMAS[schema]()
    inside = {f"{name}.{key}" for name, part in whole.get("$defs", {}).items() for key in part.get("properties", {})}
    return set(whole["properties"]) | inside


def test_exit_codes_are_those_of_the_page() -> None:
    codes = {InputError.exit_code, InfeasibleError.exit_code, UnmetError.exit_code, MissingExtraError.exit_code}
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", page, flags=re.M)}
    assert codes | {0, INTERRUPTED, UNEXPECTED, BROKEN_PIPE} == listed


def test_a_client_passes_mypy_strict_with_the_exported_types() -> None:
    pytest.importorskip("mypy")
    client = ROOT / "tests" / "typed_client" / "client.py"
    # With the settings of the project, so that what `make check` has read is not read again.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", str(client)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert (Path(wh.__file__).parent / "py.typed").exists()
