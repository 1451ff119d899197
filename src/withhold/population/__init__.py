"""How many people of a population share what a sample publishes: weights, estimators, and tables of a population."""

from withhold.population._individual import negative_binomial_risk, poisson_risk
from withhold.population._people import People, looks_like_weights, people_of, positive_numbers
from withhold.population._population_risk import (
    Basis,
    Estimate,
    PopulationRisk,
    individual_risks,
    population_risk,
    risk_of_counted,
    risk_of_rows,
)
from withhold.population._population_uniques import Uniqueness, population_uniques
from withhold.population._register import matching_people, open_register, people_in, people_who_share

__all__ = [
    "Basis",
    "Estimate",
    "People",
    "PopulationRisk",
    "Uniqueness",
    "individual_risks",
    "looks_like_weights",
    "matching_people",
    "negative_binomial_risk",
    "open_register",
    "people_in",
    "people_of",
    "people_who_share",
    "poisson_risk",
    "population_risk",
    "population_uniques",
    "positive_numbers",
    "risk_of_counted",
    "risk_of_rows",
]
