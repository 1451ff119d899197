"""The command line: one file a command."""

from withhold.cli._main import main

__all__ = ["main"]
