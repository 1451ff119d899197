"""From leaf-to-root paths to a tree, with every way in which they can fail to be one."""

from collections.abc import Iterable, Sequence

from withhold.errors import TaxonomyError
from withhold.table._taxonomy import ROOT

__all__ = ["grow"]


def grow(paths: Iterable[Sequence[str]], *, source: str, lines: bool) -> tuple[list[int], list[str | None]]:
    """Return the parents and labels, in preorder, of the tree that the paths describe."""
    grower = _Grower(source, lines)
    for number, path in enumerate(paths, start=1):
        grower.add(path, number)
    return grower.preorder()


class _Grower:
    def __init__(self, source: str, lines: bool) -> None:
        self._source = source
        self._lines = lines
        self._above: dict[str, str | None] = {}
        self._line_of: dict[str, int] = {}
        self._leaf_line: dict[str, int] = {}
        self._below: dict[str, dict[str, None]] = {}

    def add(self, path: Sequence[str], line: int) -> None:
        names = [name for i, name in enumerate(path) if i == 0 or name != path[i - 1]]
        if len(set(names)) < len(names):
            repeated = next(name for i, name in enumerate(names) if name in names[:i])
            raise self._error(line, f'"{repeated}" stands above itself (a cycle).')
        if names[0] in self._leaf_line:
            other = self._leaf_line[names[0]]
            if self._path(names[0]) == names:
                return
            raise self._error(line, f'"{names[0]}" has another path in {self._where(other)}.')
        self._leaf_line[names[0]] = line
        for name, parent in zip(names, [*names[1:], None], strict=True):
            self._link(name, parent, line)

    def _link(self, name: str, parent: str | None, line: int) -> None:
        if name not in self._above:
            self._above[name] = parent
            self._line_of[name] = line
        elif self._above[name] != parent:
            self._refuse(name, parent, line)
        if parent is not None:
            self._below.setdefault(parent, {})[name] = None

    def _refuse(self, name: str, parent: str | None, line: int) -> None:
        if parent is not None and name in self._path(parent):
            raise self._error(line, f'"{name}" stands above itself (a cycle).')
        first, second = (f'"{above}"' if above else "nothing" for above in (self._above[name], parent))
        raise self._error(
            line,
            f'"{name}" has two parents: {first} in {self._where(self._line_of[name])}, here {second}. '
            "Hint: give each node a name of its own.",
        )

    def _path(self, name: str | None) -> list[str]:
        path: list[str] = []
        while name is not None and name not in path:
            path.append(name)
            name = self._above.get(name)
        return path

    def preorder(self) -> tuple[list[int], list[str | None]]:
        for name, line in self._leaf_line.items():
            if name in self._below and len(self._above) > 1:
                raise self._error(line, f'"{name}" is a value of its own and also a group of other values.')
        tops = [name for name, parent in self._above.items() if parent is None]
        if not tops:
            raise TaxonomyError(f"{self._source}: there is no value in it. Hint: one line a value, leaf to root.")
        root_needed = len(tops) > 1 or tops[0] in self._leaf_line
        parents: list[int] = [-1] if root_needed else []
        labels: list[str | None] = [ROOT] if root_needed else []
        if root_needed and ROOT in self._above:
            raise TaxonomyError(f'{self._source}: some paths end in "{ROOT}" and some do not.')
        stack = [(name, 0 if root_needed else -1) for name in reversed(tops)]
        while stack:
            name, parent = stack.pop()
            parents.append(parent)
            labels.append(name)
            number = len(labels) - 1
            stack.extend((child, number) for child in reversed(self._below.get(name, {})))
        return parents, labels

    def _where(self, line: int) -> str:
        return f"line {line}" if self._lines else "an earlier branch"

    def _error(self, line: int, what: str) -> TaxonomyError:
        return TaxonomyError(f"{self._source}, line {line}: {what}" if self._lines else f"{self._source}: {what}")
