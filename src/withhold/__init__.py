"""withhold: decide which values of a table about people to hold back, and prove it on the file you publish.

======================  ================================================================================
`read`                  a file or frame as a `Table`
`Policy`                what must hold of the published table: `Anonymity`, `Template`, `Hidden`, `Risk`
`release`               withhold as little as the policy allows; the result checks itself
`Stream`                rows that arrive after a release, published once their group is large enough
`unpack`                a release with ends of intervals and levels as columns
`audit`                 check any published file against a policy; `write_audit` makes its page
`methods`               the papers' algorithms, each by itself: `tds`, `pda`, `decp` …, `fair`, `grades`
`metrics`               what was lost and what was kept
`population_risk`       how exposed a sample is in its population, by the estimators of `population`
`samples`               tables to try things on
`Taxonomy`, `Numbers`   how the values of a column may be coarsened
`taxonomy`              build a taxonomy; `check_taxonomy` checks one
`errors`                every exception
======================  ================================================================================

>>> import withhold as wh
>>> table = wh.samples.tds_table1()
>>> policy = wh.Policy([wh.Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
>>> wh.release(table, policy).reached
(4,)
"""

import importlib
from typing import TYPE_CHECKING, Any

from withhold._version import __version__

if TYPE_CHECKING:
    from withhold import errors, methods, metrics, population, samples
    from withhold._audit_page import write_audit
    from withhold._read import read
    from withhold._unpack import unpack
    from withhold.auditing import Audit, Earlier, audit
    from withhold.engines import Reading
    from withhold.policy import ColumnSettings, Policy, policy_schema
    from withhold.population import population_risk
    from withhold.record import Record, record_schema
    from withhold.releasing import Release, Run, Stream, release
    from withhold.requirements import Against, Anonymity, Closeness, Diversity, Hidden, Risk, Template
    from withhold.table import Numbers, Table, Taxonomy
    from withhold.taxonomies import check_taxonomy, taxonomy

__all__ = [
    "Against",
    "Anonymity",
    "Audit",
    "Closeness",
    "ColumnSettings",
    "Diversity",
    "Earlier",
    "Hidden",
    "Numbers",
    "Policy",
    "Reading",
    "Record",
    "Release",
    "Risk",
    "Run",
    "Stream",
    "Table",
    "Taxonomy",
    "Template",
    "__version__",
    "audit",
    "check_taxonomy",
    "errors",
    "methods",
    "metrics",
    "policy_schema",
    "population",
    "population_risk",
    "read",
    "record_schema",
    "release",
    "samples",
    "taxonomy",
    "unpack",
    "write_audit",
]

_HOME = {
    "Against": "withhold.requirements",
    "Anonymity": "withhold.requirements",
    "Audit": "withhold.auditing",
    "audit": "withhold.auditing",
    "check_taxonomy": "withhold.taxonomies",
    "Closeness": "withhold.requirements",
    "ColumnSettings": "withhold.policy",
    "Diversity": "withhold.requirements",
    "Earlier": "withhold.auditing",
    "Hidden": "withhold.requirements",
    "Numbers": "withhold.table",
    "Policy": "withhold.policy",
    "Reading": "withhold.engines",
    "Record": "withhold.record",
    "Release": "withhold.releasing",
    "Risk": "withhold.requirements",
    "Run": "withhold.releasing",
    "Stream": "withhold.releasing",
    "Table": "withhold.table",
    "Taxonomy": "withhold.table",
    "taxonomy": "withhold.taxonomies",
    "Template": "withhold.requirements",
    "policy_schema": "withhold.policy",
    "population_risk": "withhold.population",
    "read": "withhold._read",
    "record_schema": "withhold.record",
    "release": "withhold.releasing",
    "unpack": "withhold._unpack",
    "write_audit": "withhold._audit_page",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import withhold` stays quick."""
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in ("errors", "methods", "metrics", "population", "samples"):
        value = importlib.import_module(f"withhold.{name}")
    else:
        raise AttributeError(f"module 'withhold' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
