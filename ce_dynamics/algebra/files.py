"""Files that users name, read with a limit: regular ones only, their size known before anything is read.

A device that never ends, a pipe without a writer and a folder are refused at once.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.errors import CeDynamicsError, DataError

CHUNK = 65_536  # bytes read at once of a file that is longer than its size states

LONGEST_SHOWN = 300  # characters of a file's name in a message


def path_of(what: str, given: object, error: type[CeDynamicsError] = DataError) -> Path:
    """Return a path from text or a path."""
    if not isinstance(given, (str, os.PathLike)) or not isinstance(os.fspath(given), str):
        raise checks.wrong_type(f"{what} {checks.show(given)} must be the name of a file", error)
    name = os.fspath(given)
    if not name or "\0" in name:
        raise error(f"{what} {checks.show(name)} must be the name of a file")
    return Path(name)


def shown_path(path: Path) -> str:
    """Return a file's name for a message; of a very long one the end, which distinguishes it."""
    text = repr(str(path))
    return text if len(text) <= LONGEST_SHOWN else f"'…{text[-LONGEST_SHOWN:]}"


def describe_os_error(found: OSError) -> str:
    """Return the message of an error of the system about a file, in one line."""
    if not found.filename:
        return " ".join(str(found).split())
    name = found.filename if isinstance(found.filename, str) else os.fsdecode(found.filename)
    return f"cannot use {shown_path(Path(name))}: {found.strerror}"


def check_place(path: Path, error: type[CeDynamicsError] = DataError) -> None:
    """Create the folder of a file that will be written, and reject impossible names before any work."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISDIR(os.lstat(path).st_mode):
                raise error(f"cannot write {shown_path(path)}: it is a folder; choose another file")
    except OSError as found:
        raise error(f"cannot write {shown_path(path)}: {found.strerror}; choose another file") from None


def read(what: str, given: object, most: int, error: type[CeDynamicsError] = DataError) -> bytes:
    """Return the content of a file, if it is a regular one of at most so many bytes; ``what`` is its kind."""
    path = path_of(what, given, error)
    named = shown_path(path)
    try:  # without blocking: a pipe would wait for a writer
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            os.close(handle)
            raise error(f"{what} {named} cannot be read: it is {kind(status.st_mode)}, not a file")
        with os.fdopen(handle, "rb") as file:
            content = b"" if status.st_size > most else file.read(status.st_size + 1)
            while status.st_size < len(content) <= most:  # it grows, or the kernel makes it up: size 0
                more = file.read(CHUNK)
                if not more:
                    break
                content += more
    except OSError as found:
        raise error(f"{what} {named} cannot be read: {found.strerror or found}") from found
    if status.st_size > most or len(content) > most:
        size = max(status.st_size, len(content))
        raise error(f"{what} {named} is too large: {size:,} bytes, {most:,} are allowed")
    return content


def kind(mode: int) -> str:
    """Return the kind of an entry of the file system that is not a regular file, such as 'a pipe'."""
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


@contextmanager
def replace_on_success(path: Path) -> Iterator[Path]:
    """Yield a temporary name in the folder of `path`; at the end the file is renamed to `path`.

    If a full disk or Ctrl-C ends the writing, the former file at `path` stays.  Errors
    of the system name `path`.
    """
    temporary = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(temporary)):
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        temporary.unlink(missing_ok=True)


def clear(path: Path) -> None:
    """Remove temporary files of killed writers of `path`; call it only if no other process writes `path`."""
    left = re.compile(rf"\.{re.escape(path.stem)}-\d+{re.escape(path.suffix)}")
    for file in path.parent.iterdir():
        if left.fullmatch(file.name):
            file.unlink(missing_ok=True)


def lock(path: Path, what: str, remedy: str, error: type[CeDynamicsError] = DataError) -> Any:
    """Return a lock of the system, held until the end of a block or of the process; it is on ``what``."""
    from filelock import FileLock, Timeout  # here, because few runs need it

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(path, thread_local=False).acquire(timeout=0)
    except Timeout:
        raise error(f"another process works on the {what}; wait for it, or {remedy}") from None
    except OSError as found:
        raise error(f"{what} cannot be used: {describe_os_error(found)}; {remedy}") from None
    except NotImplementedError:
        raise error(f"{what} cannot be locked: its file system has no locks; {remedy}") from None
