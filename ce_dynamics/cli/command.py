"""The command ``simulate-vehicle``: subcommands loaded at their first use; errors as one line and a code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from ce_dynamics.algebra.interrupts import was_interrupt
from ce_dynamics.cli.messages import (
    BAD_INPUT,
    EXPLANATION,
    INTERRUPTED,
    OK,
    loading,
    print_line,
    show_warning,
)
from ce_dynamics.cli.options import SUBCOMMANDS, Simulate, with_options
from ce_dynamics.errors import CeDynamicsError

if TYPE_CHECKING:
    from typer._click import Command, Context, Parameter
    from typer._click.parser import _OptionParser

ALIASES = {"--vehicle": "--model"}
"""Former names of options, which still work; ``--help`` does not list them."""


class AsTyped(TyperOption):
    """An option that hands on texts and its default as they are.

    Typer converts them by pydantic, whose import takes an eighth of a start.
    """

    def add_to_parser(self, parser: _OptionParser, ctx: Context) -> None:
        """Add the option under its former names too; refuse a second value where one is kept."""
        super().add_to_parser(parser, ctx)
        added = parser._long_opt.get(self.opts[0])
        if added is None:
            return
        for name in self.opts:
            if name in ALIASES:
                parser._long_opt[ALIASES[name]] = added
        if added.action == "store":
            store = added.process

            def process(value: Any, state: Any) -> None:
                if added.dest in state.opts:
                    given = f"{state.opts[added.dest]!r} and {value!r}"
                    ctx.fail(f"{self.opts[0]} is given twice: {given}; give it once")
                store(value, state)

            added.process = process  # type: ignore[method-assign]

    def process_value(self, ctx: Context, value: Any) -> Any:
        plain = value is self.default or self.type_descriptor.annotation in (str, list[str])
        if self.required or not plain:
            return super().process_value(ctx, value)
        return value if self.callback is None else self.callback(ctx, self, value)


def as_typed(parameters: list[Parameter]) -> list[Parameter]:
    """Return the same parameters of a command, its options `AsTyped`."""
    for parameter in parameters:
        if type(parameter) is TyperOption:
            parameter.__class__ = AsTyped
    return parameters


class CommandAsTyped(TyperCommand):
    """A command whose options are `AsTyped`, ``--help`` among them."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        return as_typed(super().get_params(ctx))


class LoadedWhenAsked(TyperGroup):
    """Command that loads a subcommand at its first use; its options are taken as typed."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        return as_typed(super().get_params(ctx))

    def list_commands(self, ctx: Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        for name in (cmd_name,) if cmd_name in SUBCOMMANDS else SUBCOMMANDS:  # all, to suggest a similar name
            if name not in self.commands:
                self.commands[name] = subcommand(name)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in SUBCOMMANDS:
            refuse_unknown(ctx, name)
        return super().resolve_command(ctx, args)


def refuse_unknown(ctx: Context, name: str) -> None:
    """Refuse a word that is no command; one like a command is left to Typer, which suggests that."""
    from ce_dynamics.models.parts.manoeuvres import MANOEUVRES  # here, because most starts need none
    from ce_dynamics.models.vehicles.files import MODELS

    for option, names in (("--manoeuvre", MANOEUVRES), ("--vehicle", MODELS)):
        if name in names:
            ctx.fail(f"no command {name!r}; write {option} {name}")
    if not get_close_matches(name, SUBCOMMANDS):
        ctx.fail(
            f"no command {name[:80]!r}; give a vehicle by --vehicle, a manoeuvre by --manoeuvre, "
            f"or a command: {', '.join(SUBCOMMANDS)}"
        )


def run(module: str, options: Any) -> int:
    """Import the module that does a command's work, and run it."""
    if not getattr(options, "no_plots", True) and find_spec("matplotlib") is None:
        print_line("no plots are drawn, which need matplotlib: pip install 'ce-dynamics[plots]'", "note")
        options = replace(options, no_plots=True)
    with loading():
        work = import_module(f"ce_dynamics.cli.{module}")
    code: int = work.run(options)
    return code


def subcommand(name: str) -> Command:
    """Return a subcommand by name."""
    alone = typer.Typer(rich_markup_mode="rich")
    function = with_options(SUBCOMMANDS[name], lambda options: run(name, options))
    alone.command(name=name, cls=CommandAsTyped)(function)
    return typer.main.get_group(alone).commands[name]


def simulate(context: typer.Context, options: Simulate) -> int:
    """Run the command without a subcommand."""
    if context.invoked_subcommand is not None:
        return 0
    lists = options.list_vehicles, options.list_manoeuvres, options.list_roads, options.list_parameters
    return run("listings" if any(lists) else "simulation", options)


app = typer.Typer(
    name="simulate-vehicle",
    cls=LoadedWhenAsked,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    subcommand_metavar="",
)
app.callback(invoke_without_command=True, epilog=EXPLANATION)(
    with_options(Simulate, simulate, context=typer.Context)
)


def execute(arguments: Sequence[str] | None = None) -> int:
    """Run ``simulate-vehicle`` and return its exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show_warning
        try:
            return invoke(sys.argv[1:] if arguments is None else list(arguments))
        except TyperException as error:
            print_line(error.format_message())
            return BAD_INPUT
        except CeDynamicsError as error:
            print_line(str(error))
            return BAD_INPUT
        except (KeyboardInterrupt, ImportError) as error:
            if not was_interrupt(error):
                raise
            print_line("interrupted")
            return INTERRUPTED
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return OK
        except SystemExit as leaving:
            if not isinstance(leaving.__context__, BrokenPipeError):
                raise
            return OK  # Rich leaves so, and has closed our output
        except OSError as error:
            from ce_dynamics.algebra.files import describe_os_error  # here, because it loads NumPy

            print_line(describe_os_error(error))
            return BAD_INPUT


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
    return result if isinstance(result, int) else OK
