"""What a command prints, wherever it goes."""

from __future__ import annotations

import io
import sys


def print_anything() -> None:
    """From now on what the encoding of stdout or stderr has no character for is printed as ``?``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
