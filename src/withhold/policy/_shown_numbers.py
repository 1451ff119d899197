"""Numbers that are published as means of groups, rounded, or up to a bound: which groups they form, and their texts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.errors import Mistake, PolicyError
from withhold.policy._column_settings import ColumnSettings
from withhold.policy._policy import Policy
from withhold.table import Bins, Table, format_number, mean_groups, parse_interval, round_cuts, units_of
from withhold.taxonomies import round_between

__all__ = ["counted_numbers", "mean_texts", "shown_numbers", "shown_texts"]

_Numbers = NDArray[np.float64]
_Counts = NDArray[np.int64]
MOST_DECIMALS = 6


def counted_numbers(policy: Policy) -> Iterator[Mistake]:
    """Yield a mistake for a column that a requirement reads, and whose numbers would be changed besides."""
    yield from _averaged(policy)
    for name, settings in policy.columns.items():
        if not settings.changes_numbers or name in policy.averaged_columns:
            continue
        key = _key(settings)
        for i, requirement in enumerate(policy.require):
            if requirement.needs_rows or name in (*requirement.columns, *requirement.masked):
                what = "hides cells" if requirement.needs_rows else "counts the column, which has intervals for it"
                hint = "`edges` instead says where they end"
                if requirement.needs_rows:
                    hint = "`bins` instead publishes intervals"
                elif requirement.averages and settings.publish == "mean" and _may_average(policy, i):
                    hint = 'publish = "mean" for all its columns averages them together'
                yield Mistake(
                    f"columns.{name}.{key}", f"is for columns by themselves, but require[{i}] {what}. Hint: {hint}."
                )
                break


def _may_average(policy: Policy, number: int) -> bool:
    """Return whether the columns of a requirement could be averaged together, by what else the policy asks for."""
    others = [each for i, each in enumerate(policy.require) if i != number]
    named = {name for each in others for _, name in each.named()}
    is_apart = not named & {*policy.require[number].columns} and not any(each.needs_rows for each in policy.require)
    return is_apart and policy.unit is None and not policy.most_rows_withheld


def _averaged(policy: Policy) -> Iterator[Mistake]:
    """Yield what does not go with columns whose means groups of rows share."""
    for i in policy.averaged:
        for name in policy.require[i].columns:
            others = [j for j, each in enumerate(policy.require) if j != i and name in {own for _, own in each.named()}]
            if others or any(each.needs_rows for each in policy.require):
                what = f"require[{i}] averages the column, which no other requirement may read, nor hide cells."
                yield Mistake(f"columns.{name}.publish", what)
        for key in ("unit", "most_rows_withheld"):
            if getattr(policy, key):
                yield Mistake(key, f"does not go with require[{i}], whose columns are averaged.")


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """The distinct numbers of a column, and who holds them."""

    values: _Numbers
    """Ascending."""
    counts: _Counts
    """How many rows hold each."""
    holders: _Counts | None
    """Where units are counted: pairs of a number's place and a unit that holds it, ascending."""

    @property
    def who(self) -> str:
        """What is counted."""
        return "rows" if self.holders is None else "units"

    def people(self, chosen: NDArray[np.bool_]) -> int:
        """Return how many rows, or units, hold some of the numbers."""
        if self.holders is None:
            return int(self.counts[chosen].sum())
        return int(np.unique(self.holders[chosen[self.holders[:, 0]], 1]).size)

    @property
    def by_value(self) -> _Counts:
        """How many rows, or units, hold each number."""
        if self.holders is None:
            return self.counts
        return np.bincount(self.holders[:, 0], minlength=self.values.size)


def _held(policy: Policy, table: Table, name: str) -> _Held:
    numbers, cells = table.store.numbers(name, missing=table.missing), table.store.cells(name)
    held = np.bincount(cells, minlength=numbers.size)
    is_known = np.isfinite(numbers) & (held > 0)
    values, places = np.unique(numbers[is_known], return_inverse=True)
    counts = np.bincount(places, weights=held[is_known], minlength=values.size).astype(np.int64)
    if policy.unit is None:
        return _Held(values, counts, None)
    place = np.full(numbers.size, -1, dtype=np.int64)
    place[is_known] = places
    units = units_of(table, policy.unit)
    n_units = int(units.max(initial=0)) + 1
    pairs = np.unique((place[cells] * n_units + units)[place[cells] >= 0])
    return _Held(values, counts, np.column_stack(np.divmod(pairs, n_units)))


def shown_numbers(policy: Policy, table: Table, name: str) -> Bins:
    """Return the numbers of a column in groups, with what is published for each.

    What is published is shared by rows, or by units where the policy names them: rows of one unit are one.
    """
    settings = policy.columns[name]
    held = _held(policy, table, name)
    n_people = held.people(np.ones(held.values.size, dtype=bool))
    if n_people < settings.publish_k:
        raise _refused(
            policy, name, f"only {n_people} {held.who} hold a number, of which {settings.publish_k} must share one."
        )
    if settings.publish == "mean":
        return _means(held, settings.publish_k)
    return _bounded(policy, name, settings, held)


def shown_texts(settings: ColumnSettings, bins: Bins, numbers: _Numbers) -> list[str | None]:
    """Return what would be published for other numbers of a column; None for a missing one.

    Examples
    --------
    >>> bins = Bins(edges=(1, 20, 90), texts=("20", "≥ 85"))
    >>> shown_texts(ColumnSettings(type="number", round=10, top=85), bins, np.array([33.0, 91, np.nan]))
    ['30', '≥ 85', None]
    """
    assert bins.texts is not None
    codes = bins.codes(numbers)
    if settings.publish == "mean":
        return [None if code < 0 else bins.texts[code] for code in codes.tolist()]
    ends = [parse_interval(text) for text in (bins.texts[0], bins.texts[-1])]
    low = ends[0].high if ends[0] is not None and settings.bottom is not None else -np.inf
    high = ends[1].low if ends[1] is not None and settings.top is not None else np.inf
    return [
        None if code < 0 else bins.texts[0] if number < low else bins.texts[-1] if number >= high else text
        for code, number, text in zip(codes.tolist(), numbers, _rounded(numbers, settings.round), strict=True)
    ]


