"""Options of ``simulate-vehicle``.

Everything the options themselves do not need is imported where it is used: ``--version`` and ``--help`` load
neither NumPy nor the models.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from ce_dynamics._version import __version__
from ce_dynamics.cli import exit_codes
from ce_dynamics.cli.as_typed import CommandAsTyped, as_typed
from ce_dynamics.cli.loading import loading

SUBCOMMANDS = ("sweep", "export", "drive", "kc", "handling", "convert", "compare", "cache")
"""Each a function in a module of its name."""


class LoadedWhenAsked(TyperGroup):
    """A command that loads its subcommands when they are asked for; its options are taken as typed."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        return as_typed(super().get_params(ctx))

    def list_commands(self, ctx: Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        for name in (cmd_name,) if cmd_name in SUBCOMMANDS else SUBCOMMANDS:  # all, to tell what is like it
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


def subcommand(name: str) -> Command:
    """A subcommand by name."""
    function = getattr(import_module(f"ce_dynamics.cli.{name}"), name)
    alone = typer.Typer(rich_markup_mode="rich")
    alone.command(name=name, cls=CommandAsTyped)(function)
    return typer.main.get_group(alone).commands[name]


app = typer.Typer(
    name="simulate-vehicle",
    cls=LoadedWhenAsked,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    subcommand_metavar="",
)

if TYPE_CHECKING:
    from typer._click import Command, Context, Parameter

RUN, INTEGRATION, OUTPUT, ABOUT = "What to simulate", "Integration", "Output", "About"

Repeated = list[str] | None


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        print(f"simulate-vehicle {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog=exit_codes.EXPLANATION)
def simulate_vehicle(
    context: typer.Context,
    vehicle: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="A shipped vehicle, see --list-vehicles; a YAML file that names its axles, the file that it "
            "builds on, or just numbers that differ from the HMMWV's; or a vehicle's JSON file of Project "
            "Chrono.",
            rich_help_panel=RUN,
        ),
    ] = "hmmwv",
    manoeuvre: Annotated[
        str | None,
        typer.Option(
            "--manoeuvre",
            "-m",
            metavar="NAME",
            help="What the driver does; see --list-manoeuvres.  [dim]Default: double-lane-change[/dim]",
            rich_help_panel=RUN,
        ),
    ] = None,
    speed: Annotated[
        str | None,
        typer.Option(help="Speed at the start, e.g. 12, '12 m/s', '43 km/h'.", rich_help_panel=RUN),
    ] = None,
    duration: Annotated[
        str | None, typer.Option(help="Time simulated, e.g. 10 or '10 s'.", rich_help_panel=RUN)
    ] = None,
    option: Annotated[
        Repeated,
        typer.Option(
            "--option",
            "-o",
            metavar="NAME=VALUE",
            help="Option of the manoeuvre, e.g. radius='40 m'; repeatable.",
            rich_help_panel=RUN,
        ),
    ] = None,
    overrides: Annotated[
        Repeated,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Override a parameter, e.g. front.spring.linear='120 kN/m'; repeatable; see "
            "--list-parameters.  Corner values are given as for the left side.",
            rich_help_panel=RUN,
        ),
    ] = None,
    tyre: Annotated[
        Repeated,
        typer.Option(
            metavar="[AXLE=]FILE",
            help="A tyre property file (.tir, Magic Formula) in place of the vehicle's tyres: of all "
            "wheels, of an axle (front=FILE) or of a corner; repeatable.",
            rich_help_panel=RUN,
        ),
    ] = None,
    road: Annotated[
        str | None,
        typer.Option(
            metavar="ROAD|FILE",
            help="What to drive on: [bold]iso8608:C[/bold], [bold]kerb:height=0.1,position=10[/bold], "
            "[bold]FILE.crg[/bold], 'map.npy:dx=0.1 + mu:left=0.3,right=0.8', ...; see --list-roads.",
            rich_help_panel=RUN,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="RK45, RK23, DOP853, LSODA, Radau or BDF, of SciPy's solve_ivp; or compiled: tsit5, dopri5, "
            "and rk4, rosenbrock, implicit-euler in fixed steps.",
            rich_help_panel=INTEGRATION,
        ),
    ] = "RK45",
    rtol: Annotated[
        str | None,
        typer.Option(
            help="Relative error per step, of methods that adapt theirs.  [dim]Default: 1e-6.[/dim]",
            rich_help_panel=INTEGRATION,
        ),
    ] = None,
    atol: Annotated[
        str | None,
        typer.Option(
            help="Absolute error, likewise.  [dim]Default: 1e-8.[/dim]", rich_help_panel=INTEGRATION
        ),
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(
            help="Of rk4, rosenbrock and implicit-euler.  [dim]Default: 1 ms.[/dim]",
            rich_help_panel=INTEGRATION,
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where results and plots go.", rich_help_panel=OUTPUT)
    ] = Path("simulate-vehicle-output"),
    json: Annotated[
        bool,
        typer.Option("--json", help="Summary as JSON on stdout, nothing else there.", rich_help_panel=OUTPUT),
    ] = False,
    no_plots: Annotated[
        bool, typer.Option("--no-plots", help="Save no page of plots.", rich_help_panel=OUTPUT)
    ] = False,
    view: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="A page that plays the run in three dimensions, in any browser, offline.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv|.parquet|.mf4",
            help="All quantities over time as a table for other tools.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    list_parameters: Annotated[
        bool,
        typer.Option(
            "--list-parameters",
            help="List all parameters, as --set takes them, and leave.",
            rich_help_panel=ABOUT,
        ),
    ] = False,
    list_vehicles: Annotated[
        bool,
        typer.Option("--list-vehicles", help="List all shipped vehicles and leave.", rich_help_panel=ABOUT),
    ] = False,
    list_manoeuvres: Annotated[
        bool,
        typer.Option(
            "--list-manoeuvres",
            help="List all manoeuvres and their options, and leave.",
            rich_help_panel=ABOUT,
        ),
    ] = False,
    list_roads: Annotated[
        bool,
        typer.Option(
            "--list-roads",
            help="List all roads and what may be said of them, and leave.",
            rich_help_panel=ABOUT,
        ),
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version and leave.",
            callback=show_version,
            is_eager=True,
            rich_help_panel=ABOUT,
        ),
    ] = False,
) -> int:
    """Simulate a vehicle whose loops are embedded exactly: the HMMWV, or any that a file describes.

    Without options: an ISO 3888-1 double lane change at 12 m/s, 10 s.  A summary is printed; all results go
    to a NetCDF file and a page of plots.
    """
    if context.invoked_subcommand is not None:
        return 0
    if list_vehicles:
        # here, so that mistakes and --help are answered at once
        from ce_dynamics.cli.listings import print_vehicles

        print_vehicles()
        return 0
    if list_manoeuvres:
        # here, so that mistakes and --help are answered at once
        from ce_dynamics.cli.listings import print_manoeuvres

        print_manoeuvres()
        return 0
    if list_roads:
        # here, so that mistakes and --help are answered at once
        from ce_dynamics.cli.listings import print_roads

        print_roads()
        return 0
    if list_parameters:
        # here, so that mistakes and --help are answered at once
        from ce_dynamics.cli.listings import print_parameters

        print_parameters(vehicle, overrides or [])
        return 0
    with loading():
        # here, so that mistakes and --help are answered at once
        from ce_dynamics.cli.simulation import Request, simulate_and_report
        from ce_dynamics.models.data.quantities import si_value

    request = Request(
        model=vehicle,
        manoeuvre=manoeuvre,
        speed=speed,
        duration=duration,
        options=tuple(option or ()),
        overrides=tuple(overrides or ()),
        method=method,
        rtol=None if rtol is None else si_value("--rtol", rtol, "1"),
        atol=None if atol is None else si_value("--atol", atol, "1"),
        step=None if step is None else si_value("--step", step, "s"),
        output=output,
        json=json,
        plots=not no_plots,
        tyres=tuple(tyre or ()),
        road=road,
        view=view,
        table=table,
    )
    return simulate_and_report(request)
