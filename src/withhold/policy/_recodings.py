"""Which settings each recoding follows: what one would ignore is refused."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from withhold.errors import Mistake
from withhold.policy._column_settings import ColumnSettings
from withhold.policy._policy import Policy, PolicyFields
from withhold.table import Domain, Taxonomy

__all__ = ["ignored_settings", "unknown_levels"]

RECODINGS: dict[str, tuple[str, ...]] = {
    "effort": ("local",),
    "score": ("global",),
    "splits": ("global",),
}
"""For each key of a policy that a recoding may ignore: the recodings that follow it."""
RECODINGS_OF_COLUMN: dict[str, tuple[str, ...]] = {
    "keep": ("local", "levels"),
    "levels": ("local", "levels"),
    "sets": ("local",),
    "suppress": ("local", "levels"),
    "weight": ("local", "levels"),
}
"""The same for the settings of a column."""


def ignored_settings(policy: Policy) -> Iterator[Mistake]:
    """Yield a mistake for everything that the policy's recoding would ignore."""
    for key, recodings in RECODINGS.items():
        is_set = getattr(policy, key) != _default_of(PolicyFields, key)
        if is_set and policy.counted and policy.recoding not in recodings:
            yield Mistake(key, _for_recodings(recodings))
    for name in policy.counted:
        settings = policy.columns.get(name, ColumnSettings())
        for key, recodings in RECODINGS_OF_COLUMN.items():
            is_set = getattr(settings, key) != _default_of(ColumnSettings, key)
            if is_set and policy.recoding not in recodings:
                yield Mistake(f"columns.{name}.{key}", _for_recodings(recodings))
        if settings.edges == "exact" and policy.recoding != "global":
            what = 'is "exact" for recoding = "global" alone. Hint: list the numbers at which intervals may end.'
            yield Mistake(f"columns.{name}.edges", what)
        if settings.mask == "suppress" and policy.recoding != "global":
            what = f"{_for_recodings(('global',))} Hint: suppress = true instead."
            yield Mistake(f"columns.{name}.mask", what)


def _default_of(kind: type[Any], key: str) -> Any:
    """Return the default of a field."""
    return next(field.default for field in fields(kind) if field.name == key)


def _for_recodings(recodings: Sequence[str]) -> str:
    listed = " or ".join(f'"{each}"' for each in recodings)
    return f"is for recoding = {listed}; this one would ignore it."


def unknown_levels(policy: Policy, domains: Mapping[str, Domain]) -> Iterator[Mistake]:
    """Yield a mistake for levels that a column has not."""
    for name, settings in policy.columns.items():
        if settings.levels is None:
            continue
        domain = domains.get(name)
        if not isinstance(domain, Taxonomy) or not settings.has_tree:
            yield Mistake(f"columns.{name}.levels", "needs a taxonomy, whose levels it counts.")
        elif settings.levels[1] > (deepest := int(domain.depth.max(initial=0))):
            what = f"the taxonomy has levels from 0, its root, to {deepest}; there is no level {settings.levels[1]}."
            yield Mistake(f"columns.{name}.levels", what)
