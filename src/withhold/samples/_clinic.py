"""A synthetic clinic registry: invented patients with realistic correlations."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


class _Disease(NamedTuple):
    """Who has a disease, and what follows from it."""

    chapter: str
    name: str
    share: float
    first_age: int
    peak_age: int
    spread: int
    female: float  # 1 is even, 2 is female only, 0 is male only
    emergency: float
    stay: float
    returns: float


class _Occupation(NamedTuple):
    """Who has an occupation: its share grows in and fades out at the ends of an age range."""

    group: str
    name: str
    share: float
    first_age: int
    last_age: int


class _Region(NamedTuple):
    """Who lives in a region: shares of all patients, of older and of privately insured ones, and common work."""

    name: str
    districts: tuple[str, ...]
    share: float
    older: float
    private: float
    work: tuple[str, ...]


_DISEASES = (
    _Disease("Circulatory", "heart failure", 1.5, 35, 79, 11, 0.95, 0.60, 9.0, 1.7),
    _Disease("Circulatory", "stroke", 1.0, 30, 75, 12, 0.95, 0.85, 11.0, 0.4),
    _Disease("Respiratory", "asthma", 0.9, 1, 9, 14, 0.90, 0.55, 3.0, -0.2),
    _Disease("Respiratory", "pneumonia", 0.8, 0, 72, 38, 0.90, 0.75, 7.0, 0.1),
    _Disease("Respiratory", "chronic lung disease", 1.0, 35, 70, 10, 0.90, 0.50, 8.0, 1.5),
    _Disease("Metabolic", "type 1 diabetes", 0.5, 1, 15, 12, 1.00, 0.45, 5.0, 0.3),
    _Disease("Metabolic", "type 2 diabetes", 1.1, 18, 64, 12, 0.85, 0.25, 6.0, 0.8),
    _Disease("Digestive", "appendicitis", 0.8, 3, 18, 12, 0.95, 0.90, 4.0, -1.2),
    _Disease("Digestive", "gallstones", 0.9, 16, 50, 14, 1.35, 0.30, 4.0, -1.0),
    _Disease("Digestive", "gastroenteritis", 0.9, 0, 3, 15, 1.00, 0.80, 2.0, -0.7),
    _Disease("Injury", "hip fracture", 0.9, 45, 84, 9, 1.40, 0.90, 13.0, -0.6),
    _Disease("Injury", "concussion", 0.8, 0, 17, 16, 0.80, 0.95, 1.0, -1.3),
    _Disease("Neoplasms", "breast cancer", 0.9, 25, 61, 13, 1.98, 0.05, 6.0, 1.1),
    _Disease("Neoplasms", "bowel cancer", 0.7, 30, 70, 11, 0.85, 0.20, 12.0, 1.3),
    _Disease("Mind and nerves", "depression", 1.0, 12, 38, 16, 1.20, 0.30, 20.0, 0.7),
    _Disease("Mind and nerves", "epilepsy", 0.5, 1, 25, 25, 1.00, 0.65, 4.0, 0.5),
)
_OCCUPATIONS = (
    _Occupation("Health and care", "nurse", 1.0, 19, 66),
    _Occupation("Health and care", "physician", 0.4, 25, 67),
    _Occupation("Health and care", "care assistant", 0.8, 17, 65),
    _Occupation("Teaching and research", "teacher", 0.9, 23, 66),
    _Occupation("Teaching and research", "childcare worker", 0.6, 18, 65),
    _Occupation("Teaching and research", "researcher", 0.3, 24, 67),
    _Occupation("Trades and transport", "electrician", 0.7, 16, 64),
    _Occupation("Trades and transport", "carpenter", 0.6, 16, 64),
    _Occupation("Trades and transport", "machine operator", 0.9, 16, 64),
    _Occupation("Trades and transport", "driver", 0.9, 19, 66),
    _Occupation("Services", "cook", 0.6, 16, 65),
    _Occupation("Services", "sales assistant", 1.2, 16, 66),
    _Occupation("Services", "cleaner", 0.7, 17, 67),
    _Occupation("Office", "clerk", 1.3, 18, 66),
    _Occupation("Office", "accountant", 0.6, 20, 66),
    _Occupation("Office", "software developer", 0.6, 19, 65),
    _Occupation("In education", "preschool child", 9.0, 0, 5),
    _Occupation("In education", "pupil", 9.0, 6, 18),
    _Occupation("In education", "student", 6.0, 18, 29),
    _Occupation("Outside paid work", "homemaker", 0.8, 20, 105),
    _Occupation("Outside paid work", "seeking work", 0.7, 17, 66),
    _Occupation("Outside paid work", "retired", 20.0, 60, 105),
)
_REGIONS = (
    _Region("North", ("010", "012", "015", "018"), 0.20, 0.50, 0.06, ("carpenter", "care assistant", "nurse")),
    _Region("Harbour", ("231", "234", "236", "239"), 0.35, 0.35, 0.04, ("driver", "machine operator", "cook")),
    _Region("Valley", ("470", "473", "475", "478"), 0.30, 0.30, 0.22, ("software developer", "researcher", "student")),
    _Region("Highland", ("852", "855", "857", "859"), 0.15, 0.60, 0.12, ("teacher", "carpenter", "homemaker")),
)
_PRIVATE = {"Office": 0.12, "Teaching and research": 0.20, "Health and care": 0.06}
_SEXES = ("female", "male", "diverse")
_AGES = np.arange(100)


def _tree(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the taxonomy of (group, leaf) pairs."""
    groups: dict[str, Any] = {}
    for group, leaf in pairs:
        groups.setdefault(group, {})[leaf] = {}
    return {"Any": groups}


