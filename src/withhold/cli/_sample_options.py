"""What `withhold inspect` shows where the table is a sample of a population."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from withhold._inspect import ColumnProfile
    from withhold.policy import Policy
    from withhold.population import PopulationRisk
    from withhold.table import Table

__all__ = ["population_lines", "show_population"]


def population_lines(
    table: "Table",
    columns: "Sequence[ColumnProfile]",
    policy: "Policy | None",
    *,
    weight: str | None,
    sample: float | None,
) -> "list[PopulationRisk]":
    """Return how exposed people are: by the columns of each requirement, else by all that do not look like names."""
    from withhold.errors import InputError
    from withhold.population import open_register, population_risk

    given = (weight is not None) + (sample is not None)
    if given > 1:
        raise InputError("--weight and --sample say the same in different ways: give one of them.")
    if policy is None:
        names = [each.name for each in columns if each.looks not in ("identifier", "constant") and each.name != weight]
        return [population_risk(table, names, weight=weight, sample=sample)] if given and names else []
    if not given:
        weight, sample = policy.weight, policy.sample
    register = open_register(policy) if policy.population is not None and not given else None
    if weight is None and sample is None and register is None:
        return []
    published = [name for name in table.names if name not in policy.drop]
    sets = dict.fromkeys(each.linked_by(published, policy, i) for i, each in enumerate(policy.require))
    marked = table.with_domains({}, missing=policy.missing)
    return [
        population_risk(marked, names, weight=weight, sample=sample, population=register) for names in sets if names
    ]


def show_population(found: "Sequence[PopulationRisk]") -> None:
    """Print what each estimator says, beside the sample itself."""
    from withhold.cli._show import print_table, print_text

    for risk in found:
        click.echo()
        print_text(risk.says)
        header = ("estimator", "right person", "most exposed", "rows linked rightly", "rows alone")
        rows = [
            (
                each.title,
                f"{each.average:.2%}",
                f"{each.largest:.1%}",
                f"{each.expected:,.1f}",
                f"{each.unique_rows:,.1f}",
            )
            for each in risk.estimates
        ]
        print_table(header, rows)
        for model in risk.uniqueness:
            if model.is_chosen and model.n_people is not None:
                alone = f"{model.n_people:,.0f} people of the population ({model.share:.2%})"
                print_text(f"Alone with their values, by the model of {model.title}: {alone}.")
