"""The page: the trajectory across it, below it the panels the results have data for."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ce_dynamics.algebra.streams import drawn_text
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange, Manoeuvre
from ce_dynamics.models.parts.paths import CirclePath, LateralPath, Path as RoadPath
from ce_dynamics.models.vehicles.plots.look import (
    AXLE_COLOURS,
    BLUE,
    COLUMNS,
    GREEN,
    GREY,
    ORANGE,
    RED,
    axles,
    by_corner,
    legend,
    over_time,
    right_scale,
    sheet,
    style,
    widen,
)
from ce_dynamics.models.vehicles.summary import energy_imbalance, load_name, suspension_travel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ce_dynamics.models.vehicles.summary import Results


DEGREES = 180.0 / math.pi
CLOSURE_BUDGET = 1e-12
"""[m]; drawn as a line."""
SLIP_SHOWN = 110.0
"""[%]; slips beyond it are cut off."""

Draw: TypeAlias = "Callable[[Axes, Results], None]"


class Panel(NamedTuple):
    """A plot and the variables it needs."""

    title: str
    needs: tuple[str, ...]
    draw: Draw


def draw_controls(axes: Axes, results: Results) -> None:
    """Steering and pedals."""
    for name, label, colour in (
        ("steering", "steering (+ left)", BLUE),
        ("throttle", "throttle", GREEN),
        ("brake", "brake", RED),
    ):
        over_time(axes, results, 100.0 * results[name].values, color=colour, label=label)
    axes.set_ylabel("input [%]")
    legend(axes)


def draw_speed(axes: Axes, results: Results) -> None:
    """Forward speed, and the wheels' at their first rolling radius."""
    over_time(axes, results, results["vx"].values, color=BLUE, label="vehicle's")
    radius_speed = results["wheel_rate"].values.mean(axis=1)
    ratio = results["vx"].values[0] / radius_speed[0] if abs(radius_speed[0]) > 1e-6 else math.nan
    if math.isfinite(ratio):
        label = "wheels' (mean)"
        over_time(axes, results, ratio * radius_speed, color=ORANGE, linestyle="--", label=label)
    axes.set_ylabel("forward speed [m/s]")
    widen(axes, 0.5)
    legend(axes)


def draw_accelerations(axes: Axes, results: Results) -> None:
    """Accelerations along the vehicle's horizontal axes."""
    over_time(axes, results, results["ay"].values, color=BLUE, label="to the left")
    over_time(axes, results, results["ax"].values, color=ORANGE, label="forward")
    axes.set_ylabel("acceleration [m/s²]")
    widen(axes, 0.5)
    legend(axes)


def draw_attitude(axes: Axes, results: Results) -> None:
    """Roll and pitch."""
    over_time(axes, results, DEGREES * results["roll"].values, color=BLUE, label="roll (+ right)")
    over_time(axes, results, DEGREES * results["pitch"].values, color=GREEN, label="pitch (+ nose down)")
    axes.set_ylabel("angle [deg]")
    widen(axes, 0.2)
    legend(axes)


def draw_yaw(axes: Axes, results: Results) -> None:
    """Yaw rate and side-slip; below 1 m/s side-slip is referred to 1 m/s."""
    over_time(axes, results, DEGREES * results["yaw_rate"].values, color=BLUE, label="yaw rate (+ left)")
    axes.set_ylabel("yaw rate [deg/s]")
    widen(axes, 1.0)
    right = right_scale(axes)
    slip = np.arctan2(results["vy"].values, np.maximum(results["vx"].values, 1.0))
    over_time(right, results, DEGREES * slip, color=ORANGE, label="side-slip [deg], right scale")
    widen(right, 1.0)
    legend(axes, right)


def draw_loads(axes: Axes, results: Results) -> None:
    """Vertical tyre loads, lift-off at zero."""
    by_corner(axes, results, 1e-3 * results[load_name(results)].values)
    axes.set_ylabel("tyre load [kN]")
    low, high = axes.get_ylim()
    axes.set_ylim(min(0.0, low), 1.1 * high)
    legend(axes)


