"""Files that are whole or not there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a name beside `path` to write under; what is there at the end takes `path` itself.

    Whatever ends the writing, a full disk or Ctrl-C, leaves under `path` what was there before.  Errors
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
    """Remove what writers of `path` left that were killed; for who knows that nobody else writes it."""
    left = re.compile(rf"\.{re.escape(path.stem)}-\d+{re.escape(path.suffix)}")
    for file in path.parent.iterdir():
        if left.fullmatch(file.name):
            file.unlink(missing_ok=True)
