"""What the small command lines of the example systems share: one-line errors and exit codes."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from ce_dynamics.errors import CeDynamicsError, SimulationError

OK, BAD_INPUT, FAILED, INTERRUPTED = 0, 2, 3, 130

EXPLANATION = "exit codes: 0 all went well; 2 something given is wrong; 3 the run failed; 130 interrupted"


class Parser(argparse.ArgumentParser):
    """A parser whose errors are single lines."""

    def error(self, message: str) -> NoReturn:
        """One line on stderr, and leave."""
        print(f"error: {' '.join(message.split())}", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def number(text: str) -> float:
    """A finite number from the command line."""
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number")
    return value


def positive(text: str) -> float:
    """A positive, finite number from the command line."""
    value = number(text)
    if not value > 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return value


def guarded(work: Callable[[argparse.Namespace], None], parser: Parser, arguments: Sequence[str] | None) -> int:
    """Parse, work, and turn errors into one line and an exit code."""
    options = parser.parse_args(arguments)
    try:
        work(options)
    except SimulationError as error:
        return complaint(str(error), FAILED)
    except (CeDynamicsError, OSError) as error:
        return complaint(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        return complaint("interrupted", INTERRUPTED)
    return OK


def complaint(message: str, code: int) -> int:
    """One line on stderr; returns the code."""
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    return code


def print_table(rows: Sequence[tuple[str, float | str, str]]) -> None:
    """Label, value and unit in columns, on stdout."""
    width = max(len(label) for label, _, _ in rows)
    for label, value, unit in rows:
        shown = value if isinstance(value, str) else f"{value:.6g}"
        print(f"{label:{width}s}  {shown:>12s}  {unit}".rstrip())
