"""The workbench: see what a policy does to a table, in the browser, on this machine only."""

from withhold.workbench._bench import Bench
from withhold.workbench._bench_state import Opened
from withhold.workbench._gate import Gate
from withhold.workbench._server import is_loopback, serve

__all__ = ["Bench", "Gate", "Opened", "is_loopback", "serve"]
