"""What the owner of a release should know about it, in sentences."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from withhold._inspect import looks_like_numbers
from withhold.engines import Cluster
from withhold.requirements import redundant_templates
from withhold.table import CountedStore, Numbers, PartialStore

if TYPE_CHECKING:
    from withhold.releasing._release import Release

__all__ = ["release_notes", "without_repeats"]

MANY_VALUES = 10
FEW_ROWS = 10
"""Values that fewer rows hold are rare."""


def release_notes(release: "Release") -> list[str]:
    """Return hints for the owner: columns that could keep more under other settings."""
    hidden = lost_columns(release)
    # What cost most stands first.
    notes = (
        [f"withheld altogether: {', '.join(hidden)}. Hint: {_ways(release, hidden)} may keep more."] if hidden else []
    )
    checked = release.checked
    if checked is not None:
        notes += [*(each.says for each in checked.disclosures), *without_repeats(checked.notes, notes)]
    notes += _held_back(len(release.held_back) - len(release.narrowed), len(release.narrowed))
    store, cluster = release.run.table.store, release.source
    if isinstance(store, CountedStore) and isinstance(cluster, Cluster):
        made_on = (
            f"{store.n_entries:,} distinct rows that the cluster counted (at most {cluster.most_groups:,} may come"
        )
        if isinstance(store, PartialStore):
            made_on = f"counts under coarser values (more than {cluster.most_groups:,} distinct rows may not come"
        notes.append(f"made on {made_on} to the driver); it was asked {cluster.n_jobs:,} times.")
    notes += [
        f"require[{i}] is implied by require[{j}]; it stays in the averages and changes no promise."
        for i, j in redundant_templates(release.policy.require)
    ]
    notes += [note for guard in release.run.guards for note in guard.notes()]
    masked = {*release.policy.refined}
    by_cells = any(not requirement.refines for requirement in release.policy.require)
    for column, settings in release.policy.columns.items():
        is_used = column in masked or column in release.policy.drop or settings.changes_numbers or settings.is_reread
        if not by_cells and not is_used:
            notes.append(f'column "{column}" has settings, but no requirement masks it: they change nothing.')
    for column in hidden:
        domain = release.table.domain(column)
        if isinstance(domain, Numbers) and _are_few(release, column):
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
    return list(dict.fromkeys(notes))


def _held_back(n_newcomers: int, n_narrowed: int) -> Iterator[str]:
    for n, why in [
        (n_newcomers, "until more people join: they are too few to form groups of their own."),
        (n_narrowed, "because both releases together would leave their people too few sensitive values."),
    ]:
        if n:
            rows = "1 row is" if n == 1 else f"{n:,} rows are"
            yield f"{rows} held back {why}"


def lost_columns(release: "Release") -> list[str]:
    """Return the columns of which no value is published."""
    columns = [release.run.draft.column(name) for name in release.policy.refined]
    shown = {column.name: column.cut if column.is_by_value else column.nodes for column in columns}
    lost = {name for name, nodes in shown.items() if nodes.size and not nodes.any()}
    return [name for name in release.table.names if name in lost]


def without_repeats(notes: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the notes of a check that no other note says with a hint besides."""
    return [note for note in notes if not any(other.startswith(f"{note} Hint:") for other in others)]


def _ways(release: "Release", hidden: Sequence[str]) -> str:
    """Return what may keep more, as far as the policy does not do it already and would not refuse it."""
    policy, domains = release.policy, [release.table.domain(name) for name in hidden]
    settings = [policy.columns.get(name) for name in hidden]
    ways = ["fewer columns in a requirement", "asking for less"]
    is_flat = [not isinstance(domain, Numbers) and domain.depth.max(initial=0) < 2 for domain in domains]
    if any(flat and (each is None or not each.has_tree) for flat, each in zip(is_flat, settings, strict=True)):
        ways.append("a taxonomy")
    if policy.recoding == "global":
        if policy.splits == "best" and any(isinstance(domain, Numbers) for domain in domains):
            ways.append('splits = "valid"')
        is_plain = policy.score is None and policy.splits == "best"
        if is_plain and not any(each.mask == "suppress" for each in policy.columns.values()):
            ways.append('recoding = "local"')
    return f"{', '.join(ways[:-1])} or {ways[-1]}"


def _are_few(release: "Release", column: str) -> bool:
    """Return whether a column has missing cells, but fewer than a group needs."""
    if release.run.draft.column(column).missing is None:
        return False
    rows = release.run.table.distinct([column])
    n_missing = int(rows.weights[rows.codes[0] == release.table.n_codes(column) - 1].sum())
    least = max((each.least_rows(column) for each in release.policy.require), default=1)
    return 0 < n_missing < least


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
