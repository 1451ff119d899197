"""What a release gives away together with earlier ones of the same people, though none of them does alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._disclosures import Disclosure
from withhold.auditing._finding import Finding
from withhold.auditing._sight import Sight
from withhold.auditing.candidates import Candidates, find_candidates
from withhold.auditing.earlier._layers import Layer, lay_over, layer_of, people_by_key
from withhold.auditing.earlier._value_sets import check_value_sets
from withhold.engines import Source, name_of, open_coded
from withhold.errors import InputError
from withhold.policy import Policy
from withhold.requirements import Question, Requirement

__all__ = ["Earlier", "Together", "audit_together", "of_together"]

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier release, and the table that it was made from."""

    release: object
    """A path, a frame, or a table that `read` returned."""
    original: object = None
    """The table that it was made from, row by row: it holds the key by which the owner knows people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What a release and earlier ones say together.

    Read as if an outsider knew which rows are the same person's, as positions, dates or rare values may show: each cell
    says what all releases allow. Every promise is counted again over all people of all releases.
    """

    kind: Literal["together"] = "together"
    releases: tuple[str, ...]
    """The earlier releases."""
    n_both: int
    """People of the release who are in an earlier one, too."""
    n_left: int
    """People who are in an earlier one only …"""
    n_joined: int
    """… and in this one only."""
    findings: tuple[Finding, ...]
    """The promises, counted over what all releases say together, and the sensitive values that their groups leave."""
    broken_alone: tuple[str, ...]
    """The promises that some release breaks by itself: their keys in the policy."""
    by_membership: tuple[Finding, ...]
    """The promises about groups, to somebody who also knows who left or joined; those that are not kept."""
    single: int | None = None
    """How many people of the release could be one row only to somebody who reads all releases; None where that was not
    tried …"""
    single_alone: int | None = None
    """… and to somebody who reads this one."""
    candidates: tuple[Candidates, ...] = ()
    """The rows that people of the release could be, read together."""

    @property
    def exposed(self) -> tuple[Finding, ...]:
        """The promises that are broken together though no release breaks them alone."""
        return tuple(each for each in self.findings if not each.ok and each.where not in self.broken_alone)


def audit_together(
    sight: Sight,
    checked: Sequence[Finding],
    earlier: Sequence[Earlier],
    sources: Sequence[tuple[Source, Source | None]],
    *,
    key: str | None,
    own: Source | None,
    attack: bool,
    rng: np.random.Generator,
) -> Together:
    """Audit a release together with earlier ones.

    Parameters
    ----------
    sight
        The release beside its original.
    checked
        What a check of the release alone found.
    earlier
        The earlier releases.
    sources
        Each of them, open, and the table that it was made from.
    key
        The column by which the owner knows people; None where rows stand at the same positions.
    own
        The original of the release, open.
    attack
        Whether to count the rows that people could be.
    rng
        Draws samples.
    """
    names = tuple(name_of(each.release) for each in earlier)
    people = _people(sight, sources, names, key, own)
    layers = [
        layer_of(source, sight.policy, numbers)
        for source, numbers in zip([sight.source, *(each for each, _ in sources)], people, strict=True)
    ]
    whole = layers[0]
    for layer in layers[1:]:
        whole = lay_over(whole, layer, sight.policy, sight.original)
    before = np.unique(np.concatenate(people[1:]))
    is_both = np.isin(people[0], before)
    alone = {finding.where for finding in checked if not finding.ok}
    for layer in layers[1:]:
        alone |= {finding.where for finding in _check(layer, sight, is_grouped=True) if not finding.ok}
    findings = _check(whole, sight, is_grouped=True) + _check_rows(whole, sight)
    findings += check_value_sets(layers, sight.policy, sight.original)
    marked = _marked(whole, layers, sight.policy)
    membership = [each for each in _check(marked, sight, is_grouped=True) if not each.ok]
    found = Together(
        releases=names,
        n_both=int(is_both.sum()),
        n_left=int(whole.n_rows - layers[0].n_rows),
        n_joined=int((~is_both).sum()),
        findings=tuple(findings),
        broken_alone=tuple(sorted(alone)),
        by_membership=tuple(membership),
    )
    if not attack or sight.original is None or sight.rows is None:
        return found
    return _with_candidates(found, whole, sight, rng)


def _people(
    sight: Sight,
    sources: Sequence[tuple[Source, Source | None]],
    names: Sequence[str],
    key: str | None,
    own: Source | None,
) -> list[_Ints]:
    """Return a number for each row of the release, and of each earlier one."""
    n_rows = sight.source.n_rows
    if key is None:
        places = np.arange(n_rows) if sight.positions is None else sight.positions
        n_people = n_rows if sight.original is None or sight.positions is None else sight.original.n_rows
        for (source, _), name in zip(sources, names, strict=True):
            if source.n_rows != n_people or (sight.policy.rows == "shuffle" and sight.positions is None):
                raise InputError(
                    f"audit: rows of {name} are not those of the file, position by position. "
                    "Hint: --key names a column by which people are found in the tables that both were made from."
                )
        return [places, *(np.arange(source.n_rows) for source, _ in sources)]
    files = [(sight.source if own is None or key in sight.source.names else own, "the file")]
    files += [
        (source if original is None or key in source.names else original, name)
        for (source, original), name in zip(sources, names, strict=True)
    ]
    found = people_by_key(files, key)
    if files[0][0] is own and own is not None:
        if sight.rows is None:
            raise InputError("audit: people cannot be found by a key, because which row is whose is not known.")
        found[0] = found[0][sight.rows]
    for (source, _), numbers, name in zip(sources, found[1:], names, strict=True):
        if numbers.size != source.n_rows:
            raise InputError(f"audit: {name} does not have the rows of the table that it was made from.")
    return found


