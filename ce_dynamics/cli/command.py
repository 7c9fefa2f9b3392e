"""Run the command and turn every error into one line and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from ce_dynamics.algebra.interrupts import was_interrupt
from ce_dynamics.cli import exit_codes
from ce_dynamics.cli.app import app
from ce_dynamics.cli.messages import complain, show_warning
from ce_dynamics.errors import CeDynamicsError


def execute(arguments: Sequence[str] | None = None) -> int:
    """Run ``simulate-vehicle`` and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if not given.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show_warning
        try:
            return invoke(sys.argv[1:] if arguments is None else list(arguments))
        except TyperException as error:
            complain(error.format_message())
            return exit_codes.BAD_INPUT
        except CeDynamicsError as error:
            complain(str(error))
            return exit_codes.BAD_INPUT
        except (KeyboardInterrupt, ImportError) as error:
            if not was_interrupt(error):
                raise
            complain("interrupted")
            return exit_codes.INTERRUPTED
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return exit_codes.OK
        except SystemExit as leaving:
            if not isinstance(leaving.__context__, BrokenPipeError):
                raise
            return exit_codes.OK  # Rich leaves so, and has closed our output
        except OSError as error:
            from ce_dynamics.algebra.files import unusable  # here, because it loads NumPy

            complain(unusable(error))
            return exit_codes.BAD_INPUT


def invoke(arguments: list[str]) -> int:
    """Run a command and return its exit code.

    Calling the app itself would turn Ctrl-C into a silent exit.
    """
    command = typer.main.get_command(app)
    try:
        with command.make_context("simulate-vehicle", arguments) as context:
            result = command.invoke(context)
    except typer.Exit as leaving:
        return leaving.exit_code
    return result if isinstance(result, int) else exit_codes.OK
