"""How much does privacy cost? The same table under growing k, as figures an analyst can plot.

Run: python examples/trade_off.py
"""

import pandas as pd

import withhold as wh


def main() -> None:
    patients = pd.DataFrame(wh.samples.clinic(5_000, seed=1))
    rows = []
    for k in (2, 5, 10, 20, 50, 100):
        policy = wh.Policy(
            [wh.Anonymity(columns=["age", "sex", "occupation"], k=k)],
            target="readmitted",
            drop=["name"],
            splits="valid",
        )
        release = wh.release(patients, policy)
        kept = release.metrics["target_information"]
        rows.append(
            {
                "k": k,
                "steps": len(release.steps),
                "smallest group": release.reached[0],
                "NCP": round(release.metrics["ncp"]["overall"], 3),
                "age kept": f"{kept['age']['share']:.0%}",
            }
        )
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
