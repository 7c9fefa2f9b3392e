"""The trajectory from above."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange, Manoeuvre
from ce_dynamics.models.parts.paths import CirclePath, LateralPath, Path as RoadPath
from ce_dynamics.models.vehicles.plots.look import ORANGE, RED, axles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ce_dynamics.models.vehicles.summary import Results


def draw_trajectory(axes: Axes, results: Results, manoeuvre: Manoeuvre | None) -> None:
    """From above: the path to follow, cones, the chassis and the ground its flanks or wheels pass over."""
    axes.set_title("Trajectory from above", y=1.0)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y, to the left [m]")
    x, y = results["chassis_x"].values, results["chassis_y"].values
    for axle, colour in axles(results).items():
        draw_swath(axes, results, axle, colour)
    axes.plot(x, y, color="black", label="chassis")
    if manoeuvre is not None and manoeuvre.path is not None:
        draw_path(axes, manoeuvre.path, float(x.min()), float(x.max()))
    if isinstance(manoeuvre, DoubleLaneChange):
        draw_gates(axes, manoeuvre)
    if isinstance(manoeuvre, DoubleLaneChange) or np.ptp(y) < 0.05 * np.ptp(x):
        low, high = axes.get_ylim()
        axes.set_ylim(min(low, -2.5), max(high, 2.5))
    else:
        axes.set_aspect("equal", adjustable="datalim")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=5)


def draw_swath(axes: Axes, results: Results, axle: str, colour: str) -> None:
    """The strip between the wheel centres of an axle."""
    few = slice(None, None, 1 + len(results["time"].values) // 500)
    corners = [str(corner) for corner in results["corner"].values]
    left, right = (corners.index(f"{axle}_{side}") for side in ("left", "right"))
    x, y = (
        np.concatenate((at[few, left], at[few, right][::-1]))
        for at in (results["wheel_x"].values, results["wheel_y"].values)
    )
    axes.fill(x, y, color=colour, alpha=0.18, linewidth=0.0, label=f"between {axle} wheels")


def draw_path(axes: Axes, path: RoadPath, start: float, end: float) -> None:
    """The line the driver is to follow."""
    style: dict[str, Any] = {"color": RED, "linestyle": "--", "linewidth": 1.3, "label": "path to follow"}
    if isinstance(path, CirclePath):
        angle = np.linspace(0.0, 2.0 * math.pi, 361)
        axes.plot(path.radius * np.sin(angle), path.radius * (1.0 - np.cos(angle)), **style)
    elif isinstance(path, LateralPath):
        x = np.linspace(start, end, 501)
        axes.plot(x, [path.y_ref(at) for at in x.tolist()], **style)


def draw_gates(axes: Axes, manoeuvre: DoubleLaneChange) -> None:
    """Cones along both sides of each lane."""
    for k, gate in enumerate(manoeuvre.gates):
        x = np.linspace(gate.start, gate.end, 6)
        for side in (gate.left, gate.right):
            label = "cones" if k == 0 and side == gate.left else None
            axes.plot(x, np.full(6, side), "^", color=ORANGE, markeredgecolor="black", ms=7, label=label)
