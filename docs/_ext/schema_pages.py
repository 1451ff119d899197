"""Tables of keys, made from the JSON Schemas of the package."""

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["schema_of"]

Schema = Mapping[str, Any]


def schema_of(name: str) -> str:
    """Return a table of keys for a schema (``policy``, ``record`` or ``audit``), and one for each object below it."""
    from withhold import policy_schema, record_schema
    from withhold.report import report_schema

    schema = {"policy": policy_schema, "record": record_schema, "audit": report_schema}[name]()
    parts = [_table(schema)]
    for title, part in schema.get("$defs", {}).items():
        if part.get("type") == "object":
            parts += [f"## {title}", _prose(part), _table(part)]
    return "\n\n".join(part for part in parts if part)


def _table(schema: Schema) -> str:
    asked = set(schema.get("required", ()))
    rows = ["| key | holds | default | meaning |", "| --- | --- | --- | --- |"]
    for key, field in schema.get("properties", {}).items():
        default = "*required*" if key in asked else _default(field)
        rows.append(f"| `{key}` | {_type(field)} | {default} | {_cell(field.get('description', ''))} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def _type(field: Schema) -> str:
    """Return what a field holds, in words."""
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in field or "const" in field:
        return ", ".join(f"`{json.dumps(value)}`" for value in field.get("enum", [field.get("const")]))
    for several in ("anyOf", "oneOf", "allOf"):
        if several in field:
            kinds = [_type(each) for each in field[several] if each.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    return _plain_type(field)


def _plain_type(field: Schema) -> str:
    kind = field.get("type", "any value")
    if kind == "array":
        parts = field.get("prefixItems")
        inside = ", ".join(dict.fromkeys(map(_type, parts))) if parts else _type(field.get("items", {}))
        return f"list of {inside}"
    if kind == "object" and isinstance(field.get("additionalProperties"), Mapping):
        return f"table of {_type(field['additionalProperties'])}"
    words = {"string": "text", "integer": "whole number", "boolean": "`true`, `false`", "object": "table"}
    return words.get(str(kind), str(kind)) + _bounds(field)


def _bounds(field: Schema) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    found = [f"{sign} {field[key]:g}" for key, sign in signs.items() if key in field]
    return f" {', '.join(found)}" if found else ""


def _default(field: Schema) -> str:
    if "default" not in field or field["default"] is None:
        return "none"
    return f"`{json.dumps(field['default'], ensure_ascii=False)}`" if field["default"] not in ("", [], {}) else "none"


def _prose(schema: Schema) -> str:
    """Return a description up to its sections of parameters and examples."""
    text = str(schema.get("description", "")).replace("``", "`")
    return re.split(r"\n\n\w[\w ]*\n-{3,}", text)[0]


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("``", "`").replace("|", "\\|"))
