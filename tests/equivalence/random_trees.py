"""Random taxonomies for the equivalence tests."""

from hypothesis import strategies as st
from slow_tds import Tree


@st.composite
def trees(draw: st.DrawFn, name: str, depth: int = 3) -> Tree:
    """A tree of any shape: unequal paths, single children, leaves that may not occur."""
    counter = iter(range(1000))

    def grow(level: int) -> Tree:
        label = f"{name}{next(counter)}"
        n_children = draw(st.integers(0 if level < depth else 1, 3)) if level else 0
        return Tree(label, tuple(grow(level - 1) for _ in range(n_children)))

    return grow(depth)


def leaves(tree: Tree) -> list[str]:
    return [leaf for child in tree.children for leaf in leaves(child)] if tree.children else [tree.label]


def paths(tree: Tree, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    path = (tree.label, *above)
    return [p for child in tree.children for p in paths(child, path)] if tree.children else [path]
