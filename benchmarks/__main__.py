"""Run every benchmark: ``python -m benchmarks [--data FOLDER] [--quick]``."""

import argparse
from pathlib import Path

from benchmarks import audit, inference, levels, linkage, local, pda, risk, rules, tds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder that holds adult/adult.data; else WITHHOLD_DATA")
    parser.add_argument("--quick", action="store_true", help="small tables only")
    options = parser.parse_args()
    tds.run(data=options.data, quick=options.quick)
    pda.run(data=options.data, quick=options.quick)
    rules.run(data=options.data, quick=options.quick)
    risk.run(data=options.data, quick=options.quick)
    inference.run(data=options.data, quick=options.quick)
    local.run(data=options.data, quick=options.quick)
    levels.run(data=options.data, quick=options.quick)
    audit.run(data=options.data, quick=options.quick)
    linkage.run(data=options.data, quick=options.quick)


if __name__ == "__main__":
    main()
