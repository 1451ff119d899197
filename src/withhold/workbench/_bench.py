"""The workbench without its window: everything one person has open, and what can be done with it."""

import csv
import shutil
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from withhold._first_policy import first_policy
from withhold._inspect import check_header
from withhold._private import open_private
from withhold.auditing import Audit, audit
from withhold.engines import Reading, name_of, open_source
from withhold.errors import InputError, PolicyError, WithholdError
from withhold.samples import clinic
from withhold.table import Table
from withhold.workbench._compared import Compared
from withhold.workbench._forms import blank_card, forms
from withhold.workbench._frontier import Knob, Point, trace_frontier, with_setting
from withhold.workbench._jobs import Job, Jobs
from withhold.workbench._live_run import LiveRun
from withhold.workbench._look import Look, look_at, values_of
from withhold.workbench._policy_text import LocatedMistake, Read, located, policy_toml, read_policy
from withhold.workbench._presets import Preset, with_preset
from withhold.workbench._project import Choices, open_project, safe_name, save_project
from withhold.workbench._publishing import Published, publish
from withhold.workbench._remake import Making
from withhold.workbench._roles import Role, roles_of, with_role
from withhold.workbench._tree_editor import TreeEditor
from withhold.workbench._tree_makers import from_file, make_tree

__all__ = ["Bench", "Opened"]

DEFAULTS = Reading()
SAMPLE_ROWS = 2_000
EMPTY = '[[require]]\nkind = "anonymity"\ncolumns = []\nk = 10\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A table that is open."""

    table: Table
    """The table."""
    name: str
    """What it is called."""
    place: Path | str
    """Where it lies."""
    is_copy: bool
    """Whether it came through the browser and lies in the private folder."""