def _postcodes(district: str) -> list[tuple[str, str]]:
    """Return (masked district, postcode) pairs."""
    return [(f"{district}**", f"{district}{(int(district) * 7 + 13 * i) % 100:02d}") for i in range(4)]


CLINIC_TAXONOMIES: dict[str, dict[str, Any]] = {
    "postcode": {"Any": {r.name: _tree([p for d in r.districts for p in _postcodes(d)])["Any"] for r in _REGIONS}},
    "occupation": _tree([(job.group, job.name) for job in _OCCUPATIONS]),
    "diagnosis": _tree([(disease.chapter, disease.name) for disease in _DISEASES]),
}

CLINIC_POLICY = """\
# What the released table is for: predicting this column.
target = "readmitted"
# Columns that point to one person. They are never released.
drop = ["name"]
# Each row is released as finely as its own group allows.
recoding = "local"

# Numbers may be coarsened to ranges, such as 40 to 49.
[columns.age]
type = "number"

[columns.stay_days]
type = "number"

# Words may be coarsened along a taxonomy: postcode, district, region.
[columns.postcode]
taxonomy = "postcode.csv"

[columns.occupation]
taxonomy = "occupation.csv"

[columns.diagnosis]
taxonomy = "diagnosis.csv"

# A neighbour may know these facts about a patient.
# At least 10 patients must share every combination that is released.
[[require]]
kind = "anonymity"
columns = ["age", "sex", "postcode", "occupation"]
k = 10

# A colleague may know why a patient was here, and for how long.
# At least 5 patients must share every such combination.
[[require]]
kind = "anonymity"
columns = ["diagnosis", "stay_days"]
k = 5
"""


def _draw(rng: np.random.Generator, weights: _Floats, group: _Ints) -> _Ints:
    """Draw a column of `weights` for each row; `group` is the row of `weights` to draw from."""
    # All groups share one sorted scale, group g from g to g + 1: one search serves every row.
    n_values = weights.shape[1]
    scale = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True) + np.arange(len(weights))[:, None]
    found: _Ints = np.searchsorted(scale.ravel(), group + rng.random(len(group)), side="right") - group * n_values
    return found.clip(0, n_values - 1)


def _bell(peak: float, width: float) -> _Floats:
    """Return a bell curve over the ages, 1 at its peak."""
    curve: _Floats = np.exp(-0.5 * ((_AGES - peak) / width) ** 2)
    return curve


def _names(rng: np.random.Generator, n_rows: int) -> NDArray[np.object_]:
    """Draw names made of invented syllables."""
    given = ("Al", "Be", "Ce", "Do", "Fa", "Ga", "Ilo", "Ke", "Mu", "Ori", "Pe", "Ru", "Sa", "Ta")
    family = ("Arn", "Bolm", "Crell", "Dorv", "Esk", "Fenn", "Grul", "Hask", "Ilm", "Jorv", "Kelm", "Lusk", "Morv")
    ends = ("abor", "ackle", "adin", "avel", "emar", "endow", "ibeck", "idan", "olim", "orran", "umble", "uvern")
    pool = [f"{g}{m} {f}{e}" for g in given for m in ("ven", "rin", "lo", "sha", "dima") for f in family for e in ends]
    return np.array(pool, dtype=object)[rng.integers(len(pool), size=n_rows)]


def _person(rng: np.random.Generator, home: _Ints) -> tuple[_Ints, _Ints]:
    """Draw ages by region of the home, and sexes by age: women live longer."""
    ages = [0.1 * _bell(4, 8) + 0.6 * (1 - r.older) * _bell(42, 14) + r.older * _bell(75, 9) for r in _REGIONS]
    age = _draw(rng, np.array(ages), home)
    female = 0.49 + 0.004 * np.maximum(_AGES - 60, 0)
    return age, _draw(rng, np.stack([female, 0.992 - female, np.full(100, 0.008)], axis=1), age)


