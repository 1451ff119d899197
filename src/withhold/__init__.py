"""withhold: decide which values of a table about people to hold back, and prove it on the file you publish.

======================  ================================================================================
`read`                  a file or frame as a `Table`
`Policy`                what must hold of the published table: `Anonymity`, `Template`, `Hidden`, `Risk`
`release`               withhold as little as the policy allows; the result checks itself
`audit`                 check any published file against a policy; `write_audit` makes its page
`methods`               the papers' algorithms, each by itself: `tds`, `pda`, `decp` …, `fair`, `grades`
`metrics`               what was lost and what was kept
`samples`               tables to try things on
`Taxonomy`, `Numbers`   how the values of a column may be coarsened
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
    from withhold import errors, methods, metrics, samples
    from withhold._audit_page import write_audit
    from withhold._read import read
    from withhold._release import Release, release
    from withhold.audit import Audit, audit
    from withhold.policy import Against, Anonymity, ColumnSettings, Hidden, Policy, Risk, Template, policy_schema
    from withhold.table import Numbers, Table, Taxonomy

__all__ = [
    "Against",
    "Anonymity",
    "Audit",
    "ColumnSettings",
    "Hidden",
    "Numbers",
    "Policy",
    "Release",
    "Risk",
    "Table",
    "Taxonomy",
    "Template",
    "__version__",
    "audit",
    "errors",
    "methods",
    "metrics",
    "policy_schema",
    "read",
    "release",
    "samples",
    "write_audit",
]

_HOME = {
    "Against": "withhold.policy",
    "Anonymity": "withhold.policy",
    "Audit": "withhold.audit",
    "ColumnSettings": "withhold.policy",
    "Hidden": "withhold.policy",
    "Numbers": "withhold.table",
    "Policy": "withhold.policy",
    "Release": "withhold._release",
    "Risk": "withhold.policy",
    "Table": "withhold.table",
    "Taxonomy": "withhold.table",
    "Template": "withhold.policy",
    "policy_schema": "withhold.policy",
    "read": "withhold._read",
    "release": "withhold._release",
    "write_audit": "withhold._audit_page",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import withhold` stays quick."""
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in ("audit", "errors", "methods", "metrics", "samples"):
        value = importlib.import_module(f"withhold.{name}")
    else:
        raise AttributeError(f"module 'withhold' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
