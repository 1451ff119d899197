"""The section of the page about attacks on a file."""

from collections.abc import Iterator, Sequence

from withhold._markup import folded, paragraph, section, table
from withhold.auditing import Audit, Candidates, CellAttack, Homogeneity, Linkage, SetGuess
from withhold.report import _charts
from withhold.report._candidate_section import candidate_parts
from withhold.report._sections import reported_before, rounded, share
from withhold.report._verdict import trained_on

__all__ = ["attacks"]

Parts = Iterator[str]
READING = (
    "Before: the same attack where only these cells are blank. Guess: always the most frequent value. Better than a "
    "guess means that luck explains it in fewer than 1 of 100 cases, though this many attackers tried. The interval is "
    "about these cells and others like them, not about the rows that an attacker learned from."
)
HIDDEN = (
    "Each attacker learns from the release and guesses the cells that were hidden. Second guess and replay also know "
    "what the policy promises, and which cells it hides."
)
OTHERS = "Cells that were withheld on the way; no promise covers them."


def attacks(audit: Audit) -> str:
    """Report how the file was attacked."""
    return section("How the file was attacked", _attacks(audit))


def _attacks(audit: Audit) -> Parts:
    for where in dict.fromkeys(attack.where for attack in audit.cell_attacks):
        found = [attack for attack in audit.cell_attacks if attack.where == where]
        title, says = (f"Hidden cells ({where})", HIDDEN) if where else ("Other withheld cells", OTHERS)
        yield section(title, [paragraph(f"{says} {READING}"), *_cell_attacks(found)], level=3)
    links = [attack for attack in audit.attacks if isinstance(attack, Linkage)]
    if links:
        yield section("Finding a person", _linkage(links), level=3)
    read_off = [attack for attack in audit.attacks if isinstance(attack, Homogeneity)]
    if read_off:
        yield section("What a group gives away", _homogeneity(read_off), level=3)
    found_rows = [attack for attack in audit.attacks if isinstance(attack, Candidates)]
    if found_rows:
        yield section("The rows that a person could be", candidate_parts(found_rows), level=3)
    sets = [attack for attack in audit.attacks if isinstance(attack, SetGuess)]
    if sets:
        yield section("What the published list of withheld values gives away", _sets(sets), level=3)


def _cell_attacks(found: Sequence[CellAttack]) -> Parts:
    rows = [
        {
            "attacker": attack.title,
            "rate": attack.rate,
            "low": attack.low,
            "high": attack.high,
            "before": attack.before_rate,
            "majority": attack.majority_rate,
        }
        for attack in found
        if attack.n_tried
    ]
    if rows and _charts.can_draw():
        yield _charts.draw_attacks(rows)
    header = (
        "attacker",
        "in the policy",
        "cells",
        "recovered",
        "95 % interval",
        "before",
        "guess",
        "better than a guess?",
    )
    yield table(header, (_attack_row(attack) for attack in found))
    yield from map(paragraph, _guess(found[0]))
    if sampled := trained_on(found):
        yield paragraph(sampled)
    stories = [(attack.title, f"{attack.story} {attack.note}".strip()) for attack in found]
    yield folded("Who these attackers are", table(("attacker", "what it knows and does"), stories))


def _attack_row(attack: CellAttack) -> tuple[object, ...]:
    return (
        attack.title,
        "yes" if attack.is_named else "",
        attack.n_tried,
        share(attack.rate),
        f"{attack.low:.1%} to {attack.high:.1%}",
        share(attack.before_rate),
        share(attack.majority_rate),
        _better(attack),
    )


def _guess(attack: CellAttack) -> Parts:
    """Report both guesses, where they differ."""
    if attack.table_majority_right is not None and attack.table_majority_right != attack.release_majority_right:
        yield (
            f"The most frequent value of the release is right on {attack.release_majority_right:,} of "
            f"{attack.n_tried:,} cells, that of the table in which only these cells are blank on "
            f"{attack.table_majority_right:,}; the guess is the better of the two."
        )


def _better(attack: CellAttack) -> str:
    """Return whether an attacker is better than a guess; the chance of luck is that of this attacker alone."""
    if attack.is_ahead:
        return "far ahead; too few cells for a test"
    chance = "p < 0.001" if attack.p_value < 0.001 else f"p = {attack.p_value:.2g}"
    return f"yes ({chance})" if attack.beats_majority else f"no ({chance})" if attack.p_value < 0.05 else "no"


def _linkage(links: Sequence[Linkage]) -> Parts:
    yield paragraph(
        "Somebody who knows these columns of a person looks for the rows that agree, and picks one. The table shows "
        f"how often that is the right row, and how many rows agree on average and at least.{rounded(links[0].step)}"
    )
    header = (
        "columns known",
        "right row",
        "before",
        "rows that agree",
        "at least",
        "rows alone",
        "rows alone before",
    )
    yield reported_before(
        header,
        [
            (
                ", ".join(link.columns),
                share(link.rate, link.step),
                share(link.before_rate),
                None if link.narrowed_to is None else f"{link.narrowed_to:,.1f}",
                link.smallest,
                link.unique_rows,
                link.before_unique_rows,
            )
            for link in links
        ],
    )


def _homogeneity(read_off: Sequence[Homogeneity]) -> Parts:
    yield paragraph(
        "Somebody who knows these columns guesses another one: the most frequent value among the rows that agree. The "
        "guess is certain for rows whose whole group holds the same value; single rows are groups of their own. Blind: "
        f"always the most frequent value.{rounded(read_off[0].step)}"
    )
    header = (
        "columns known",
        "guessed",
        "right",
        "before",
        "blind",
        "certain rows",
        "single",
        "certain before",
    )
    yield reported_before(
        header,
        [
            (
                ", ".join(each.columns),
                each.column,
                share(each.rate, each.step),
                share(each.before_rate),
                share(each.majority_rate, each.step),
                each.certain_rows,
                each.single_rows,
                each.before_certain_rows,
            )
            for each in read_off
        ],
    )


def _sets(found: Sequence[SetGuess]) -> Parts:
    yield paragraph("Somebody reads which values a * may stand for, and guesses one; or knows which is most frequent.")
    header = ("column", "withheld cells", "possible values", "blind guess right", "most frequent right")
    rows = [(each.column, each.n_cells, each.n_values, share(each.rate), share(each.best_rate)) for each in found]
    yield table(header, rows)