def _rounded(values: _Numbers, step: float | None) -> list[str]:
    shown = values if step is None else np.round(np.floor(values / step + 0.5) * step, 10)
    return [format_number(number) for number in shown.tolist()]


def _means(held: _Held, k: int) -> Bins:
    values, counts = held.values, held.counts
    starts = mean_groups(values, counts, k, holders=held.holders)
    sums, sizes = np.add.reduceat(values * counts, starts), np.add.reduceat(counts, starts)
    means = sums / sizes
    texts = mean_texts(means, values)
    if len(set(texts)) < len(texts):
        texts = [format_number(mean) for mean in means.tolist()]
    return Bins(edges=(*values[starts].tolist(), np.nextafter(values[-1], np.inf)), texts=tuple(texts))


def mean_texts(means: _Numbers, values: _Numbers) -> list[str]:
    """Return means as texts, with one decimal more than the numbers have.

    Examples
    --------
    >>> mean_texts(np.array([4 / 3]), np.array([1.0, 2.0]))
    ['1.3']
    """
    decimals = _decimals(values) + 1
    return [format_number(round(mean, decimals)) for mean in means.tolist()]


def _decimals(values: _Numbers) -> int:
    """Return how many decimals numbers have."""
    found = (n for n in range(MOST_DECIMALS) if np.array_equal(np.round(values, n), values))
    return next(found, MOST_DECIMALS)


def _bounded(policy: Policy, name: str, settings: ColumnSettings, held: _Held) -> Bins:
    """Return numbers rounded, those beyond the bounds in one group each."""
    values, low, high = held.values, -np.inf, np.inf
    if settings.bottom is not None:
        low = _bound(settings.bottom, held, settings.publish_k, is_top=False)
        _found(policy, name, "bottom", held, low)
        _enough(policy, name, "bottom", held, values < low)
    if settings.top is not None:
        high = _bound(settings.top, held, settings.publish_k, is_top=True)
        _found(policy, name, "top", held, high)
        _enough(policy, name, "top", held, values >= high)
    if low >= high:
        raise _refused(policy, name, f"`bottom` ({format_number(low)}) must lie below `top` ({format_number(high)}).")
    texts = _rounded(values, settings.round)
    texts = [f"< {format_number(low)}" if value < low else text for value, text in zip(values, texts, strict=True)]
    texts = [f"≥ {format_number(high)}" if value >= high else text for value, text in zip(values, texts, strict=True)]
    starts = [i for i, text in enumerate(texts) if i == 0 or text != texts[i - 1]]
    edges = (*values[starts].tolist(), np.nextafter(values[-1], np.inf))
    return Bins(edges=edges, texts=tuple(texts[i] for i in starts))


def _bound(given: float, held: _Held, least: int, *, is_top: bool) -> float:
    """Return where numbers are cut off: the value given, or a round number near the quantile, on its inner side.

    A number that fewer than `least` hold is never that bound; NaN where there is no other.
    """
    if not 0 < given < 1:
        return given
    values, n_rows = held.values, np.cumsum(held.counts)
    share = 1 - given if is_top else given
    inner, outer = (1 - 1.5 * share, 1 - share) if is_top else (share, 1.5 * share)
    ranks = [each * n_rows[-1] for each in (inner, outer)]
    first, last = (min(int(np.searchsorted(n_rows, rank)), values.size - 1) for rank in ranks)
    holders = held.by_value
    if first < last:
        found = round_between(float(values[first]), float(values[last]))
        at = int(np.searchsorted(values, found))
        if values[at] != found or holders[at] >= least:
            return found
    # The nearest place on the inner side that shows nobody's number.
    cuts = round_cuts(values, holders, least=least)
    inside = cuts[1 : last + 1][::-1] if is_top else cuts[first + 1 :]
    inside = inside[np.isfinite(inside)]
    return float(inside[0]) if inside.size else np.nan


def _found(policy: Policy, name: str, key: str, held: _Held, bound: float) -> None:
    if np.isnan(bound):
        least = policy.columns[name].publish_k
        what = f"no bound near it leaves numbers on both sides and is none that fewer than {least} {held.who} hold."
        mistake = Mistake(f"columns.{name}.{key}", f"{what} Hint: a bound that is a number, or none.")
        raise PolicyError([mistake], source=policy.source)


def _enough(policy: Policy, name: str, key: str, held: _Held, beyond: NDArray[np.bool_]) -> None:
    least, n_beyond = policy.columns[name].publish_k, held.people(beyond)
    if n_beyond < least:
        what = f"{n_beyond} {held.who} lie beyond it, and {least} must share its text (`publish_k`)."
        raise PolicyError(
            [Mistake(f"columns.{name}.{key}", f"{what} Hint: a bound further inside.")], source=policy.source
        )


def _refused(policy: Policy, name: str, what: str) -> PolicyError:
    return PolicyError([Mistake(f"columns.{name}.{_key(policy.columns[name])}", what)], source=policy.source)


def _key(settings: ColumnSettings) -> str:
    """Return the setting that changes numbers."""
    if settings.publish == "mean":
        return "publish"
    return next(key for key in ("round", "top", "bottom") if getattr(settings, key) is not None)
