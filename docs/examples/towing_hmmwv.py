"""The HMMWV tows a sledge with two cables, and falls on a hard ground.

    python docs/examples/towing_hmmwv.py [--pictures]

prints the numbers of towing; with ``--pictures`` also those of the fall, and writes pictures and an animation
into the current folder; those of ``docs/contact.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

import ce_dynamics as ce
from ce_dynamics.contact import Contact, ContactRun, simulate_unilateral
from ce_dynamics.models.vehicles.bodywork import FrameSizes
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.models.vehicles.special_bodies import WIDTH, bodywork
from ce_dynamics.models.vehicles.towing import SledgeParameters, TowingCase, on_hard_ground, tow
from ce_dynamics.views.charts import GREY, Chart, Line, save_charts
from ce_dynamics.views.scene import Camera, Shape, View, block, plane, wheel

PICTURES = "--pictures"
DRIVE = 900.0
"""Torque on every wheel [N m]."""
RIM, WOOD = "#c3c9ce", "#a9793f"


def main() -> None:
    case = tow(slack=0.15)
    run = simulate_unilateral(case.unilateral, {"drive": DRIVE}, duration=2.0, y0=case.y0)
    report("towing", run)
    if PICTURES in sys.argv:
        draw(case, run)


def draw(case: TowingCase, run: ContactRun) -> None:
    """Write pictures of towing and of a fall, and a film."""
    save_charts(charts(run), "the HMMWV tows a sledge", "towing_hmmwv")
    print(f"animation: {film(case, run).save('towing_hmmwv.gif')}")
    dropped = on_hard_ground(drop=0.3, restitution=0.3)
    run = simulate_unilateral(dropped.unilateral, duration=1.0, y0=dropped.y0, interval=2e-3)
    report("dropped by 0.3 m", run)
    save_charts(fall(run), "the HMMWV dropped by 0.3 m", "hmmwv_drop")


def report(title: str, run: ContactRun) -> None:
    """Print the numbers of a run."""
    results, numbers = run.results, run.statistics
    gain = float(results["energy"][-1] - results["energy"][0])
    per_step = f"{numbers.sweeps_mean:.1f} iterations per step"
    print(f"{title}: {numbers.steps} steps in {numbers.wall:.1f} s, {per_step}")
    print(f"  energy gained {gain:.0f} J = work {float(results['work'][-1]):.0f} J", end=" ")
    print(f"+ rows {float(results['contact_work'][-1]):.0f} J, to first order in the step")
    for event in [event for event in run.events if event.row.startswith("cable")][:4]:
        print(f"  {event.time:.3f} s: {event.row} {'taut' if event.active else 'slack'}")


def charts(run: ContactRun) -> list[Chart]:
    """Return speeds, tensions and wheel loads."""
    t, force = run.results["time"].values, run.results["multiplier"]
    speeds = [
        Line(name, t, run.results[f"{body}_vx"].values)
        for name, body in (("HMMWV", "chassis"), ("sledge", "sledge"))
    ]
    tensions = [
        Line(f"{side} cable", t, force.sel(row=f"cable.{side}.tension").values / 1e3, dashes=dashes)
        for side, dashes in (("left", "-"), ("right", "--"))
    ]
    loads = [
        Line(
            corner.replace("_", " "),
            t,
            force.sel(row=f"{corner}.ground.normal").values / 1e3,
            dashes="-" if corner.endswith("left") else "--",
        )
        for corner in CORNERS
    ]
    time = "time [s]"
    return [
        Chart("Speeds", time, "speed [m/s]", tuple(speeds)),
        Chart("Tensions", time, "tension [kN] (jerk cut off)", tuple(tensions), within=(0.0, 5.0)),
        Chart("Wheel loads", time, "wheel load [kN]", tuple(loads), within=(0.0, 12.0)),
    ]


def fall(run: ContactRun) -> list[Chart]:
    """Return heights of the wheels and their loads."""
    t, z = run.results["time"].values, run.results["chassis_z"].values
    heights, loads = [Line("chassis", t, z - z[-1], GREY)], []
    for corner in ("front_left", "rear_left"):
        row, name = f"{corner}.ground.normal", corner.replace("_", " ")
        heights.append(Line(f"gap, {name}", t, run.results["gap"].sel(row=row).values))
        loads.append(Line(name, t, run.results["multiplier"].sel(row=row).values / 1e3))
    load, time = "wheel load [kN] (impacts cut off)", "time [s]"
    return [
        Chart("Heights", time, "height [m]", tuple(heights)),
        Chart("Wheel loads", time, load, tuple(loads), within=(0.0, 60.0)),
    ]


def film(case: TowingCase, run: ContactRun) -> View:
    """Return the page that plays the run, seen from beside the cables."""
    eye, target = (-4.0, -11.0, 2.6), (-4.0, 0.0, 0.7)
    beside = Camera("beside", "chassis", eye=eye, target=target, steady=True)
    asphalt = replace(plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), look="asphalt")
    return ce.view(
        case.unilateral, run, shapes=shapes(case), scenery=[asphalt], title="towing", cameras=[beside],
        camera="beside",
    )  # fmt: skip


def shapes(case: TowingCase) -> dict[str, list[Shape]]:
    """Return bodywork, tyres and the load of the sledge."""
    rolling = [e for e in case.unilateral.elements if isinstance(e, Contact) and e.axis is not None]
    found = {
        e.body.name: [wheel(e.at, np.asarray(e.axis), e.radius, WIDTH * e.radius).paint(RIM)] for e in rolling
    }
    centres, radius = np.array([e.at for e in rolling]), rolling[0].radius
    front, rear, ground = centres[:, 0].max(), centres[:, 0].min(), centres[:, 2].mean() - radius
    half = np.abs(centres[:, 1]).max()
    frame = FrameSizes(front, rear, (front, rear), half, ground, radius, 0.5 * WIDTH * radius)
    sledge = case.unilateral.model.system.find("sledge")
    load = replace(block(SledgeParameters().edges, sledge.com).paint(WOOD), look="paint")
    return {**found, "chassis": bodywork("hmmwv", frame), "sledge": [load]}


if __name__ == "__main__":
    main()
