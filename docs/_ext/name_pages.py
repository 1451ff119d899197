"""Public names, each with its docstring."""

import importlib
import inspect

__all__ = ["names_of"]


def names_of(module: str) -> str:
    """Return an autodoc directive for each public name of a module, in alphabetical order."""
    package = importlib.import_module(module)
    lines = ["```{eval-rst}", f".. currentmodule:: {module}", ""]
    for name in sorted(package.__all__, key=str.lower):
        lines += _directive(name, getattr(package, name))
    return "\n".join([*lines, "```"])


def _directive(name: str, value: object) -> list[str]:
    if inspect.ismodule(value) or name.startswith("_"):
        return []
    if inspect.isclass(value):
        is_error = issubclass(value, Exception)
        return [f".. {'autoexception' if is_error else 'autoclass'}:: {name}", "   :members:", ""]
    if inspect.isroutine(value):
        return [f".. autofunction:: {name}", ""]
    return [f".. py:data:: {name}", "", f"   A constant of type ``{type(value).__name__}``.", ""]
