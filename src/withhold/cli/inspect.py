"""`withhold inspect`: look at a table before writing its policy."""

from math import isfinite
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from withhold.cli._places import Place, engine_options, reading_options
from withhold.cli._sample_options import population_lines, show_population

if TYPE_CHECKING:
    from withhold._first_policy import Proposal, Purpose
    from withhold.engines import Engine, Reading
    from withhold.methods.rules import Rules
    from withhold.policy import Policy
    from withhold.table import Table

__all__ = ["command"]

MOST_RULES, SHOWN_RULES = 2_000, 20
"""How many of the strongest rules are compared with each other, and how many are shown."""
DRAWN = "values that few rows hold may be missing, in taxonomies too, and more rows seem to be alone with theirs."
UNIQUE_SIZE = 3
"""How many columns a minimal unique set may have at most."""


@click.command(name="inspect", short_help="Look at a table, and get a first policy to edit.")
@click.argument("data", type=Place())
@click.option("--policy-out", type=click.Path(path_type=Path), help="Write the first policy to this file.")
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["public", "research", "internal"]),
    default="public",
    show_default=True,
    help="Who will read the release: k is 10, 5 or 3 in the first policy.",
)
@click.option("--policy", type=click.Path(path_type=Path), help="Also report what its templates and risks find.")
@click.option(
    "--private", type=click.Path(path_type=Path), help="Cells to be hidden (row,column): what rules infer of them."
)
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True), default=0.8, show_default=True, help="For --private."
)
@click.option(
    "--support",
    type=click.FloatRange(0, min_open=True),
    default=0.01,
    show_default=True,
    help="For --private: a share, or a number of rows.",
)
@click.option("--weight", metavar="COLUMN", help="The table is a sample: its column of sampling weights.")
@click.option("--sample", type=float, metavar="SHARE", help="The table is a sample: its share of the population.")
@click.option("--header", "is_header", is_flag=True, help="The first line holds names, though it looks like data.")
@engine_options
@reading_options(tables=True)
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
def command(
    data: "Path | str | IO[bytes]",
    policy_out: Path | None,
    purpose: "Purpose",
    policy: Path | None,
    private: Path | None,
    confidence: float,
    support: float,
    weight: str | None,
    sample: float | None,
    is_header: bool,
    engine: "Engine",
    as_json: bool,
    reading: "Reading",
) -> None:
    """Show the columns of DATA, how identifying they are, and a first policy to edit.

    Reports counts only, no value of any person. With --policy it also counts the inferences of its templates:
    groups that imply a sensitive value with a confidence above 10, 30, 50, 70 and 90 %; and for its record risks how
    many records lie where, which columns drive the risk, and on how few columns records are unique.

    With --weight or --sample, or a policy that names one of them or a population, it estimates how exposed people are
    in the population that the table was drawn from.

    With --private it lists instead, for the owner only, the strongest association rules by which an outsider could fill
    in cells that will be hidden.
    """
    from dataclasses import asdict

    from withhold._first_policy import first_policy
    from withhold._inspect import check_header, inspect_table, unique_rows
    from withhold.cli._show import announce_compiling, print_json, print_line, print_table, print_text
    from withhold.engines import Cluster, name_of, open_source
    from withhold.table import Table

    source = open_source(data, engine=engine, reading=reading)
    table = Table(source)
    if not is_header:
        check_header(table.names, name_of(data))
    seen = Table(source.drawn()) if isinstance(source, Cluster) else table
    columns = inspect_table(seen)
    proposal = first_policy(seen, columns, purpose=purpose, weight=weight, sample=sample)
    first = proposal.text
    loaded = None if policy is None else _load(policy)
    if loaded is not None and not as_json:
        announce_compiling(loaded)
    found = None if loaded is None else _inferences(table, loaded)
    risks = None if loaded is None else _risks(table, loaded)
    people = population_lines(seen, columns, loaded, weight=weight, sample=sample)
    alone = unique_rows(seen, columns)
    if private is not None:
        _show_rules(table, private, confidence, support, as_json=as_json)
        return
    if policy_out is not None:
        _write(proposal, policy_out)
    if as_json:
        profiles = [asdict(column) for column in columns]
        printed = {
            "n_rows": table.n_rows,
            "n_seen": seen.n_rows,
            "columns": profiles,
            "policy": first,
            "inferences": found,
            "risks": risks,
        }
        printed["uniques"] = None if alone is None else asdict(alone)
        printed["population"] = [asdict(each) for each in people]
        print_json(printed)
        return
    rows = [(c.name, c.looks, c.n_distinct, c.n_unique, c.n_missing) for c in columns]
    header = ("column", "looks like", "values", "unique rows", "missing")
    print_table(header, rows, title=f"{name_of(data)}: {table.n_rows:,} rows, {len(columns)} columns")
    click.echo()
    if seen.n_rows < table.n_rows:
        print_line("note   ", f"looked at {seen.n_rows:,} rows drawn by chance: {DRAWN}")
    for column in columns:
        if column.note:
            print_line("note   ", f"{column.name.strip()}: {column.note}")
    if alone is not None:
        sizes = ", ".join(f"{n:,} on {k}" for k, n in enumerate(alone.rows, start=1))
        click.echo()
        print_text(f"Of {seen.n_rows:,} rows, alone with their values in few columns: {sizes} or fewer columns.")
        most = sorted(alone.by_column.items(), key=lambda each: -(each[1] or 0))[:5]
        print_text(f"What makes them so most often: {', '.join(name for name, n in most if n) or 'nothing'}.")
    show_population(people)
    if found:
        click.echo("\nGroups that imply a sensitive value of the policy's templates, by confidence:")
        click.echo("\n".join(f"  above {float(share):.0%}: {count:,}" for share, count in found.items()))
    for risk in risks or ():
        _show_risk(risk)
    if loaded is not None:
        return
    files = [policy_out.name, *proposal.taxonomies] if policy_out else []
    where = f" (written: {', '.join(files)})" if files else " to edit"
    click.echo(f"\nA first policy{where}:\n\n{first}")


