"""Run the command and turn every error into one line and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

from ce_dynamics.cli import exit_codes


def execute(arguments: Sequence[str] | None = None) -> int:
    """Run ``simulate-vehicle`` and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if not given.
    """
    from typer.exceptions import TyperException

    from ce_dynamics.cli.app import app
    from ce_dynamics.errors import CeDynamicsError

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        try:
            result = app(arguments, prog_name="simulate-vehicle", standalone_mode=False)
        except TyperException as error:
            complain(error.format_message())
            return exit_codes.BAD_INPUT
        except CeDynamicsError as error:
            complain(str(error))
            return exit_codes.BAD_INPUT
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return exit_codes.OK
        except OSError as error:
            complain(f"cannot use '{error.filename}': {error.strerror}" if error.filename else str(error))
            return exit_codes.BAD_INPUT
    code = result if isinstance(result, int) else exit_codes.OK
    if code == exit_codes.INTERRUPTED:
        complain("interrupted")
    return code


def complain(message: str, kind: str = "error") -> None:
    """One line on stderr."""
    print(f"{kind}: {' '.join(message.split())}", file=sys.stderr)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    """In the form of `warnings.showwarning`: one line on stderr."""
    complain(str(message), "warning")
