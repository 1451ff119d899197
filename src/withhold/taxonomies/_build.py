"""Build a taxonomy for the values of a column."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InputError
from withhold.table import Table, Taxonomy, format_number, is_number
from withhold.taxonomies._calendar import DATE_LEVELS, ages_at, date_tree
from withhold.taxonomies._code_list import code_paths, read_code_list
from withhold.taxonomies._number_groups import interval_paths, paths_of_edges, quantile_edges, round_widths
from withhold.taxonomies._text_groups import frequency_paths, prefix_lengths, prefix_paths

__all__ = ["BUILDERS", "By", "taxonomy"]

By = Literal["prefix", "intervals", "quantiles", "dates", "frequency", "codes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a builder is given."""

    texts: list[str]
    counts: NDArray[np.int64]
    name: str
    lengths: Sequence[int] | None
    code: str | None
    widths: Sequence[float] | None
    groups: Sequence[int]
    levels: Sequence[str]
    date_format: str | None
    age_at: str | None
    least: Sequence[int]
    codes: str | Path | None


def taxonomy(
    values: Table | Iterable[object],
    column: str | None = None,
    *,
    by: By,
    lengths: Sequence[int] | None = None,
    code: str | None = None,
    widths: Sequence[float] | None = None,
    groups: int | Sequence[int] = 16,
    levels: Sequence[str] = DATE_LEVELS,
    date_format: str | None = None,
    age_at: str | None = None,
    least: int | Sequence[int] = 10,
    codes: str | Path | None = None,
    missing: Iterable[str] = (),
) -> Taxonomy:
    """Build a taxonomy for the values of a column.

    Parameters
    ----------
    values
        A `Table`, of which `column` is taken, or the cells of a column. Missing cells are left out.
    column
        The column of the table; for cells its name in messages.
    by
        ``"prefix"``: codes by their first letters, ``01234 → 012** → 01***``. ``"intervals"``: numbers by round widths.
        ``"quantiles"``: numbers in groups of about as many rows. ``"dates"``: day, month, quarter, year, 5 years,
        decade. ``"frequency"``: values that few rows hold together. ``"codes"``: along a code list.
    lengths, code
        For prefixes: their lengths, falling; or the name of a well-known code: ``icd10``, ``isco``, ``nace``, ``nuts``,
        ``postcode``. By default every length.
    widths
        For intervals: their widths, each a multiple of the one before; by default three to five round ones.
    groups
        For quantiles: into how many groups; one number is halved up to the root, several are levels.
    levels, date_format
        For dates: the levels, and how dates are written where that is not ISO, such as ``"%d.%m.%Y"``.
    age_at
        For dates of birth: a day, such as ``"2024-06-30"``. Dates climb to the age on it, and from there as intervals
        do. ``levels = [0, n]`` in a policy keeps the date itself from being published.
    least
        For intervals, quantiles and frequency, which depend on the rows: no group that the rows decide on, and no edge
        at a value of the data, is held by fewer rows. For frequency also the threshold; several are levels.
    codes
        For codes: a CSV ``code,label`` or ``code,label,parent``.
    missing
        Texts that stand for a missing value.

    Returns
    -------
    The taxonomy; `Taxonomy.write` writes it as a hierarchy CSV, one line a value, leaf to root.

    Notes
    -----
    Intervals, prefixes, dates and code lists name groups that do not depend on who is in the table, but for the
    outermost intervals, which are open and hold at least `least` rows. Quantiles and frequencies do depend on it: their
    edges are round numbers, or values that at least `least` rows hold.

    Examples
    --------
    >>> next(taxonomy(["01234", "01299", "90210"], by="prefix", code="postcode").paths())
    ['01234', '012**', '01***', '0****', '*']
    >>> tree = taxonomy([str(age) for age in range(18, 80)], by="intervals", widths=[10, 20])
    >>> list(tree.paths())[0], list(tree.paths())[-1]
    (['18', '< 30', '< 40', '*'], ['79', '≥ 70', '≥ 60', '*'])
    """
    if by not in BUILDERS:
        raise InputError(f"taxonomy: `by` must be one of {', '.join(BUILDERS)}; got {by!r}.")
    name = column or "values"
    texts, counts = _counted(values, column, frozenset(missing))
    if not texts:
        raise DataError(f'column "{name}" holds no value that a taxonomy could be built for.')
    asked = _Asked(
        texts=texts,
        counts=counts,
        name=name,
        lengths=lengths,
        code=code,
        widths=widths,
        groups=_listed(groups),
        levels=levels,
        date_format=date_format,
        age_at=age_at,
        least=_listed(least),
        codes=codes,
    )
    return BUILDERS[by](asked)


