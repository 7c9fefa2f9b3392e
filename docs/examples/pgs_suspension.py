"""A planar suspension of a bar and a wheel with contact and friction, solved by projected Gauss–Seidel.

    python docs/examples/pgs_suspension.py [--animation]

drives over a bump and on waves (what anticipation changes), and writes plots, a page and an animation into
the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.demonstrations.pgs_suspension import (
    Suspension,
    SuspensionParameters,
    SuspensionRun,
    simulate,
)
from ce_dynamics.models.demonstrations.socket_motion import Socket
from ce_dynamics.models.parts.body_contact import WavyRoad, touch
from ce_dynamics.models.parts.roads.surfaces import BumpRoad
from ce_dynamics.views.charts import BLUE, GREY, ORANGE, Chart, Line, save_charts, table
from ce_dynamics.views.scene import Shape, Strand, Take, View, block, rod, terrain, wheel
from ce_dynamics.views.scene.take import BodyPicture, TimeSeries

WIDTH = 0.2
"""Width of the wheel [m]."""
ROAD_WIDTH, ROAD_STEP, ROAD_MARGIN = 1.2, 0.02, 1.5
"""[m], the margin before and behind what is driven."""
BAR, WHEEL, SOCKET = 0, 1, 2


def page(run: SuspensionRun, suspension: Suspension) -> View:
    """Return a run, with the force of the road on the wheel."""
    P = suspension.parameters
    half = np.array((0.0, 0.0, 0.5 * P.length))
    bodies = [
        BodyPicture("bar", [rod(-half, half, 0.02)]),
        BodyPicture("wheel", [wheel(np.zeros(3), (0.0, 1.0, 0.0), P.radius, WIDTH)]),
        BodyPicture("socket", [block((0.4, 0.3, 0.02), np.zeros(3))]),
    ]
    places = np.zeros((len(run.t), 3, 7))
    for body, first in ((BAR, 0), (WHEEL, 3)):
        places[:, body, [0, 2]] = run.q[:, first : first + 2]
        # turning from x to the plane's y is turning about -y of the world
        places[:, body, 4] = -np.sin(0.5 * run.q[:, first + 2])
        places[:, body, 6] = np.cos(0.5 * run.q[:, first + 2])
    places[:, SOCKET, 0] = [suspension.socket.position(float(t)) for t in run.t]
    places[:, SOCKET, 2] = [suspension.anchor(float(t)) for t in run.t]
    places[:, SOCKET, 6] = 1.0
    ends = np.zeros(3), np.zeros(3)
    load = run.impulses[:, 4] / (run.t[1] - run.t[0])
    taken = Take(
        label="",
        bodies=bodies,
        t=run.t,
        places=places,
        strands=[Strand("spring", "spring", SOCKET, ends[0], BAR, ends[1])],
        forces=["road"],
        arrows=of_road(run, suspension)[:, None],
        scenery=[road(suspension, run.q[:, 3])],
        weight=9.81 * (P.bar_mass + P.wheel_mass),
        series=[
            TimeSeries("wheel load", "N", load),
            TimeSeries("gap", "m", run.gap),
            TimeSeries("energy", "J", run.energy),
        ],
    )
    return View([taken], "planar suspension", "follow bar")


def of_road(run: SuspensionRun, suspension: Suspension) -> Floats:
    """Return the contact points on the wheel [m] and the forces of the road [N] (n, 6)."""
    h, radius = run.t[1] - run.t[0], suspension.parameters.radius
    found = np.zeros((len(run.t), 6))
    for k, q in enumerate(run.q):
        n = touch(suspension.road, float(q[3]), float(q[4]), radius).n
        forward = np.array((n[1], -n[0]))
        found[k, [0, 2]] = q[3:5] - radius * n
        found[k, [3, 5]] = (run.impulses[k, 4] * n + run.impulses[k, 5] * forward) / h
    return found


def road(suspension: Suspension, driven: Floats) -> Shape:
    """Return the road as far as it is driven."""
    x = np.arange(driven.min() - ROAD_MARGIN, driven.max() + ROAD_MARGIN, ROAD_STEP)
    z = np.array([float(suspension.road.height(float(at), 0.0)) for at in x])
    sides = [np.stack((x, np.full_like(x, y), z), axis=1) for y in (-0.5 * ROAD_WIDTH, 0.5 * ROAD_WIDTH)]
    near = np.arange(len(x) - 1)
    far = near + len(x)
    triangles = np.concatenate(
        (np.stack((near, near + 1, far), axis=1), np.stack((near + 1, far + 1, far), axis=1))
    )
    return terrain(np.concatenate(sides), triangles)


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
        print(f"animation: {view.save('pgs_suspension_bump.gif')}")
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
