"""A survey with dates, postcodes and incomes: taxonomies are built, dates follow the calendar, incomes are averaged.

Run: python examples/survey.py
"""

import numpy as np
import pandas as pd

import withhold as wh


def people(n_rows: int = 1_000) -> pd.DataFrame:
    """Return made-up answers."""
    rng = np.random.default_rng(7)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n_rows), unit="D")
    return pd.DataFrame(
        {
            "visit": days.strftime("%d.%m.%Y"),
            "postcode": [f"{code:05d}" for code in 8000 + rng.integers(0, 90, n_rows)],
            "sex": rng.choice(["f", "m"], n_rows),
            "income": np.round(rng.lognormal(8.5, 0.7, n_rows), 2),
        }
    )


def main() -> None:
    answers = people()
    postcodes = wh.taxonomy(answers["postcode"], by="prefix", lengths=[4, 3])
    policy = wh.Policy(
        [wh.Anonymity(columns=["visit", "postcode", "sex"], k=5)],
        recoding="local",
        columns={
            "visit": wh.ColumnSettings(type="date", format="%d.%m.%Y"),
            "postcode": wh.ColumnSettings(taxonomy=postcodes),
            "income": wh.ColumnSettings(type="number", publish="mean", publish_k=5),
        },
    )
    published = wh.release(answers, policy).to_frame()
    print(published.head(8).to_string())
    before, after = answers["income"], published["income"].astype(float)
    print(f"mean income of women: {before[answers['sex'] == 'f'].mean():.0f} before, ", end="")
    print(f"{after[published['sex'] == 'f'].mean():.0f} as published")


if __name__ == "__main__":
    main()
