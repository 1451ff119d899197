"""Templates that another template implies."""

from collections.abc import Sequence

from withhold.requirements._base import Requirement
from withhold.requirements.template._requirement import Template

__all__ = ["redundant_templates"]


def redundant_templates(requirements: Sequence[Requirement]) -> list[tuple[int, int]]:
    """Return the pairs (i, j) where template `i` holds in every table in which template `j` holds.

    That is so where `j` hides all that `i` hides, from an outsider who knows at least as much, at least as strictly:
    more columns only distinguish more records, which never lowers the largest confidence.

    Examples
    --------
    >>> wide = Template(given=["job", "country"], hide={"state": ["bad"]}, at_most=0.75)
    >>> narrow = Template(given=["country"], hide={"state": ["bad"]}, at_most=0.8)
    >>> redundant_templates([wide, narrow])
    [(1, 0)]
    """
    templates = [(i, r) for i, r in enumerate(requirements) if isinstance(r, Template)]
    found = []
    for i, one in templates:
        implying = [j for j, other in templates if j != i and _implies(other, one)]
        first = next((j for j in implying if not _implies(one, requirements[j]) or j < i), None)
        if first is not None:
            found.append((i, first))
    return found


def _implies(strong: Requirement, weak: Requirement) -> bool:
    if not isinstance(strong, Template) or not isinstance(weak, Template):
        return False
    covers = set(strong.given) >= set(weak.given) and set(strong.terms) >= set(weak.terms)
    return covers and strong.at_most <= weak.at_most
