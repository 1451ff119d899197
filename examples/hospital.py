"""A hospital publishes discharge records: nobody singled out, no postcode that gives a diagnosis away.

Run: python examples/hospital.py
"""

import tempfile
from pathlib import Path

import pandas as pd

import withhold as wh


def main() -> None:
    patients = pd.DataFrame(wh.samples.clinic(5_000, seed=1))
    policy = wh.Policy(
        [
            wh.Anonymity(columns=["age", "sex", "postcode", "occupation"], k=10),
            wh.Anonymity(columns=["diagnosis", "stay_days"], k=5),
            wh.Template(given=["sex", "insurance", "admission"], hide={"readmitted": ["yes"]}, at_most=0.6),
        ],
        target="readmitted",
        drop=["name"],
        columns={
            "age": wh.ColumnSettings(type="number", range=(0, 120)),
            "stay_days": wh.ColumnSettings(type="number", range=(0, 365)),
            **{name: wh.ColumnSettings(taxonomy=tree) for name, tree in wh.samples.CLINIC_TAXONOMIES.items()},
        },
        splits="valid",
        rows="shuffle",
    )
    release = wh.release(patients, policy)
    for step in release.steps[:5]:
        print(f"{step.column}: {step.value} -> {', '.join(step.children)}")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "release.csv"
        release.write(out, report=Path(folder) / "report.html")
        print("met:", wh.audit(out, policy, original=patients).ok)
        print(pd.read_csv(out).head())


if __name__ == "__main__":
    main()
