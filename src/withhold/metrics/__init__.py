"""What a release lost and what it kept."""

from withhold.metrics._cell_loss import record_ncp
from withhold.metrics._classification import Rate, classification_error
from withhold.metrics._dependence import Dependence, dependence
from withhold.metrics._inferences import count_inferences
from withhold.metrics._loss import (
    Withheld,
    average_group_size,
    discernibility,
    distinct_kept,
    ncp,
    ncp_overall,
    withheld_cells,
)
from withhold.metrics._profile import ColumnProfile, column_profile
from withhold.metrics._success import Adversary, SuccessRate, success_rate
from withhold.metrics._suppression_metrics import (
    SuppressionMetrics,
    acmi,
    conditional_entropy,
    direct_distance,
    kullback_leibler,
    mutual_information,
    suppression_metrics,
)
from withhold.metrics._target_information import TargetInformation, target_information
from withhold.metrics._target_variance import variance_explained
from withhold.metrics._utility import LearnerErrors, Utility, classification_utility

__all__ = [
    "Adversary",
    "ColumnProfile",
    "Dependence",
    "LearnerErrors",
    "Rate",
    "SuccessRate",
    "SuppressionMetrics",
    "TargetInformation",
    "Utility",
    "Withheld",
    "acmi",
    "average_group_size",
    "classification_error",
    "classification_utility",
    "column_profile",
    "conditional_entropy",
    "count_inferences",
    "dependence",
    "direct_distance",
    "discernibility",
    "distinct_kept",
    "kullback_leibler",
    "mutual_information",
    "ncp",
    "ncp_overall",
    "record_ncp",
    "success_rate",
    "suppression_metrics",
    "target_information",
    "variance_explained",
    "withheld_cells",
]
