"""A synthetic school registry: invented pupils, with the columns, chances and weights of a published study."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.table import MemoryStore, Table

__all__ = ["Registry", "school_registry"]

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


class _Flag(NamedTuple):
    """A sensitive fact: how common it is, how much hardship and age raise it, what it presupposes."""

    name: str
    known: float
    share: float
    hardship: float
    age: float
    presupposes: str = ""


_FLAGS = (
    _Flag("homeless", 0.005, 0.020, 1.2, 0.0),
    _Flag("dropout", 0.005, 0.045, 1.0, 0.35),
    _Flag("retained", 0.005, 0.080, 0.8, 0.05),
    _Flag("suspended_in_school", 0.005, 0.070, 0.9, 0.10),
    _Flag("suspended", 0.005, 0.060, 1.0, 0.12),
    _Flag("expelled", 0.005, 0.008, 0.8, 0.10, "suspended"),
    _Flag("truant", 0.005, 0.050, 0.8, 0.20),
    _Flag("foster_care", 0.001, 0.010, 1.1, 0.0),
    _Flag("migrant", 0.005, 0.006, 0.4, 0.0),
    _Flag("child_welfare_contact", 0.001, 0.030, 1.2, 0.0),
    _Flag("juvenile_contact", 0.001, 0.030, 1.2, 0.25),
    _Flag("juvenile_probation", 0.001, 0.012, 0.5, 0.10, "juvenile_contact"),
    _Flag("juvenile_custody", 0.001, 0.005, 0.7, 0.10, "juvenile_contact"),
    _Flag("corrections_contact", 0.001, 0.012, 1.0, 0.40),
    _Flag("prison", 0.001, 0.004, 0.5, 0.15, "corrections_contact"),
    _Flag("teen_parent", 0.001, 0.012, 0.8, 0.45),
    _Flag("health_referral", 0.001, 0.015, 0.7, 0.05),
)
_GENDERS = ("female", "male")
_ETHNICITIES = ("Black", "White", "Hispanic", "Asian", "Native", "Other")
_GRADES = ("K", *(str(i) for i in range(1, 13)))
_SCHOOLS = ("regular", "charter", "magnet", "alternative")
_LANGUAGES = ("English", "Spanish", "Vietnamese", "French", "Arabic", "Other")
_LUNCHES = ("paid", "reduced", "free")
_NEEDS = ("none", "speech", "learning", "health", "emotional", "intellectual", "autism", "sensory")
_YEARS = tuple(str(year) for year in range(1999, 2012))
_N_PARISHES = 64
_KNOWN = {
    "gender": 0.8,
    "ethnicity": 0.6,
    "grade": 0.3,
    "parish": 0.3,
    "school": 0.1,
    "language": 0.1,
    "age": 0.05,
    "lunch": 0.05,
    "special_need": 0.03,
    "entry_year": 0.02,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Registry:
    """A table with what its publisher assumes about outsiders."""

    dictionaries: Mapping[str, tuple[str, ...]]
    """For each column its values."""
    codes: Mapping[str, NDArray[np.uint8]]
    """For each column its cells, as positions among the values."""
    known: Mapping[str, float]
    """The chance that an outsider knows a column."""
    sensitive: Mapping[str, Mapping[str, float]]
    """The weights of sensitive values."""
    alpha: float = 100.0
    """The coefficient of the consequence."""

    def table(self, n_columns: int | None = None) -> Table:
        """Return the first columns (all where None) as a table in memory."""
        names = list(self.codes)[:n_columns]
        return Table(MemoryStore({n: self.dictionaries[n] for n in names}, {n: self.codes[n] for n in names}))

    def __repr__(self) -> str:
        n_rows = len(next(iter(self.codes.values())))
        return f"<Registry: {n_rows} rows, {len(self.codes)} columns, {len(self.sensitive)} of them sensitive>"


def school_registry(rows: int = 10_000, *, seed: int = 0) -> Registry:
    """Generate a synthetic school registry of the shape that Orooji and Knapp describe in their section 4.

    27 columns: 10 that outsiders may well know (chances of 0.8 to 0.02) and 17 facts that they hardly know (0.005 and
    0.001); 19 of the 27 are sensitive. No row describes a real person. The numbers of columns and the chances of
    gender, age, dropout and corrections are the paper's; the other columns, shares and correlations are invented.

    Parameters
    ----------
    rows
        Number of pupils, at least 1. The paper's table has 1,009,993.
    seed
        Seed of the random numbers. The same seed and `rows` give the same registry.

    References
    ----------
    M. Orooji, G. M. Knapp: Improving Suppression to Reduce Disclosure Risk and Enhance Data Utility, 2019.

    Examples
    --------
    >>> registry = school_registry(500, seed=1)
    >>> registry
    <Registry: 500 rows, 27 columns, 19 of them sensitive>
    >>> registry.table().n_rows, registry.known["gender"], registry.sensitive["dropout"]
    (500, 0.8, {'yes': 1.0})
    """
    if isinstance(rows, bool) or not isinstance(rows, int | np.integer) or rows < 1:
        raise ValueError(f"school_registry: `rows` must be an integer of at least 1; got {rows!r}.")
    rng = np.random.default_rng(seed)
    columns, hardship, age = _pupils(rng, int(rows))
    columns |= _facts(rng, hardship, age)
    sensitive: dict[str, dict[str, float]] = {
        "lunch": {"free": 1.0},
        "special_need": {need: 1.0 for need in _NEEDS if need != "none"},
    }
    return Registry(
        dictionaries={name: values for name, (values, _) in columns.items()},
        codes={name: cells.astype(np.uint8) for name, (_, cells) in columns.items()},
        known=_KNOWN | {flag.name: flag.known for flag in _FLAGS},
        sensitive=sensitive | {flag.name: {"yes": 1.0} for flag in _FLAGS},
    )


_Column = tuple[tuple[str, ...], _Ints]


def _pupils(rng: np.random.Generator, n_rows: int) -> tuple[dict[str, _Column], _Floats, _Floats]:
    """Draw what outsiders may know, with each pupil's hardship and years of age above 5."""
    crowd = np.array([(1.0 + i) ** -0.7 for i in range(_N_PARISHES)])
    parish = _draw(rng, crowd[None, :], np.zeros(n_rows, dtype=np.int64))
    lean = np.sin(1.7 * np.arange(_N_PARISHES))
    shares = np.array([0.42, 0.46, 0.06, 0.03, 0.012, 0.018]) * np.ones((_N_PARISHES, 1))
    shares[:, 0] *= np.exp(0.8 * lean)
    shares[:, 2] *= np.exp(0.6 * np.cos(2.3 * np.arange(_N_PARISHES)))
    ethnicity = _draw(rng, shares, parish)
    gender = (rng.random(n_rows) < 0.513).astype(np.int64)
    grade = _draw(rng, np.array([[1.1 - 0.03 * i for i in range(len(_GRADES))]]), np.zeros(n_rows, dtype=np.int64))
    hardship = rng.standard_normal(n_rows) + np.array([0.5, -0.3, 0.2, -0.4, 0.3, 0.0])[ethnicity] + 0.3 * lean[parish]
    late = _draw(rng, np.array([[0.70, 0.23, 0.05, 0.015, 0.005], [0.45, 0.35, 0.14, 0.045, 0.015]]), hardship > 1)
    age = np.minimum(grade + late, 16)
    tongues = np.array([[0.97, 0.005, 0.003, 0.017, 0.002, 0.003]] * 6)
    tongues[2, :2], tongues[3, [0, 2, 5]] = [0.45, 0.53], [0.35, 0.40, 0.20]
    special = np.array([[0.885, 0.035, 0.04, 0.015, 0.008, 0.008, 0.005, 0.004]] * 2)
    special[1] = [0.78, 0.04, 0.09, 0.025, 0.03, 0.025, 0.005, 0.005]
    columns: dict[str, _Column] = {
        "gender": (_GENDERS, gender),
        "ethnicity": (_ETHNICITIES, ethnicity),
        "grade": (_GRADES, grade),
        "parish": (tuple(f"parish {i + 1}" for i in range(_N_PARISHES)), parish),
        "school": (_SCHOOLS, _draw(rng, np.array([[0.86, 0.07, 0.05, 0.02], [0.80, 0.12, 0.02, 0.06]]), hardship > 1)),
        "language": (_LANGUAGES, _draw(rng, tongues, ethnicity)),
        "age": (tuple(str(5 + i) for i in range(17)), age),
        "lunch": (_LUNCHES, (hardship + 0.5 * rng.standard_normal(n_rows) > np.array([[-0.3], [0.1]])).sum(axis=0)),
        "special_need": (_NEEDS, _draw(rng, special, hardship > 1.2)),
        "entry_year": (_YEARS, np.minimum(_draw(rng, np.ones((1, len(_YEARS))), np.zeros(n_rows, dtype=np.int64)), 12)),
    }
    return columns, hardship, age.astype(np.float64)


def _facts(rng: np.random.Generator, hardship: _Floats, age: _Floats) -> dict[str, _Column]:
    """Draw the sensitive facts: rarer ones follow hardship and age, some presuppose another."""
    columns: dict[str, _Column] = {}
    for flag in _FLAGS:
        within = columns[flag.presupposes][1] == 1 if flag.presupposes else np.ones(len(age), dtype=bool)
        lift = np.exp(flag.hardship * hardship + flag.age * (age - 8))
        lift[~within] = 0
        chance = np.minimum(lift * (flag.share / lift.mean()), 0.9) if lift.any() else lift
        columns[flag.name] = (("no", "yes"), (rng.random(len(age)) < chance).astype(np.int64))
    return columns


def _draw(rng: np.random.Generator, weights: _Floats, group: NDArray[np.integer] | NDArray[np.bool_]) -> _Ints:
    """Draw a column of `weights` for each row; `group` is the row of `weights` to draw from."""
    groups = group.astype(np.int64)
    n_values = weights.shape[1]
    scale = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True) + np.arange(len(weights))[:, None]
    found: _Ints = np.searchsorted(scale.ravel(), groups + rng.random(len(groups)), side="right") - groups * n_values
    return found.clip(0, n_values - 1)
