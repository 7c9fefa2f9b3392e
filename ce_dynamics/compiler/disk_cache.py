"""Keep object code on disk between runs.

An entry is ``sha256(key + content) + content`` in a file named by its key, written to a temporary file and
moved into place, so that readers see whole entries only and concurrent writers do no harm; one that lies
under another's name is damaged like one that is cut.  Anything wrong with an entry discards it; what
is wrong with the disk merely disables the cache.

What is loaded is run: the folder is made for its owner alone, and one that others own or may write to is not
used.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

VARIABLE = "CE_DYNAMICS_CACHE"
"""Environment variable that names the cache folder; ``off`` disables the cache."""

NOTE = "note-"
"""How keys of notes about functions begin; they are no compiled functions themselves."""

FORMAT = 3
"""Of entries, and part of their file names: those of another format are not found, and dropped in time."""

_ANY = ".code"
_SUFFIX = f".{FORMAT}{_ANY}"
_DIGEST_SIZE = hashlib.sha256().digest_size
_LARGEST_TOTAL = 512 * 2**20
_log = logging.getLogger(__name__)
_warned: set[Path] = set()


def folder() -> Path | None:
    """The cache folder, which need not exist; None if the cache is off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen).expanduser()
    return Path(platformdirs.user_cache_dir("ce-dynamics", appauthor=False)) / "code"


def private(where: Path) -> bool:
    """Whether nobody but this user could have written what lies in a folder that exists; warns if not."""
    if not hasattr(os, "getuid"):  # not on every system
        return True
    status = where.stat()
    if status.st_uid == os.getuid() and not status.st_mode & 0o022:
        return True
    if where not in _warned:
        _warned.add(where)
        _log.warning(
            "the cache folder %s belongs to another user or can be written to by others, who could put code "
            "there: it is not used; 'chmod 700' it if it is yours, or set %s to a folder of your own",
            where,
            VARIABLE,
        )
    return False


def digest(key: str, content: bytes) -> bytes:
    """What vouches for content under its key, and under no other."""
    return hashlib.sha256(key.encode() + b"\0" + content).digest()


@contextlib.contextmanager
def switched_off() -> Iterator[None]:
    """Do without the cache for a while, in this process."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "off"
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def load(key: str) -> bytes | None:
    """The content stored under a key, or None; a damaged entry is removed."""
    where = folder()
    if where is None:
        return None
    path = where / (key + _SUFFIX)
    try:
        if not private(where):
            return None
        entry = path.read_bytes()
    except OSError:
        return None
    content = entry[_DIGEST_SIZE:]
    if content and digest(key, content) == entry[:_DIGEST_SIZE]:
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of last use decides what is dropped first
        return content
    _log.warning("discarding the damaged cache entry %s; it is compiled again", path)
    with contextlib.suppress(OSError):
        path.unlink()
    return None


_written: dict[Path, int] = {}
"""Bytes that this process has stored in a folder since it last looked how large that is."""
LOOKS = 100
"""How often a process looks while it writes as much as may be kept: looking at all files takes longer
than writing one."""


def store(key: str, content: bytes) -> None:
    """Store content under a key; failure is logged once per folder and otherwise ignored."""
    where = folder()
    if where is None:
        return
    temporary = None
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not private(where):
            return
        handle, temporary = tempfile.mkstemp(dir=where, prefix=key[:16], suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(digest(key, content) + content)
        os.replace(temporary, where / (key + _SUFFIX))
        _written[where] = _written.get(where, _LARGEST_TOTAL) + len(content)
        if _written[where] > _LARGEST_TOTAL // LOOKS:
            _trim(where)
            _written[where] = 0
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        if where not in _warned:
            _warned.add(where)
            _log.warning(
                "compiled code is not kept for later runs: %s; set %s to a writable folder, or to 'off'",
                error,
                VARIABLE,
            )


def limit() -> int:
    """Bytes beyond which the entries unused for longest are dropped."""
    return _LARGEST_TOTAL


def contents() -> tuple[int, int]:
    """Number of compiled functions, and the size of everything in bytes.

    Notes and temporary files of broken writers are included in the size.
    """
    where = folder()
    if where is None or not where.is_dir():
        return 0, 0
    entries = sum(not path.name.startswith(NOTE) for path in where.glob(f"*{_ANY}"))
    return entries, sum(_size(path) for path in _files(where))


def clear() -> int:
    """Remove all entries, and what broken writers left; how many compiled functions were removed."""
    where = folder()
    if where is None or not where.is_dir():
        return 0
    removed = 0
    for path in _files(where):
        path.unlink(missing_ok=True)
        removed += path.suffix == _ANY and not path.name.startswith(NOTE)
    return removed


def _files(where: Path) -> list[Path]:
    """Entries and temporary files: nothing else that may lie in the folder."""
    return [*where.glob(f"*{_ANY}"), *where.glob("*.tmp")]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # another process has removed it
        return 0


def _trim(where: Path) -> None:
    """Drop the entries unused for longest once the folder exceeds its size."""
    with os.scandir(where) as found:  # half of the time that pathlib takes
        entries = [(entry.stat(), entry.path) for entry in found if entry.name.endswith(_ANY)]
    total = sum(status.st_size for status, _ in entries)
    if total <= _LARGEST_TOTAL:
        return
    for status, path in sorted(entries, key=lambda pair: pair[0].st_mtime):
        Path(path).unlink(missing_ok=True)
        total -= status.st_size
        if total <= _LARGEST_TOTAL // 2:
            return
