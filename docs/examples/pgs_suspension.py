"""The planar suspension over a bump and on waves: plots, a page, an animation, and what anticipation changes.

    python docs/examples/pgs_suspension.py [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys

import numpy as np

from ce_dynamics.models.demonstrations.output import save_charts, save_film, table
from ce_dynamics.models.demonstrations.pgs_suspension.model import (
    Socket,
    Suspension,
    SuspensionParameters,
    SuspensionRun,
    simulate,
)
from ce_dynamics.models.demonstrations.pgs_suspension.page import page
from ce_dynamics.models.parts.body_contact import WavyRoad
from ce_dynamics.models.parts.roads.surfaces import BumpRoad
from ce_dynamics.views.charts import BLUE, GREY, ORANGE, Chart, Line

STEP = 1e-3


def main() -> None:
    suspension = Suspension(SuspensionParameters(), Socket(5.0), BumpRoad(0.8, 0.06, 0.9, 2.0))
    run = simulate(suspension, duration=1.5, step=STEP)
    print(f"suspension over a bump at 5 m/s, {run.t[-1]:g} s, {len(run.t) - 1} steps\n")
    print(table(("quantity", "value", "unit"), summary(run)) + "\n")
    save_charts(charts(run, suspension), "suspension over a bump at 5 m/s", "pgs_suspension_bump")
    view = page(run, suspension)
    view.save("pgs_suspension_bump.html")
    if "--animation" in sys.argv:
        save_film(view, "pgs_suspension_bump")
    compare_rules()


def compare_rules() -> None:
    """Drive over waves with contact rows only while touching, and with anticipated ones."""
    runs = {}
    for label, anticipate in (("contact only while touching, as the source", False), ("anticipated", True)):
        parameters = SuspensionParameters(anticipate=anticipate)
        suspension = Suspension(parameters, Socket(5.0), WavyRoad(0.8, 0.03, 2.0))
        runs[label] = simulate(suspension, duration=0.8, step=STEP)
    title = "on waves of 2 m and ±30 mm at 5 m/s, h = 1 ms"
    save_charts(charts_of_rules(runs), title, "pgs_suspension_rules")
    for label, run in runs.items():
        print(f"{label}: {len(run.events)} events, largest load {run.impulses[:, 4].max() / STEP:.0f} N")


def summary(run: SuspensionRun) -> list[tuple[str, float | str, str]]:
    """Return figures of a run: label, value, unit."""
    h = run.t[1] - run.t[0]
    load = run.impulses[1:, 4] / h
    pins = np.hypot(run.q[:, 3] - run.q[:, 0], run.q[:, 4] - run.q[:, 1])
    return [
        ("wheel travel", float(np.ptp(run.q[:, 4])), "m"),
        ("wheel load, mean", float(np.mean(load)), "N"),
        ("wheel load, largest", float(np.max(load)), "N"),
        ("time off the road", float(np.mean(load == 0.0) * run.t[-1]), "s"),
        ("largest penetration", float(max(0.0, -np.min(run.gap))), "m"),
        ("pin error, largest", float(np.max(np.abs(pins - pins[0]))), "m"),
        ("contact events", str(len(run.events)), ""),
        ("sweeps per step, mean", float(np.mean(run.sweeps[1:])), ""),
        ("residual, largest", float(np.max(run.residual)), "m/s"),
    ]


def charts(run: SuspensionRun, suspension: Suspension) -> list[Chart]:
    """Return wheel and road, wheel load and friction, slip, sweeps."""
    h, radius, time = run.t[1] - run.t[0], suspension.parameters.radius, "time [s]"
    road = np.array([float(suspension.road.height(x, 0.0)) for x in run.q[:, 3]])
    load, friction = run.impulses[:, 4] / h, run.impulses[:, 5] / h
    usual = float(np.percentile(np.abs(load[1:]), 99.5))
    ends = -0.5 * usual, 1.5 * usual
    heights = Line("wheel centre less radius", run.t, run.q[:, 4] - radius), Line("road", run.t, road, GREY)
    forces = Line("normal", run.t, load), Line("friction", run.t, friction)
    rim = Line("speed of its rim, −R ω", run.t, -radius * run.V[:, 5], dashes="--")
    sweeps = Line("", run.t[1:], run.sweeps[1:].astype(float), width=0.8)
    return [
        Chart("Wheel and road", time, "height [m]", heights),
        Chart("Wheel load", time, "force on the wheel [N]", forces, covers=ends, within=ends),
        Chart("Speed", time, "speed [m/s]", (Line("wheel's speed", run.t, run.V[:, 3]), rim)),
        Chart("Sweeps per step", time, "sweeps", (sweeps,)),
    ]


def charts_of_rules(runs: dict[str, SuspensionRun]) -> list[Chart]:
    """Return wheel loads and gaps under both rules."""
    pairs = zip(runs.items(), (ORANGE, BLUE), strict=True)
    lines = [
        (
            Line(label, run.t, run.impulses[:, 4] / STEP / 1e3, colour, width=1.0),
            Line(label, run.t, 1e6 * run.gap, colour, width=1.0),
        )
        for (label, run), colour in pairs
    ]
    loads, gaps = zip(*lines, strict=True)
    return [
        Chart("Wheel load", "time [s]", "wheel load [kN]", loads),
        Chart("Gap", "time [s]", "gap [µm]", gaps),
    ]


if __name__ == "__main__":
    main()
