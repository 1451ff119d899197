"""The run of all attackers over all targets."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attacker import Attacker
from withhold.attackers._exact import View
from withhold.attackers._judge import judge_together
from withhold.attackers._outcome import Attack, Target
from withhold.attackers._scene import Stage, hide
from withhold.attackers._standard import standard_attackers
from withhold.attackers._tally import Guess, Tally

__all__ = ["attack_cells"]


def attack_cells(
    release: View,
    before: View | None,
    targets: Sequence[Target],
    *,
    attackers: Sequence[Attacker] | None = None,
    predictors: Sequence[str] | None = None,
    max_train: int | None = None,
    max_cells: int | None = None,
    rng: int | np.random.Generator | None = None,
    progress: Callable[[str], object] | None = None,
) -> list[Attack]:
    """Let attackers guess withheld cells, and count how often each is right.

    Each attacker is fitted on the release alone, one column after the other, and guesses the cells of the targets.
    The same attackers then try the table in which only these cells are blank, which shows what the rest of the release
    withholds is worth. Who says the most frequent value is the yardstick: an attacker that is not better has learned
    nothing about single people. That value is taken from the release or from the table in which only these cells are
    blank, whichever is right more often: a release that withholds a frequent value must not lower its own yardstick.

    Parameters
    ----------
    release
        The published table.
    before
        The table as it would be with only the attacked cells blank. They are blanked here once more, so that the
        original will do. None leaves that part out.
    targets
        The cells, by column.
    attackers
        The attackers; `standard_attackers` by default.
    predictors
        The columns that an attacker may use; all by default.
    max_train
        The most labelled rows that learners, neighbours and rules train on, drawn at random, the same for all of them.
        Some take fewer of their own accord; `trained_on` and the note say so. Attackers that only count, the named
        adversaries and the informed among them, see all rows: a promise is about the release, not about a part of it.
    max_cells
        The most cells to try, drawn at random from all targets.
    rng
        Seed or generator of the draws and of the learners' own randomness.
    progress
        Called with a line for each attacker and column.

    Returns
    -------
    list of Attack
        One for each attacker, in their order.

    Notes
    -----
    A cell that the release does publish counts as what it says, for every attacker and the majority.

    The quick way for a large table is ``max_train=10_000, max_cells=1_000``. What then takes longest is ID3, which sees
    all rows: some seconds a column for a million rows and fifteen columns.
    Without caps the learners still train on at most 20,000 rows each (the linear machine on 10,000), rules on 200,000;
    time then grows with the cells.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "b"] * 20 + ["a"], "ill": ["yes", "no"] * 20 + ["*"]})
    >>> target = Target(column="ill", rows=np.array([40]), truth=("yes",))
    >>> attack = attack_cells(view, None, [target], attackers=standard_attackers()[:1], rng=1)[0]
    >>> attack.attacker, attack.n_right, attack.rate
    ('naive-bayes', 1, 1.0)
    """
    generator = np.random.default_rng(rng)
    seed = int(generator.integers(2**62))
    chosen = _sample(targets, max_cells, generator)
    tallies = [Tally(each) for each in (standard_attackers() if attackers is None else attackers)]
    hidden = None if before is None else hide(before, targets)
    guesses: list[Guess] = []
    for target in chosen:
        stages = [Stage(release, target, predictors, seed)]
        if hidden is not None:
            stages.append(Stage(hidden, target, predictors, seed))
        guesses.append(Guess.of(*stages))
        # Stage by stage, so that attackers which build on the same guesses find them.
        found = [_round(tallies, stage, max_train, seed, progress) for stage in stages]
        for i, tally in enumerate(tallies):
            tally.add(target.column, [each[i] for each in found])
    n_cells = sum(len(target.rows) for target in targets)
    return judge_together([tally.attack(n_cells, guesses) for tally in tallies])


def _sample(targets: Sequence[Target], max_cells: int | None, rng: np.random.Generator) -> list[Target]:
    n_cells = sum(len(target.rows) for target in targets)
    if max_cells is None or n_cells <= max_cells:
        return [target for target in targets if len(target.rows)]
    taken = np.zeros(n_cells, dtype=bool)
    taken[rng.permutation(n_cells)[:max_cells]] = True
    found, start = [], 0
    for target in targets:
        here = np.flatnonzero(taken[start : start + len(target.rows)])
        start += len(target.rows)
        if here.size:
            truth = tuple(target.truth[i] for i in here.tolist())
            found.append(Target(column=target.column, rows=np.asarray(target.rows)[here], truth=truth))
    return found


def _round(
    tallies: Iterable[Tally],
    stage: Stage,
    max_train: int | None,
    seed: int,
    progress: Callable[[str], object] | None,
) -> list[NDArray[np.bool_] | None]:
    found = []
    for tally in tallies:
        if progress is not None:
            progress(f"{tally.attacker.title}: {stage.column}")
        found.append(tally.run(stage, max_train, seed))
    return found
