"""The command ``simulate-vehicle`` and its subcommands, each loaded at its first use."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from ce_dynamics.cli import exit_codes
from ce_dynamics.cli.as_typed import CommandAsTyped, as_typed
from ce_dynamics.cli.loading import loading
from ce_dynamics.cli.messages import complain
from ce_dynamics.cli.options import SUBCOMMANDS, Simulate, with_options

if TYPE_CHECKING:
    from typer._click import Command, Context, Parameter


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
        if not name.startswith("-") and not get_close_matches(name, SUBCOMMANDS):
            ctx.fail(
                f"no command {name[:80]!r}; give a vehicle by --vehicle, a manoeuvre by --manoeuvre, "
                f"or a command: {', '.join(SUBCOMMANDS)}"
            )
        return super().resolve_command(ctx, args)


def run(module: str, options: Any) -> int:
    """Import the module that does a command's work, and run it."""
    if not getattr(options, "no_plots", True) and find_spec("matplotlib") is None:
        complain("no plots are drawn, which need matplotlib: pip install 'ce-dynamics[plots]'", "note")
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
app.callback(invoke_without_command=True, epilog=exit_codes.EXPLANATION)(
    with_options(Simulate, simulate, context=typer.Context)
)
