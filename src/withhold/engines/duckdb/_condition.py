"""A bound condition as SQL: written here, node by node, so that nothing of what a policy holds is read as SQL."""

from collections.abc import Callable
from dataclasses import dataclass, field

from withhold.conditions import Expression, Kind

__all__ = ["ConditionSql", "condition_sql"]

TEMPLATES = {
    **{sign: f"({{}} {sign} {{}})" for sign in ("=", "<>", "<", "<=", ">", ">=", "+", "-", "*")},
    # Engines differ in what a division by zero is; here it is a missing value.
    "/": "({} / nullif({}, 0))",
    "%": "({} % nullif({}, 0))",
    "negative": "(- {})",
    "not": "(NOT {})",
    "is null": "({} IS NULL)",
    "like": "({} LIKE {})",
    "between": "({} BETWEEN {} AND {})",
    "abs": "abs({})",
    "contains": "contains({}, {})",
    "length": "length({})",
    "lower": "lower({})",
    "starts_with": "starts_with({}, {})",
    "trim": "trim({})",
    "upper": "upper({})",
}
LISTS = {"and": " AND ", "or": " OR "}


@dataclass(frozen=True, slots=True)
class ConditionSql:
    """A condition as SQL, with the texts that it is asked with."""

    sql: str
    texts: list[str] = field(default_factory=list)


def condition_sql(condition: Expression, column: Callable[[str, Kind], str]) -> ConditionSql:
    """Return a bound condition as SQL.

    Parameters
    ----------
    condition
        The bound tree.
    column
        Returns the SQL of a column, read as a kind.

    Examples
    --------
    >>> from withhold.conditions import Field, bind, parse
    >>> bound = bind(parse("job = 'O''Neill' AND age > 30"), {"job": Field(kind="text"), "age": Field(kind="whole")})
    >>> made = condition_sql(bound, lambda name, kind: f"c_{kind}")
    >>> made.sql
    '((c_text = CAST(? AS VARCHAR)) AND (c_whole > CAST(30 AS HUGEINT)))'
    >>> made.texts
    ["O'Neill"]
    """
    texts: list[str] = []

    def written(node: Expression) -> str:
        if node.operation == "column":
            assert node.kind is not None
            return column(node.value, node.kind)
        if node.operation == "text":
            texts.append(node.value)
            return "CAST(? AS VARCHAR)"
        if not node.parts:
            return _literal(node)
        return _joined(node, [written(part) for part in node.parts])

    return ConditionSql(written(condition), texts)


def _joined(node: Expression, parts: list[str]) -> str:
    """Return the SQL of a node from that of its parts, each of them once and in order, as their texts are."""
    if node.operation in LISTS:
        return f"({LISTS[node.operation].join(parts)})"
    if node.operation == "in":
        return f"({parts[0]} IN ({', '.join(parts[1:])}))"
    if node.operation == "coalesce":
        return f"coalesce({', '.join(parts)})"
    if node.operation == "substr":
        return f"substr({parts[0]}, {', '.join(f'CAST({part} AS BIGINT)' for part in parts[1:])})"
    return TEMPLATES[node.operation].format(*parts)


def _literal(node: Expression) -> str:
    """Return a number, a truth or a moment, written anew from what it means."""
    if node.kind == "whole":
        return f"CAST({int(node.value)} AS HUGEINT)"
    if node.kind == "decimal":
        whole, _, fraction = node.value.partition(".")
        return f"{int(whole or 0)}.{int(fraction or 0):0{len(fraction)}}"
    if node.kind == "real":
        return f"CAST('{float(node.value)!r}' AS DOUBLE)"
    if node.kind == "truth":
        return "true" if node.value == "true" else "false"
    return f"CAST('{node.value}' AS {'TIMESTAMP' if node.kind == 'moment' else 'TIMESTAMPTZ'})"
