"""A taxonomy that is edited by hand: groups made, renamed, moved and dissolved, each change undone again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from withhold.errors import TaxonomyError
from withhold.table import Taxonomy

__all__ = ["Coverage", "TreeEditor"]

ROOT = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How well a tree fits the values of its column."""

    uncovered: tuple[str, ...]
    """Values of the column that are no leaf of the tree."""
    unused: tuple[str, ...]
    """Leaves that no row holds."""
    empty: tuple[str, ...]
    """Groups that hold nothing."""

    @property
    def ok(self) -> bool:
        """Whether the tree can be used."""
        return not self.uncovered and not self.empty


@dataclass(slots=True, kw_only=True)
class TreeEditor:
    """The tree of one column, as a name and its children, from the root down.

    Examples
    --------
    >>> tree = TreeEditor.over("city", ["Bonn", "Lyon", "Nice"])
    >>> tree.group("France", ["Lyon", "Nice"])
    >>> tree.paths()[1]
    ('Lyon', 'France', '*')
    >>> tree.undo()
    True
    >>> tree.paths()[1]
    ('Lyon', '*')
    """

    column: str
    """The column."""
    values: tuple[str, ...]
    """What the column holds."""
    parent: dict[str, str | None]
    """For each name the one above it; None for the root. Children of a name stand in order."""
    leaves: frozenset[str]
    """The names that are values."""
    is_changed: bool = False
    """Whether it was changed since it was saved."""
    _before: list[tuple[dict[str, str | None], frozenset[str]]] = field(default_factory=list)
    _after: list[tuple[dict[str, str | None], frozenset[str]]] = field(default_factory=list)

    @classmethod
    def over(cls, column: str, values: Iterable[str]) -> "TreeEditor":
        """Return a tree in which every value stands directly below the root."""
        listed = tuple(values)
        return cls.of(column, listed, [(value, ROOT) for value in listed])

    @classmethod
    def of(cls, column: str, values: Iterable[str], paths: Iterable[Sequence[str]]) -> "TreeEditor":
        """Return a tree from paths, each from a value to the root."""
        tree = Taxonomy.from_paths(paths, source=column, lines=False)
        return cls.from_taxonomy(column, values, tree)

    @classmethod
    def from_taxonomy(cls, column: str, values: Iterable[str], tree: Taxonomy) -> "TreeEditor":
        """Return a tree to edit from one that was read."""
        labels = [str(label) for label in tree.labels]
        above = tree.parent.tolist()
        parent = {label: None if up < 0 else labels[up] for label, up in zip(labels, above, strict=True)}
        return cls(
            column=column, values=tuple(values), parent=parent, leaves=frozenset(str(each) for each in tree.leaves)
        )

    @property
    def root(self) -> str:
        """The name of the root."""
        return next(name for name, above in self.parent.items() if above is None)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone change to make again."""
        return bool(self._after)

    def children(self, name: str) -> list[str]:
        """Return what stands directly below a name."""
        return [child for child, above in self.parent.items() if above == name]

    def below(self) -> dict[str, list[str]]:
        """Return the children of every name at once."""
        found: dict[str, list[str]] = {name: [] for name in self.parent}
        for child, above in self.parent.items():
            if above is not None:
                found[above].append(child)
        return found

    def group(self, name: str, members: Sequence[str], *, under: str | None = None) -> None:
        """Make a group of some names below one of them, or below the root."""
        name = self._free(name)
        above = under or self.root
        self._known(above, *members)
        self._keep()
        self.parent[name] = above
        for member in members:
            self._put(member, name)

    def move(self, name: str, to: str) -> None:
        """Put a name, and all below it, under another one.

        A value has nothing below it: dropped onto one, a name joins the group of that value.
        """
        self._known(name, to)
        target = to if to not in self.leaves else str(self.parent[to])
        if name == self.root or target == self.parent[name] or name == target:
            return
        if name in self._line(target):
            raise TaxonomyError(f'{self.column}: "{name}" cannot stand below itself.')
        self._keep()
        self._put(name, target)

    def rename(self, name: str, new: str) -> None:
        """Give a group another name; a value keeps its own."""
        self._known(name)
        if name in self.leaves:
            raise TaxonomyError(f"{self.column}: a value keeps its name. Hint: rename the group above it.")
        if new == name:
            return
        new = self._free(new)
        self._keep()
        self.parent = {
            new if own == name else own: new if above == name else above for own, above in self.parent.items()
        }

    def dissolve(self, name: str) -> None:
        """Remove a group; what stood in it goes to the one above."""
        self._known(name)
        above = self.parent[name]
        if name in self.leaves or above is None:
            raise TaxonomyError(f"{self.column}: only a group can be dissolved, and not the root.")
        self._keep()
        self.parent = {own: above if up == name else up for own, up in self.parent.items() if own != name}

    def replace(self, other: "TreeEditor") -> None:
        """Take another tree in the place of this one; it can be undone."""
        self._keep()
        self.parent, self.leaves = dict(other.parent), other.leaves

    def undo(self) -> bool:
        """Take the last change back; return whether there was one."""
        return self._swap(self._before, self._after)

    def redo(self) -> bool:
        """Make an undone change again; return whether there was one."""
        return self._swap(self._after, self._before)

    def cover(self) -> None:
        """Put every value that is not in the tree directly below the root."""
        missing = self.coverage().uncovered
        if missing:
            self._keep()
            self.parent.update(dict.fromkeys(missing, self.root))
            self.leaves |= frozenset(missing)

    def coverage(self) -> Coverage:
        """Return which values are not covered, and what of the tree no row needs."""
        held = set(self.values)
        below = self.below()
        return Coverage(
            uncovered=tuple(value for value in self.values if value not in self.leaves),
            unused=tuple(leaf for leaf in self.parent if leaf in self.leaves and leaf not in held),
            empty=tuple(name for name, inside in below.items() if not inside and name not in self.leaves),
        )

    def paths(self) -> list[tuple[str, ...]]:
        """Return for each value its names, from itself to the root."""
        return [tuple(self._line(name)) for name in self.parent if name in self.leaves]

    def taxonomy(self) -> Taxonomy:
        """Return the tree as the package uses it."""
        return Taxonomy.from_paths(self.paths(), source=self.column, lines=False)

    def save(self, path: Path) -> None:
        """Write the tree as the hierarchy CSV that ARX reads: all values on as many levels."""
        tree = self.taxonomy()
        tree.write(path)
        self.is_changed = False

    def _line(self, name: str) -> list[str]:
        found = [name]
        while (above := self.parent[found[-1]]) is not None:
            found.append(above)
        return found

    def _put(self, name: str, above: str) -> None:
        del self.parent[name]
        self.parent[name] = above

    def _known(self, *names: str) -> None:
        if any(name not in self.parent for name in names):
            raise TaxonomyError(f"{self.column}: there is no such name in the tree any more.")

    def _free(self, name: str) -> str:
        name = name.strip()
        if not name:
            raise TaxonomyError(f"{self.column}: a group needs a name.")
        if name in self.parent:
            raise TaxonomyError(f'{self.column}: there is a "{name}" already. Hint: choose another name.')
        return name

    def _keep(self) -> None:
        self._before.append((dict(self.parent), self.leaves))
        self._after.clear()
        self.is_changed = True

    def _swap(self, source: list[Any], other: list[Any]) -> bool:
        if not source:
            return False
        other.append((dict(self.parent), self.leaves))
        self.parent, self.leaves = source.pop()
        self.is_changed = True
        return True
