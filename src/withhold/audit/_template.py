"""The check of a template: one GROUP BY over the written file for each sensitive value."""

from withhold.audit._finding import Finding
from withhold.engines import Source
from withhold.policy import Template

__all__ = ["check_template"]


def check_template(source: Source, requirement: Template, number: int) -> list[Finding]:
    """Count for every combination how many of its rows hold each sensitive value.

    A share is compared by dividing: 3 of 10 and ``0.3`` are the same number, while ``0.1 * 3`` is another one.
    """
    return [_check(source, requirement, number, column, value) for column, value in requirement.terms]


def _check(source: Source, requirement: Template, number: int, column: str, value: str) -> Finding:
    found = source.confidence(requirement.given, column, value, requirement.at_most)
    names = ", ".join(requirement.given)
    share = f"{found.held / found.among:.4f} ({found.held} of {found.among} rows)"
    if found.n_above == 0:
        says = (
            f'no combination of {names} implies {column} = "{value}" with confidence above {share} '
            f"(asked: {requirement.at_most})"
        )
    else:
        groups = "combination" if found.n_above == 1 else "combinations"
        says = (
            f'{found.n_above} {groups} of {names} ({found.n_rows_above} rows) imply {column} = "{value}" with '
            f"confidence above {requirement.at_most}; the largest is {share}"
        )
    return Finding(
        kind="template",
        where=f"require[{number}]",
        columns=requirement.given,
        asked=requirement.at_most,
        reached=found.held / found.among,
        ok=found.n_above == 0,
        says=says,
        details={
            "term": f'{column} = "{value}"',
            "groups": found.n_groups,
            "groups_above": found.n_above,
            "rows_above": found.n_rows_above,
            "rows_holding": found.n_holding,
        },
    )
