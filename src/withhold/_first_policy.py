"""A first policy for a table: what each column seems to be, what is done about it, and why."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold._inspect import FEW_VALUES, ColumnProfile
from withhold.errors import DataError, WithholdError
from withhold.inspecting import known_by_outsiders, says
from withhold.table import WITHHELD, Table, Taxonomy, is_number, joined_rows, mean_groups, units_of
from withhold.taxonomies import taxonomy

__all__ = ["Proposal", "Purpose", "first_policy"]

Purpose = Literal["public", "research", "internal"]
K: dict[str, int] = {"public": 10, "research": 5, "internal": 3}
WHO = {
    "public": "anybody may read the file",
    "research": "people who signed for it read the file",
    "internal": "colleagues read the file",
}
MOST_KNOWN = 8
"""So many columns at most an outsider is taken to know at once: more leave little of any of them."""
ORDER = ("age", "sex", "home", "family", "origin", "work", "schooling", "death", "date")
MOST_JOINED = 0.05
"""The largest share of rows with others in their unit that a kept column may join to them."""
MOST_LOST = 1 / 3
"""Where a larger share of the columns would join units, units are protected as a whole instead."""
WIDER = (1, 4, 16, 64)
"""How many times k rows share a mean, where fewer would put units together again."""
GROUPS = 4
"""Groups that are made without a look at a sensitive column hold this many times k rows, so that few are refused."""
MANY_VALUES = 100
LONGEST_FILE = 100
FEW_NUMBERS = 10
"""So few whole numbers are codes rather than numbers."""
REASONS = {
    "age": "anybody who knows a person knows about how old they are",
    "date": "the day of an event is known to those who were there",
    "death": "a death is known to neighbours",
    "family": "neighbours know a person's family",
    "home": "neighbours know where a person lives",
    "origin": "it is seen, or known to neighbours",
    "schooling": "colleagues and networks know it",
    "sex": "it is seen",
    "work": "colleagues and networks know it",
}
DROPPED = {
    "e-mail": "e-mail addresses",
    "id": "numbers or names of people",
    "name": "names",
    "phone": "phone numbers",
    "text": "free text, which nobody can check for names",
    "unit": "names of households or other units: rows that belong together",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A first policy, and the taxonomies that it needs beside it."""

    text: str
    """The policy, in TOML, with reasons as comments."""
    taxonomies: dict[str, Taxonomy] = field(default_factory=dict)
    """The taxonomies by the names of their files."""


def first_policy(
    table: Table,
    columns: Sequence[ColumnProfile],
    *,
    purpose: Purpose = "public",
    weight: str | None = None,
    sample: float | None = None,
) -> Proposal:
    """Return a policy that leaves a useful table when released as it is, and that a person should edit.

    Parameters
    ----------
    table
        The table.
    columns
        What its columns look like, from `inspect_table`.
    purpose
        Who will read the release: k is 10 for the public, 5 for research under contract, 3 for colleagues.
    weight, sample
        Where the table is a sample: the column of its weights, or its share of the population.

    Notes
    -----
    Identifiers are dropped. What neighbours, colleagues and registers know of a person, by the names of columns, goes
    into one anonymity requirement of at most eight columns. Amounts are published as means of k rows. Other columns
    with values that fewer than k rows hold get a requirement of their own. The rest is published as it is.

    Examples
    --------
    >>> from withhold import samples
    >>> from withhold._inspect import inspect_table
    >>> clinic = Table.from_columns(samples.clinic(300))
    >>> print(first_policy(clinic, inspect_table(clinic)).text.splitlines()[0])
    # A first policy: edit it. k = 10, because anybody may read the file.
    """
    return _Draft(table, columns, purpose, weight, sample).proposal()