def _load(path: Path) -> "Policy":
    from withhold.errors import InputError
    from withhold.policy import Policy

    policy = Policy.load(path)
    is_sample = policy.weight is not None or policy.sample is not None or policy.population is not None
    if not is_sample and not any(requirement.shows for requirement in policy.require):
        raise InputError(f"{path}: has no template and no risk, so there is nothing to look for.")
    return policy


def _inferences(table: "Table", policy: "Policy") -> dict[str, int]:
    from withhold.metrics import count_inferences
    from withhold.policy import as_read, bind

    templates: list[Any] = [requirement for requirement in policy.require if requirement.shows == "inferences"]
    if not templates:
        return {}
    found = count_inferences(bind(policy, as_read(policy, table)), templates, (0.1, 0.3, 0.5, 0.7, 0.9))
    return {str(share): count for share, count in found.items()}


def _risks(table: "Table", policy: "Policy") -> list[dict[str, Any]]:
    """Report for each requirement about risk how exposed records are, and by which columns."""
    import numpy as np

    from withhold.methods import high_risk, minimal_uniques, record_risk, risk_by_column
    from withhold.policy import bin_columns, bind, read_codes, read_dates
    from withhold.releasing import counted_table, with_rows_or_counts
    from withhold.requirements import check_numbers
    from withhold.table import Draft

    found: list[dict[str, Any]] = []
    exposures: list[Any] = [each if each.shows == "exposure" else None for each in policy.require]
    if not any(exposures):
        return found
    read = read_dates(policy, with_rows_or_counts(read_codes(policy, table), policy), rng=None, shift=True)
    binned = bin_columns(counted_table(bind(policy, read), policy), policy, {})
    draft = Draft(binned)
    for i, requirement in enumerate(exposures):
        if requirement is None:
            continue
        check_numbers(binned, requirement.columns, where=f"require[{i}].known", source=policy.source)
        grid, counts = draft.grid(requirement.columns).with_sorted_values(), draft.weights
        question: Any = (grid, requirement.known, requirement.sensitive)
        known = [name for name, chance in requirement.known.items() if chance > 0]
        risk = record_risk(*question, alpha=requirement.alpha, relative=0.1, counts=counts)
        is_high = high_risk(*question, alpha=requirement.alpha, at_most=requirement.at_most, counts=counts)
        uniques = minimal_uniques(grid, known, max_size=min(len(known), UNIQUE_SIZE), counts=counts)
        sizes = uniques.sizes
        found.append(
            {
                "requirement": i,
                "at_most": requirement.at_most,
                "records_above": draft.n_cells(np.flatnonzero(is_high)),
                "histogram": [[low, high if isfinite(high) else None, n] for low, high, n in risk.histogram()],
                "risk_by_column": risk_by_column(*question, alpha=requirement.alpha, counts=counts),
                "minimal_uniques": {str(k): int((sizes == k).sum()) for k in range(1, UNIQUE_SIZE + 1)},
                "suda_by_column": uniques.by_column(),
            }
        )
    return found


