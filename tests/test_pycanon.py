"""pyCANON as an outside witness on real tables: it reads the written file and finds the figures that we report."""

from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from real_data import adult, adult_bounds, adult_trees, sdcmicro

outside = pytest.importorskip("pycanon.anonymity", reason="pycanon is not installed; `make setup` installs it")
N_ROWS = 2_000  # pyCANON takes a while for many groups
K, L, C = 8, 2, 5.0


class Sample(NamedTuple):
    frame: pd.DataFrame
    columns: dict[str, wh.ColumnSettings]
    known: list[str]
    sensitive: str
    """Values without an order."""
    ordered: str
    """Numbers."""


def adult_sample() -> Sample:
    known = ["age", "marital-status", "education", "sex"]
    numbers = {name: wh.ColumnSettings(type="number", range=adult_bounds()[name]) for name in ("age", "education-num")}
    trees = {name: wh.ColumnSettings(taxonomy=adult_trees()[name]) for name in known[1:]}
    return Sample(adult().sample(N_ROWS, random_state=1), trees | numbers, known, "occupation", "education-num")


def survey_sample() -> Sample:
    numbers = {name: wh.ColumnSettings(type="number") for name in ("age", "hhcivil")}
    frame = sdcmicro("testdata").dropna(subset=["water", "hhcivil"]).sample(N_ROWS, random_state=1)
    return Sample(frame, numbers, ["age", "urbrur", "roof", "sex"], "water", "hhcivil")


SAMPLES = {"adult": adult_sample, "testdata": survey_sample}


@pytest.fixture(scope="module", params=[(name, how) for name in SAMPLES for how in ("global", "local")], ids="-".join)
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple:
    """Release a sample under every requirement at once; return it, the file, and what we report of each."""
    name, recoding = request.param
    sample = SAMPLES[name]()
    known, sensitive = sample.known, sample.sensitive
    asked = {
        "k": wh.Anonymity(columns=known, k=K),
        "distinct": wh.Diversity(columns=known, sensitive=sensitive, l=L),
        "entropy": wh.Diversity(columns=known, sensitive=sensitive, l=1.5, model="entropy"),
        "recursive": wh.Diversity(columns=known, sensitive=sensitive, l=L, model="recursive", c=C),
        "equal": wh.Closeness(columns=known, sensitive=sensitive, t=0.7),
        "ordered": wh.Closeness(columns=known, sensitive=sample.ordered, t=0.4, distance="ordered"),
    }
    made = wh.release(sample.frame, wh.Policy([*asked.values()], columns=sample.columns, recoding=recoding), rng=1)
    path: Path = tmp_path_factory.mktemp("published") / "out.csv"
    found = {finding.where: finding.reached for finding in made.write(path).findings}
    reached = {each: found[f"require[{number}]"] for number, each in enumerate(asked)}
    texts = pd.read_csv(path, dtype=str, keep_default_na=False)
    return sample, texts, reached


def test_k_is_the_same(published: tuple) -> None:
    sample, texts, reached = published
    assert outside.k_anonymity(texts, sample.known) == reached["k"] >= K


def test_distinct_l_is_the_same(published: tuple) -> None:
    sample, texts, reached = published
    assert outside.l_diversity(texts, sample.known, [sample.sensitive]) == reached["distinct"] >= L


def test_entropy_l_is_the_same(published: tuple) -> None:
    sample, texts, reached = published
    # pyCANON cuts the figure off to a whole number; a hair is added for figures that are whole already.
    assert outside.entropy_l_diversity(texts, sample.known, [sample.sensitive]) == int(reached["entropy"] + 1e-9)
    shares = [np.unique(cells, return_counts=True)[1] / len(cells) for cells in held(texts, sample)]
    assert min(np.exp(-(share * np.log(share)).sum()) for share in shares) == pytest.approx(reached["entropy"])


def test_recursive_l_is_the_same_but_for_the_order_of_counts(published: tuple) -> None:
    sample, texts, reached = published
    # pyCANON's l is the distinct one. Its c divides the *rarest* value by those that are more frequent, where the
    # definition divides the most frequent one by the rarest; so the definition is written out on pyCANON's groups.
    c, l_found = outside.recursive_c_l_diversity(texts, sample.known, [sample.sensitive])
    assert l_found == reached["distinct"]
    counts = [np.sort(np.unique(cells, return_counts=True)[1]).tolist() for cells in held(texts, sample)]
    assert c == max(rising[0] // sum(rising[l_found - 1 :]) + 1 for rising in counts)
    assert min(largest_l(rising[::-1]) for rising in counts) == reached["recursive"] >= L


def test_t_is_the_same(published: tuple) -> None:
    sample, texts, reached = published
    assert outside.t_closeness(texts, sample.known, [sample.sensitive]) == pytest.approx(reached["equal"])
    # pyCANON goes by the type: numbers have an order, texts have none.
    numbers = texts.assign(**{sample.ordered: texts[sample.ordered].astype(float)})
    assert outside.t_closeness(numbers, sample.known, [sample.ordered]) == pytest.approx(reached["ordered"])


def held(texts: pd.DataFrame, sample: Sample) -> list[np.ndarray]:
    """Return what the sensitive column holds in each of pyCANON's groups."""
    from pycanon.anonymity.utils.aux_anonymity import get_equiv_class

    return [texts[sample.sensitive].to_numpy()[rows] for rows in get_equiv_class(texts, sample.known)]


def largest_l(falling: list[int]) -> int:
    """Return the largest l for which the first count is less than c times the sum from the l-th on."""
    return max((i + 1 for i in range(len(falling)) if falling[0] < Fraction(C) * sum(falling[i:])), default=0)
