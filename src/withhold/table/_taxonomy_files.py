"""Taxonomy files: the hierarchy CSV that ARX uses, nested TOML, nested JSON; read and written."""

import csv
import io
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from withhold.errors import TaxonomyError
from withhold.table._taxonomy import Taxonomy

__all__ = ["paths_of_nested", "read_taxonomy", "write_taxonomy"]


def read_taxonomy(path: Path) -> Taxonomy:
    """Read a taxonomy by the suffix of its file."""
    source = path.name
    text = _text(path)
    if not text.strip():
        raise TaxonomyError(f"{source}: the file is empty. Hint: one line a value, leaf to root, such as 9th;School;*.")
    if path.suffix == ".json":
        return Taxonomy.from_nested(_json(text, source), source=source)
    if path.suffix == ".toml":
        return Taxonomy.from_nested(_toml(text, source), source=source)
    return Taxonomy.from_paths(_csv_paths(text, source), source=source)


def write_taxonomy(taxonomy: Taxonomy, path: Path) -> None:
    """Write a taxonomy by the suffix of its file; the missing leaf is not written."""
    if path.suffix == ".json":
        text = json.dumps(_without_missing(taxonomy.to_nested()), ensure_ascii=False, indent=1) + "\n"
    elif path.suffix == ".toml":
        text = "\n".join(_toml_lines(_without_missing(taxonomy.to_nested()), ())) + "\n"
    else:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=";", lineterminator="\n")
        writer.writerows(path for path in taxonomy.paths() if path[0] is not None)
        text = out.getvalue()
    path.write_text(text, encoding="utf-8")


def paths_of_nested(tree: Mapping[str, Any], *, source: str) -> Iterator[list[str]]:
    """Yield the leaf-to-root paths of nested dictionaries or lists."""
    if not isinstance(tree, Mapping) or not tree:
        raise TaxonomyError(f"{source}: a nested taxonomy is a table of tables with at least one name; it is empty.")
    stack: list[tuple[str, Any, tuple[str, ...]]] = [(str(key), tree[key], ()) for key in reversed(list(tree))]
    while stack:
        name, below, above = stack.pop()
        path = (name, *above)
        if isinstance(below, Mapping) and below:
            stack.extend((str(key), below[key], path) for key in reversed(list(below)))
        elif isinstance(below, list | tuple):
            stack.extend((str(leaf), {}, path) for leaf in reversed(below))
        elif not below:
            yield list(path)
        else:
            raise TaxonomyError(f'{source}: below "{name}" stands a single value; write {{}} for a leaf or a list.')


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise TaxonomyError(f"{path}: there is no such taxonomy file.") from None
    except IsADirectoryError:
        raise TaxonomyError(f"{path.name}: is a folder, not a taxonomy file.") from None
    except OSError as error:
        raise TaxonomyError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TaxonomyError(f"{path.name}, line {line}: is not UTF-8. Hint: save the file as UTF-8.") from None


def _csv_paths(text: str, source: str) -> Iterator[list[str]]:
    first = text.split("\n", 1)[0]
    delimiter = ";" if ";" in first else ","
    for number, row in enumerate(csv.reader(io.StringIO(text.rstrip()), delimiter=delimiter), start=1):
        cells = list(row)
        while cells and not cells[-1].strip():
            cells.pop()
        if not cells:
            raise TaxonomyError(f"{source}, line {number}: is empty. Hint: one line a value, leaf to root.")
        if not all(cell.strip() for cell in cells):
            level = [bool(cell.strip()) for cell in cells].index(False) + 1
            raise TaxonomyError(f"{source}, line {number}: level {level} has no name.")
        yield cells


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise TaxonomyError(f"{source}, line {error.lineno}: is not JSON ({error.msg}).") from None
    except (RecursionError, ValueError):
        raise TaxonomyError(f"{source}: is nested too deeply, or holds a number that is too long.") from None


def _toml(text: str, source: str) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TaxonomyError(f"{source}: is not TOML: {error}.") from None
    except (RecursionError, ValueError):
        raise TaxonomyError(f"{source}: is nested too deeply, or holds a number that is too long.") from None


def _without_missing(tree: Mapping[str | None, Any]) -> dict[str, Any]:
    return {name: _without_missing(below) for name, below in tree.items() if name is not None}


def _toml_lines(tree: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
    for name, below in tree.items():
        path = (*above, name)
        yield f"[{'.'.join(json.dumps(part, ensure_ascii=False) for part in path)}]"
        yield from _toml_lines(below, path)
