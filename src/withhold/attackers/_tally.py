"""What attackers, and who only guesses, have reached so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attacker import Attacker
from withhold.attackers._outcome import Attack, ColumnAttack
from withhold.attackers._scene import Stage
from withhold.attackers._statistics import mcnemar_p_value, wilson_interval
from withhold.errors import MissingExtraError

__all__ = ["Guess", "Tally"]

Right = NDArray[np.bool_]


class Guess(NamedTuple):
    """Where the most frequent value is right, on the cells of one column or of several."""

    release: Right
    """The most frequent value of the release that is still possible."""
    table: Right | None
    """The most frequent value of the table in which only the attacked cells are blank; None where that is not there."""
    before: Right | None
    """The same value, where only the attacked cells are blank."""

    @classmethod
    def of(cls, release: Stage, before: Stage | None = None) -> "Guess":
        """Guess the cells of a column."""
        own = release.says(release.frequent())
        if before is None:
            return cls(own, None, None)
        return cls(own, release.says(before.frequent()), before.says(before.frequent()))

    @classmethod
    def joined(cls, parts: "Sequence[Guess]") -> "Guess":
        """Put the cells of some columns one after the other."""
        tables = [part.table for part in parts if part.table is not None]
        befores = [part.before for part in parts if part.before is not None]
        table, before = (_joined(each) if each else None for each in (tables, befores))
        return cls(_joined([part.release for part in parts]), table, before)

    @property
    def better(self) -> Right:
        """Who of the two is right more often: the yardstick, which a release cannot lower by what it withholds."""
        return self.release if self.table is None or self.release.sum() >= self.table.sum() else self.table


@dataclass(slots=True)
class Tally:
    """What one attacker has reached so far."""

    attacker: Attacker
    seconds: float = 0.0
    trained_on: int | None = None
    notes: dict[str, None] = field(default_factory=dict)
    found: list[tuple[str, list[Right]] | None] = field(default_factory=list)
    """For each column its name, and what was right after and before; None where the attacker cannot attack."""

    def run(self, stage: Stage, max_train: int | None, seed: int) -> Right | None:
        """Attack a column; None where the attacker cannot."""
        most_rows: int | None = getattr(self.attacker, "most_rows", None)
        scene = stage.scene(most_rows if most_rows is None or max_train is None else min(most_rows, max_train))
        rng = np.random.default_rng([seed, crc32(self.attacker.name.encode()), crc32(stage.column.encode())])
        begin = perf_counter()
        try:
            self.attacker.fit(scene.view, stage.column, stage.predictors, rng=rng)
            guesses = self.attacker.guess(scene.rows)
        except MissingExtraError as error:
            self.notes[f"left out: needs the extra {error.extra}"] = None
            return None
        finally:
            self.seconds += perf_counter() - begin
        if scene.is_sample:
            self.trained_on = max(self.trained_on or 0, scene.n_training)
            self.notes[f"trained on a sample of {scene.n_training:,} rows"] = None
        if stage.n_published:
            self.notes[f"{stage.n_published:,} cells of {stage.column} are published as they are"] = None
        return stage.right(guesses)

    def add(self, column: str, found: Sequence[Right | None]) -> None:
        """Enter a column: what was right after, and before where that was tried."""
        right = [each for each in found if each is not None]
        self.found.append((column, right) if len(right) == len(found) else None)

    def attack(self, n_cells: int, guesses: Sequence[Guess]) -> Attack:
        """Sum up; `guesses` are those of the same columns."""
        done = [(found, guess) for found, guess in zip(self.found, guesses, strict=True) if found is not None]
        parts = [guess for _, guess in done]
        guess = Guess.joined(parts)
        after = _joined([right[0] for (_, right), _ in done])
        before = _joined([right[1] for (_, right), _ in done]) if guess.before is not None else None
        n_tried, n_right, majority = after.size, int(after.sum()), int(guess.better.sum())
        low, high = wilson_interval(n_right, n_tried)
        before_low, before_high = (None, None) if before is None else wilson_interval(int(before.sum()), n_tried)
        p_value, before_p_value = _chance(after, guess.better), _chance(before, guess.before)
        return Attack(
            attacker=self.attacker.name,
            title=self.attacker.title,
            story=self.attacker.story,
            n_cells=n_cells,
            n_tried=n_tried,
            n_right=n_right,
            rate=n_right / max(1, n_tried),
            low=low,
            high=high,
            majority_right=majority,
            majority_rate=majority / max(1, n_tried),
            release_majority_right=int(guess.release.sum()),
            table_majority_right=None if guess.table is None else int(guess.table.sum()),
            before_right=None if before is None else int(before.sum()),
            before_rate=None if before is None else int(before.sum()) / max(1, n_tried),
            before_low=before_low,
            before_high=before_high,
            p_value=1.0 if p_value is None else p_value,
            before_p_value=before_p_value,
            adjusted_p_value=1.0 if p_value is None else p_value,
            before_adjusted_p_value=before_p_value,
            beats_majority=False,
            is_ahead=False,
            trained_on=self.trained_on,
            columns=tuple(_column(*found, part, is_table=guess.better is guess.table) for found, part in done),
            seconds=self.seconds,
            note="; ".join(self.notes),
        )


def _column(column: str, right: Sequence[Right], guess: Guess, *, is_table: bool) -> ColumnAttack:
    majority = guess.table if is_table and guess.table is not None else guess.release
    return ColumnAttack(
        column=column,
        n_tried=right[0].size,
        n_right=int(right[0].sum()),
        majority_right=int(majority.sum()),
        before_right=int(right[1].sum()) if len(right) > 1 else None,
    )


def _joined(parts: Sequence[Right]) -> Right:
    return np.concatenate([np.zeros(0, dtype=bool), *parts])


def _chance(right: Right | None, guess: Right | None) -> float | None:
    if right is None or guess is None:
        return None
    return mcnemar_p_value(int((right & ~guess).sum()), int((~right & guess).sum()))
