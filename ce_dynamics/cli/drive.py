"""``simulate-vehicle drive``: a page in which people drive."""

from __future__ import annotations

from ce_dynamics.algebra.files import check_place
from ce_dynamics.cli.common import make_folder, save
from ce_dynamics.cli.options import Drive
from ce_dynamics.cli.progress import Display
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import si_value
from ce_dynamics.models.vehicles.drive import VEHICLES, drive_page


def run(options: Drive) -> int:
    """Write the page."""
    h = si_value("--step", options.step, "s")
    if not 0.0 < h <= 0.01:
        raise DataError(f"--step {options.step} must be positive, and at most 10 ms")
    make_folder(options.output.parent, "--output: folder")
    check_place(options.output)
    with Display() as display:
        display.stage("preparing the models")
        page = drive_page(
            options.vehicle or VEHICLES,
            manoeuvre=options.manoeuvre,
            road=options.road,
            speed=options.speed,
            overrides=options.overrides or (),
            tyres=options.tyre or (),
            sliders=options.slider,
            steering=options.steering,
            step=h,
        ).html
    save([(options.output, lambda path: path.write_text(page, "utf-8"))])
    print(options.output)
    return 0
