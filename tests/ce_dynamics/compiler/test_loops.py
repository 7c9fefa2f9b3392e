"""Compiled loops do without what is kept on disk where that cannot be read or written."""

import errno
import logging
import os
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from ce_dynamics.compiler import disk_cache, fingerprint, loops


def doubled(x: float) -> float:
    return 2.0 * x


@pytest.mark.parametrize(
    ("method", "error", "message"),
    [
        ("save", OSError(errno.ENOSPC, "No space left on device"), r"cannot be written \(.*No space left"),
        ("save", PermissionError(errno.EACCES, "Permission denied"), r"cannot be written \(.*Permission"),
        ("load", pickle.UnpicklingError("pickle data was truncated"), r"cannot be read \(pickle data"),
    ],
)
def test_what_the_disk_does_is_no_failure(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
    error: Exception,
    message: str,
) -> None:
    def fails(*given: Any) -> None:
        raise error

    monkeypatch.setattr(loops, "_said", set())
    monkeypatch.setattr(IndexDataCacheFile, "load", lambda *given: None)
    monkeypatch.setattr(IndexDataCacheFile, method, fails)
    with caplog.at_level(logging.WARNING, logger=loops.__name__):
        for _ in range(2):
            assert loops.kernel(doubled)(21.0) == 42.0
    (record,) = caplog.records  # once
    assert record.levelno == logging.WARNING
    assert re.search(message, record.getMessage())


def test_loops_are_kept() -> None:
    loops.kernel(doubled)(1.0)
    again = loops.kernel(doubled)
    assert again(2.0) == 4.0
    assert sum(again.stats.cache_hits.values()) == 1


def test_kernels_of_the_same_sources_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of other sources are compiled anew; folders that no process has used for a month are removed."""
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    unused = tmp_path / f"{disk_cache.KERNELS}old"
    unused.mkdir()
    os.utime(unused, (0.0, 0.0))
    monkeypatch.setattr(fingerprint, "changed_since_import", lambda: True)
    assert loops.kernel(doubled, sources="a")(21.0) == 42.0  # not kept: that may not be the code of the file
    monkeypatch.setattr(fingerprint, "changed_since_import", lambda: False)
    for sources, kept in (("a", 0), ("a", 1), ("b", 0)):
        found = loops.kernel(doubled, sources=sources)
        assert found(21.0) == 42.0
        assert sum(found.stats.cache_hits.values()) == kept
        assert found.stats.cache_path == str(tmp_path / f"{disk_cache.KERNELS}{sources}")
    assert not unused.exists()
    assert disk_cache.measure_contents()[1] > 0
    disk_cache.clear()
    assert disk_cache.measure_contents()[1] == 0
    monkeypatch.setenv(disk_cache.VARIABLE, "off")
    assert loops.kernel(doubled, sources="a").stats.cache_path == loops.kernel(doubled).stats.cache_path


def test_code_of_other_types_is_not_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that compile a kernel at once may give the same file to arrays of two layouts."""

    def last(x):  # type: ignore[no-untyped-def]
        return x[-1, 0]

    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(fingerprint, "changed_since_import", lambda: False)
    whole = np.arange(12.0).reshape(2, 6)
    every_third = whole[:, ::3]  # of contiguous rows, the second would begin at 2.0
    first = loops.kernel(last, sources="a")
    assert first(whole) == 6.0
    (file,) = tmp_path.rglob("*.nbc")
    of_contiguous = file.read_bytes()
    first._cache.flush()
    for _ in range(2):
        assert loops.kernel(last, sources="a")(every_third) == 6.0
        file.write_bytes(of_contiguous)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such permissions")
def test_loops_that_others_could_write_are_not_loaded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "doubled.nbi").write_bytes(b"")
    assert loops.is_private.__wrapped__(str(tmp_path))
    (tmp_path / "doubled.nbi").chmod(0o666)
    assert not loops.is_private.__wrapped__(str(tmp_path))
    assert f"{tmp_path} are not used" in caplog.text
    tmp_path.chmod(0o777)
    assert not loops.is_private.__wrapped__(str(tmp_path))
