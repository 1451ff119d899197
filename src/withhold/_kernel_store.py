"""Where compiled kernels are kept: those that came with the package, and those that this machine compiled.

A compiled kernel is code, and whoever can write one runs code as its reader. Two places are read: the folder of this
package, as trusted as its modules, and a folder of the user that nobody else can write.

The name of a folder is a stamp of all that a kernel depends on: the text of every module with kernels, the versions of
Python and numba, and the processor that it was compiled for. Times of files and places play no part, so that kernels
compiled once for a common processor serve every machine that has it.
"""

import contextlib
import hashlib
import os
import pickle
import platform
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding
import numba
from numba.core import caching, compiler, serialize
from numba.misc import appdirs

__all__ = [
    "BASELINES",
    "SHIPPED",
    "KernelCache",
    "baseline",
    "is_private",
    "own_folder",
    "ship",
    "shipped_folder",
    "stamp",
]

PACKAGE = Path(__file__).parent
FOLDER = "withhold"
"""Within NUMBA_CACHE_DIR."""
SHIPPED = PACKAGE / "_kernels"
V3 = frozenset(("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "ssse3"))
BASELINES: dict[str, tuple[str, frozenset[str]]] = {
    "x86_64": ("x86-64-v3", V3),
    "amd64": ("x86-64-v3", V3),
    "aarch64": ("generic", frozenset()),
    "arm64": ("generic", frozenset()),
}
"""For each kind of machine the processor that shipped kernels are compiled for, and the features that it must have."""
WITH_KERNELS = (b"from withhold._compiled import", b"_lean import", b"from numba")
"""What a module with kernels, or with what they are made of, holds."""
KEPT = 3
CHECKED = 16
FORMAT = 2
"""Of the files; another one has other folders."""
_Base: Any = caching._Cache
_rebuild: Any = compiler.CompileResult._rebuild
_dumps: Any = serialize.dumps
_AppDirs: Any = appdirs.AppDirs


class KernelCache(_Base):  # type: ignore[misc]
    """Keep the compiled versions of one function, each in a file of its own."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        code: Any = function.__code__
        inside = [cell.cell_contents for cell in function.__closure__ or ()]
        self._code = hashlib.blake2b(code.co_code + _dumps(inside)).digest()
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder that is written to."""
        folder = own_folder()
        return None if folder is None else str(folder)

    def enable(self) -> None:
        """Read and write files."""
        self._enabled = True

    def disable(self) -> None:
        """Leave all files alone."""
        self._enabled = False

    def flush(self) -> None:
        """Remove what this machine compiled."""
        for path in self._files(own_folder()):
            path.unlink(missing_ok=True)

    def is_kept(self) -> bool:
        """Return whether a compiled version is at hand."""
        return any(self._files(folder) for folder in (shipped_folder(), own_folder()))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the compiled function for a signature, or nothing."""
        context.refresh()
        name = self._file_name(signature)
        if not self._enabled or name is None:
            return None
        for folder in (shipped_folder(), own_folder()):
            payload = None if folder is None else _read(folder / name)
            if payload is not None:
                return _rebuild(context, *payload)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled function; where that cannot be, it is compiled again next time."""
        folder, name = own_folder(), self._file_name(signature)
        if not self._enabled or folder is None or name is None:
            return
        if result.library.has_dynamic_globals or any(not each.can_cache for each in result.lifted):
            return
        with contextlib.suppress(OSError):
            _write(folder / name, _dumps(result._reduce()))

    def _file_name(self, signature: Any) -> str | None:
        text = repr(signature)
        if " at 0x" in text:  # an address says nothing in another process
            return None
        return f"{self._name}-{hashlib.blake2b(text.encode() + self._code, digest_size=10).hexdigest()}"

    def _files(self, folder: Path | None) -> list[Path]:
        return [] if folder is None else list(folder.glob(f"{self._name}-*"))


def _read(path: Path) -> Any:
    """Return what a file holds; nothing where it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checked, packed = content[:CHECKED], content[CHECKED:]
    return pickle.loads(zlib.decompress(packed)) if checked == _digest(packed) else None


def _write(path: Path, payload: bytes) -> None:
    """Write a file at once, packed to a third, for its owner alone."""
    packed = zlib.compress(payload)
    handle, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(_digest(packed) + packed)
    Path(name).replace(path)


def _digest(packed: bytes) -> bytes:
    return hashlib.blake2b(packed, digest_size=CHECKED).digest()


@cache
def shipped_folder() -> Path | None:
    """Return the folder of the kernels that came with the package and run on this machine, or nothing."""
    name, needs = BASELINES.get(platform.machine().lower(), ("", None))
    if needs is None or not needs <= _host_features():
        return None
    folder = SHIPPED / f"kernels-{stamp(name, '')}"
    return folder if folder.is_dir() else None


def baseline() -> dict[str, str]:
    """Return the settings under which numba compiles for what most processors of this kind can do."""
    name, _ = BASELINES.get(platform.machine().lower(), ("generic", None))
    # A library that this machine may have and another lacks must not be called.
    return {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}


def ship(compiled: Path) -> None:
    """Add to the package what was compiled under `baseline`; what another version left there goes."""
    (folder,) = (compiled / FOLDER).glob("kernels-*")
    for old in SHIPPED.glob("kernels-*"):
        if old.name != folder.name:
            shutil.rmtree(old)
    shutil.copytree(folder, SHIPPED / folder.name, copy_function=shutil.copyfile, dirs_exist_ok=True)
    for path in (SHIPPED, *SHIPPED.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def own_folder() -> Path | None:
    """Return the folder for what this machine compiles, made where it was missing; nothing where none is safe."""
    return _own_folder(os.environ.get("NUMBA_CACHE_DIR"))


@cache
def _own_folder(asked: str | None) -> Path | None:
    name = f"kernels-{stamp(*_processor())}"
    if asked and (folder := _made(Path(asked) / FOLDER / name)) is not None:
        return folder
    if os.access(PACKAGE, os.W_OK) and (folder := _made(PACKAGE / "__pycache__" / name, in_package=True)) is not None:
        return folder
    return _made(Path(_AppDirs(appname=FOLDER, appauthor=False).user_cache_dir) / name)


def _made(folder: Path, *, in_package: bool = False) -> Path | None:
    """Return a folder, made where it was missing; nothing where that fails, or where others could write into it."""
    try:
        is_new = not folder.is_dir()
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not is_private(folder) or not (in_package or _is_safe(folder.parent)):
            return None
        tempfile.TemporaryFile(dir=folder).close()
        if is_new:
            _remove_older(folder)
    except OSError:
        return None
    return folder


def is_private(folder: Path) -> bool:
    """Return whether nobody but the user and the administrator can write into a folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     is_private(Path(name))
    True
    """
    if not hasattr(os, "geteuid"):
        return True  # Windows: folders of a user are closed to other users
    found = folder.lstat()
    is_open = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid in (os.geteuid(), 0) and not is_open


def _is_safe(folder: Path) -> bool:
    """Return whether a folder is private, and nobody else can put another one into its place."""
    above = folder.parent
    return is_private(folder) and (is_private(above) or bool(above.stat().st_mode & stat.S_ISVTX))


def _remove_older(folder: Path) -> None:
    """Remove all but the newest folders of earlier versions."""
    others = sorted(folder.parent.glob("kernels-*"), key=lambda each: each.stat().st_mtime, reverse=True)
    for old in others[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


@cache
def stamp(processor: str, features: str) -> str:
    """Return a short name for all that a compiled kernel depends on."""
    machine = (sys.implementation.cache_tag, getattr(sys, "abiflags", ""), sys.platform, platform.machine().lower())
    parts = (FORMAT, numba.__version__, llvmlite.__version__, *machine, processor, features, _sources())
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=8).hexdigest()


@cache
def _sources() -> str:
    """Return a short name for the text of all files that hold kernels: one kernel is compiled into another."""
    found = hashlib.blake2b(digest_size=8)
    this = Path(__file__)
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_bytes()
        if path != this and (path.name == "_compiled.py" or any(sign in text for sign in WITH_KERNELS)):
            found.update(path.name.encode() + text)
    return found.hexdigest()


def _processor() -> tuple[str, str]:
    """Return the processor and the features that numba compiles for."""
    config: Any = numba.config
    features = ",".join(sorted(_host_features())) if config.CPU_FEATURES is None else config.CPU_FEATURES
    return config.CPU_NAME or llvmlite.binding.get_host_cpu_name(), features


@cache
def _host_features() -> frozenset[str]:
    try:
        found = llvmlite.binding.get_host_cpu_features()
    except RuntimeError:
        return frozenset()
    return frozenset(name for name, has in found.items() if has)