def _work(rng: np.random.Generator, home: _Ints, age: _Ints) -> tuple[_Ints, _Ints]:
    """Draw occupations by region and age, and insurances by region and occupation."""
    table = np.empty((len(_REGIONS), 100, len(_OCCUPATIONS)))
    for i, job in enumerate(_OCCUPATIONS):
        fade = np.clip(np.minimum(_AGES - job.first_age + 1, job.last_age - _AGES + 1) / 5, 0, 1)
        table[:, :, i] = [job.share * fade * (3 if job.name in region.work else 1) for region in _REGIONS]
    work = _draw(rng, table.reshape(-1, len(_OCCUPATIONS)), home * 100 + age)
    private = np.array([r.private + _PRIVATE.get(job.group, 0.0) for r in _REGIONS for job in _OCCUPATIONS])
    shares = np.stack([0.9 - 1.4 * private, 0.1 + 0.4 * private, private], axis=1)
    return work, _draw(rng, shares, home * len(_OCCUPATIONS) + work)


def _illness(rng: np.random.Generator, age: _Ints, sex: _Ints) -> tuple[_Ints, _Ints]:
    """Draw diagnoses by age and sex, and admissions by age and diagnosis."""
    table = np.empty((len(_SEXES), 100, len(_DISEASES)))
    for i, ill in enumerate(_DISEASES):
        curve = ill.share * _bell(ill.peak_age, ill.spread) * (ill.first_age <= _AGES)
        table[:, :, i] = [ill.female * curve, (2 - ill.female) * curve, curve]
    diagnosis = _draw(rng, table.reshape(-1, len(_DISEASES)), sex * 100 + age)
    urgent = np.array([ill.emergency + 0.001 * (_AGES - 50) for ill in _DISEASES]).clip(0.02, 0.97).ravel()
    transfer = np.tile(0.03 + 0.0012 * _AGES, len(_DISEASES))
    shares = np.stack([urgent * (1 - transfer), (1 - urgent) * (1 - transfer), transfer], axis=1)
    return diagnosis, _draw(rng, shares, diagnosis * 100 + age)


def _outcome(rng: np.random.Generator, age: _Ints, diagnosis: _Ints, admission: _Ints) -> tuple[_Ints, _Ints]:
    """Draw the days of stay, and whether the patient came back (1) or not (0)."""
    typical = np.array([ill.stay for ill in _DISEASES])[diagnosis]
    typical *= np.array([1.1, 0.8, 1.5])[admission] * (0.7 + 0.006 * age)
    days = np.rint(typical * np.exp(0.45 * rng.standard_normal(len(age)))).clip(0, 60).astype(np.int64)
    logit = np.array([1.4 * ill.returns for ill in _DISEASES])[diagnosis] + np.array([0.6, -0.5, 1.0])[admission]
    logit += 0.025 * (age - 50) + 0.06 * (np.minimum(days, 20) - 6) - 1.5
    return days, (rng.random(len(age)) < 1 / (1 + np.exp(-logit))).astype(np.int64)


def _table(rng: np.random.Generator, n_rows: int) -> dict[str, NDArray[Any]]:
    """Draw the columns, each given the ones it depends on."""
    homes = [(i, code) for i, r in enumerate(_REGIONS) for d in r.districts for _, code in _postcodes(d)]
    crowd = np.array([[_REGIONS[region].share / (2 + i % 4) for i, (region, _) in enumerate(homes)]])
    place = _draw(rng, crowd, np.zeros(n_rows, dtype=np.int64))
    home = np.array([region for region, _ in homes])[place]
    age, sex = _person(rng, home)
    work, insurance = _work(rng, home, age)
    diagnosis, admission = _illness(rng, age, sex)
    days, returned = _outcome(rng, age, diagnosis, admission)
    occupation = np.array([job.name for job in _OCCUPATIONS], dtype=object)[work]
    occupation[rng.random(n_rows) < 0.01] = None
    return {
        "name": _names(rng, n_rows),
        "age": age,
        "sex": np.array(_SEXES, dtype=object)[sex],
        "postcode": np.array([code for _, code in homes], dtype=object)[place],
        "occupation": occupation,
        "insurance": np.array(["public", "public plus", "private"], dtype=object)[insurance],
        "admission": np.array(["emergency", "planned", "transfer"], dtype=object)[admission],
        "diagnosis": np.array([ill.name for ill in _DISEASES], dtype=object)[diagnosis],
        "stay_days": days,
        "readmitted": np.array(["no", "yes"], dtype=object)[returned],
    }


def clinic(n_rows: int = 2_000, *, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Generate a synthetic clinic registry.

    No row describes a real person. About 1 % of the occupations are missing (None).

    Parameters
    ----------
    n_rows
        Number of patients, at least 1.
    seed
        Seed of the random numbers. The same seed and `n_rows` give the same table.

    Returns
    -------
        The columns by name, in order: name, age, sex, postcode, occupation, insurance, admission, diagnosis,
        stay_days, readmitted. All columns but age and stay_days hold text.

    Examples
    --------
    >>> from withhold.samples import clinic
    >>> table = clinic(500, seed=1)
    >>> list(table)[:4], len(table["age"])
    (['name', 'age', 'sex', 'postcode'], 500)
    """
    if isinstance(n_rows, bool) or not isinstance(n_rows, int | np.integer) or n_rows < 1:
        raise ValueError(f"clinic: `n_rows` must be an integer of at least 1; got {n_rows!r}.")
    return _table(np.random.default_rng(seed), int(n_rows))
