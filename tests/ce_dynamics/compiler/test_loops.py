"""Compiled loops do without what is kept on disk where that cannot be read or written."""

from __future__ import annotations

import errno
import logging
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core.caching import IndexDataCacheFile

from ce_dynamics.compiler import loops


def doubled(x: float) -> float:
    return 2.0 * x


@pytest.mark.parametrize(
    ("method", "error", "said"),
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
    said: str,
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
    assert re.search(said, record.getMessage())


def test_loops_are_kept() -> None:
    loops.kernel(doubled)(1.0)
    again = loops.kernel(doubled)
    assert again(2.0) == 4.0
    assert sum(again.stats.cache_hits.values()) == 1


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
