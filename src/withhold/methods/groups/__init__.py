"""Groups of rows: measures of what they hold, and how to form them anew where a promise about them was broken."""

from withhold.methods.groups._group_measures import NEAR, Distance, Distinct, Entropy, Measure, Recursive, Share, Size
from withhold.methods.groups._halve import halve
from withhold.methods.groups._people_measures import PeopleLanes, PeopleSum, PersonRisk
from withhold.methods.groups._regroup import Lanes, Pool, PoolColumn, regroup
from withhold.methods.groups._units import UnitLanes, Units, alike_units

__all__ = [
    "NEAR",
    "Distance",
    "Distinct",
    "Entropy",
    "Lanes",
    "Measure",
    "PeopleLanes",
    "PeopleSum",
    "PersonRisk",
    "Pool",
    "PoolColumn",
    "Recursive",
    "Share",
    "Size",
    "UnitLanes",
    "Units",
    "alike_units",
    "halve",
    "regroup",
]
