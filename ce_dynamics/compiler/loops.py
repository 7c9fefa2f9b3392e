"""Loops compiled by numba, kept on disk where that is possible and done without where it is not."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import sigutils
from numba.core.caching import FunctionCache, IndexDataCacheFile

from ce_dynamics.compiler import disk_cache, fingerprint

KNOWN = (0, 68)
"""Version of numba whose internals `ce_dynamics.compiler.kernel_parts` uses; others compile slower."""

_log = logging.getLogger(__name__)
_said: set[str] = set()


MONTH = 30 * 24 * 3600.0
"""Time [s] for which code of other versions of kernels is kept."""


class ForgivingCache(FunctionCache):
    """numba's cache of a function, whose failures only cost another compilation.

    Parameters
    ----------
    function : callable
    sources : str
        Hash of all that it calls: the code is kept beside other code, under this name, for every copy of the
        package; if empty, or without a cache of other code, where numba keeps it.
    """

    def __init__(self, function: Callable[..., Any], sources: str) -> None:
        super().__init__(function)
        where = disk_cache.folder()
        self._shared = bool(sources) and where is not None and kernel_folder(where, sources).is_dir()
        if where is not None and self._shared:
            self._cache_path = str(kernel_folder(where, sources))
            self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, sources)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kept overload, or None; a damaged index is cleared, and the kernel compiled anew.

        Code of other types is not returned: two processes that keep code of one kernel at once may give both
        the same file.
        """
        try:
            found = super().load_overload(sig, target_context)
            if found is None or found.signature.args == sigutils.normalize_signature(sig)[0]:
                return found
            return None
        except Exception as error:  # a damaged pickle may raise anything
            self._warn_once("be read", error)
            with contextlib.suppress(Exception):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it, where there is room; parts of other kernels are kept in these.

        Code for every copy of the package has to be that of the files, which may have changed meanwhile.
        """
        parts = kernel_parts()
        if parts is not None and parts.is_part(data):
            return
        if self._shared and fingerprint.changed_since_import():
            return
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a full disk, an index that is damaged
            self._warn_once("be written", error)

    def _warn_once(self, what: str, error: Exception) -> None:
        """Warn once."""
        if what not in _said:
            _said.add(what)
            _log.warning(
                "loops are compiled anew: those kept in %s cannot %s (%s); make room there, or set %s to "
                "another folder",
                self.cache_path,
                what,
                error,
                disk_cache.VARIABLE if self._shared else "NUMBA_CACHE_DIR",
            )


@functools.cache
def kernel_folder(where: Path, sources: str) -> Path:
    """Return the folder of a version of all kernels; remove those of versions unused for a month."""
    found = where / f"{disk_cache.KERNELS}{sources[:32]}"
    with contextlib.suppress(OSError):
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.utime(found)
        for other in where.glob(f"{disk_cache.KERNELS}*"):
            if other.stat().st_mtime < time.time() - MONTH:
                shutil.rmtree(other, ignore_errors=True)
    return found


def kernel_parts() -> Any:
    """Return `ce_dynamics.compiler.kernel_parts`, or None for unsupported versions of numba."""
    if numba.version_info.short != KNOWN:
        return None
    from ce_dynamics.compiler import kernel_parts as parts  # here, because others may have no such insides

    return parts


@functools.cache
def is_private(folder: str) -> bool:
    """Return True if no other user wrote, or can write, numba's files in a folder; warn otherwise.

    Where files lie beside the package's byte code, those who can write them can write that, too.
    """
    if Path(folder).name == "__pycache__":
        return True
    try:
        if not disk_cache.private(Path(folder)):
            return False
        for path in Path(folder).iterdir():
            os.close(disk_cache.open_private(path))
    except OSError as error:
        _log.warning("loops are compiled anew: those kept in %s are not used: %s; empty it", folder, error)
        return False
    return True


def kernel(function: Callable[..., Any], *, forceinline: bool = False, sources: str = "") -> Any:
    """Compile when first called; keep on disk where a folder can be written to.

    Kernels that call it contain it with ``forceinline``; it is not kept by itself then.  Cached code is valid
    as long as ``sources`` are the same; by default age and size of the file.
    """
    # nothing calls loops by address: without that entry a fifth less is compiled
    options: dict[str, Any] = {"nogil": True, "forceinline": forceinline, "no_cfunc_wrapper": True}
    parts = kernel_parts()
    if parts is None:
        compiled: Any = numba.njit(**options)(function)
    else:
        compiled = numba.njit(**options, pipeline_class=parts.Pipeline)(function)
        compiled.__class__ = parts.Kernel
    if forceinline:
        return compiled
    try:
        cache = ForgivingCache(compiled.py_func, sources)
    except RuntimeError as error:  # no folder to write to
        _log.info("compiled loops are not kept for later runs: %s", error)
        return compiled
    if not is_private(cache.cache_path):
        return compiled
    compiled._cache = cache  # as `enable_caching` does
    return compiled
