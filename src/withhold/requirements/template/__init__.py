"""Templates: no group implies a sensitive value with too much confidence."""

from withhold.requirements.template._redundant import redundant_templates
from withhold.requirements.template._requirement import Template

__all__ = ["Template", "redundant_templates"]
