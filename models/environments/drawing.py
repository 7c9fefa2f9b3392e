"""Pictures of episodes: from above for films, and as a page in three dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.environments.task import Task, corners, outward
from ce_dynamics.models.vehicles.pictures import cameras_of, road_of, shapes_of
from ce_dynamics.simulation.results import record
from ce_dynamics.views.scene.shapes import line
from ce_dynamics.views.scene.view import View, view

Trace = Sequence[tuple[float, Floats, Floats]]
"""Times, states and inputs."""

SIZE, DPI = (6.0, 4.0), 100
AROUND = 25.0
"""Half of what is seen, across [m]."""


def poses(task: Task, trace: Trace) -> Floats:
    """Places and headings (n, 3) of an episode."""
    model = task.vehicle.model
    rows = []
    for _, y, u in trace:
        seen = model.outputs(y, u=u)
        rows.append([seen["x"], seen["y"], seen["yaw"]])
    return np.array(rows)


def picture(task: Task, goal: Floats, trace: Trace) -> NDArray[np.uint8]:
    """The vehicle from above at the end of a trace, (height, width, 3)."""
    # here, because only pictures need it
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    (here,) = poses(task, trace[-1:])
    figure = Figure(SIZE, dpi=DPI)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    half = AROUND * SIZE[1] / SIZE[0]
    axes.set(xlim=(here[0] - AROUND, here[0] + AROUND), ylim=(here[1] - half, here[1] + half), aspect="equal")
    axes.grid(color="#dddddd")
    axes.tick_params(length=0.0, labelbottom=False, labelleft=False)
    for points, colour in task.lines(goal, here[:1]):
        axes.plot(*points.T, color=colour)
    vehicle = task.vehicle
    ring = outward(corners(vehicle.length, vehicle.width, vehicle.middle)[[0, 1, 2, 3, 0]], here)
    axes.fill(*ring.T, color="#7f8f7a", alpha=0.7)
    axes.plot(*ring[[0, 1]].T, color="#1d2429", linewidth=3.0)  # the front
    axes.text(0.02, 0.95, f"{trace[-1][0]:.2f} s", transform=axes.transAxes)
    canvas.draw()  # type: ignore[no-untyped-call]
    seen: NDArray[np.uint8] = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    return seen[..., :3].copy()


def scene(task: Task, goal: Floats, trace: Trace) -> View:
    """An episode as a page."""
    model, system = task.vehicle.model, task.vehicle.model.system
    t, Y, U = (np.array(part) for part in zip(*trace, strict=True))
    results = record(model, t, Y, U, {}).dataset()
    way = np.stack([results["x"].values, results["y"].values], axis=1)
    ground = road_of(system, way) if shapes_of(system) else []
    lines = [
        line(np.column_stack((points, np.full(len(points), 0.02))).tolist()).painted(colour)
        for points, colour in task.lines(goal, way[:, 0])
    ]
    return view(
        model, results, shapes=shapes_of(system), scenery=[*ground, *lines], cameras=list(cameras_of(system)),
        title=f"{task.vehicle.title}: {task.title}",
    )  # fmt: skip