def _listed(given: int | Sequence[int]) -> Sequence[int]:
    found = [given] if isinstance(given, int) else list(given)
    if not found or any(each < 2 for each in found):
        raise InputError("taxonomy: `least` and `groups` must be integers of at least 2.")
    return found


def _counted(
    values: Table | Iterable[object], column: str | None, missing: frozenset[str]
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct values that are not missing, and how many rows hold each."""
    if isinstance(values, Table):
        if column is None:
            raise InputError("taxonomy: name the `column` of the table.")
        if column not in values.names:
            values.domain(column)
        found = values.store.values(column)
        counts = np.bincount(values.store.cells(column), minlength=len(found)).astype(np.int64)
        missing = missing | values.missing
    else:
        texts = [None if value is None or value != value else str(value) for value in values]
        found, place = list(dict.fromkeys(texts)), {text: i for i, text in enumerate(dict.fromkeys(texts))}
        counts = np.bincount([place[text] for text in texts], minlength=len(found)).astype(np.int64)
    kept = [i for i, text in enumerate(found) if text is not None and text not in missing]
    return [str(found[i]) for i in kept], counts[kept]


def _by_prefix(asked: _Asked) -> Taxonomy:
    lengths = asked.lengths or prefix_lengths(asked.texts, asked.code)
    return _grown(prefix_paths(asked.texts, lengths), asked)


def _by_intervals(asked: _Asked) -> Taxonomy:
    numbers = _numbers(asked)
    widths = asked.widths or round_widths(numbers)
    return _grown(interval_paths(asked.texts, numbers, asked.counts, widths, least=asked.least[0]), asked)


def _by_quantiles(asked: _Asked) -> Taxonomy:
    numbers = _numbers(asked)
    groups = sorted(asked.groups, reverse=True)
    levels = [quantile_edges(numbers, asked.counts, groups[0], least=asked.least[0])]
    if len(groups) > 1:
        levels += [_thinned(levels[0], n) for n in groups[1:]]
    else:
        while len(levels[-1]) > 1:
            levels.append(levels[-1][1::2])
    return _grown(paths_of_edges(asked.texts, numbers, levels), asked)


def _thinned(edges: Sequence[float], n_groups: int) -> list[float]:
    """Return edges between fewer groups, every one of them an edge of the finer level."""
    places = np.linspace(0, len(edges) + 1, n_groups + 1)[1:-1].round().astype(int) - 1
    return [edges[at] for at in sorted({int(at) for at in places if 0 <= at < len(edges)})]


def _by_dates(asked: _Asked) -> Taxonomy:
    if asked.age_at is not None:
        return _by_ages(asked, asked.age_at)
    return date_tree(asked.texts, date_format=asked.date_format, levels=asked.levels, name=asked.name)


def _by_ages(asked: _Asked, day: str) -> Taxonomy:
    ages = ages_at(asked.texts, day, date_format=asked.date_format, name=asked.name)
    widths = asked.widths or round_widths(ages)
    age_of = {text: format_number(age) for text, age in zip(asked.texts, ages.tolist(), strict=True)}
    paths = interval_paths(asked.texts, ages, asked.counts, widths, least=asked.least[0])
    return _grown([[text, age_of[text], *above] for text, *above in paths], asked)


def _by_frequency(asked: _Asked) -> Taxonomy:
    return _grown(frequency_paths(asked.texts, asked.counts, asked.least), asked)


def _by_codes(asked: _Asked) -> Taxonomy:
    if asked.codes is None:
        raise InputError('taxonomy: by="codes" needs `codes`, a CSV code,label or code,label,parent.')
    return _grown(code_paths(asked.texts, read_code_list(asked.codes), Path(asked.codes).name), asked)


def _grown(paths: Iterable[Sequence[str]], asked: _Asked) -> Taxonomy:
    return Taxonomy.from_paths(paths, source=f'the taxonomy of column "{asked.name}"', lines=False)


def _numbers(asked: _Asked) -> NDArray[np.float64]:
    n_texts = sum(not is_number(text) for text in asked.texts)
    if n_texts:
        raise DataError(
            f'column "{asked.name}": {n_texts} distinct values are no numbers. '
            "Hint: list those that stand for nothing in `missing`, or build by prefix or frequency."
        )
    return np.array([float(text) for text in asked.texts], dtype=np.float64)


BUILDERS: Mapping[str, Callable[[_Asked], Taxonomy]] = {
    "prefix": _by_prefix,
    "intervals": _by_intervals,
    "quantiles": _by_quantiles,
    "dates": _by_dates,
    "frequency": _by_frequency,
    "codes": _by_codes,
}
"""How a taxonomy is built, by name."""
