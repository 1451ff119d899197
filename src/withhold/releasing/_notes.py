"""What the owner of a release should know about it, in sentences."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from withhold._inspect import looks_like_numbers
from withhold.engines import Cluster
from withhold.requirements import redundant_templates
from withhold.table import CountedStore, Numbers

if TYPE_CHECKING:
    from withhold.releasing._release import Release

__all__ = ["release_notes"]

MANY_VALUES = 10
FEW_ROWS = 10
"""Values that fewer rows hold are rare."""


def release_notes(release: "Release") -> list[str]:
    """Return hints for the owner: columns that could keep more under other settings."""
    notes = list(release.checked.notes) if release.checked is not None else []
    store, cluster = release.run.table.store, release.source
    if isinstance(store, CountedStore) and isinstance(cluster, Cluster):
        notes.append(
            f"made on {store.n_entries:,} distinct rows that the cluster counted (at most {cluster.most_groups:,} may "
            f"come to the driver); it was asked {cluster.n_jobs:,} times."
        )
    hidden = [recoding.column for recoding in release.refinement.recodings if recoding.is_constant]
    if hidden:
        notes.append(
            f"withheld altogether: {', '.join(hidden)}; no further step was valid there. Hint: fewer columns in a "
            'requirement, a smaller k, a taxonomy, or splits = "valid" may keep more.'
        )
    notes += [
        f"require[{i}] is implied by require[{j}]; it stays in the averages and changes no promise."
        for i, j in redundant_templates(release.policy.require)
    ]
    notes += [note for guard in release.run.guards for note in guard.notes()]
    masked = {*release.policy.refined}
    by_cells = any(not requirement.refines for requirement in release.policy.require)
    for column in release.policy.columns:
        if not by_cells and column not in masked and column not in release.policy.drop:
            notes.append(f'column "{column}" has settings, but no requirement masks it: they change nothing.')
    for column in hidden:
        domain = release.table.domain(column)
        if isinstance(domain, Numbers) and domain.missing_code is not None:
            notes.append(
                f'column "{column}": its missing cells are too few to stand alone, so numbers stay withheld too. '
                "Hint: fill them in, publish without these rows, or ask for a smaller k or fewer columns."
            )
    for column, values in release.refinement.withheld.items():
        if len(values) == 1:
            notes.append(f'column "{column}": `*` stands for one value only, so it hides nothing there.')
        notes += _rare(release, column, values)
    for recoding in release.refinement.recodings:
        column = recoding.column
        if isinstance(release.table.domain(column), Numbers) or column in release.policy.columns:
            continue
        if release.table.n_codes(column) > MANY_VALUES and looks_like_numbers(release.table, column):
            notes.append(
                f'column "{column}" holds numbers but is treated as categories; '
                f'[columns."{column}"] type = "number" would publish intervals.'
            )
    return notes


def _rare(release: "Release", column: str, withheld: Sequence[str | None]) -> Iterator[str]:
    """Report rare values that are published beside a withheld one that more rows hold."""
    if any(each.least_rows(column) > 1 for each in release.policy.require):
        return
    rows = release.table.distinct([column], as_text=[column])
    texts = release.table.store.values(column)
    n_rows: dict[str | None, int] = {}
    for position, weight in zip(rows.codes[0].tolist(), rows.weights.tolist(), strict=True):
        n_rows[texts[position]] = n_rows.get(texts[position], 0) + weight
    most = max((n_rows.get(value, 0) for value in withheld), default=0)
    shown = [n for value, n in n_rows.items() if value is not None and value not in withheld]
    n_rare = sum(n < min(FEW_ROWS, most) for n in shown)
    if n_rare:
        held = "1 value held by" if n_rare == 1 else f"{n_rare} values held by"
        verb = "is" if n_rare == 1 else "are"
        yield (
            f'column "{column}": {held} fewer than {FEW_ROWS} rows {verb} published while more common ones are '
            "withheld. Hint: add an anonymity requirement."
        )
