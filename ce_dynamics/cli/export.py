"""``simulate-vehicle export``: a vehicle for other people's tools."""

from __future__ import annotations

from pathlib import Path

from ce_dynamics import vehicles
from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import check_place
from ce_dynamics.cli.messages import show_notes
from ce_dynamics.cli.options import Export
from ce_dynamics.cli.progress import Display
from ce_dynamics.compiled.export.c_source import export_c
from ce_dynamics.compiled.export.cross_compiler import PLATFORMS
from ce_dynamics.compiled.export.fmu import VERSIONS, export_fmu
from ce_dynamics.compiled.export.interface import check_identifier
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.files import RIDE


def run(options: Export) -> int:
    """Write the FMU or the C source."""
    place = check(options)
    with Display() as display:
        display.stage("preparing the model")
        car = vehicles.load(
            options.vehicle,
            options.overrides or (),
            tyres=options.tyre or (),
            road=options.road,
            free=options.free or (),
        )
        case = car.prepare(speed=options.speed, practice=False, steering_wheel=options.steering_wheel)
        show_notes(str(case.attributes.get("vehicle_files", "")))
        display.stage("writing and compiling")
        if options.kind == "c":
            files = export_c(case.model, place, options.name, y0=case.y0, derivatives=options.derivatives)
        else:
            made = export_fmu(
                case.model,
                place,
                fmi=options.fmi,
                platforms=options.platform or PLATFORMS,
                name=options.name,
                y0=case.y0,
                sources=options.sources,
            )
            files = [made]
    print("\n".join(map(str, files)))
    return 0


def check(options: Export) -> Path:
    """Refuse wrong options before the vehicle is built and settled; return where to write."""
    kind = options.kind
    checks.choice("what to export:", kind, ("fmu", "c"), DataError)
    if kind == "c" and (options.platform or options.sources or options.fmi != "3.0"):
        raise DataError("--platform, --sources and --fmi are of FMUs; leave them out for C source")
    if kind == "fmu" and options.derivatives:
        raise DataError("--derivatives is of C source; FMUs have them always")
    if options.vehicle == RIDE and options.speed is not None:
        raise DataError("the ride model has no speed; leave it out")
    place = options.output or Path("vehicle-c" if kind == "c" else "vehicle.fmu")
    if kind == "fmu":
        checks.choice("--fmi:", options.fmi, VERSIONS, DataError)
        check_place(place)
    check_identifier(options.name)
    return place
