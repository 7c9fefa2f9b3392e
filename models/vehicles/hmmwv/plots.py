"""One page of plots of a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange, Manoeuvre
from ce_dynamics.models.parts.paths import CirclePath, LateralPath, Path as RoadPath
from ce_dynamics.models.vehicles.hmmwv.summary import energy_imbalance, load_name, suspension_travel

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEGREES = 180.0 / math.pi
CLOSURE_BUDGET = 1e-12
"""[m]; drawn as a line."""
SLIP_SHOWN = 110.0
"""[%]; slips beyond it are cut off."""
BLUE, ORANGE, GREEN, RED, GREY = "tab:blue", "tab:orange", "tab:green", "tab:red", "0.55"
CORNER_NAME = {
    "front_left": "FL",
    "front_right": "FR",
    "rear_left": "RL",
    "rear_right": "RR",
}
CORNER_STYLE = {
    "front_left": (BLUE, "-"),
    "front_right": (BLUE, "--"),
    "rear_left": (ORANGE, "-"),
    "rear_right": (ORANGE, "--"),
}
STYLE = {
    "font.size": 11.0,
    "axes.grid": True,
    "grid.alpha": 0.35,
    "axes.titlesize": 12.0,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.formatter.useoffset": False,
    "lines.linewidth": 1.6,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.columnspacing": 1.0,
    "legend.borderaxespad": 0.2,
}
COLUMNS = 3

Draw: TypeAlias = "Callable[[Axes, xr.Dataset], None]"


class Panel(NamedTuple):
    """A plot and the variables it needs."""

    title: str
    needs: tuple[str, ...]
    draw: Draw


def save_figure(results: xr.Dataset, manoeuvre: Manoeuvre | None, path: Path) -> None:
    """Draw the page and write it as PNG.

    Parameters
    ----------
    results : xarray.Dataset
        As `Case.simulate` returns it; a partial one will do.
    manoeuvre : Manoeuvre or None
        What was driven.
    path : Path
        File to write.
    """
    with style():
        figure(results, manoeuvre).savefig(path, format="png", dpi=100)


def figure(results: xr.Dataset, manoeuvre: Manoeuvre | None = None) -> Figure:
    """The page: the trajectory across it, below it the panels the results have data for.

    The figure belongs to no window system, and matplotlib's settings are left as they are.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style():
        panels = [panel for panel in PANELS if all(name in results for name in panel.needs)]
        rows = math.ceil((len(panels) + COLUMNS - 1) / COLUMNS)
        width, height = 18.0, 1.5 + 3.0 * rows
        page = Figure(figsize=(width, height))
        FigureCanvasAgg(page)
        # Margins by hand, in inches: matplotlib's automatic layout would double the drawing time.
        grid = page.add_gridspec(
            rows,
            COLUMNS,
            left=0.8 / width,
            right=1.0 - 0.8 / width,
            bottom=0.6 / height,
            top=1.0 - 1.1 / height,
            wspace=0.28,
            hspace=0.42,
        )
        draw_trajectory(page.add_subplot(grid[0, :-1]), results, manoeuvre)
        for k, panel in enumerate(panels, start=COLUMNS - 1):
            axes = page.add_subplot(grid[k // COLUMNS, k % COLUMNS])
            axes.set_title(panel.title)
            axes.set_xlabel("time [s]")
            axes.margins(x=0.01)
            panel.draw(axes, results)
        page.suptitle(heading(results), fontsize=15.0, y=1.0 - 0.2 / height)
    return page


def style() -> AbstractContextManager[None]:
    """Our settings, for as long as a page is drawn."""
    import matplotlib

    settings: dict[Any, Any] = {**matplotlib.rcParamsDefault, **STYLE, "backend": "agg"}
    return matplotlib.rc_context(settings)


def legend(axes: Axes, *others: Axes, columns: int = 4) -> None:
    """Above the panel, right of its title, where it covers no line."""
    lines = [line for each in (axes, *others) for line in each.get_lines()]
    names = [str(line.get_label()) for line in lines]
    axes.legend(lines, names, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns)


def heading(results: xr.Dataset) -> str:
    """Title of the page."""
    attributes = results.attrs
    end = float(results["time"].values[-1])
    accuracy = (
        f"rtol {attributes['rtol']:g}, atol {attributes['atol']:g}"
        if "rtol" in attributes
        else f"steps of {attributes['step']:g} s"
    )
    return f"{attributes.get('title', 'HMMWV')}\n{end:g} s by {attributes['method']}, {accuracy}"


# --- The trajectory -----------------------------------------------------------------------------------------


def draw_trajectory(axes: Axes, results: xr.Dataset, manoeuvre: Manoeuvre | None) -> None:
    """From above: the path to follow, cones, the chassis and the ground its flanks or wheels pass over."""
    axes.set_title("Trajectory from above")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y, to the left [m]")
    x, y = results["chassis_x"].values, results["chassis_y"].values
    for axle, colour in (("front", BLUE), ("rear", ORANGE)):
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


def draw_swath(axes: Axes, results: xr.Dataset, axle: str, colour: str) -> None:
    """The strip between the wheel centres of an axle."""
    few = results.isel(time=slice(None, None, 1 + results.sizes["time"] // 500))
    left, right = (few.sel(corner=f"{axle}_{side}") for side in ("left", "right"))
    x = np.concatenate((left["wheel_x"].values, right["wheel_x"].values[::-1]))
    y = np.concatenate((left["wheel_y"].values, right["wheel_y"].values[::-1]))
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


# --- Panels over time ---------------------------------------------------------------------------------------


def draw_controls(axes: Axes, results: xr.Dataset) -> None:
    """Steering and pedals."""
    for name, label, colour in (
        ("steering", "steering (+ left)", BLUE),
        ("throttle", "throttle", GREEN),
        ("brake", "brake", RED),
    ):
        axes.plot(results["time"], 100.0 * results[name].values, color=colour, label=label)
    axes.set_ylabel("input [%]")
    legend(axes)


def draw_speed(axes: Axes, results: xr.Dataset) -> None:
    """Forward speed, and the wheels' at their first rolling radius."""
    axes.plot(results["time"], results["vx"], color=BLUE, label="vehicle's")
    radius_speed = results["wheel_rate"].values.mean(axis=1)
    ratio = results["vx"].values[0] / radius_speed[0] if abs(radius_speed[0]) > 1e-6 else math.nan
    if math.isfinite(ratio):
        label = "wheels' (mean)"
        axes.plot(results["time"], ratio * radius_speed, color=ORANGE, linestyle="--", label=label)
    axes.set_ylabel("forward speed [m/s]")
    widen(axes, 0.5)
    legend(axes)


def draw_accelerations(axes: Axes, results: xr.Dataset) -> None:
    """Accelerations along the vehicle's horizontal axes."""
    axes.plot(results["time"], results["ay"], color=BLUE, label="to the left")
    axes.plot(results["time"], results["ax"], color=ORANGE, label="forward")
    axes.set_ylabel("acceleration [m/s²]")
    widen(axes, 0.5)
    legend(axes)


def draw_attitude(axes: Axes, results: xr.Dataset) -> None:
    """Roll and pitch."""
    axes.plot(results["time"], DEGREES * results["roll"], color=BLUE, label="roll (+ right)")
    axes.plot(results["time"], DEGREES * results["pitch"], color=GREEN, label="pitch (+ nose down)")
    axes.set_ylabel("angle [deg]")
    widen(axes, 0.2)
    legend(axes)


def draw_yaw(axes: Axes, results: xr.Dataset) -> None:
    """Yaw rate and side-slip; below 1 m/s side-slip is referred to 1 m/s."""
    axes.plot(results["time"], DEGREES * results["yaw_rate"], color=BLUE, label="yaw rate (+ left)")
    axes.set_ylabel("yaw rate [deg/s]")
    widen(axes, 1.0)
    right = right_scale(axes)
    slip = np.arctan2(results["vy"].values, np.maximum(results["vx"].values, 1.0))
    right.plot(results["time"], DEGREES * slip, color=ORANGE, label="side-slip [deg], right scale")
    widen(right, 1.0)
    legend(axes, right)


def draw_loads(axes: Axes, results: xr.Dataset) -> None:
    """Vertical tyre loads, lift-off at zero."""
    by_corner(axes, results, 1e-3 * results[load_name(results)].values)
    axes.set_ylabel("tyre load [kN]")
    low, high = axes.get_ylim()
    axes.set_ylim(min(0.0, low), 1.1 * high)
    legend(axes)


def draw_travel(axes: Axes, results: xr.Dataset) -> None:
    """Wheel travel since the start."""
    by_corner(axes, results, 1e3 * suspension_travel(results))
    axes.set_ylabel("wheel travel (+ bump) [mm]")
    widen(axes, 2.0)
    legend(axes)


def draw_path_error(axes: Axes, results: xr.Dataset) -> None:
    """Distance from the path."""
    axes.plot(results["time"], results["path_error"], color=BLUE)
    axes.set_ylabel("distance from path (+ left) [m]")
    widen(axes, 0.02)


def draw_height(axes: Axes, results: xr.Dataset) -> None:
    """Height of the chassis."""
    axes.plot(results["time"], results["chassis_z"], color=BLUE)
    axes.set_ylabel("height of chassis origin [m]")
    widen(axes, 0.01)


def draw_side_forces(axes: Axes, results: xr.Dataset) -> None:
    """Side forces of the tyres."""
    by_corner(axes, results, 1e-3 * results["tyre_Fy"].values)
    axes.set_ylabel("tyre side force [kN]")
    widen(axes, 0.2)
    legend(axes)


def draw_slip(axes: Axes, results: xr.Dataset) -> None:
    """Longitudinal slip of the tyres."""
    by_corner(axes, results, 100.0 * results["tyre_slip"].values)
    axes.set_ylabel("longitudinal slip [%]")
    widen(axes, 0.5)
    low, high = axes.get_ylim()  # a locked wheel's is unbounded: it is relative to the wheel's own speed
    axes.set_ylim(max(low, -SLIP_SHOWN), min(high, SLIP_SHOWN))
    legend(axes)


def draw_closure(axes: Axes, results: xr.Dataset) -> None:
    """Worst loop closure."""
    worst = results["closure_error"].values.max(axis=1)
    shown = np.where(worst > 0.0, worst, np.nan)
    axes.semilogy(results["time"], shown, color=BLUE, label="worst of all loops")
    axes.axhline(CLOSURE_BUDGET, color=RED, linestyle="--", label=f"budget {CLOSURE_BUDGET:g} m")
    axes.set_ylim(1e-17, 1e-11)
    axes.set_ylabel("loop closure error [m]")
    legend(axes)


def draw_energy(axes: Axes, results: xr.Dataset) -> None:
    """Energy against the work done."""
    change = 1e-3 * (results["energy"].values - results["energy"].values[0])
    axes.plot(results["time"], change, color=BLUE, label="energy")
    axes.plot(results["time"], 1e-3 * results["work"], color=ORANGE, linestyle="--", label="work")
    axes.set_ylabel("change since the start [kJ]")
    right = right_scale(axes)
    label = "difference [mJ], right scale"
    right.plot(results["time"], 1e3 * energy_imbalance(results), color=GREY, linewidth=1.0, label=label)
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
    Panel("Suspension travel", (), draw_travel),
    Panel("Ride height", ("chassis_z",), draw_height),
    Panel("Loop closure", (), draw_closure),
    Panel("Energy", ("energy", "work"), draw_energy),
)
"""Panels in the order of the page."""


def by_corner(axes: Axes, results: xr.Dataset, values: NDArray[np.float64]) -> None:
    """One line per corner: colour tells the axle, dashes the side."""
    for k, name in enumerate(str(corner) for corner in results["corner"].values):
        colour, dashes = CORNER_STYLE[name]
        axes.plot(results["time"], values[:, k], color=colour, linestyle=dashes, label=CORNER_NAME[name])


def right_scale(axes: Axes) -> Axes:
    """A second scale for the same panel."""
    right = axes.twinx()
    right.margins(x=0.01)
    right.grid(False)
    return right


def widen(axes: Axes, least: float) -> None:
    """Keep rounding from filling the panel: show at least this much."""
    low, high = axes.get_ylim()
    if high - low < least:
        middle = 0.5 * (low + high)
        axes.set_ylim(middle - 0.5 * least, middle + 0.5 * least)
