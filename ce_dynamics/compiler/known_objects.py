"""Objects that are known from an earlier run by what was asked: loaded, not made.

What plain words and numbers ask for follows from them and from the files of the package, data among them.
Files are known by their stamps: place, size and times, of which the system sets the last with every change.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ce_dynamics import _version
from ce_dynamics.compiler import disk_cache
from ce_dynamics.compiler.fingerprint import package_files

T = TypeVar("T")


def recall_or_make(make: Callable[[], T], name: str, asked: tuple[object, ...]) -> T:
    """What `make` returns, or an equal object that was kept when the same was asked before.

    Parameters
    ----------
    make : callable
        Reads nothing but what was asked and files of the package.  What it warns of is said when it is done,
        and then nothing is kept.
    name : str
        What is asked for.
    asked : tuple
        Texts, numbers, None, and tuples of them.

    Returns
    -------
    object
        That can be pickled.
    """
    key = _key(name, asked)
    content = None if key is None else disk_cache.load(key)
    if content is not None:
        try:
            known: T = pickle.loads(content)
            return known
        except Exception:  # of whatever kind: what was kept by other releases of other libraries is made anew
            pass
    said: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as said:
            made = make()
    finally:
        for one in said:
            warnings.showwarning(one.message, one.category, one.filename, one.lineno, one.file, one.line)
    if key is not None and not said and key == _key(name, asked):  # no file has changed meanwhile
        disk_cache.store(key, pickle.dumps(made, protocol=5))
    return made


def _key(name: str, asked: tuple[object, ...]) -> str | None:
    """None if the cache is off, or a file is younger than the process: what runs may be older."""
    if disk_cache.folder() is None:
        return None
    stamps = _stamps()
    if stamps is None:
        return None
    known: tuple[Any, ...] = (name, asked, sys.version, np.__version__, stamps)
    return disk_cache.NOTE + hashlib.sha256(repr(known).encode()).hexdigest()


def _stamps() -> list[tuple[str, int, int, int]] | None:
    """Path, size and times of all files of the package; None if one is gone or younger, or there are none."""
    found = []
    for path, _ in package_files():
        try:
            status = os.stat(path)
        except OSError:
            return None
        if max(status.st_mtime, status.st_ctime) > _version.IMPORTED:
            return None
        found.append((path, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return found or None
