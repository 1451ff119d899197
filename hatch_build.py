"""Put compiled kernels into the wheel where ``WITHHOLD_KERNELS=1`` asks for it; otherwise it holds Python alone.

A wheel with kernels fits one version of Python and one kind of machine, and says so in its name. It runs with any
version of numba that the package supports: where that is another one than at the build, kernels are compiled on first
use, as they are by a wheel without them.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelHook(BuildHookInterface[Any]):
    """Compile every kernel for what most processors of this kind can do."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what compiling needs: what the package needs at run time."""
        return list(self.metadata.core.dependencies) if _is_asked() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of the wheel are collected."""
        kernels = Path(self.root) / "src" / "withhold" / "_kernels"
        if version == "editable" or not _is_asked():
            return
        where = {**os.environ, "PYTHONPATH": os.pathsep.join([str(kernels.parents[1]), *filter(None, sys.path)])}
        subprocess.run([sys.executable, "-m", "withhold", "warm", "--shared"], env=where, check=True)
        build_data["artifacts"].append("src/withhold/_kernels/**")
        build_data["pure_python"] = False
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        build_data["tag"] = f"{python}-{python}-{_platform()}"


def _is_asked() -> bool:
    return os.environ.get("WITHHOLD_KERNELS", "") not in ("", "0")


def _platform() -> str:
    """Return the platform of the wheel; kernels call no library of the system, so that any Linux will do."""
    name = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"manylinux_2_17_{name.removeprefix('linux_')}" if name.startswith("linux_") else name