def draw_travel(axes: Axes, results: Results) -> None:
    """Wheel travel since the start."""
    by_corner(axes, results, 1e3 * suspension_travel(results))
    axes.set_ylabel("wheel travel (+ bump) [mm]")
    widen(axes, 2.0)
    legend(axes)


def draw_path_error(axes: Axes, results: Results) -> None:
    """Distance from the path."""
    over_time(axes, results, results["path_error"].values, color=BLUE)
    axes.set_ylabel("distance from path (+ left) [m]")
    widen(axes, 0.02)


def draw_height(axes: Axes, results: Results) -> None:
    """Height of the chassis."""
    over_time(axes, results, results["chassis_z"].values, color=BLUE)
    axes.set_ylabel("height of chassis origin [m]")
    widen(axes, 0.01)


def draw_side_forces(axes: Axes, results: Results) -> None:
    """Side forces of the tyres."""
    by_corner(axes, results, 1e-3 * results["tyre_Fy"].values)
    axes.set_ylabel("tyre side force [kN]")
    widen(axes, 0.2)
    legend(axes)


def draw_hitch_angles(axes: Axes, results: Results) -> None:
    """Yaw of the hitches, and roll of the trailers."""
    for k, name in enumerate(str(trailer) for trailer in results["trailer"].values):
        colour = AXLE_COLOURS[k]
        over_time(
            axes, results, DEGREES * results["hitch_yaw"].values[:, k], color=colour, label=f"{name}, yaw"
        )
        roll = DEGREES * results["trailer_roll"].values[:, k]
        over_time(axes, results, roll, color=colour, linestyle="--", label=f"{name}, roll")
    axes.set_ylabel("angle [deg]")
    widen(axes, 0.2)
    legend(axes)


def draw_hitch_forces(axes: Axes, results: Results) -> None:
    """Forces of trailers on what tows them: along (lines), across (dashes) and up (dots)."""
    for k, name in enumerate(str(trailer) for trailer in results["trailer"].values):
        for axis, dashes in (("x", "-"), ("y", "--"), ("z", ":")):
            force = 1e-3 * results[f"hitch_F{axis}"].values[:, k]
            label = f"{name}, {axis}"
            over_time(axes, results, force, color=AXLE_COLOURS[k], linestyle=dashes, label=label)
    axes.set_ylabel("force of the trailer [kN]")
    widen(axes, 0.2)
    legend(axes, columns=3)


def draw_slip(axes: Axes, results: Results) -> None:
    """Longitudinal slip of the tyres."""
    by_corner(axes, results, 100.0 * results["tyre_slip"].values)
    axes.set_ylabel("longitudinal slip [%]")
    widen(axes, 0.5)
    low, high = axes.get_ylim()  # a locked wheel's is unbounded: it is relative to the wheel's own speed
    axes.set_ylim(max(low, -SLIP_SHOWN), min(high, SLIP_SHOWN))
    legend(axes)


def draw_road(axes: Axes, results: Results) -> None:
    """Height of the road under the wheels."""
    by_corner(axes, results, results["tyre_road_height"].values)
    axes.set_ylabel("road below the wheels [m]")
    widen(axes, 0.01)
    legend(axes)


def draw_closure(axes: Axes, results: Results) -> None:
    """Worst loop closure."""
    worst = results["closure_error"].values.max(axis=1)
    shown = np.where(worst > 0.0, worst, np.nan)
    axes.semilogy(results["time"].values, shown, color=BLUE, label="worst of all loops")
    axes.axhline(CLOSURE_BUDGET, color=RED, linestyle="--", label=f"budget {CLOSURE_BUDGET:g} m")
    axes.set_ylim(1e-17, 1e-11)
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:.0e}")  # powers as formulas take a tenth of the page's time
    axes.set_ylabel("loop closure error [m]")
    legend(axes)


