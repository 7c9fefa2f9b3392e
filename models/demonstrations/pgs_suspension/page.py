"""The planar suspension as a page in three dimensions: x forward, y of the plane upwards."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.demonstrations.pgs_suspension.model import Suspension, SuspensionRun
from ce_dynamics.models.parts.body_contact import touch
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
