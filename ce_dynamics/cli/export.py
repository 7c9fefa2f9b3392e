"""``simulate-vehicle export``: a vehicle for other people's tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ce_dynamics.cli import shared_options as shared
from ce_dynamics.cli.messages import show_notes

VEHICLE, OUTPUT = "What to export", "As what"


def export(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="[bold]fmu[/bold], one file for simulation tools on all platforms, or [bold]c[/bold], "
            "C99 source without dependencies.",
        ),
    ],
    model: Annotated[str, shared.vehicle(VEHICLE)] = "hmmwv",
    speed: Annotated[str | None, shared.speed(VEHICLE)] = None,
    overrides: Annotated[list[str] | None, shared.overrides(VEHICLE)] = None,
    tyre: Annotated[list[str] | None, shared.tyre(VEHICLE)] = None,
    road: Annotated[str | None, shared.road(VEHICLE)] = None,
    free: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="A number that stays a parameter of the FMU or of the C source, e.g. chassis.mass; "
            "names as --set takes them; repeatable.",
            rich_help_panel=VEHICLE,
        ),
    ] = None,
    steering_wheel: Annotated[
        bool,
        typer.Option(
            "--steering-wheel",
            help="Steer by the angle of the steering wheel: the input steering_wheel_command \\[rad] "
            "replaces steering.",
            rich_help_panel=VEHICLE,
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="File of the FMU, or folder of the source.  [dim]Default: vehicle.fmu, vehicle-c[/dim]",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(help="Model identifier, and prefix of names in C.", rich_help_panel=OUTPUT)
    ] = "vehicle",
    fmi: Annotated[str, typer.Option(help="Version of FMI: 2.0 or 3.0.", rich_help_panel=OUTPUT)] = "3.0",
    platform: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Platform of an FMU, e.g. x86_64-windows; repeatable.  [dim]Default: all five[/dim]",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    sources: Annotated[
        bool, typer.Option("--sources", help="C source inside the FMU as well.", rich_help_panel=OUTPUT)
    ] = False,
    derivatives: Annotated[
        bool,
        typer.Option("--derivatives", help="Exact derivatives in C; FMUs have them.", rich_help_panel=OUTPUT),
    ] = False,
) -> int:
    """Write a vehicle, standing or rolling as it has settled, as an FMU or as C source.

    Its inputs are steering and pedals; it needs no Python any more.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra import checks
    from ce_dynamics.algebra.files import check_place
    from ce_dynamics.cli.progress import Display
    from ce_dynamics.compiled.export.c_source import export_c
    from ce_dynamics.compiled.export.cross_compiler import PLATFORMS
    from ce_dynamics.compiled.export.fmu import VERSIONS, export_fmu
    from ce_dynamics.compiled.export.interface import checked_identifier
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.vehicles.case import prepare
    from ce_dynamics.models.vehicles.shipped import RIDE

    checks.choice("what to export:", kind, ("fmu", "c"), DataError)
    if kind == "c" and (platform or sources or fmi != "3.0"):
        raise DataError("--platform, --sources and --fmi are of FMUs; leave them out for C source")
    if kind == "fmu" and derivatives:
        raise DataError("--derivatives is of C source; FMUs have them always")
    if model == RIDE and speed is not None:
        raise DataError("the ride model has no speed; leave it out")
    place = output or Path("vehicle-c" if kind == "c" else "vehicle.fmu")
    if kind == "fmu":  # before the vehicle is built and settled
        checks.choice("--fmi:", fmi, VERSIONS, DataError)
        check_place(place)
    if name is not None:
        checked_identifier(name)
    with Display() as display:
        display.stage("preparing the model")
        case = prepare(
            model=model,
            speed=speed,
            overrides=overrides or [],
            free=free or [],
            tyres=tuple(tyre or ()),
            road=road,
            practice=False,
            steering_wheel=steering_wheel,
        )
        show_notes(str(case.attributes.get("vehicle_files", "")))
        display.stage("writing and compiling")
        if kind == "c":
            files = export_c(case.model, place, name, y0=case.y0, derivatives=derivatives)
        else:
            made = export_fmu(
                case.model,
                place,
                fmi=fmi,
                platforms=platform or PLATFORMS,
                name=name,
                y0=case.y0,
                sources=sources,
            )
            files = [made]
    print("\n".join(map(str, files)))
    return 0