def _check(layer: Layer, sight: Sight, *, is_grouped: bool) -> list[Finding]:
    """Check the promises about groups on a layer of which no original is known."""
    policy = sight.policy
    chosen = [
        i for i, each in enumerate(policy.require) if each.refines is is_grouped and _holds(layer, each, policy, i)
    ]
    if not chosen or not layer.n_rows:
        return []
    asked = {name for i in chosen for name in _asked(policy.require[i], policy, i)} | {policy.unit, policy.weight}
    source = open_coded({name: texts for name, texts in layer.texts.items() if name in asked}, layer.codes)
    try:
        own = Sight(source, policy, None, withheld=sight.withheld)
        return [f for i in chosen for f in policy.require[i].home.check.check(Question(sight=own, number=i))]
    finally:
        source.close()


def _check_rows(whole: Layer, sight: Sight) -> list[Finding]:
    """Check the other promises, which are about single rows of the release, on what is said of these rows together."""
    policy = sight.policy
    chosen = [i for i, each in enumerate(policy.require) if not each.refines and _holds(whole, each, policy, i)]
    if not chosen:
        return []
    rows = np.arange(sight.source.n_rows)
    part = whole.some(rows)
    kept = [name for name in part.texts if name in sight.source.names]
    source = open_coded({name: part.texts[name] for name in kept}, part.codes)
    try:
        own = Sight(source, policy, sight.original, withheld=sight.withheld, positions=sight.rows)
        return [f for i in chosen for f in policy.require[i].home.check.check(Question(sight=own, number=i))]
    finally:
        source.close()


def _holds(layer: Layer, requirement: Requirement, policy: Policy, number: int) -> bool:
    return _asked(requirement, policy, number) <= set(layer.texts)


def _asked(requirement: Requirement, policy: Policy, number: int) -> set[str]:
    return {*(name for _, name in requirement.named()), *requirement.sensitive_columns(policy, number)}


def _marked(whole: Layer, layers: Sequence[Layer], policy: Policy) -> Layer:
    """Return the layer with who is in which release: it is part of what is known of a person."""
    member = np.zeros(whole.n_rows, dtype=np.int64)
    for layer in layers:
        member = member * 2 + np.isin(whole.people, layer.people)
    _, member = np.unique(member, return_inverse=True)
    grouped = [(i, each) for i, each in enumerate(policy.require) if each.refines]
    sensitive = {name for i, each in grouped for name in each.sensitive_columns(policy, i)}
    # One column of each requirement is enough, and what a sensitive one says must stay readable.
    known = [[name for name in each.columns if name in whole.texts and name not in sensitive] for _, each in grouped]
    texts, codes = dict(whole.texts), dict(whole.codes)
    for name in {names[0] for names in known if names}:
        n_texts = len(texts[name])
        pairs, codes[name] = np.unique(member * n_texts + codes[name], return_inverse=True)
        pairs_of = [(int(pair) // n_texts, texts[name][int(pair) % n_texts]) for pair in pairs.tolist()]
        texts[name] = tuple(f"{text} ({who})" for who, text in pairs_of)
    return replace(whole, texts=texts, codes=codes)


def _with_candidates(found: Together, whole: Layer, sight: Sight, rng: np.random.Generator) -> Together:
    part = whole.some(np.arange(sight.source.n_rows))
    names = [name for name in part.texts if name in sight.source.names]
    source = open_coded({name: part.texts[name] for name in names}, part.codes)
    try:
        together = find_candidates(
            Sight(source, sight.policy, sight.original, withheld=sight.withheld, positions=sight.rows), rng=rng
        )
    finally:
        source.close()
    return replace(found, candidates=tuple(together), single=max((each.single or 0 for each in together), default=0))


def of_together(found: Together) -> list[Disclosure]:
    """Return what gives people away together though not alone."""
    with_what = ", ".join(found.releases)
    listed = []
    for finding in found.exposed:
        n_rows = [finding.details.get(name) for name in ("rows_in_small_groups", "rows_above", "people_narrowed")]
        n_people = next((int(str(n)) for n in n_rows if n), 0)
        counted = "1 person is" if n_people == 1 else f"{n_people:,} people are"
        who = f"{counted} exposed though by neither alone" if n_people else "this promise is broken"
        says = f"together with {with_what}, {who}: {finding.says}."
        listed.append(_disclosure("red", finding, n_people, f"{finding.where}: {says} Hint: release --with."))
    is_said = {finding.where for finding in found.exposed}
    for finding in found.by_membership:
        if finding.where not in is_said and finding.where not in found.broken_alone:
            is_said.add(finding.where)
            says = f"who knows who left or joined since {with_what} narrows people down: {finding.says}."
            listed.append(_disclosure("amber", finding, found.n_left + found.n_joined, f"{finding.where}: {says}"))
    if found.single is not None and found.single_alone is not None and found.single > found.single_alone:
        says = f"together with {with_what}, {found.single:,} people could be one row only; in this file alone "
        listed.append(_disclosure("amber", None, found.single, f"{says}{found.single_alone:,}."))
    return listed


def _disclosure(level: Literal["red", "amber"], finding: Finding | None, n_people: int, says: str) -> Disclosure:
    columns = () if finding is None else finding.columns
    return Disclosure(kind="earlier", level=level, columns=columns, n_people=n_people, says=says)
