"""`withhold demo`: the whole job on a built-in sample."""

import csv
import shlex
from functools import partial
from pathlib import Path

import click

__all__ = ["command"]


@click.command(name="demo", short_help="Run the whole job on a made-up clinic.")
@click.argument("folder", type=click.Path(path_type=Path), default="withhold-demo")
@click.option("--rows", type=click.IntRange(min=10), default=5_000, show_default=True, help="Patients in the sample.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which sample.")
def command(folder: Path, rows: int, seed: int) -> None:
    """Run the whole job on a made-up clinic: data, policy, release, audit, report, in FOLDER.

    Nothing in it is about real people. Read the policy, change k, and run the printed command again.
    """
    from withhold._staging import write_beside
    from withhold.auditing import audit
    from withhold.cli._show import print_attacks, print_audit, print_table, print_verdict, progress
    from withhold.policy import Policy
    from withhold.releasing import release
    from withhold.report import audit_report, write_report

    patients = write_clinic(folder, rows=rows, seed=seed)
    policy = folder / "policy.toml"
    out, report, page = folder / "release.csv", folder / "report.html", folder / "audit.html"
    with progress(quiet=False) as say:
        made = release(patients, Policy.load(policy), progress=say)
        made.write(out, report=report)
    columns = (*(recoding.column for recoding in made.decision.recodings), str(made.policy.target))
    print_table(columns, _first_rows(patients, columns), title=f"Before: {patients}")
    click.echo()
    print_table(columns, _first_rows(out, columns), title=f"After: {out}")
    click.echo()
    with progress(quiet=False) as say:
        found = audit(
            out,
            Policy.load(policy),
            original=patients,
            quick=True,
            progress=None if say is None else lambda what: say(what, None),
            rng=seed,
        )
    audited = audit_report(found, out.name, making=made.summary, path=out, policy=policy.name, original=patients.name)
    write_beside(page, partial(write_report, audited, suffix=".html"))
    print_audit(found)
    print_attacks(found)
    click.echo(f"\npolicy                {policy}\nreport on the release {report}\naudit                 {page}\n")
    data, rules, made_file, page_of_it = (shlex.quote(str(path)) for path in (patients, policy, out, report))
    click.echo("Change k in the policy, then try it yourself:")
    click.echo(f"  withhold release {data} --policy {rules} --out {made_file} --report {page_of_it}")
    click.echo(f"  withhold audit {made_file} --policy {rules} --original {data} --report {shlex.quote(str(page))}")
    click.echo(f"  withhold explain {data} {made_file} --row 0 --column age")
    print_verdict(audited)


def write_clinic(folder: Path, *, rows: int, seed: int) -> Path:
    """Write the sample: patients, taxonomies and, unless there is one, the policy; return the patients' path."""
    from withhold.errors import OutputError
    from withhold.samples import CLINIC_POLICY, CLINIC_TAXONOMIES, clinic
    from withhold.table import Taxonomy

    try:
        folder.mkdir(parents=True, exist_ok=True)
        table = clinic(rows, seed=seed)
        patients = folder / "patients.csv"
        if patients.exists() and not patients.read_bytes().startswith((",".join(table) + "\n").encode()):
            raise OutputError(f"{patients}: is not a sample of the demo and is not overwritten. Hint: another folder.")
        with patients.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table)
            writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
        for column, tree in CLINIC_TAXONOMIES.items():
            Taxonomy.from_nested(tree).write(folder / f"{column}.csv")
        if not (folder / "policy.toml").exists():
            (folder / "policy.toml").write_text(CLINIC_POLICY, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({error.strerror}).") from None
    return patients


def _first_rows(path: Path, columns: tuple[str, ...], n_rows: int = 5) -> list[tuple[str, ...]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return [tuple(row[column] for column in columns) for row, _ in zip(reader, range(n_rows), strict=False)]
