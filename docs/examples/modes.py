"""The HMMWV's modes on its springs: shapes of the three slowest, and whether a simulation moves as they say.

    python docs/examples/modes.py

prints frequencies and damping ratios and writes ``modes_hmmwv.png`` (that in ``docs/figures``).
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

import ce_dynamics as ce
from ce_dynamics.models import hmmwv
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.views.charts import BLUE, ORANGE, Chart, Line, save_sheet, sheet
from ce_dynamics.views.drawing import attachments

Floats = NDArray[np.float64]

HELD = ("chassis.x", "chassis.y", "chassis.rz", *(f"{corner}.wheel" for corner in CORNERS))
SWING = 0.18
"""Amplitude in the drawings: of the arm that turns most [rad]."""
TYRE = (0.15, 0.47)
"""Half the width and the radius with which tyres are drawn [m]."""
KINDS = {"heave": "chassis.z", "roll": "chassis.rx", "pitch": "chassis.ry"}
VIEWS = {"side": (0, 2), "front": (1, 2)}


def outline(points: Floats) -> Floats:
    """Return the closed convex hull of points in a plane."""
    if len(np.unique(points.round(9), axis=0)) < 3:
        return points
    corners = ConvexHull(points, qhull_options="QJ").vertices
    return points[[*corners, corners[0]]]


def tyre(centre: Floats, R: Floats, view: str) -> Floats:
    """Return the visible outline of a tyre."""
    half_width, radius = TYRE
    if view == "side":
        turn = np.linspace(0.0, 2.0 * np.pi, 60)
        return centre[[0, 2]] + radius * np.stack((np.cos(turn), np.sin(turn)), axis=1)
    edge = [(0, s * half_width, t * radius) for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
    return (centre + np.array(edge) @ R.T)[:, 1:]


def pose(positions: Floats, rotations: Floats, view: str, colour: str) -> Iterator[Line]:
    """Yield lines of the vehicle in a pose: tyres, suspension, hull of the chassis' hinge points."""
    bodies = model.system.bodies
    axes_of = {body.name: R for body, R in zip(bodies, rotations, strict=True)}
    for body, r, R in zip(bodies, positions, rotations, strict=True):
        points = r + (np.array(attachments(model, body), dtype=float) - body.com) @ R.T
        if view == "front":
            points = points[points[:, 0] > 0.0]  # the front axle hides the rear one
        if len(points) and body.name.endswith("wheel"):
            x, z = tyre(r, axes_of[body.name.replace("wheel", "spindle")], view).T
            yield Line("", x, z, colour, width=1.0)
        elif len(points):
            x, z = outline(points[:, VIEWS[view]]).T
            yield Line("", x, z, colour, width=1.0)


def shape(k: int) -> Chart:
    """Return a chart of rest and both extremes of a mode."""
    kind = max(KINDS, key=lambda name: size(k, KINDS[name]))
    view = "front" if kind == "roll" else "side"
    still = model.poses(rest.y)
    lines = [*pose(still.positions, still.rotations, view, "0.8")]
    film = modes.animate(k, SWING, n_phases=2)
    for frame, colour in zip(film.phase, (BLUE, ORANGE), strict=True):
        seen = film.sel(phase=frame)
        lines += pose(seen.position.values, seen.rotation.values, view, colour)
    title = f"{kind}: {modes.frequency[k]:.2f} Hz, ζ = {modes.damping_ratio[k]:.2f}"
    return Chart(
        title, f"{'x' if view == 'side' else 'y'} [m]", "z [m]", tuple(lines), equal=True, above=True
    )


def motion(k: int) -> Chart:
    """Return a chart of free motion from displacements along a mode, simulated and predicted."""
    names = [entry.name for entry in model.layout.q]
    z = names.index("chassis.z")
    t = np.linspace(0.0, 1.5, 301)
    line = modes.motion(k, 1.0, t)[:, z] - rest.y[z]
    lines = [Line("mode", t, line, "black", width=1.0)]
    for amplitude, marker, colour in ((0.01, "o", BLUE), (SWING, "s", ORANGE)):
        start = modes.motion(k, amplitude, [0.0])[0]
        run = ce.simulate(model, y0=start, duration=1.5, interval=0.05, rtol=1e-9, atol=1e-12)
        heave = (run["chassis_z"].values - rest.y[z]) / amplitude
        expected = np.interp(run["time"].values, t, line)
        worst = np.abs(heave - expected).max() / np.abs(line).max()
        print(f"simulated from {amplitude:g} rad: within {100 * worst:.1f} % of the mode")
        lines.append(Line(f"from {amplitude:g} rad", run["time"].values, heave, colour, "", marker))
    title = f"free motion in the mode of {modes.frequency[k]:.2f} Hz"
    return Chart(title, "time [s]", "heave by angle [m/rad]", tuple(lines))


def size(k: int, name: str) -> float:
    """Return the amplitude of a displacement in mode k."""
    return float(abs(modes.shapes[modes.names.index(name), k]))


model = ce.compile(hmmwv.build_ride())
rest = model.equilibrium(hold=HELD)
modes = model.modes(rest.y)  # of the vehicle free to roll and turn: nothing is held
moving = [k for k in range(len(modes)) if modes.frequency[k] > 0.1]
print("frequency  damping  chassis, per rad of the arm that turns most")
for k in moving:
    heave, roll, pitch = (size(k, name) for name in KINDS.values())
    print(
        f"{modes.frequency[k]:6.2f} Hz {modes.damping_ratio[k]:8.2f}  "
        f"heave {heave:.2f} m  roll {roll:.2f} rad  pitch {pitch:.2f} rad"
    )

charts = [*map(shape, moving[:3]), motion(moving[0])]
save_sheet(sheet(charts, "Modes of the HMMWV on its springs", columns=2), Path("modes_hmmwv.png"))
