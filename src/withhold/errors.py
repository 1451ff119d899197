"""Every exception that `withhold` raises on purpose.

::

    WithholdError
    ├── InputError (ValueError)          something that was handed in is wrong            exit code 2
    │   ├── DataError                    a data file or frame
    │   │   ├── ConditionError           a condition on its rows
    │   │   └── RowsNeededError          what only whole columns could answer
    │   ├── TaxonomyError                a taxonomy file or tree
    │   ├── PolicyError                  a policy; holds all its mistakes
    │   └── OutputError                  the destination cannot be written
    ├── InfeasibleError (ValueError)     no table at all can meet the policy              exit code 3
    │   └── TooMuchWithheldError         only one that withholds more than the owner allows
    ├── UnmetError (RuntimeError)        the written release failed its own check         exit code 1
    └── MissingExtraError (ImportError)  an optional dependency is not installed          exit code 2

Messages name columns, counts, lines, taxonomy nodes and requirements, never a person's cell values.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "ConditionError",
    "DataError",
    "InfeasibleError",
    "InputError",
    "MissingExtraError",
    "Mistake",
    "OutputError",
    "PolicyError",
    "RowsNeededError",
    "TaxonomyError",
    "TooMuchWithheldError",
    "UnmetError",
    "WithholdError",
    "did_you_mean",
]


class WithholdError(Exception):
    """Base of every error of this package; `exit_code` is what the command line returns for it."""

    exit_code: int = 2


class InputError(WithholdError, ValueError):
    """Something that was handed in is wrong."""


class DataError(InputError):
    """A data file or frame cannot be read as a table."""


class ConditionError(DataError):
    """A condition on rows cannot be read, or cannot be asked of this table.

    Examples
    --------
    >>> from withhold.conditions import columns_of, parse
    >>> try:
    ...     columns_of(parse("age > 30 AND diagnosis = 'flu'"), ["age", "diagnosis"], without=["diagnosis"])
    ... except ConditionError as error:
    ...     error.forbidden_columns
    ('diagnosis',)
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        position: int | None = None,
        unknown_columns: Sequence[str] = (),
        forbidden_columns: Sequence[str] = (),
    ) -> None:
        super().__init__(f"{message} Hint: {hint}" if hint else message)
        self.hint = hint
        self.position = position
        self.unknown_columns = tuple(unknown_columns)
        self.forbidden_columns = tuple(forbidden_columns)


class RowsNeededError(DataError):
    """Something can be done only row by row, and there are counts alone; the message says what."""


class TaxonomyError(InputError):
    """A taxonomy is not a tree, or does not cover the data.

    Examples
    --------
    >>> from withhold import Taxonomy
    >>> Taxonomy.from_paths([("a", "b", "a")])
    Traceback (most recent call last):
    ...
    withhold.errors.TaxonomyError: taxonomy, line 1: "a" stands above itself (a cycle).
    """


class OutputError(InputError):
    """The destination cannot be written."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake of a policy: where it stands, and what is wrong."""

    where: str
    """The key in the policy, such as ``require[0].columns``."""
    what: str
    """The sentence, with a hint where there is one."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class PolicyError(InputError):
    """A policy with mistakes; `mistakes` lists all of them.

    Examples
    --------
    >>> from withhold import Anonymity
    >>> Anonymity(columns=["age"], k=1)
    Traceback (most recent call last):
    ...
    withhold.errors.PolicyError: Anonymity: `k` must be an integer of at least 2; got 1.
    """

    def __init__(self, mistakes: Iterable[Mistake], *, source: str = "") -> None:
        self.mistakes: Sequence[Mistake] = tuple(mistakes)
        self.source = source
        prefix = f"{source}: " if source else ""
        super().__init__("\n".join(f"{prefix}{mistake}" for mistake in self.mistakes))


class InfeasibleError(WithholdError, ValueError):
    """No table at all can meet the policy: even with everything withheld a requirement fails."""

    exit_code = 3

    def __init__(self, message: str, *, requirement: int, asked: object, reached: object, term: Any = None) -> None:
        super().__init__(message)
        self.term = term
        self.requirement = requirement
        self.asked = asked
        self.reached = reached


class TooMuchWithheldError(InfeasibleError):
    """A requirement can be met only by withholding more of a column than `most_withheld` allows; see `column`."""

    def __init__(self, message: str, *, requirement: int, asked: float, reached: float, column: str) -> None:
        super().__init__(message, requirement=requirement, asked=asked, reached=reached)
        self.column = column


class UnmetError(WithholdError, RuntimeError):
    """The check of the written release found a requirement that is not met; nothing was published."""

    exit_code = 1


class MissingExtraError(WithholdError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed. Hint: pip install 'withhold[{extra}]'."
            if extra
            else f"{purpose} needs {package}, which is not installed. Hint: pip install {package}."
        )
        self.package = package
        self.extra = extra


def looks_like_a_cell(name: str) -> bool:
    """Return whether a column's name is a number, as the first person's age in a file without a header would be."""
    return re.fullmatch(r"\s*[-+]?\d+([.,]\d+)?\s*", name) is not None


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the hint that names the choice nearest to `word`, or all of a few, or nothing.

    Names that are numbers may be cells of a file without a header: they are not repeated.

    Examples
    --------
    >>> did_you_mean("edcation", ["age", "education"])
    '; did you mean "education"?'
    >>> did_you_mean("zzz", ["age", "sex"])
    '; there are: "age", "sex"'
    >>> did_you_mean("age", ["Alice", "42"])
    '; does the first line of the file hold the names of the columns?'
    """
    from difflib import get_close_matches  # late: `--help` does without

    options = [str(choice) for choice in choices]
    near = get_close_matches(word, options, n=1) or get_close_matches(
        word.casefold(), [option.casefold() for option in options], n=1
    )
    if near:
        match = next(option for option in options if option == near[0] or option.casefold() == near[0])
        return f'; did you mean "{match}"?'
    if any(looks_like_a_cell(option) for option in options):
        return "; does the first line of the file hold the names of the columns?"
    if 0 < len(options) <= 12:
        return "; there are: " + ", ".join(f'"{option}"' for option in options)
    return ""
