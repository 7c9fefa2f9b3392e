"""Exit codes, single lines on stderr, and the import of what a command needs."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ce_dynamics.algebra.interrupts import INTERRUPTED as INTERRUPTED

OK = 0
BAD_INPUT = 2
FAILED = 3

EXPLANATION = (
    "Exit codes: 0 all went well; 2 something given is wrong, or a linkage cannot be assembled; "
    "3 the integration failed (of a sweep: every run), what was computed before is saved; "
    "130 interrupted by Ctrl-C, what was computed before is saved."
)


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


@contextmanager
def loading() -> Iterator[None]:
    """Collect no garbage while modules are loaded, and exempt them from later collections."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
