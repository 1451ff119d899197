"""The policy of a bench: its text, the roles of columns, its promises."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from withhold.errors import InputError
from withhold.workbench._bench_state import BenchState
from withhold.workbench._forms import blank_card, forms
from withhold.workbench._policy_text import LocatedMistake, policy_toml, read_policy
from withhold.workbench._presets import Preset, with_preset
from withhold.workbench._roles import Role, roles_of, with_role

__all__ = ["Deciding"]


class Deciding(BenchState):
    """A bench on which a policy is decided, by forms or as text."""

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
