"""The workbench without its window: everything one person has open, and what can be done with it."""

import csv
import shutil
from dataclasses import asdict
from pathlib import Path

from withhold._first_policy import first_policy
from withhold._inspect import check_header
from withhold._private import open_private
from withhold.engines import Reading, name_of, open_source
from withhold.errors import InputError
from withhold.samples import clinic
from withhold.table import Table
from withhold.workbench._bench_state import DEFAULTS, Opened
from withhold.workbench._comparing import Comparing
from withhold.workbench._jobs import Job
from withhold.workbench._look import Look, look_at
from withhold.workbench._policy_text import read_policy
from withhold.workbench._project import Choices, open_project, safe_name, save_project
from withhold.workbench._publishing import Published, publish
from withhold.workbench._remake import Making

__all__ = ["Bench"]

SAMPLE_ROWS = 2_000


class Bench(Comparing):
    """What one person has open, from the table that is opened to the release that is published.

    Deciding, taxonomies, runs and comparisons each have a module of their own; this one opens, publishes and keeps.
    """

    def open(self, place: Path | str, *, reading: Reading = DEFAULTS, is_header: bool = False, name: str = "") -> Job:
        """Open a table, then look at it; what was open before is closed."""
        self._tried = (place, reading, name)

        def work(job: Job) -> None:
            table = Table(open_source(place, reading=reading, scratch=self._scratch()))
            if not is_header:
                check_header(table.names, name or name_of(place))
            self._opened(table, place, name)
            self._looked(look_at(table, say=job.say))

        return self.jobs.start(f"Opening {name or name_of(place)}", work, lambda job: self.touch("open", "look"))

    def open_with_header(self) -> Job:
        """Open the table that was tried last: its first line holds names, though it looks like data."""
        place, reading, name = self._tried
        return self.open(place, reading=reading, is_header=True, name=name)

    def open_sample(self) -> Job:
        """Open a made-up clinic; it lies in the private folder."""
        place = self.receive("patients.csv")
        with open_private(place) as file:
            writer = csv.writer(file, lineterminator="\n")
            table = clinic(SAMPLE_ROWS, seed=0)
            writer.writerow(table)
            writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
        return self.open(place, name="patients.csv")

    def receive(self, name: str) -> Path:
        """Return where a file that came through the browser is put: in the private folder, whatever it is called."""
        folder = self.folder / "received"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder / safe_name(name)

    def _scratch(self) -> Path:
        folder = self.folder / "scratch"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def _opened(self, table: Table, place: Path | str, name: str) -> None:
        with self.lock:
            self._forget()
            self._let_go()
            is_copy = isinstance(place, Path) and place.is_relative_to(self.folder)
            self.data = Opened(table=table, name=name or name_of(place), place=place, is_copy=is_copy)
            if isinstance(place, Path) and not is_copy:
                self.home = place.resolve().parent
            self.look, self.trees, self.marked, self.never = None, {}, (), frozenset()
        self.touch("data", "open", "look", "decide", "trees", "run", "compare", "publish")

    def _looked(self, look: Look) -> None:
        with self.lock:
            self.look = look
            if self._pending is None:
                profiles = [column.profile for column in look.columns]
                proposal = first_policy(self._table(), profiles)
                for name, tree in proposal.taxonomies.items():
                    tree.write(self.work / name)
                self.set_text(proposal.text)
            else:
                (text, choices), self._pending = self._pending, None
                self.marked, self.never = choices.marked, frozenset(choices.never)
                self.seed = choices.seed
                self.set_text(text)
        self.touch("look", "decide", "trees")

    def making(self, out: Path) -> Making:
        """Return how the release came about, and where it goes."""
        assert self.data is not None
        assert self.live is not None
        policy = self.live.policy
        has_chance = policy.rows == "shuffle" or any(each.needs_rows for each in policy.require)
        place = self.data.name if self.data.is_copy else str(self.data.place)
        return Making(
            data=place,
            policy="policy.toml",
            out=str(out),
            report=f"{out}.report.html",
            moves=self.live.moves,
            seed=self.live.seed,
            is_random=has_chance and self.live.seed is None,
        )

    def start_publish(self, out: Path) -> Job:
        """Write the release and everything about it, once it is proven."""
        compared = self._compared()
        if self.is_stale:
            raise InputError("the policy was changed since the run. Hint: run it again, then publish.")
        making, policy, files, choices = self.making(out), self.read.text, self.taxonomies, self.choices
        original = self.data.place if self.data else None

        def work(job: Job) -> Published:
            return publish(
                compared.release,
                making,
                original=original,
                policy=policy,
                taxonomies=files,
                choices=choices,
                say=job.say,
            )

        def done(job: Job) -> None:
            self.published = job.result
            self.touch("publish")

        return self.jobs.start(f"Publishing {out.name}", work, done)

    @property
    def choices(self) -> Choices:
        """What the policy has no key for."""
        place = "" if self.data is None or self.data.is_copy else str(self.data.place)
        moves = {} if self.live is None else asdict(self.live.moves)
        return Choices(data=place, marked=self.marked, never=tuple(sorted(self.never)), seed=self.seed, moves=moves)

    def save_project(self, folder: Path) -> None:
        """Write the policy, the taxonomies and the choices, not the data."""
        save_project(folder, policy=self.read.text, choices=self.choices, taxonomies=self.taxonomies)
        self.project = folder
        self.touch("open")

    def open_project(self, folder: Path) -> Job | None:
        """Open a project: its policy at once, its table where it still lies where it lay."""
        text, choices = open_project(folder)
        with self.lock:
            self._forget()
            read = read_policy(text, folder=folder)
            named = [s.get("taxonomy") for s in (read.keys or {}).get("columns", {}).values() if isinstance(s, dict)]
            named += [name for each in read.policy.require for name in each.files] if read.policy else []
            for name in [each for each in named if isinstance(each, str) and (folder / each).is_file()]:
                place = self.work / name
                if place.resolve().is_relative_to(self.work.resolve()):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(folder / name, place)
            self.project, self.trees = folder, {}
            self._pending = (text, choices)
        if choices.data and (("://" in choices.data) or Path(choices.data).exists()):
            return self.open(choices.data if "://" in choices.data else Path(choices.data))
        if self.data is not None and self.look is not None:
            self._looked(self.look)
        else:
            self.set_text(text)
        self.touch("open", "decide", "trees", "run")
        return None

    def close(self) -> None:
        """Let go of everything."""
        self._forget()
        if self.jobs.last is not None:
            self.jobs.last.cancel()
        self._let_go()
