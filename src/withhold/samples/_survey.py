"""A synthetic household survey: invented people in households, drawn from a population with unequal chances."""

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError
from withhold.table import MemoryStore, Table

__all__ = ["survey"]

Ints = NDArray[np.int64]
REGIONS = ("AT11", "AT12", "AT13", "AT21", "AT22", "AT31", "AT32", "AT33", "AT34")
REGION_SHARES = (3, 19, 22, 6, 14, 17, 6, 9, 4)
SIZES = (36, 31, 15, 12, 4, 1.5, 0.5)
JOBS = ("2221", "2341", "3313", "4110", "5120", "5223", "7115", "7231", "8332", "9112")
LEVELS = ("0", "1", "2", "3", "4", "5", "6", "7", "8")
CONDITIONS = ("none", "back pain", "diabetes", "depression", "asthma", "heart disease")
NOT_ASKED, NO_ANSWER = "-8", "-9"


def survey(households: int = 1_000, *, seed: int = 0) -> Table:
    """Draw a survey of households with members, sampling weights, codes, dates and codes for missing answers.

    Parameters
    ----------
    households
        How many households are drawn; a household has 2.2 members on average.
    seed
        Seed of the random numbers. The same arguments give the same table.

    Returns
    -------
    Table
        One row a person: ``household`` (the unit), ``weight``, ``region`` (NUTS 2), ``born`` (a date), ``age``,
        ``sex``, ``education`` (ISCED), ``job`` (ISCO-08), ``income`` and ``household_income`` (which is the same for
        all members, so that it names the household), ``condition``. ``-8`` means not asked, ``-9`` no answer.

    Examples
    --------
    >>> table = survey(100, seed=1)
    >>> table.names[:4], table.n_rows
    (('household', 'weight', 'region', 'born'), 229)
    """
    if households < 1:
        raise InputError("survey: there must be at least one household.")
    rng = np.random.default_rng(seed)
    sizes = rng.choice(np.arange(1, 8), size=households, p=np.array(SIZES) / sum(SIZES))
    home = np.repeat(np.arange(households), sizes)
    member = np.arange(home.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    age = _ages(rng, sizes, home, member)
    sex = np.where(member == 0, rng.integers(2, size=home.size), 1)
    sex[1:] = np.where(
        member[1:] == 1, 1 - sex[:-1], np.where(member[1:] > 1, rng.integers(2, size=home.size - 1), sex[1:])
    )
    region = rng.choice(9, size=households, p=np.array(REGION_SHARES) / sum(REGION_SHARES))[home]
    level = np.where(age < 16, 0, np.clip(rng.normal(3.6 + (age > 25), 1.6, home.size), 1, 8)).astype(np.int64)
    works = (age > 15) & (age < 66) & (rng.random(home.size) < 0.72)
    income = np.where(age < 16, 0, np.exp(rng.normal(9.4 + 0.12 * level + 0.35 * works, 0.5)))
    income = np.round(income).astype(np.int64)
    whole = np.bincount(home, weights=income).astype(np.int64)[home] + rng.integers(0, 40, size=households)[home]
    columns: dict[str, tuple[list[str | None], Ints]] = {
        "household": _texts(np.array([f"{100_000 + 7 * h}" for h in range(households)]), home),
        "weight": _numbers(_weights(rng, households)[home]),
        "region": _texts(np.array(REGIONS), region),
        "born": _texts(*_births(rng, age)),
        "age": _numbers(age),
        "sex": _texts(np.array(["male", "female"]), sex),
        "education": _answers(rng, np.array(LEVELS), level, asked=age > 15),
        "job": _answers(rng, np.array(JOBS), (level + rng.integers(0, 4, home.size)) % 10, asked=works),
        "income": _numbers(np.where(age > 15, income, -8)),
        "household_income": _numbers(whole),
        "condition": _texts(np.array(CONDITIONS), _conditions(rng, age)),
    }
    return Table(
        MemoryStore(
            {name: values for name, (values, _) in columns.items()},
            {name: codes.astype(np.uint32) for name, (_, codes) in columns.items()},
        )
    )


def _ages(rng: np.random.Generator, sizes: Ints, home: Ints, member: Ints) -> Ints:
    """Return ages: two adults of about the same age, children a generation younger."""
    head = np.where(sizes > 2, rng.normal(42, 9, sizes.size), rng.normal(56, 18, sizes.size))[home]
    partner = head + rng.normal(-1, 4, home.size)
    child = head - rng.normal(30, 6, home.size)
    age = np.select([member == 0, member == 1], [head, partner], child)
    return np.clip(np.round(age), np.where(member < 2, 18, 0), 97).astype(np.int64)


def _weights(rng: np.random.Generator, n: int) -> Ints:
    """Return how many households of the population each stands for."""
    return np.asarray(5 * np.round(rng.gamma(6.0, 12.0, size=n) + 8), dtype=np.int64)


def _births(rng: np.random.Generator, age: Ints) -> tuple[NDArray[np.str_], Ints]:
    days = np.datetime64("2025-06-30") - (age * 365.2425 + rng.integers(1, 365, age.size)).astype("timedelta64[D]")
    values, codes = np.unique(days, return_inverse=True)
    return values.astype(str), codes.reshape(-1)


def _conditions(rng: np.random.Generator, age: Ints) -> Ints:
    is_ill = rng.random(age.size) < np.clip(0.08 + age / 200, 0, 0.6)
    return np.where(is_ill, rng.integers(1, len(CONDITIONS), age.size), 0)


def _answers(
    rng: np.random.Generator, values: NDArray[np.str_], codes: Ints, *, asked: NDArray[np.bool_]
) -> tuple[list[str | None], Ints]:
    found = np.where(rng.random(codes.size) < 0.02, values.size + 1, codes)
    return _texts(np.array([*values, NOT_ASKED, NO_ANSWER]), np.where(asked, found, values.size))


def _numbers(values: Ints) -> tuple[list[str | None], Ints]:
    found, codes = np.unique(values, return_inverse=True)
    return _texts(found.astype(str), codes.reshape(-1))


def _texts(values: NDArray[np.str_], codes: Ints) -> tuple[list[str | None], Ints]:
    """Return the values that occur, and the codes of all rows among them."""
    used, place = np.unique(codes, return_inverse=True)
    return [str(value) for value in values[used]], place.reshape(-1)
