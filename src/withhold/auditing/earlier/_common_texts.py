"""What two published texts of one cell say together: the values that both may stand for."""

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._meaning import Meaning
from withhold.auditing._text_forms import form_of, sample_values
from withhold.policy import Policy
from withhold.table import WITHHELD, Interval, MemoryStore, Table, format_number

__all__ = ["common_texts"]

_Ints = NDArray[np.int64]
Cells = tuple[tuple[str | None, ...], _Ints]
MOST_CELLS = 1 << 28
"""How many pairs of a text and a value are looked at in a column; with more, two texts stay side by side."""
MOST_MEMBERS = 30
"""A common set with more members is two texts side by side."""
A_CHUNK = 1 << 24


def common_texts(name: str, own: Cells, other: Cells, policy: Policy, original: Table | None) -> Cells:
    """Return for each row what two cells of a column say together, as distinct texts and places among them.

    One that holds nothing leaves the other as it is. The narrower of two texts is what both say; where neither is,
    their common interval or set. Two that contradict each other, as a value may have changed, stay side by side: that
    is finer than either, so nobody is taken to be safer than he is.

    Examples
    --------
    >>> from withhold.requirements import Anonymity
    >>> policy = Policy([Anonymity(columns=["age"], k=2)])
    >>> first, second = (("[20, 40)",), np.array([0, 0])), (("[30, 50)", "*"), np.array([0, 1]))
    >>> found = common_texts("age", first, second, policy, None)
    >>> found[0], found[1].tolist()
    (('[20, 40)', '[30, 40)'), [1, 0])
    """
    span = len(other[0]) + 1
    pairs, place = np.unique((own[1] + 1) * span + other[1] + 1, return_inverse=True)
    left, right = pairs // span - 1, pairs % span - 1
    known = list(dict.fromkeys([*own[0], *other[0]]))
    number = {text: i for i, text in enumerate(known)}
    lookup = [np.array([*(number[text] for text in cells[0]), -1], dtype=np.int64) for cells in (own, other)]
    texts = _Texts(name, known, policy, original).met(lookup[0][left], lookup[1][right])
    distinct, codes = _numbered(texts)
    return distinct, codes[place.reshape(-1)]


def _numbered(texts: list[str | None]) -> Cells:
    distinct = sorted({*texts}, key=lambda text: (text is not None, text or ""))
    number = {text: i for i, text in enumerate(distinct)}
    return tuple(distinct), np.array([number[text] for text in texts], dtype=np.int64)


class _Texts:
    """The texts that either of two releases publishes in a column, and the values that each may stand for."""

    def __init__(self, name: str, texts: list[str | None], policy: Policy, original: Table | None) -> None:
        self._texts = texts
        store = MemoryStore({name: texts}, {name: np.arange(len(texts), dtype=np.uint32)})
        plain = Meaning(store, policy, original, name)
        self._forms = [None if key is None or not plain.is_coarse(key) else form_of(key) for key in plain.keys]
        exact = [key for key in plain.keys if key is not None and not plain.is_coarse(key)]
        meaning = Meaning(store, policy, original, name, named=[*exact, *sample_values(self._forms)])
        self._keys, self._is_blank = plain.keys, plain.is_blank | np.array([text is None for text in texts], dtype=bool)
        self._is_coarse = np.array([key is not None and plain.is_coarse(key) for key in plain.keys], dtype=np.bool_)
        self._meaning = meaning
        self._universe = meaning.universe
        self.is_small = int(self._is_coarse.sum()) * len(self._universe) <= MOST_CELLS

    def met(self, left: _Ints, right: _Ints) -> list[str | None]:
        """Return what each pair of texts says together; -1 is no text."""
        blank = np.append(self._is_blank, True)
        found: list[str | None] = [None] * left.size
        open_pairs = []
        for i, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            if blank[b] or a == b:
                found[i] = self._text(b if a < 0 else a)
            elif blank[a]:
                found[i] = self._text(b)
            elif self._keys[a] == self._keys[b]:
                found[i] = self._texts[a]
            else:
                open_pairs.append(i)
        if open_pairs:
            some = np.array(open_pairs)
            for i, text in zip(open_pairs, self._narrower(left[some], right[some]), strict=True):
                found[i] = text
        return found

    def _text(self, place: int) -> str | None:
        return WITHHELD if place < 0 else self._texts[place]

    def _narrower(self, left: _Ints, right: _Ints) -> list[str | None]:
        if not self.is_small:
            return [self._side_by_side(a, b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
        inside, row_of = self._inside(np.union1d(left, right))
        sizes = inside.sum(axis=1)
        found: list[str | None] = []
        step = max(1, A_CHUNK // max(len(self._universe), 1))
        for begin in range(0, left.size, step):
            a, b = left[begin : begin + step], right[begin : begin + step]
            common = inside[row_of[a]] & inside[row_of[b]]
            n_common = common.sum(axis=1)
            for i, n in enumerate(n_common.tolist()):
                if n == 0:
                    found.append(self._side_by_side(int(a[i]), int(b[i])))
                elif n in (sizes[row_of[a[i]]], sizes[row_of[b[i]]]):
                    # Of two that allow the same the earlier one, which those who left have as well.
                    found.append(self._texts[int(b[i] if n == sizes[row_of[b[i]]] else a[i])])
                else:
                    found.append(self._common(int(a[i]), int(b[i]), common[i]))
        return found

    def _inside(self, places: _Ints) -> tuple[NDArray[np.bool_], _Ints]:
        """Return which values each of some texts may stand for, and for each text its row."""
        number = {key: at for at, key in enumerate(self._universe) if key is not None}
        found = np.zeros((places.size, len(self._universe)), dtype=np.bool_)
        for row, place in enumerate(places.tolist()):
            key = self._keys[place]
            if self._is_coarse[place]:
                found[row] = self._meaning.covered(str(key))
            elif key in number:
                found[row, number[key]] = True
        row_of = np.full(len(self._texts), -1, dtype=np.int64)
        row_of[places] = np.arange(places.size)
        return found, row_of

    def _common(self, a: int, b: int, inside: NDArray[np.bool_]) -> str | None:
        first, second = self._forms[a], self._forms[b]
        if isinstance(first, Interval) and isinstance(second, Interval):
            return _overlap(first, second)
        members = [str(self._universe[i]) for i in np.flatnonzero(inside).tolist()]
        if len(members) > MOST_MEMBERS or any("," in member for member in members):
            return self._side_by_side(a, b)
        return members[0] if len(members) == 1 else f"{{{', '.join(sorted(members))}}}"

    def _side_by_side(self, a: int, b: int) -> str:
        return f"{self._texts[a]} / {self._texts[b]}"


def _overlap(first: Interval, second: Interval) -> str:
    """Return the common part of two intervals, as it is written here.

    Examples
    --------
    >>> _overlap(Interval(20, 40, has_high=False), Interval(30, 40))
    '[30, 40)'
    """
    low, has_low = max((first.low, not first.has_low), (second.low, not second.has_low))
    high, has_high = min((first.high, first.has_high), (second.high, second.has_high))
    return f"{'(' if has_low else '['}{format_number(low)}, {format_number(high)}{']' if has_high else ')'}"
