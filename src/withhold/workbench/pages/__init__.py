"""The window of the workbench: thin pages over the model, which holds everything."""

from withhold.workbench.pages._page import build

__all__ = ["build"]