class Bench:
    """What one person has open; every page in the browser shows this one state.

    Parameters
    ----------
    folder
        A private folder, for copies of what was dropped into the window and for taxonomies in the making.
    home
        Where files are offered to be opened and written.
    """

    def __init__(self, folder: Path, *, home: Path | None = None) -> None:
        self.folder = folder
        self.home = home or Path.cwd()
        self.work = folder / "project"
        self.work.mkdir(mode=0o700, exist_ok=True)
        self.lock = threading.RLock()
        self.versions: Counter[str] = Counter()
        self.jobs = Jobs(lambda: self.touch("job"))
        self.data: Opened | None = None
        self.look: Look | None = None
        self.read: Read = read_policy(EMPTY, folder=self.work)
        self.late: tuple[LocatedMistake, ...] = ()
        """Mistakes that were found when the policy met the table."""
        self.marked: tuple[str, ...] = ()
        self.never: frozenset[str] = frozenset()
        self.seed: int | None = None
        self.trees: dict[str, TreeEditor] = {}
        self.live: LiveRun | None = None
        self.compared: Compared | None = None
        self.audit: Audit | None = None
        self.points: tuple[Point, ...] = ()
        self.knob: Knob | None = None
        self.published: Published | None = None
        self.project: Path | None = None
        self.is_reached = False
        """Whether others on the network can reach the server, too."""
        self._ran: str | None = None
        self._tried: tuple[Path | str, Reading, str] = ("", DEFAULTS, "")
        self._pending: tuple[str, Choices] | None = None

    def touch(self, *parts: str) -> None:
        """Note that parts of the page are out of date."""
        for part in parts:
            self.versions[part] += 1

    # Open and look

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

    def rows(self, first: int, n_rows: int) -> list[tuple[str | None, ...]]:
        """Return some rows of the table, for the owner's eyes."""
        store: Any = self._table().store
        found: list[tuple[str | None, ...]] = store.page(max(0, first), n_rows)
        return found

    def values(self, column: str) -> list[str]:
        """Return the values of a column."""
        return values_of(self._table(), column)

    def _table(self) -> Table:
        if self.data is None:
            raise InputError("no table is open. Hint: open one first.")
        return self.data.table

    # Decide

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of the policy; those of the last text that was TOML."""
        return self.read.keys if self.read.keys is not None else self._last_keys

    @property
    def roles(self) -> dict[str, Role]:
        """The role of every column."""
        names = self.data.table.names if self.data else ()
        return roles_of(self.keys, names, marked=self.marked, policy=self.read.policy)

    def with_roles(self, *roles: Role) -> list[str]:
        """Return the columns that have one of these roles."""
        return [name for name, role in self.roles.items() if role in roles]

    @property
    def mistakes(self) -> tuple[LocatedMistake, ...]:
        """Everything that is wrong with the policy, as far as is known."""
        return self.read.mistakes or self.late

    def set_text(self, text: str) -> None:
        """Take a policy that was typed."""
        with self.lock:
            if self.read.keys is not None:
                self._last_keys = self.read.keys
            names = self.data.table.names if self.data else None
            self.read, self.late = read_policy(text, folder=self.work, names=names), ()
        self.touch("decide", "run", "publish")

    _last_keys: dict[str, Any] = {}  # noqa: RUF012 - replaced, never changed

    def set_keys(self, keys: Mapping[str, Any]) -> None:
        """Take a policy from the forms."""
        self.set_text(policy_toml(keys))

    def set_role(self, column: str, role: Role) -> None:
        """Give a column a role."""
        with self.lock:
            kept = tuple(name for name in self.marked if name != column)
            self.marked = (*kept, column) if role == "sensitive" else kept
            self.set_keys(with_role(self.keys, column, role))

    def set_key(self, key: str, value: Any) -> None:
        """Set a key of the policy; None takes it out."""
        with self.lock:
            kept = {name: each for name, each in self.keys.items() if name != key}
            self.set_keys(kept if value is None else {**kept, key: value})

    def add_card(self, kind: str) -> None:
        """Add a requirement of a kind, filled in from the roles."""
        card = blank_card(kind, known=self.with_roles("known"), sensitive=self.with_roles("sensitive"))
        self.set_keys({**self.keys, "require": [*self.keys.get("require", []), card]})

    def protect(self, column: str) -> None:
        """Add a promise about a sensitive column: of the first kind that is about one."""
        kind = next(form.kind for form in forms() if any(f.widget == "column" and f.is_required for f in form.fields))
        card = blank_card(kind, known=self.with_roles("known"), sensitive=[column])
        self.set_keys({**self.keys, "require": [*self.keys.get("require", []), card]})

    def remove_card(self, number: int) -> None:
        """Remove a requirement."""
        cards = [card for i, card in enumerate(self.keys.get("require", [])) if i != number]
        self.set_keys({**self.keys, "require": cards})

    def set_field(self, number: int, key: str, value: Any) -> None:
        """Set a field of a requirement; None takes it out."""
        with self.lock:
            keys = deepcopy(dict(self.keys))
            cards = keys.get("require", [])
            if number >= len(cards):
                raise InputError("this requirement is not there any more.")
            cards[number].pop(key, None) if value is None else cards[number].update({key: value})
            self.set_keys(keys)

    def use_preset(self, preset: Preset) -> None:
        """Take the requirements of a preset."""
        known, sensitive = self.with_roles("known"), self.with_roles("sensitive")
        self.marked = tuple(dict.fromkeys([*self.marked, *sensitive]))
        self.set_keys(with_preset(self.keys, preset, known=known, sensitive=sensitive))

    # Taxonomies

    def tree(self, column: str) -> TreeEditor:
        """Return the tree of a column: as edited, or from the file the policy names, or flat."""
        with self.lock:
            if column not in self.trees:
                named = self.keys.get("columns", {}).get(column, {}).get("taxonomy")
                values = self.values(column)
                made = TreeEditor.over(column, values)
                if isinstance(named, str) and (self.work / named).exists():
                    made = from_file(column, values, self.work / named)
                self.trees[column] = made
            return self.trees[column]

    def make_tree(self, column: str, how: str, *, lengths: Sequence[int] = (), groups: int = 8) -> TreeEditor:
        """Return a new tree for a column, which is not in use yet; see `MAKERS`."""
        settings = {"lengths": lengths, "groups": groups, "missing": self.keys.get("missing", ())}
        return make_tree(self._table(), column, self.values(column), how, **settings)

    def save_tree(self, column: str) -> Path:
        """Write the tree of a column and let the policy use it."""
        with self.lock:
            tree = self.tree(column)
            if not tree.coverage().ok:
                raise InputError(f"{column}: the tree does not cover every value yet.")
            path = self.work / f"{safe_name(column)}.csv"
            others = [s.get("taxonomy") for n, s in self.keys.get("columns", {}).items() if n != column]
            if path.name in others:
                path = path.with_stem(f"{path.stem}_{self._table().names.index(column)}")
            tree.save(path)
            keys = deepcopy(dict(self.keys))
            keys.setdefault("columns", {})[column] = {"taxonomy": path.name}
            self.set_keys(keys)
        self.touch("trees")
        return path

    def drop_tree(self, column: str) -> None:
        """Let the policy use no taxonomy for a column."""
        with self.lock:
            keys = deepcopy(dict(self.keys))
            keys.get("columns", {}).get(column, {}).pop("taxonomy", None)
            self.trees.pop(column, None)
            self.set_keys(keys)
        self.touch("trees")

    @property
    def taxonomies(self) -> dict[str, Path]:
        """The files that the policy names, by their names in it."""
        named = [s.get("taxonomy") for s in self.keys.get("columns", {}).values() if isinstance(s, dict)]
        policy = self.read.policy
        named += [name for each in policy.require for name in each.files] if policy else []
        return {name: self.work / name for name in named if isinstance(name, str) and (self.work / name).is_file()}

    # Run

    @property
    def is_stale(self) -> bool:
        """Whether the policy was changed since the run that is shown was begun."""
        return self.live is not None and self._ran != self.read.text

    def start_run(self, *, is_playing: bool) -> LiveRun:
        """Begin a run of the policy as it stands; one that is going on is cancelled."""
        with self.lock:
            table = self._table()
            if self.read.policy is None:
                raise InputError("the policy has mistakes. Hint: they are listed beside it, with their lines.")
            self._forget()
            self._ran = self.read.text
            self.live = LiveRun(
                table,
                self.read.policy,
                seed=self.seed,
                never=self.never,
                is_playing=is_playing,
                changed=self._run_changed,
            )
        self.touch("run", "compare", "publish")
        return self.live

    def forbid(self, column: str, *, is_forbidden: bool) -> None:
        """Never split a column, or again."""
        self.never = self.never | {column} if is_forbidden else self.never - {column}
        if self.live is not None:
            self.live.never = self.never
        self.touch("run")

    def _run_changed(self) -> None:
        self.touch("run")
        live = self.live
        if live is None or not live.is_over:
            return
        if isinstance(live.raised, PolicyError):
            self.late = located(self.read, live.raised)
            self.touch("decide")
        if live.release is not None and self.compared is None:
            try:
                self.compared = Compared(live.release, self.folder)
            except WithholdError as error:
                live.state, live.error = "failed", str(error)
        self.touch("release", "run", "compare", "publish")

    def _forget(self) -> None:
        """Let go of a run and of everything that came of it."""
        if self.live is not None:
            self.live.cancel()
        if self.compared is not None:
            self.compared.close()
        self.live, self.compared, self.audit, self.published, self.points = None, None, None, None, ()
        self.touch("release", "frontier")

    # Compare

    def start_audit(self) -> Job:
        """Attack the release and measure what analysts lose, on samples."""
        compared = self._compared()

        def work(job: Job) -> Audit:
            release = compared.release
            is_shuffled = release.policy.rows == "shuffle"
            return audit(
                compared.path,
                release.policy,
                original=self._table(),
                positions=np.arange(compared.n_rows) if is_shuffled else None,
                quick=True,
                progress=job.say,
                rng=0,
            )

        def done(job: Job) -> None:
            self.audit = job.result if self.compared is compared else None
            self.touch("compare")

        return self.jobs.start("Attacking the release", work, done)

    def start_frontier(self, knob: Knob, settings: tuple[float, ...]) -> Job:
        """Make the release for many settings of a number."""
        table, keys = self._table(), deepcopy(dict(self.keys))
        self.points, self.knob = (), knob

        def add(point: Point) -> None:
            self.points = (*self.points, point)
            self.touch("frontier")

        def work(job: Job) -> Any:
            return trace_frontier(table, keys, knob, settings, folder=self.work, seed=self.seed, say=job.say, found=add)

        return self.jobs.start("Drawing the frontier", work, lambda job: self.touch("frontier"))

    def take_setting(self, setting: float) -> None:
        """Take a setting of the frontier into the policy."""
        if self.knob is None:
            raise InputError("no frontier was drawn.")
        self.set_keys(with_setting(self.keys, self.knob, setting))

    def _compared(self) -> Compared:
        if self.compared is None:
            raise InputError("there is no release yet. Hint: run the policy first.")
        return self.compared

    # Publish

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

    # Projects

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

    def _let_go(self) -> None:
        """Close the table that is open."""
        if self.data is not None:
            source: Any = self.data.table.store
            source.close()
            self.data = None
