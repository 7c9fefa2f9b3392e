"""The page of plots: the trajectory from above, then the charts that results have data for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange, Manoeuvre
from ce_dynamics.models.parts.paths import CirclePath, LateralPath, Path as RoadPath
from ce_dynamics.models.vehicles.summary import check_run, energy_imbalance, load_name, suspension_travel
from ce_dynamics.views.charts import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    ORANGE,
    RED,
    Area,
    Chart,
    Line,
    save_sheet,
    sheet,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ce_dynamics.models.vehicles.summary import Results


DEGREES = 180.0 / math.pi
CLOSURE_BUDGET = 1e-12
"""Loop closure that the page shows as a line [m]."""
SLIP_SHOWN = 110.0
"""Slip that the page shows at most [%]: a locked wheel's is unbounded, as it is relative to its own speed."""


class Trace(NamedTuple):
    """A variable over time, times a factor; one line per corner or trailer where it has columns for these."""

    values: str | Callable[[Results], Floats]
    label: str = ""
    colour: str = BLUE
    factor: float = 1.0
    dashes: str = "-"
    right: bool = False
    width: float = 1.6


class Panel(NamedTuple):
    """A chart over time, drawn if the results have the variables of its curves and others that it needs.

    ``least`` are least ranges of the left and the right scale; ``per`` names what columns are, if anything.
    """

    title: str
    y: str
    curves: tuple[Trace, ...]
    least: tuple[float, float] = (0.0, 0.0)
    needs: tuple[str, ...] = ()
    per: str = ""
    covers: tuple[float, ...] = ()
    within: tuple[float, float] = (-math.inf, math.inf)
    logarithmic: str = ""


def wheel_speed(results: Results) -> Floats:
    """Return the mean speed of the wheels at their first rolling radius [m/s]; NaN where none turns."""
    rate: Floats = results["wheel_rate"].values.mean(axis=1)
    ratio = float(results["vx"].values[0] / rate[0]) if abs(rate[0]) > 1e-6 else math.nan
    return ratio * rate


def side_slip(results: Results) -> Floats:
    """Return the side-slip angle [rad]; below 1 m/s it is referred to 1 m/s."""
    found: Floats = np.arctan2(results["vy"].values, np.maximum(results["vx"].values, 1.0))
    return found


def worst_closure(results: Results) -> Floats:
    """Return the closure error of the worst loop [m]; NaN where it is zero, which has no logarithm."""
    worst = results["closure_error"].values.max(axis=1)
    return np.where(worst > 0.0, worst, np.nan)


def energy_change(results: Results) -> Floats:
    """Return the energy since the start [J]."""
    change: Floats = results["energy"].values - results["energy"].values[0]
    return change


def budget(results: Results) -> Floats:
    """Return `CLOSURE_BUDGET` at all times."""
    return np.full(len(results["time"].values), CLOSURE_BUDGET)