def draw_energy(axes: Axes, results: Results) -> None:
    """Energy against the work done."""
    change = 1e-3 * (results["energy"].values - results["energy"].values[0])
    over_time(axes, results, change, color=BLUE, label="energy")
    over_time(axes, results, 1e-3 * results["work"].values, color=ORANGE, linestyle="--", label="work")
    axes.set_ylabel("change since the start [kJ]")
    right = right_scale(axes)
    label = "difference [mJ], right scale"
    over_time(right, results, 1e3 * energy_imbalance(results), color=GREY, linewidth=1.0, label=label)
    legend(axes, right)


PANELS = (
    Panel("Path error", ("path_error",), draw_path_error),
    Panel("Driver", ("steering", "throttle", "brake"), draw_controls),
    Panel("Speed", ("vx", "wheel_rate"), draw_speed),
    Panel("Acceleration", ("ax", "ay"), draw_accelerations),
    Panel("Yaw", ("yaw_rate", "vx", "vy"), draw_yaw),
    Panel("Attitude", ("roll", "pitch"), draw_attitude),
    Panel("Tyre loads", (), draw_loads),
    Panel("Side forces", ("tyre_Fy",), draw_side_forces),
    Panel("Wheel slip", ("tyre_slip",), draw_slip),
    Panel("Hitch angles", ("hitch_yaw", "trailer_roll"), draw_hitch_angles),
    Panel("Hitch forces", ("hitch_Fx",), draw_hitch_forces),
    Panel("Road", ("tyre_road_height",), draw_road),
    Panel("Suspension travel", (), draw_travel),
    Panel("Ride height", ("chassis_z",), draw_height),
    Panel("Loop closure", ("closure_error",), draw_closure),
    Panel("Energy", ("energy", "work"), draw_energy),
)
"""Panels in the order of the page."""


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


def save_figure(results: Results, manoeuvre: Manoeuvre | None, path: Path) -> None:
    """Draw the page and write it as PNG.

    Parameters
    ----------
    results : Record or xarray.Dataset
        As `Case.simulate_to_record` or `Case.simulate` returns it; a partial one will do.
    manoeuvre : Manoeuvre or None
        What was driven.
    path : Path
        File to write.
    """
    with style():
        drawn(results, manoeuvre).savefig(path, format="png", dpi=100)


def figure(results: Results, manoeuvre: Manoeuvre | None = None) -> Figure:
    """The page: the trajectory across it, below it the panels the results have data for.

    The figure belongs to no window system, and matplotlib's settings are left as they are.
    """
    with style():
        return drawn(results, manoeuvre)


def drawn(results: Results, manoeuvre: Manoeuvre | None) -> Figure:
    """The page, under the settings of `style`."""
    panels = [panel for panel in PANELS if all(name in results for name in panel.needs)]
    # the trajectory takes all places of the first row but the last
    page, grid = sheet(len(panels) + COLUMNS - 1, 1.5, 3.0, (0.8, 0.8, 0.6, 1.1), hspace=0.42)
    draw_trajectory(page.add_subplot(grid[0, :-1]), results, manoeuvre)
    for k, panel in enumerate(panels, start=COLUMNS - 1):
        axes = page.add_subplot(grid[k // COLUMNS, k % COLUMNS])
        axes.set_title(panel.title, y=1.0)  # to look for a free place takes a tenth of the time
        axes.yaxis.get_offset_text().set(x=-0.01, horizontalalignment="right")  # powers of ten beside it
        axes.set_xlabel("time [s]")
        axes.margins(x=0.01)
        panel.draw(axes, results)
    page.suptitle(drawn_text(heading(results)), fontsize=15.0, y=1.0 - 0.2 / page.get_figheight())
    return page


def heading(results: Results) -> str:
    """Title of the page."""
    attributes = results.attrs
    end = float(results["time"].values[-1])
    accuracy = (
        f"rtol {attributes['rtol']:g}, atol {attributes['atol']:g}"
        if "rtol" in attributes
        else f"steps of {attributes['step']:g} s"
    )
    return f"{attributes.get('title', 'vehicle')}\n{end:g} s by {attributes['method']}, {accuracy}"
