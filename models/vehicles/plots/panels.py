"""Panels over time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ce_dynamics.models.vehicles.plots.look import (
    AXLE_COLOURS,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    by_corner,
    legend,
    over_time,
    right_scale,
    widen,
)
from ce_dynamics.models.vehicles.summary import energy_imbalance, load_name, suspension_travel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