PANELS = (
    Panel("Path error", "distance from path (+ left) [m]", (Trace("path_error"),), (0.02, 0.0)),
    Panel("Driver", "input [%]", (
        Trace("steering", "steering (+ left)", BLUE, 100.0), Trace("throttle", "throttle", GREEN, 100.0),
        Trace("brake", "brake", RED, 100.0),
    )),
    Panel("Speed", "forward speed [m/s]", (
        Trace("vx", "vehicle's"), Trace(wheel_speed, "wheels' (mean)", ORANGE, dashes="--"),
    ), (0.5, 0.0), ("wheel_rate",)),
    Panel("Acceleration", "acceleration [m/s²]", (
        Trace("ay", "to the left"), Trace("ax", "forward", ORANGE),
    ), (0.5, 0.0)),
    Panel("Yaw", "yaw rate [deg/s]", (
        Trace("yaw_rate", "yaw rate (+ left)", factor=DEGREES),
        Trace(side_slip, "side-slip [deg], right scale", ORANGE, DEGREES, right=True),
    ), (1.0, 1.0), ("vx", "vy")),
    Panel("Attitude", "angle [deg]", (
        Trace("roll", "roll (+ right)", factor=DEGREES),
        Trace("pitch", "pitch (+ nose down)", GREEN, DEGREES),
    ), (0.2, 0.0)),
    Panel("Tyre loads", "tyre load [kN]", (
        Trace(lambda results: results[load_name(results)].values, factor=1e-3),
    ), per="corner", covers=(0.0,)),
    Panel("Side forces", "tyre side force [kN]", (Trace("tyre_Fy", factor=1e-3),), (0.2, 0.0), per="corner"),
    Panel("Wheel slip", "longitudinal slip [%]", (Trace("tyre_slip", factor=100.0),), (0.5, 0.0),
          per="corner", within=(-SLIP_SHOWN, SLIP_SHOWN)),
    Panel("Hitch angles", "angle [deg]", (
        Trace("hitch_yaw", "yaw", factor=DEGREES), Trace("trailer_roll", "roll", factor=DEGREES, dashes="--"),
    ), (0.2, 0.0), per="trailer"),
    Panel("Hitch forces", "force of the trailer [kN]", tuple(
        Trace(f"hitch_F{axis}", axis, factor=1e-3, dashes=dashes)
        for axis, dashes in (("x", "-"), ("y", "--"), ("z", ":"))
    ), (0.2, 0.0), per="trailer"),
    Panel("Road", "road below the wheels [m]", (Trace("tyre_road_height"),), (0.01, 0.0), per="corner"),
    Panel("Suspension travel", "wheel travel (+ bump) [mm]", (
        Trace(suspension_travel, factor=1e3),
    ), (2.0, 0.0), per="corner"),
    Panel("Ride height", "height of chassis origin [m]", (Trace("chassis_z"),), (0.01, 0.0)),
    Panel("Loop closure", "loop closure error [m]", (
        Trace(worst_closure, "worst of all loops"),
        Trace(budget, f"budget {CLOSURE_BUDGET:g} m", RED, dashes="--"),
    ), needs=("closure_error",), covers=(1e-17, 1e-11), within=(1e-17, 1e-11), logarithmic="y"),
    Panel("Energy", "change since the start [kJ]", (
        Trace(energy_change, "energy", factor=1e-3), Trace("work", "work", ORANGE, 1e-3, "--"),
        Trace(energy_imbalance, "difference [mJ], right scale", GREY, 1e3, right=True, width=1.0),
    ), needs=("energy",)),
)  # fmt: skip
"""Charts over time in the order of the page."""


def charts_of(results: Results, manoeuvre: Manoeuvre | None) -> list[Chart]:
    """Return the trajectory and all charts that the results have data for."""
    found = [trajectory(results, manoeuvre)]
    for panel in PANELS:
        named = [curve.values for curve in panel.curves if isinstance(curve.values, str)]
        if all(name in results for name in (*panel.needs, *named)):
            lines = tuple(line for curve in panel.curves for line in lines_of(results, panel.per, curve))
            found.append(
                Chart(
                    panel.title, "time [s]", panel.y, lines, logarithmic=panel.logarithmic, above=True,
                    least=panel.least, covers=panel.covers, within=panel.within,
                )
            )  # fmt: skip
    return found


def lines_of(results: Results, per: str, curve: Trace) -> Iterator[Line]:
    """Yield the lines of a curve: colour shows the axle, dashes the side; or colour shows the trailer."""
    time = results["time"].values
    values = curve.values(results) if callable(curve.values) else results[curve.values].values
    names = [str(name) for name in results[per].values] if per else [""]
    colours = axles(results) if per == "corner" else {}
    for k, (name, column) in enumerate(zip(names, values.reshape(len(time), -1).T, strict=True)):
        colour, dashes = (COLOURS[k] if per else curve.colour), curve.dashes
        label = f"{name}, {curve.label}" if per else curve.label
        if per == "corner":
            colour, dashes = colours[name.rpartition("_")[0]], "-" if name.endswith("_left") else "--"
            label = short_name(name)
        if np.isfinite(column).any():
            yield Line(label, time, curve.factor * column, colour, dashes, "", curve.width, curve.right)


