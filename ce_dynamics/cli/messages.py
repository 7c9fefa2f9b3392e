"""Prints single lines on stderr."""

from __future__ import annotations

import sys


def print_line(message: str, kind: str = "error") -> None:
    """Print one line to stderr."""
    print(f"{kind}: {' '.join(message.split())}", file=sys.stderr)


def show_notes(text: str, kind: str = "note") -> None:
    """Print every line of a text as a note."""
    for line in text.splitlines():
        print_line(line, kind)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    """Print a warning as one line to stderr; takes the place of `warnings.showwarning`."""
    print_line(str(message), "warning")
