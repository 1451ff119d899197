"""Releases of the same people on top of one another: who is who, and what all of them together say of a cell."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.earlier._common_texts import common_texts
from withhold.engines import Source
from withhold.errors import DataError, InputError
from withhold.policy import Policy
from withhold.table import Table

__all__ = ["Layer", "lay_over", "layer_of", "people_by_key"]

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layer:
    """What is published of some people, column by column."""

    people: _Ints
    """For each row a number: the same person has the same in every layer."""
    texts: dict[str, tuple[str | None, ...]]
    """For each column its distinct texts …"""
    codes: dict[str, _Ints]
    """… and for each row the place among these."""
    n_layers: int = 1
    """How many releases it holds."""

    @property
    def n_rows(self) -> int:
        """The number of people."""
        return self.people.size

    def some(self, rows: _Ints) -> "Layer":
        """Return some of the people, in this order."""
        codes = {name: own[rows] for name, own in self.codes.items()}
        return Layer(people=self.people[rows], texts=self.texts, codes=codes, n_layers=self.n_layers)


def layer_of(source: Source, policy: Policy, people: _Ints, *, columns: Collection[str] | None = None) -> Layer:
    """Return one release, or some columns of it."""
    names = [name for name in source.names if name not in policy.drop and (columns is None or name in columns)]
    return Layer(
        people=people,
        texts={name: tuple(source.values(name)) for name in names},
        codes={name: source.cells(name).astype(np.int64) for name in names},
    )


def lay_over(first: Layer, second: Layer, policy: Policy, original: Table | None) -> Layer:
    """Return what two layers say together: people of the first in their order, then those of the second alone.

    Of a person in both, a cell says what both of them allow. What only one layer holds, a person or a column, is as it
    is there; a column of which a layer says nothing is withheld.
    """
    order = np.argsort(second.people, kind="stable")
    place = np.searchsorted(second.people[order], first.people)
    place = np.minimum(place, second.n_rows - 1)
    at = np.where(second.people[order][place] == first.people, order[place], -1)
    alone = np.setdiff1d(np.arange(second.n_rows), at)
    texts, codes = {}, {}
    for name in dict.fromkeys([*first.texts, *second.texts]):
        own = _cells(first, name, np.concatenate([np.arange(first.n_rows), np.full(alone.size, -1)]))
        other = _cells(second, name, np.concatenate([at, alone]))
        texts[name], codes[name] = common_texts(name, own, other, policy, original)
    people = np.concatenate([first.people, second.people[alone]])
    return Layer(people=people, texts=texts, codes=codes, n_layers=first.n_layers + second.n_layers)


def _cells(layer: Layer, name: str, rows: _Ints) -> tuple[tuple[str | None, ...], _Ints]:
    """Return the texts of a column and the cells of some rows; -1 is a row or column that the layer does not have."""
    if name not in layer.texts:
        return (), np.full(rows.size, -1, dtype=np.int64)
    return layer.texts[name], np.where(rows < 0, -1, layer.codes[name][np.maximum(rows, 0)])


def people_by_key(files: Sequence[tuple[Source, str]], key: str) -> list[_Ints]:
    """Return a number for each row of some files: the same where the key is the same.

    Parameters
    ----------
    files
        Each file that holds the key, and what messages call it.
    key
        The column by which the owner knows people.
    """
    texts = [_keys(source, what, key) for source, what in files]
    hashes = np.concatenate([source.hashes(key) for source, _ in files])
    _, first, numbers = np.unique(hashes, return_index=True, return_inverse=True)
    every = np.concatenate(texts)
    if not bool((every[first[numbers]] == every).all()):  # two keys with one hash
        numbers = np.unique(every, return_inverse=True)[1]
    ends = np.cumsum([keys.size for keys in texts])
    found = np.split(numbers.reshape(-1).astype(np.int64), ends[:-1])
    for people, (_, what) in zip(found, files, strict=True):
        if np.unique(people).size < people.size:
            raise DataError(f'{what}: column "{key}" holds a value twice, so people cannot be found by it.')
    return found


def _keys(source: Source, what: str, key: str) -> NDArray[np.object_]:
    """Return the key of each row."""
    if key not in source.names:
        raise InputError(
            f'audit: {what} has no column "{key}" to find people by. Hint: name the table that it was made from.'
        )
    texts = source.texts(key)
    if np.equal(texts, np.array(None, dtype=object)).any():
        raise DataError(f'{what}: column "{key}" is missing in some rows, so people cannot be found by it.')
    return texts
