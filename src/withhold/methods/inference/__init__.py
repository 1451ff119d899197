"""Hidden cells that classifiers cannot bring back: naive Bayes, ID3, and the algorithms against them."""

from typing import Any

from withhold.methods.inference._algorithms import (
    decp,
    decp_g,
    dropp,
    dropp_g,
    e_decp,
    e_decp_g,
    e_dropp,
    e_dropp_g,
    hid3,
    hid3_decp,
    hid3_decp_g,
    hid3_dropp,
    hid3_dropp_g,
    hid3_g,
    hid3_incp,
    hid3_incp_g,
    incp,
    incp_g,
    nrd,
)
from withhold.methods.inference._any_cells import protect
from withhold.methods.inference._choices import Choices, RandomChoices, choices_from
from withhold.methods.inference._protection import Change, Protection, Status, Step
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._shield import Defence, Shield

__all__ = [
    "Change",
    "Choices",
    "Defence",
    "Protection",
    "RandomChoices",
    "Sheet",
    "Shield",
    "Status",
    "Step",
    "choices_from",
    "decp",
    "decp_g",
    "dropp",
    "dropp_g",
    "e_decp",
    "e_decp_g",
    "e_dropp",
    "e_dropp_g",
    "hid3",
    "hid3_decp",
    "hid3_decp_g",
    "hid3_dropp",
    "hid3_dropp_g",
    "hid3_g",
    "hid3_incp",
    "hid3_incp_g",
    "incp",
    "incp_g",
    "kernels",
    "nrd",
    "protect",
]


def kernels() -> list[Any]:
    """Return what is compiled on first use, longest first; imported late, because that takes a second."""
    from withhold.methods.inference._exposure import find_exposed

    return [find_exposed]
