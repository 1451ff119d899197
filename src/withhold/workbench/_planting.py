"""The taxonomies of a bench: made, edited, saved, used by the policy."""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

from withhold.errors import InputError
from withhold.workbench._deciding import Deciding
from withhold.workbench._project import safe_name
from withhold.workbench._tree_editor import TreeEditor
from withhold.workbench._tree_makers import from_file, make_tree

__all__ = ["Planting"]


class Planting(Deciding):
    """A bench on which trees are made over the values of columns."""

    def tree(self, column: str) -> TreeEditor:
        """Return the tree of a column: as edited, or from the file the policy names, or flat."""
        with self.lock:
            if column not in self.trees:
                named = self.keys.get("columns", {}).get(column, {}).get("taxonomy")
                values = self.values(column)
                made = TreeEditor.over(column, values)
                if isinstance(named, str) and (self.work / named).exists():
                    made = from_file(column, values, self.work / named)
                self.trees[column] = made
            return self.trees[column]

    def make_tree(self, column: str, how: str, *, lengths: Sequence[int] = (), groups: int = 8) -> TreeEditor:
        """Return a new tree for a column, which is not in use yet; see `MAKERS`."""
        settings = {"lengths": lengths, "groups": groups, "missing": self.keys.get("missing", ())}
        return make_tree(self._table(), column, self.values(column), how, **settings)

    def save_tree(self, column: str) -> Path:
        """Write the tree of a column and let the policy use it."""
        with self.lock:
            tree = self.tree(column)
            if not tree.coverage().ok:
                raise InputError(f"{column}: the tree does not cover every value yet.")
            path = self.work / f"{safe_name(column)}.csv"
            others = [s.get("taxonomy") for n, s in self.keys.get("columns", {}).items() if n != column]
            if path.name in others:
                path = path.with_stem(f"{path.stem}_{self._table().names.index(column)}")
            tree.save(path)
            keys = deepcopy(dict(self.keys))
            keys.setdefault("columns", {})[column] = {"taxonomy": path.name}
            self.set_keys(keys)
        self.touch("trees")
        return path

    def drop_tree(self, column: str) -> None:
        """Let the policy use no taxonomy for a column."""
        with self.lock:
            keys = deepcopy(dict(self.keys))
            keys.get("columns", {}).get(column, {}).pop("taxonomy", None)
            self.trees.pop(column, None)
            self.set_keys(keys)
        self.touch("trees")

    @property
    def taxonomies(self) -> dict[str, Path]:
        """The files that the policy names, by their names in it."""
        named = [s.get("taxonomy") for s in self.keys.get("columns", {}).values() if isinstance(s, dict)]
        policy = self.read.policy
        named += [name for each in policy.require for name in each.files] if policy else []
        return {name: self.work / name for name in named if isinstance(name, str) and (self.work / name).is_file()}