def axles(results: Results) -> dict[str, str]:
    """Return colours of the axles by name, from front to rear."""
    names = dict.fromkeys(str(corner).rpartition("_")[0] for corner in results["corner"].values)
    return dict(zip(names, COLOURS, strict=False))


def short_name(corner: str) -> str:
    """Return ``FL`` for ``front_left``."""
    return "".join(word[0] for word in corner.split("_")).upper()


def trajectory(results: Results, manoeuvre: Manoeuvre | None) -> Chart:
    """Return the view from above: the path to follow, cones, the chassis, the strips between wheels."""
    x, y = results["chassis_x"].values, results["chassis_y"].values
    lines = [Line("chassis", x, y, "black")]
    if manoeuvre is not None and manoeuvre.path is not None:
        lines += path_line(manoeuvre.path, float(x.min()), float(x.max()))
    gates = manoeuvre.gates if isinstance(manoeuvre, DoubleLaneChange) else ()
    for k, gate in enumerate(gates):
        along = np.linspace(gate.start, gate.end, 6)
        for side in (gate.left, gate.right):
            label = "cones" if k == 0 and side == gate.left else ""
            lines.append(Line(label, along, np.full(6, side), ORANGE, "none", "^"))
    flat = bool(gates) or bool(np.ptp(y) < 0.05 * np.ptp(x))
    return Chart(
        "Trajectory from above", "x [m]", "y, to the left [m]", tuple(lines), equal=not flat, above=True,
        areas=tuple(swath(results, axle, colour) for axle, colour in axles(results).items()),
        least=(0.0, 0.0), covers=(-2.5, 2.5) if flat else (),
    )  # fmt: skip


def swath(results: Results, axle: str, colour: str) -> Area:
    """Return the strip between the wheel centres of an axle."""
    few = slice(None, None, 1 + len(results["time"].values) // 500)
    corners = [str(corner) for corner in results["corner"].values]
    left, right = (corners.index(f"{axle}_{side}") for side in ("left", "right"))
    x, y = (
        np.concatenate((at[few, left], at[few, right][::-1]))
        for at in (results["wheel_x"].values, results["wheel_y"].values)
    )
    return Area(f"{axle} axle", x, y, colour, 0.18)


def path_line(path: RoadPath, start: float, end: float) -> list[Line]:
    """Return the line that the driver is to follow, if it is one of those that can be drawn."""
    if isinstance(path, CirclePath):
        angle = np.linspace(0.0, 2.0 * math.pi, 361)
        x, y = path.radius * np.sin(angle), path.radius * (1.0 - np.cos(angle))
    elif isinstance(path, LateralPath):
        x = np.linspace(start, end, 501)
        y = np.array([path.y_ref(at) for at in x.tolist()])
    else:
        return []
    return [Line("path to follow", x, y, RED, "--", width=1.3)]


def save_figure(results: Results, manoeuvre: Manoeuvre | None, path: Path) -> None:
    """Draw the page and write it as PNG."""
    save_sheet(figure(results, manoeuvre), path)


def figure(results: Results, manoeuvre: Manoeuvre | None = None) -> Figure:
    """Return the page: the trajectory, then the charts that the results have data for.

    The figure belongs to no window system, and Matplotlib's settings are left as they are.
    """
    check_run(results, manoeuvre)
    return sheet(charts_of(results, manoeuvre), heading(results), wide=True)


def heading(results: Results) -> str:
    """Return the title of the page."""
    attributes = results.attrs
    end = float(results["time"].values[-1])
    accuracy = (
        f"rtol {attributes['rtol']:g}, atol {attributes['atol']:g}"
        if "rtol" in attributes
        else f"steps of {attributes['step']:g} s"
    )
    return f"{attributes.get('title', 'vehicle')}\n{end:g} s by {attributes['method']}, {accuracy}"
