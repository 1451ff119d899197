"""What the texts of one published column mean: the one reading that checks and attacks share."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._approximations import Approximation
from withhold.auditing._text_forms import Form, form_of, number_of, spelling
from withhold.policy import Policy
from withhold.table import WITHHELD, Bins, Interval, Numbers, Store, Table, Taxonomy
from withhold.taxonomies import calendar_of

__all__ = ["Meaning"]

_Flags = NDArray[np.bool_]
_Ints = NDArray[np.int64]


class Meaning:
    """The distinct texts of a published column, and what each of them says about the values of the original.

    A text is *blank* where it says nothing: ``*`` and other stars, a mark of another tool, the root of the taxonomy
    (all of these are withheld), an empty cell and what the policy lists as missing. Any other text has a *key*, the
    value that it spells, so that two texts with one key mean the same. It is *coarse* where it stands for several
    values: a node of the taxonomy, an interval, a bin, a set, or a text with stars for letters.

    Parameters
    ----------
    source
        The file.
    policy
        What was promised.
    original
        The original; None where only the file is there.
    name
        The column.
    withheld
        Other marks for a withheld value.
    named
        Values that the policy names, should neither the original nor the taxonomy know them.
    bins
        The bins in which the policy publishes the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from withhold.engines import open_source
    >>> from withhold.requirements import Anonymity
    >>> original = Table(open_source(pd.DataFrame({"age": [25, 31, 71]})))
    >>> source = open_source(pd.DataFrame({"age": ["20-39", "*", "71.0"]}))
    >>> age = Meaning(source, Policy([Anonymity(columns=["age"], k=2)]), original, "age")
    >>> age.texts, age.keys, age.is_blank.tolist()
    (('*', '20-39', '71.0'), (None, '20-39', '71'), [True, False, False])
    >>> age.covered("20-39").tolist(), age.truths([0, 2])
    ([True, True, False], [('20-39',), ('71',)])
    """

    def __init__(
        self,
        source: Store,
        policy: Policy,
        original: Table | None,
        name: str,
        *,
        withheld: Collection[str] = (),
        named: Iterable[str] = (),
        bins: Bins | None = None,
    ) -> None:
        known = original if original is not None and name in original.names else None
        settings = policy.columns.get(name)
        self.name = name
        self.texts: tuple[str | None, ...] = tuple(source.values(name))
        self.values: tuple[str | None, ...] = () if known is None else tuple(known.store.values(name))
        """The values of the original, as its dictionary has them."""
        self.tree = _tree(policy, known, name, self.texts)
        types = [source.kind(name), *([] if known is None else [known.store.kind(name)])]
        self.is_number = "number" in types or _is_declared_number(policy, known, name)
        self.is_closed = bool(self.values) or self.tree is not None
        """Whether all values are known that a text could stand for."""
        self.labels = () if bins is None else bins.labels("interval" if settings is None else settings.publish)
        self._nodes = frozenset(() if self.tree is None else self.tree.labels)
        self._marks, self._withheld = policy.missing, frozenset(withheld)
        leaves = () if self.tree is None else self.tree.leaves
        self._universe: tuple[str | None, ...] = tuple(dict.fromkeys([*self.values, *leaves, *named]))
        self._bins = bins
        changed = settings is not None and settings.changes_numbers
        self._approximation: Approximation | None = None
        if settings is not None and changed:
            self._approximation = Approximation(settings, self.texts, is_shared=name in policy.averaged_columns)

    # What a text is by itself.

    @cached_property
    def is_missing(self) -> _Flags:
        """Which texts mean that nobody answered: the empty cell, and what the policy lists."""
        return self._are_missing(self.texts)

    @cached_property
    def is_withheld(self) -> _Flags:
        """Which texts mean that something was withheld."""
        marks = {*self._withheld, None if self.tree is None else self.tree.labels[0]}
        flags = [text is not None and (text in marks or set(text) == {"*"}) for text in self.texts]
        return np.array(flags, dtype=np.bool_) & ~self.is_missing

    @cached_property
    def is_blank(self) -> _Flags:
        """Which texts say nothing."""
        return self.is_missing | self.is_withheld

    @cached_property
    def keys(self) -> tuple[str | None, ...]:
        """For each text the value that it spells, or the coarse text in one spelling; None where it is blank."""
        pairs = zip(self.texts, self.is_blank.tolist(), strict=True)
        return tuple(None if text is None or blank else self.key(text) for text, blank in pairs)

    def key(self, text: str) -> str:
        """Return the value that a text spells as the original spells it, else the text in one spelling."""
        if self._has_numbers and not math.isnan(number_of(text)):
            return spelling(text, is_numeric=True)
        if text in self._known:
            return text
        spelled = spelling(text, is_numeric=self.is_number)
        return self._named.get(spelled, spelled)

    @cached_property
    def varies(self) -> bool:
        """Whether some texts differ that mean the same, so that their spelling may say more than they mean."""
        keys = [key for key in self.keys if key is not None]
        return len(set(keys)) < len(keys) or self.is_missing.sum() > 1 or self.is_withheld.sum() > 1

    def is_coarse(self, key: str) -> bool:
        """Return whether a key stands for values among others; a text that the original holds is that value."""
        return key in self.labels or (key not in self._key_set and self.may_be_coarse(key))

    def may_be_coarse(self, key: str) -> bool:
        """Return whether a key could stand for values among others, as a text that the original holds could as well."""
        stands = self._approximation is not None and self._approximation.is_one(key)
        return stands or key in self.labels or key in self._nodes or self._form(key) is not None

    # What adversaries see.

    def coded(self, *, as_text: bool = False, is_target: bool = False) -> tuple[_Ints, tuple[str, ...]]:
        """Return for each text its code, -1 for unknown, and the labels of the codes.

        Labels are keys, or with `as_text` the texts themselves. Then several texts that are blank in the same way are
        distinguished, unless the column is what an adversary wants to know. A ``*`` is always unknown.
        """
        if not as_text:
            return _coded(self.keys)
        return _coded(
            [None if is_target and blank else text for text, blank in zip(self._seen, self.is_blank, strict=True)]
        )

    def coded_values(self) -> tuple[_Ints, tuple[str, ...]]:
        """Return the same for each value of the original, which is in its bin where the policy publishes bins."""
        return _coded(self.keys_of_values) if self._bins is None else (self._bin_of[: len(self.values)], self.labels)

    @cached_property
    def _seen(self) -> tuple[str | None, ...]:
        """For each text itself; None for ``*``, and for a text that alone stands for a missing or withheld value."""
        unknown: set[str | None] = {WITHHELD}
        for flags, marks in ((self.is_missing, self.texts), (self.is_withheld, self._withheld)):
            if flags.sum() == 1:
                unknown |= {self.texts[int(flags.argmax())]} & {*marks}
        empty = "\x00" if "" in self.texts else ""
        return tuple(None if text in unknown else empty if text is None else text for text in self.texts)

    # What a text may stand for.

    @cached_property
    def keys_of_values(self) -> tuple[str | None, ...]:
        """For each value of the original its one spelling; None where it holds nothing, as a star does."""
        return tuple(self._known_keys[: len(self.values)].tolist())

    @cached_property
    def was_missing(self) -> _Flags:
        """Which values of the original hold nothing."""
        is_star = np.array([value == WITHHELD for value in self.values], dtype=np.bool_)
        return is_star | self._are_missing(self.values)

    def holds(self, value: str) -> _Flags:
        """Return which values of the original are this one, however it is spelled."""
        wanted = self.key(value)
        return np.array([key == wanted for key in self.keys_of_values], dtype=np.bool_)

    def covered(self, text: str, places: _Ints | slice = slice(None)) -> _Flags:
        """Return which values, or those at `places`, a text spells or may stand for."""
        key = self.key(text)
        found = np.asarray(self._known_keys[places] == key, dtype=np.bool_)
        if key in self.labels:
            found |= self._bin_of[places] == self.labels.index(key)
        if text in self._nodes:
            found |= self._under(text, places)
        if self._approximation is not None:
            found |= self._approximation.covers(text, self._numbers[places])
        form = self._form(text)
        if isinstance(form, Interval):
            found |= form.holds(self._numbers[places])
        elif isinstance(form, re.Pattern):
            values = self._known_texts[places].tolist()
            found |= np.array([value is not None and form.fullmatch(value) is not None for value in values], dtype=bool)
        elif form is not None:
            found |= self._in_set(form, places)
        return found & self._is_value[places]

    @property
    def universe(self) -> tuple[str | None, ...]:
        """The keys of all values that `covered` is about: of the original, of the taxonomy, and named ones."""
        return tuple(self._known_keys.tolist())

    def order(self) -> _Ints:
        """Return the places of the original's values, those below one node, or in one interval, beside each other."""
        n_values = len(self.values)
        return np.lexsort((self._numbers[:n_values], self._leaf[:n_values]))

    def reads(self, value: str) -> tuple[_Flags, _Flags]:
        """Return which texts are a value or can be nothing else, and which may be it: blank, or coarse."""
        wanted = self.key(value)
        holds, may_hold = np.zeros(len(self.texts), dtype=np.bool_), self.is_blank.copy()
        for place, key in enumerate(self.keys):
            if key in self._below:
                holds[place] = self.is_closed and self._below[key] == {wanted}
                may_hold[place] = wanted in self._below[key] and not holds[place]
            else:
                holds[place] = key == wanted
        return holds, may_hold

    def weights(self, given: Mapping[str, float]) -> NDArray[np.float64]:
        """Return for each text what it weighs: as its value does, or as the heaviest that it may stand for."""
        weight = {self.key(value): each for value, each in given.items()}
        found = np.where(self.is_withheld, max(weight.values(), default=0.0), 0.0)
        for place, key in enumerate(self.keys):
            if key is not None:
                found[place] = max((weight.get(each, 0.0) for each in self._below.get(key, (key,))), default=0.0)
        return found

    def truths(
        self, places: Sequence[int] | _Ints, *, as_text: bool = False, is_exact: bool = False
    ) -> list[tuple[str, ...]]:
        """Return for each value the labels by which somebody is right about it.

        That is the value where the column publishes it anywhere, else the narrowest coarse text that may stand for it.
        Narrow is what covers the fewest values; there may be several. A node with no other value below gives a value
        away as well. One that nothing covers stands for itself, or for its bin. With `is_exact` each stands for itself,
        and `as_text` is as in `coded`.
        """
        found = [[self._known_keys[at]] if is_exact else self._given_away_by(at) for at in np.asarray(places).tolist()]
        if not as_text:
            return [tuple(labels) for labels in found]
        return [tuple(text for key in labels for text in self._texts_of.get(key, (key,))) for labels in found]

    def _given_away_by(self, place: int) -> list[str]:
        own = self._known_keys[place]
        above = self._above.get(own, [])
        if own in self._texts_of and own not in self.labels:
            return [own, *(key for n_below, key in above if n_below == 1 and key in self._nodes)]
        least = min((n_below for n_below, _ in above), default=0)
        nothing = self.labels[self._bin_of[place]] if self.labels else own
        return [key for n_below, key in above if n_below == least] or [nothing]

    @cached_property
    def _below(self) -> dict[str | None, frozenset[str]]:
        """For each coarse text that is published the keys of the values that it may stand for."""
        coarse = [key for key in self._texts_of if self.is_coarse(key)]
        return {key: frozenset(self._known_keys[self.covered(key)].tolist()) for key in coarse}

    @cached_property
    def _above(self) -> dict[str, list[tuple[int, str]]]:
        """For each value the coarse texts that may stand for it, each behind the number of values below."""
        found: dict[str, list[tuple[int, str]]] = {}
        for key, below in self._below.items():
            for each in below:
                found.setdefault(each, []).append((len(below), str(key)))
        return found

    def strangers(self, values: Iterable[str]) -> tuple[str, ...]:
        """Return which of some values are not known here."""
        return tuple(value for value in values if self.key(value) not in self._key_set)

    def _are_missing(self, texts: Sequence[str | None]) -> _Flags:
        flags = np.array([text is None or text in self._marks for text in texts], dtype=np.bool_)
        numbers = [number for mark in self._marks if not math.isnan(number := number_of(mark))]
        if self._has_numbers and numbers:
            flags |= np.isin([number_of(text) for text in texts], numbers)
        if self._has_numbers and "nan" in self.values:
            # A number column of the original has no value where it holds NaN.
            flags |= np.array([text == "nan" for text in texts], dtype=np.bool_)
        return flags

    @cached_property
    def _has_numbers(self) -> bool:
        return self.is_number and self.tree is None

    @cached_property
    def _known(self) -> frozenset[str | None]:
        return self._nodes | frozenset(self._universe)

    @cached_property
    def _named(self) -> dict[str, str]:
        # The first of two values with one spelling gives the name.
        nodes = () if self.tree is None else self.tree.labels
        known = [text for text in dict.fromkeys([*self._universe, *nodes]) if text is not None]
        return {spelling(text, is_numeric=self.is_number): text for text in reversed(known)}

    @cached_property
    def _known_texts(self) -> NDArray[np.object_]:
        return np.array(self._universe, dtype=object)

    @cached_property
    def _known_keys(self) -> NDArray[np.object_]:
        missing = self._are_missing(self._universe)
        found = np.empty(len(self._universe), dtype=object)
        for place, value in enumerate(self._universe):
            found[place] = None if value is None or value == WITHHELD or missing[place] else self.key(value)
        return found

    @cached_property
    def _is_value(self) -> _Flags:
        return np.array([key is not None for key in self._known_keys], dtype=np.bool_)

    @cached_property
    def _key_set(self) -> frozenset[str]:
        return frozenset(self._known_keys.tolist()) - {None}

    @cached_property
    def _texts_of(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for text, key in zip(self.texts, self.keys, strict=True):
            if text is not None and key is not None:
                found.setdefault(key, []).append(text)
        return found

    @cached_property
    def _numbers(self) -> NDArray[np.float64]:
        return np.array([number_of(value) for value in self._universe], dtype=np.float64)

    @cached_property
    def _leaf(self) -> _Ints:
        tree = self.tree
        place = {} if tree is None else {tree.labels[node]: int(tree.first[node]) for node in tree.leaf_nodes.tolist()}
        return np.array([place.get(value, -1) for value in self._universe], dtype=np.int64)

    @cached_property
    def _bin_of(self) -> _Ints:
        assert self._bins is not None
        return self._bins.codes(np.where(self._is_value, self._numbers, np.nan)).astype(np.int64)

    def _form(self, text: str) -> Form | None:
        if text not in self._forms:
            self._forms[text] = form_of(text)
        return self._forms[text]

    @cached_property
    def _forms(self) -> dict[str, Form | None]:
        return {}

    def _under(self, node: str, places: _Ints | slice) -> _Flags:
        assert self.tree is not None
        at, leaf = self.tree.node(node), self._leaf[places]
        return np.asarray((leaf >= self.tree.first[at]) & (leaf < self.tree.last[at]), dtype=np.bool_)

    def _in_set(self, members: frozenset[str], places: _Ints | slice) -> _Flags:
        """Return which values a set holds: none where a member is no value of the column, as it says something else."""
        keys = {member: self.key(member) for member in members}
        found = np.zeros(self._known_keys[places].size, dtype=np.bool_)
        if self.is_closed and not all(key in self._key_set or key in self._nodes for key in keys.values()):
            return found
        for key in keys.values():
            found |= self._known_keys[places] == key
            found |= self._under(key, places) if key in self._nodes else False
        return found


def _coded(seen: Sequence[str | None]) -> tuple[_Ints, tuple[str, ...]]:
    labels = tuple(sorted({label for label in seen if label is not None}))
    place: dict[str | None, int] = {label: code for code, label in enumerate(labels)}
    return np.array([place.get(label, -1) for label in seen], dtype=np.int64), labels


def _is_declared_number(policy: Policy, known: Table | None, name: str) -> bool:
    if known is not None and known.has_given_domain(name):
        return isinstance(known.domain(name), Numbers)
    return name in policy.columns and policy.columns[name].type == "number"


def _tree(policy: Policy, known: Table | None, name: str, texts: Sequence[str | None]) -> Taxonomy | None:
    """Return the taxonomy that a column was given, with the table or by the policy; for dates, their calendar."""
    if known is not None and known.has_given_domain(name):
        domain = known.domain(name)
        return domain if isinstance(domain, Taxonomy) else None
    settings = policy.columns.get(name)
    if settings is not None and settings.type == "date":
        return calendar_of(texts, date_format=settings.format, missing=policy.missing)
    if settings is None or settings.taxonomy is None:
        return None
    given = settings.taxonomy
    return Taxonomy.read(policy.folder / given) if isinstance(given, str) else given
