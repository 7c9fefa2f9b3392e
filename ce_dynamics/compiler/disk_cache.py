"""Keep object code on disk between runs.

An entry is ``sha256(key + content) + content`` in a file named by its key, written to a temporary file and
moved into place, so that readers see whole entries only and concurrent writers do no harm; one that lies
under another's name is damaged like one that is cut.  Anything wrong with an entry discards it, its content
included, which `load_with` reads; what is wrong with the disk merely disables the cache.

Machine code that is loaded is run, so that an entry counts only if this user or the administrator wrote it:
it is a regular file, and neither it nor a folder on its path belongs to others or can be written to by them.
Who can write such an entry can run code as this user anyway, so that no secret key would protect more.
Everything else that is kept is text or JSON that is parsed.  Only numba unpickles what it has kept, after the
same checks of its folder and files (`ce_dynamics.compiler.loops`).
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import platformdirs

VARIABLE = "CE_DYNAMICS_CACHE"  # environment variable that names the cache folder; ``off`` disables the cache

NOTE = "note-"  # prefix of the keys of notes about functions, which are no compiled functions themselves

KERNELS = "kernels-"  # prefix of folders of numba's files (`ce_dynamics.compiler.loops`)

FORMAT = 3  # format of entries, part of their file names; entries of another format are removed in time

_ANY = ".code"
_SUFFIX = f".{FORMAT}{_ANY}"
_DIGEST_SIZE = hashlib.sha256().digest_size
_LARGEST_TOTAL = 512 * 2**20
_log = logging.getLogger(__name__)
_warned: set[Path] = set()

T = TypeVar("T")


def folder() -> Path | None:
    """Return the cache folder, which need not exist; None if the cache is off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen).expanduser()
    return Path(platformdirs.user_cache_dir("ce-dynamics", appauthor=False)) / "code"


def private(where: Path) -> bool:
    """Return True if others cannot write to an existing folder or replace it; warn if they can."""
    if not hasattr(os, "getuid"):  # not on every system
        return True
    path = where.absolute()
    real = path.resolve()
    inside = {real}
    for place in (real, *real.parents, *path.parents):
        status = place.stat()
        sticky = place not in inside and status.st_mode & stat.S_ISVTX  # others replace nothing of ours there
        if not _is_trusted(status, sticky=bool(sticky)):
            break
    else:
        return True
    if where not in _warned:
        _warned.add(where)
        _log.warning(
            "the cache folder %s is not used: %s belongs to another user or can be written to by others, who "
            "could put code there; 'chmod go-w' it if it is yours, or set %s to a folder of your own",
            where,
            place,
            VARIABLE,
        )
    return False


def _is_trusted(status: os.stat_result, *, sticky: bool = False) -> bool:
    """Return True if only this user and the administrator can change a file or folder."""
    if status.st_uid not in (os.getuid(), 0):
        return False
    own_group = status.st_gid == os.getuid()  # many systems give every user a group of that number
    others = stat.S_IWOTH | (0 if own_group else stat.S_IWGRP)
    return sticky or not status.st_mode & others


def open_private(path: Path | str) -> int:
    """Return a descriptor for reading a file that only this user or the administrator could have written.

    `OSError` if it is a link, a pipe or another thing that is no regular file, or others may write to it.
    """
    # without blocking: a pipe would wait for a writer
    flags = ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_BINARY", "O_CLOEXEC")
    handle = os.open(path, sum(getattr(os, name, 0) for name in flags))
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and (not hasattr(os, "getuid") or _is_trusted(status)):
        return handle
    os.close(handle)
    raise PermissionError("it is no regular file, or others own it or can write to it")


def digest(key: str, content: bytes) -> bytes:
    """Return the SHA-256 digest of content together with its key, valid under no other key."""
    return hashlib.sha256(key.encode() + b"\0" + content).digest()


@contextlib.contextmanager
def switch_off() -> Iterator[None]:
    """Switch off the cache for a while, in this process."""
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
    """Return the content stored under a key, or None; a damaged entry is removed."""
    where = folder()
    if where is None:
        return None
    path = where / (key + _SUFFIX)
    with contextlib.suppress(OSError):
        if not private(where):
            return None
    try:
        with os.fdopen(open_private(path), "rb") as file:
            entry = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        _discard(path, str(error))
        return None
    content = entry[_DIGEST_SIZE:]
    if content and digest(key, content) == entry[:_DIGEST_SIZE]:
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of last use decides the order of removal
        return content
    _discard(path, "it is damaged")
    return None


def load_with(key: str, read: Callable[[bytes], T]) -> T | None:
    """Return the result of `read` for the content of a key, or None; rejected content is removed."""
    content = load(key)
    if content is None:
        return None
    try:
        return read(content)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        where = folder()
        if where is not None:
            _discard(where / (key + _SUFFIX), f"its content is of another kind ({error})")
        return None


def _discard(path: Path, problem: str) -> None:
    _log.warning("discarding the cache entry %s, which is made again: %s", path, problem)
    with contextlib.suppress(OSError):
        path.unlink()


_written: dict[Path, int] = {}
"""Bytes that this process has stored in a folder since it last looked how large that is."""
LOOKS = 100
"""Number of looks while a process writes as much as may be kept: looking at all files takes longer
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
    """Return the size [bytes] beyond which the least recently used entries are dropped."""
    return _LARGEST_TOTAL


def measure_contents() -> tuple[int, int]:
    """Return the number of compiled functions, and the size of everything in bytes.

    Notes and temporary files of broken writers are included in the size.
    """
    where = folder()
    if where is None or not where.is_dir():
        return 0, 0
    entries = sum(not path.name.startswith(NOTE) for path in where.glob(f"*{_ANY}"))
    return entries, sum(_size(path) for path in _files(where))


def clear() -> int:
    """Remove all entries and temporary files; return the number of compiled functions removed."""
    where = folder()
    if where is None or not where.is_dir():
        return 0
    removed = 0
    for path in _files(where):
        path.unlink(missing_ok=True)
        removed += path.suffix == _ANY and not path.name.startswith(NOTE)
    return removed


def _files(where: Path) -> list[Path]:
    """Return entries, temporary files and numba's: nothing else that may lie in the folder."""
    return [*where.glob(f"*{_ANY}"), *where.glob("*.tmp"), *where.glob(f"{KERNELS}*/*.nb[ci]")]


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