class _Draft:
    def __init__(
        self,
        table: Table,
        columns: Sequence[ColumnProfile],
        purpose: Purpose,
        weight: str | None,
        sample: float | None,
    ) -> None:
        if all(column.looks == "identifier" for column in columns):
            what = "every column looks like an identifier, so that a release of it would be empty."
            raise DataError(f"{what} Hint: write a policy that says which one may be published.")
        self._table = table
        columns = [self._starred(column) for column in columns]
        self._columns = columns
        self._purpose = purpose
        self._k = max(2, min(K[purpose], table.n_rows))
        self._taxonomies: dict[str, Taxonomy] = {}
        self._sample = sample
        self._unit = next((column.name for column in columns if column.kind == "unit"), None)
        rest = [column for column in columns if column.looks not in ("identifier", "constant")]
        self._amounts = [column for column in rest if column.kind == "amount"]
        self._weights = [column for column in rest if column.kind == "weight" or column.name == weight]
        self._amounts = [column for column in self._amounts if column.name != weight]
        self._weight = weight or next((column.name for column in self._weights if sample is None), None)
        plain = [column for column in rest if column not in self._amounts and column not in self._weights]
        self._known = self._choose_known(plain)
        others = [column for column in plain if column not in self._known]
        self._target = self._choose_target(others)
        self._rare = [column for column in others if self._has_rare_values(column) and self._may_join(column)]
        if not self._known and not self._rare:
            self._fall_back(others)
        kept = [column for column in [*others, *self._weights] if column not in self._rare]
        self._joining = [column for column in kept if self._joins_unit(column)]
        self._publish_k = {column.name: self._k for column in self._amounts}
        self._whole_units = False
        if self._unit is not None:
            self._keep_units_apart(units_of(self._table, self._unit), n_columns=len(rest))

    def proposal(self) -> Proposal:
        lines = [f"# A first policy: edit it. k = {self._k}, because {WHO[self._purpose]}."]
        lines += [*self._top(), *self._dropped()]
        for column in self._columns:
            lines += self._settings(column)
        lines += self._requirements()
        return Proposal(text="\n".join(lines) + "\n", taxonomies=self._taxonomies)

    # Roles.

    def _starred(self, column: ColumnProfile) -> ColumnProfile:
        """Return a column; a star, which is how a withheld value is written, stands for a missing answer in it."""
        has_star = WITHHELD in self._table.store.values(column.name) and WITHHELD not in column.missing_codes
        return replace(column, missing_codes=(*column.missing_codes, WITHHELD)) if has_star else column

    def _choose_known(self, plain: Sequence[ColumnProfile]) -> list[ColumnProfile]:
        found = {column.name: _known_as(column) for column in plain}
        chosen = [column for column in plain if found[column.name]]
        if len(chosen) < 2:
            chosen = [column for column in plain if column.looks != "constant"][:5]
        chosen.sort(key=lambda column: ORDER.index(found[column.name] or "date"))
        kept = {column.name for column in chosen[:MOST_KNOWN]}
        return [column for column in plain if column.name in kept]

    def _choose_target(self, others: Sequence[ColumnProfile]) -> ColumnProfile | None:
        last = self._columns[-1] if self._columns else None
        return last if last in others and last is not None and 2 <= last.n_distinct <= FEW_VALUES else None

    def _has_rare_values(self, column: ColumnProfile) -> bool:
        cells = self._table.store.cells(column.name).astype(np.int64)
        if self._unit is not None:
            cells = np.unique(np.column_stack([cells, units_of(self._table, self._unit)]), axis=0)[:, 0]
        counts = np.bincount(cells)
        return bool(((counts > 0) & (counts < self._k)).any())

    def _joins_unit(self, column: ColumnProfile) -> bool:
        """Return whether a column that is published as it is would put the rows of units together again."""
        if self._unit is None:
            return False
        units = units_of(self._table, self._unit)
        is_several = np.bincount(units)[units] > 1
        cells = self._table.store.cells(column.name)
        n_several = int(np.count_nonzero(is_several))
        if np.count_nonzero(joined_rows(units, cells) & is_several) > MOST_JOINED * n_several:
            return True
        # With another column it joins them where it is the same in all rows of a unit, and has many values.
        low, high = np.full(units.max() + 1, cells.max(initial=0)), np.zeros(units.max() + 1, dtype=cells.dtype)
        np.minimum.at(low, units, cells)
        np.maximum.at(high, units, cells)
        n_same = np.count_nonzero((low == high)[units] & is_several)
        return bool(column.n_distinct > FEW_VALUES and n_same > 0.5 * n_several)

    def _keep_units_apart(self, units: NDArray[np.int64], *, n_columns: int) -> None:
        """Coarsen or drop what joins units; where little would be left, let units be alike as a whole instead."""
        amounts = list(self._amounts)
        self._widen_amounts(units)
        if self._known and len(self._joining) > MOST_LOST * n_columns:
            self._whole_units = True
            self._joining, self._amounts = [], amounts
            self._publish_k = {column.name: self._k for column in amounts}

    def _widen_amounts(self, units: NDArray[np.int64]) -> None:
        """Let means be of more rows where amounts would put units together again; drop what still does."""
        is_several = np.bincount(units)[units] > 1
        most = MOST_JOINED * np.count_nonzero(is_several)
        apart = {column.name for column in [*self._amounts, *self._joining]}
        shown = [
            self._table.store.cells(column.name).astype(np.int64)
            for column in self._columns
            if column.looks != "identifier" and column.name not in apart
        ]
        for column in self._amounts:
            for times in WIDER:
                means = self._means_of(column, self._k * times, units)
                pairs = (means, *(means * (int(other.max(initial=0)) + 1) + other for other in shown))
                places = (np.unique(pair, return_inverse=True)[1].reshape(-1) for pair in pairs)
                if np.unique(means[means > 0]).size < 2:
                    continue  # one mean for all says nothing
                if all(np.count_nonzero(joined_rows(units, each) & is_several) <= most for each in places):
                    self._publish_k[column.name] = self._k * times
                    shown.append(means)
                    break
            else:
                self._joining.append(column)
        self._amounts = [column for column in self._amounts if column not in self._joining]

    def _means_of(self, column: ColumnProfile, k: int, units: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the place of the mean of k units that it would publish, from 1 on; 0 for none."""
        store = self._table.store
        numbers = store.numbers(column.name, missing=self._table.missing | frozenset(column.missing_codes))
        numbers = numbers[store.cells(column.name)]
        is_known = np.isfinite(numbers)
        values, places, counts = np.unique(numbers[is_known], return_inverse=True, return_counts=True)
        found = np.zeros(numbers.size, dtype=np.int64)
        if np.unique(units[is_known]).size >= k:
            holders = np.unique(np.column_stack([places.reshape(-1), units[is_known]]), axis=0)
            edges = values[mean_groups(values, counts.astype(np.int64), k, holders=holders)]
            found[is_known] = np.searchsorted(edges, numbers[is_known], side="right") + 1
        return found

    def _may_join(self, column: ColumnProfile) -> bool:
        """Return whether rare values can be put together without withholding the column."""
        if column.looks != "category" and not (column.looks == "number" and self._are_codes(column)):
            return True
        tree = taxonomy(self._table, column.name, by="frequency", least=self._k)
        return int(tree.depth.max(initial=0)) > 1

    def _fall_back(self, others: Sequence[ColumnProfile]) -> None:
        """Let one column be counted at least: a policy needs a requirement."""
        chosen = [*others, *self._amounts, *self._weights, *self._columns][:1]
        self._rare = chosen
        self._amounts = [column for column in self._amounts if column not in chosen]

    # Lines.

    def _top(self) -> list[str]:
        lines = ["", "# What analysts will want to predict; information is kept for it."]
        guess = "  # a guess: the last column"
        lines.append('# target = "…"' if self._target is None else f"target = {_toml(self._target.name)}{guess}")
        lines += ["", '# Each row is published as finely as its own group allows; "global": a value alike in all rows.']
        lines += ['recoding = "local"', ""]
        if self._unit is not None:
            lines += [
                "# Rows with the same value here belong together: k counts them once.",
                f"unit = {_toml(self._unit)}",
                "",
            ]
        if self._weight is not None:
            lines += ["# The table is a sample: how many people of the population each row stands for."]
            lines += [f"weight = {_toml(self._weight)}", ""]
        elif self._sample is not None:
            lines += ["# The table is a sample: its share of the population.", f"sample = {self._sample!r}", ""]
        return lines

    def _missing(self, column: ColumnProfile) -> list[str]:
        """Return the setting that names codes for a missing answer, and why."""
        if not column.missing_codes:
            return []
        why = _why_missing(column)
        return [f"missing_codes = [{', '.join(_toml(code) for code in column.missing_codes)}]  # {why}"]

    def _dropped(self) -> list[str]:
        drop = [column for column in self._columns if column.looks == "identifier"]
        lines = ["# Identifiers: never published."]
        lines += [f"#   {_said(column.name)}: {DROPPED.get(column.kind, column.note)}" for column in drop]
        lines += [
            f"#   {_said(column.name)}: it would join the rows of a {_said(self._unit)} again"
            for column in self._joining
        ]
        drop += self._joining
        lines += [f"drop = [{', '.join(_toml(column.name) for column in drop)}]", ""]
        for column in [each for each in self._weights if each not in self._joining]:
            lines += [f"# {_said(column.name)} looks like a sampling weight; it is published as it is.", ""]
        return lines

    def _settings(self, column: ColumnProfile) -> list[str]:
        if column in self._amounts:
            alone = f"{column.n_unique:,} rows are alone with theirs"
            k, who = self._publish_k[column.name], "rows" if self._unit is None else "units"
            why = f"# {_said(column.name)}: an amount, {alone}; each is published as the mean of {k:,} {who} or more."
            why += "" if k == self._k else f" With fewer, it would join the rows of a {_said(self._unit)} again."
            lines = ['type = "number"', 'publish = "mean"', f"publish_k = {k}", *self._missing(column)]
            return [why, self._header(column), *lines, ""]
        if column.looks == "identifier" or column in self._joining:
            return []
        is_counted = column in self._known or column in self._rare
        lines = [*(self._how(column) if is_counted else []), *self._missing(column)]
        why = self._why(column) if is_counted else "some answers are missing"
        return [f"# {_said(column.name)}: {why}", self._header(column), *lines, ""] if lines else []

    def _why(self, column: ColumnProfile) -> str:
        if column in self._known:
            return REASONS.get(_known_as(column) or "", "outsiders may know it")
        return f"some values are held by fewer than {self._k} {'rows' if self._unit is None else 'units'}"

    def _how(self, column: ColumnProfile) -> list[str]:
        """Return the settings by which a column is coarsened."""
        if column.kind == "date":
            form = [] if column.date_format is None else [f"format = {_toml(column.date_format)}"]
            return ['type = "date"', *form, *self._other_dates(column)]
        if column.looks in ("number", "amount"):
            if not self._are_codes(column):
                return ['type = "number"']
            return self._with_taxonomy(column) if column in self._rare else ['type = "category"']
        if column in self._rare and column.looks == "category":
            return self._with_taxonomy(column)
        if column.looks == "code" and column.is_number and not self._are_even(column):
            return ['type = "number"  # codes that lie beside each other mostly mean something alike']
        # Without a taxonomy small sets are published, which keeps more than rare values together.
        is_flat = column.n_distinct <= (FEW_VALUES if column.looks == "code" else MANY_VALUES)
        return [] if is_flat else self._with_taxonomy(column)

    def _other_dates(self, column: ColumnProfile) -> list[str]:
        """Return, as comments, what else may be done with dates."""
        if known_by_outsiders(column.name) == "age":
            return [
                '# Or its age, as a number: type = "number", age_at = "…", a day or the name of another date column.'
            ]
        n_events = sum(each.kind == "date" and known_by_outsiders(each.name) != "age" for each in self._columns)
        return ["# shift = 180 would move all dates of a person together, and keep the days between them."] * (
            n_events > 1
        )

    def _are_codes(self, column: ColumnProfile) -> bool:
        if known_by_outsiders(column.name) == "age" or says(column.name, "count"):
            return False
        if known_by_outsiders(column.name) in ("sex", "origin") and column.n_distinct <= MANY_VALUES:
            return True
        texts = self._table.store.values(column.name)
        answers = [text for text in texts if text is not None and text not in column.missing_codes]
        numbers = [float(text) for text in answers if is_number(text)]
        return len(numbers) <= FEW_NUMBERS and all(number.is_integer() for number in numbers)

    def _are_even(self, column: ColumnProfile) -> bool:
        """Return whether all codes have one length, so that their first letters mean something."""
        return len({len(text) for text in self._table.store.values(column.name) if text is not None}) == 1

    def _with_taxonomy(self, column: ColumnProfile) -> list[str]:
        codes = column.missing_codes
        try:
            if column.code is not None or (column.looks == "code" and self._are_even(column)):
                made = taxonomy(self._table, column.name, by="prefix", code=column.code, missing=codes)
                what = "by the first letters of its codes"
            else:
                least = [self._k] if column in self._rare else _thresholds(self._k)
                made = taxonomy(self._table, column.name, by="frequency", least=least, missing=codes)
                what = "rare values together; better: a taxonomy of what they mean"
        except WithholdError:
            return []
        file = self._file_for(column)
        self._taxonomies[file] = made
        return [f"taxonomy = {_toml(file)}  # {what}"]

    def _file_for(self, column: ColumnProfile) -> str:
        """Return the name of a file that no other column has, on systems too that ignore upper and lower case."""
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", column.name)[:LONGEST_FILE]
        used = {file.casefold() for file in self._taxonomies}
        names = (name, *(f"{name}_{i}" for i in range(2, len(used) + 3)))
        return next(file for each in names if (file := f"{each}.taxonomy.csv").casefold() not in used)

    def _requirements(self) -> list[str]:
        lines: list[str] = []
        if self._known:
            lines += [
                "# What an outsider may know about a person. Take out what nobody outside can know, and add what",
                "# somebody does: what no requirement names is published as it is. Smaller ones keep more.",
                *_anonymity([column.name for column in self._known], self._k, self._as_a_whole()),
            ]
        for column in self._rare:
            why = f"# {_said(column.name)}: {self._why(column)}, so that a value alone may recognise somebody."
            lines += [why, *_anonymity([column.name], self._k)]
        return [*lines, *self._not_inferred()]

    def _as_a_whole(self) -> list[str]:
        if not self._whole_units:
            return []
        return [
            f"# Other columns put the rows of a {_said(self._unit)} together again, too many to drop them:",
            f"# so all its rows together read like those of {self._k} others.",
            f"unit_k = {self._k}",
        ]

    def _not_inferred(self) -> list[str]:
        """Return a promise about a sensitive column, to be taken in by who edits: nobody knows yet what is sensitive.

        It is proposed in the reading that holds against outsiders who know the method.
        """
        named = [*self._known, *self._rare, *self._amounts, *self._weights, *self._joining, self._target]
        free = [each for each in self._columns if each not in named and each.looks not in ("identifier", "constant")]
        few = [each for each in free if 2 <= each.n_distinct <= FEW_VALUES]
        if not self._known or not few:
            return []
        few.sort(key=lambda column: not says(column.name, "sensitive"))
        asked = [
            "[[require]]",
            'kind = "diversity"',
            f"columns = [{', '.join(_toml(column.name) for column in self._known)}]",
            f"sensitive = {_toml(few[0].name)}",
            f"l = {min(3, few[0].n_distinct)}",
            "informed = true",
            f"groups_of = {GROUPS * self._k}",
        ]
        why = [
            "# What nobody should infer of a person: take the marks away, and name the column. It then holds against",
            "# outsiders who know this policy and the method (informed = true). Without the last two lines more is",
            "# kept, and such an outsider may infer more than is promised.",
        ]
        return [*why, *(f"# {line}" for line in asked), ""]

    def _header(self, column: ColumnProfile) -> str:
        return f"[columns.{_toml(column.name)}]"


def _said(name: str | None) -> str:
    """Return a name as a comment may hold it: in one line, without letters that TOML refuses."""
    return "".join(letter if letter.isprintable() else " " for letter in name or "")


def _why_missing(column: ColumnProfile) -> str:
    if set(column.missing_codes) <= set(column.declared_codes):
        return "the file declares it" if len(column.missing_codes) == 1 else "the file declares them"
    seems = "it seems" if len(column.missing_codes) == 1 else "they seem"
    return f"{seems} to stand for a missing answer"


def _known_as(column: ColumnProfile) -> str | None:
    """Return what outsiders know that a column is about."""
    if column.kind == "date":
        return known_by_outsiders(column.name) or "date"
    return "home" if column.kind == "postcode" else known_by_outsiders(column.name)


def _anonymity(names: Sequence[str], k: int, more: Sequence[str] = ()) -> list[str]:
    listed = ", ".join(_toml(name) for name in names)
    return ["[[require]]", 'kind = "anonymity"', f"columns = [{listed}]", f"k = {k}", *more, ""]


def _thresholds(k: int) -> list[int]:
    return [k, 4 * k, 16 * k]


def _toml(text: str) -> str:
    # JSON leaves this one letter as it is, which TOML refuses.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
