"""Prints and draws users' texts unchanged."""

from __future__ import annotations

import io
import sys


def print_anything() -> None:
    """Print ``?``, from now on, for characters that the encoding of stdout or stderr does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def drawn_text(text: str) -> str:
    """Return a text that Matplotlib draws as `text`: no formula between dollars, no label it leaves out."""
    escaped = text.replace("$", r"\$")
    return f" {escaped}" if escaped.startswith("_") else escaped
