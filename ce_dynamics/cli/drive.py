"""``simulate-vehicle drive``: a page in which people drive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ce_dynamics.cli import shared_options as shared

VEHICLE, OUTPUT = "What to drive", "Output"


def drive(
    vehicle: Annotated[
        list[str] | None,
        shared.vehicle(
            VEHICLE,
            "; repeatable, to choose from in the page.  [dim]Default: hmmwv, hmmwv-automatic, sedan[/dim]",
        ),
    ] = None,
    manoeuvre: Annotated[
        str | None,
        typer.Option(
            "--manoeuvre", "-m", metavar="NAME", help="Whose road to drive.", rich_help_panel=VEHICLE
        ),
    ] = None,
    road: Annotated[str | None, shared.road(VEHICLE)] = None,
    speed: Annotated[str | None, shared.speed(VEHICLE, "  [dim]Default: at rest[/dim]")] = None,
    overrides: Annotated[list[str] | None, shared.overrides(VEHICLE)] = None,
    tyre: Annotated[
        list[str] | None, shared.tyre(VEHICLE, "A tyre property file to choose; repeatable.")
    ] = None,
    slider: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH[=LOW:HIGH]",
            help="A number to change while driving, in SI units; repeatable.  "
            "[dim]Default: friction, springs, dampers, two hardpoints[/dim]",
            rich_help_panel=VEHICLE,
        ),
    ] = None,
    step: Annotated[str, typer.Option(help="Of the physics.", rich_help_panel=VEHICLE)] = "1 ms",
    output: Annotated[Path, typer.Option(metavar="FILE.html", rich_help_panel=OUTPUT)] = Path("drive.html"),
) -> int:
    """Write a page in which vehicles are driven: physics inside, no server, no network.

    Arrow keys or WASD, a gamepad, or a touch screen.  What was driven can be replayed and saved.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra.files import check_place, whole
    from ce_dynamics.cli.progress import Display
    from ce_dynamics.cli.simulation import make_folder
    from ce_dynamics.compiled.export.cross_compiler import WASM_REMEDY, require
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.data.quantities import si_value
    from ce_dynamics.models.vehicles.drive import VEHICLES, drive_page

    h = si_value("--step", step, "s")
    if not 0.0 < h <= 0.01:
        raise DataError(f"--step {step} must be positive, and at most 10 ms")
    require("ziglang", remedy=WASM_REMEDY)
    make_folder(output.parent, "--output: folder")
    check_place(output)
    with Display() as display:
        display.stage("preparing the models, compiling them to WebAssembly")
        page = drive_page(
            vehicle or VEHICLES,
            manoeuvre=manoeuvre,
            road=road,
            speed=speed,
            overrides=overrides or (),
            tyres=tyre or (),
            sliders=slider,
            step=h,
        ).html
    with whole(output) as path:
        path.write_text(page, "utf-8")
    print(output)
    return 0
