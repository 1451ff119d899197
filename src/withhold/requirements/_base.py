"""What every kind of promise can be asked, so that no other module asks which kind it is."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from withhold.errors import Mistake

if TYPE_CHECKING:
    from withhold.policy import Policy
    from withhold.requirements._kind import Kind
    from withhold.table import Table

__all__ = ["Requirement"]


class Requirement:
    """One promise about the published table.

    A kind is a frozen dataclass with the keys of a policy file as fields. What depends on the kind is asked of it
    here; how it is kept (`guard`), proven (`check`) and said (`words`) lies in the folder of the kind and is imported
    when it is needed.
    """

    __slots__ = ()

    kind: str
    """The kind, as a policy file names it."""
    reads_any: ClassVar[bool] = False
    """Whether it can count groups in which a missing cell is read as any value."""
    shows: ClassVar[str] = ""
    """What a look at a table can show of it before anything is released: ``inferences`` or ``exposure``."""
    needs_rows: ClassVar[bool] = False
    """Whether it is about cells that are found by their rows."""

    @property
    def refines(self) -> bool:
        """Whether its columns start withheld and are given back by a search from the top: it counts groups."""
        return False

    if TYPE_CHECKING:  # a field of some kinds, a property of others

        @property
        def columns(self) -> tuple[str, ...]:
            """The columns it names itself and that an outsider may know."""

    @property
    def averages(self) -> bool:
        """Whether its groups may also be made by publishing means of numbers: it asks for numbers of rows alone."""
        return False

    @property
    def masked(self) -> tuple[str, ...]:
        """The columns that are withheld first and given back by a search; none where it does not count groups."""
        return ()

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns of which no other requirement may withhold a cell."""
        return ()

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield every column that it names, with the key that names it."""
        raise NotImplementedError(type(self).__name__)

    def touched(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of which it may withhold or coarsen cells, one by one or as a whole."""
        return self.masked

    def read(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return the published columns that its proof reads: each value of them has one published text."""
        return tuple(name for name in published if name in {name for _, name in self.named()})

    def linked_by(self, published: Sequence[str], policy: "Policy", number: int) -> tuple[str, ...]:
        """Return the columns by which an outsider may look for a person."""
        return tuple(name for name in self.columns if name in published)

    def guarded(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return the columns by which it keeps people from being recognised."""
        return self.masked

    def sensitive_columns(self, policy: "Policy", number: int) -> tuple[str, ...]:
        """Return the columns that an outsider wants to infer."""
        return ()

    @property
    def least_values(self) -> int | None:
        """How many sensitive values a person may hold at least, by the person's group; None where none are promised."""
        return None

    def sensitive_values(self) -> Iterator[tuple[str, str, str]]:
        """Yield the sensitive values that it names: the key, the column, the value."""
        return iter(())

    @property
    def files(self) -> tuple[str, ...]:
        """The files it was read from, relative to the policy file."""
        return ()

    @property
    def is_informed(self) -> bool:
        """Whether outsiders may know the policy, so that nothing published may depend on what it hides."""
        return False

    @property
    def whole_units(self) -> int | None:
        """How many units must look alike as a whole, such as households; None where it asks nothing of units."""
        return None

    @property
    def why_rows(self) -> str:
        """What it cannot do with distinct rows and their counts, so that whole rows are needed; empty if nothing."""
        if not self.refines:
            return f" ({self.kind}) withholds single cells"
        return ".informed groups rows without a look at what they hold" if self.is_informed else ""

    def least_rows(self, column: str) -> int:
        """Return how many rows must hold a value of a column for the value to be named beside the release."""
        return 1

    def mistakes(self, table: "Table", policy: "Policy", number: int) -> Iterator[Mistake]:
        """Yield what is wrong with it for this table, before any long work."""
        return iter(())

    def feasible(self, table: "Table", number: int) -> None:
        """Raise `InfeasibleError` where it is plain from the size of the table that nothing can meet it."""

    def promise(self) -> Any:
        """Return what it asks of the groups of a search; only for kinds that refine."""
        return self.home.guard.promise(self)

    @property
    def home(self) -> "Kind":
        """The entry of its kind in the registry: guard, check and words."""
        from withhold.requirements._registry import KINDS

        return KINDS[self.kind]

    @property
    def says(self) -> str:
        """What it promises, in a few words: ``10 people share age, sex``."""
        return self.home.words.says(self)