def _show_risk(risk: dict[str, Any]) -> None:
    from withhold.cli._show import print_table

    click.echo(f"\nrisk require[{risk['requirement']}]: {risk['records_above']:,} records above {risk['at_most']:g}")
    bars = risk["histogram"]
    print_table(("risk from", "to", "records"), [(low, "–" if high is None else high, n) for low, high, n in bars if n])
    shares = sorted(risk["risk_by_column"].items(), key=lambda each: -each[1])[:10]
    scores = risk["suda_by_column"]
    rows = [(name, share, scores.get(name, 0.0)) for name, share in shares]
    print_table(("column", "share of the risk from sets that hold it", "SUDA score"), rows)
    sizes = ", ".join(f"{n:,} of {k}" for k, n in risk["minimal_uniques"].items())
    click.echo(f"minimal sets of columns on which a record is unique, by size: {sizes}")


def _show_rules(table: "Table", path: Path, confidence: float, support: float, *, as_json: bool) -> None:
    """Show the strongest rules that predict cells which will be hidden."""
    from withhold.cli._show import print_json, print_text
    from withhold.methods import fair
    from withhold.requirements import check_numbers
    from withhold.requirements.hidden import read_cells, whole
    from withhold.table import Draft

    cells = read_cells(path, table.names, table.n_rows)
    check_numbers(table, table.names, where="--private", source=path.name)
    grid = Draft(table).grid(table.names)
    rules = fair(grid, cells, confidence=confidence, support=whole(support))
    strongest = _minimal(rules)
    if as_json:
        print_json({"rules": len(rules), "private": rules.n_private, "strongest": strongest})
        return
    n_predicted = len(rules.predictable[0])
    click.echo(
        f"{len(rules):,} rules predict {n_predicted:,} of {rules.n_private:,} private cells. For the owner only:\n"
    )
    for left, right, n, public, _, n_hidden, n_right in zip(*strongest.values(), strict=True):
        fits = f"{public:.0%} of {n:,} published rows, right on {n_right:,} of {n_hidden:,} private cells"
        print_text(f"{left or 'always'} → {right}: {fits}")
    if len(strongest["if"]) < len(rules):
        print_text("\nLeft out: rules that say no more than a shorter one above, and all but the strongest.")


def _minimal(rules: "Rules") -> dict[str, list[Any]]:
    """Return the strongest rules as columns; one that needs more than a rule above it for the same is left out."""
    strong = rules.strongest(MOST_RULES)
    ends = strong.antecedent_end.tolist()
    items = list(zip(strong.antecedent_column.tolist(), strong.antecedent_code.tolist(), strict=True))
    seen: dict[tuple[int, int], list[set[tuple[int, int]]]] = {}
    kept = []
    for i, then in enumerate(zip(strong.column.tolist(), strong.code.tolist(), strict=True)):
        own = set(items[ends[i] : ends[i + 1]])
        if not any(other <= own for other in seen.setdefault(then, [])):
            seen[then].append(own)
            kept.append(i)
    return {name: [cells[i] for i in kept[:SHOWN_RULES]] for name, cells in strong.to_columns().items()}


def _write(proposal: "Proposal", path: Path) -> None:
    """Write the first policy, and its taxonomies beside it; nothing that is there already is overwritten."""
    from withhold.errors import OutputError

    beside = {path.with_name(name): tree for name, tree in proposal.taxonomies.items()}
    for each in (path, *beside):
        if each.exists():
            raise OutputError(f"{each.name}: exists already and is not overwritten.")
    try:
        for each, tree in beside.items():
            tree.write(each)
        path.write_text(proposal.text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path.name}: cannot be written ({error.strerror}).") from None
