"""The page of curves: what a suspension does over wheel travel, in roll, and when it is steered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.models.kc.table import shown
from ce_dynamics.models.vehicles.plots.look import AXLE_COLOURS, COLUMNS, sheet, style, widen

if TYPE_CHECKING:
    from pathlib import Path

    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = {"deg": 0.02, "mm": 0.2, "%": 1.0, "N/mm": 0.2, "1": 1e-3}
"""Range of a panel at least, lest it shows rounding."""


class Panel(NamedTuple):
    """A plot over one sweep.

    Attributes
    ----------
    sweep, title : str
    curves : dict of str to str
        Labels by quantity; what the axle has not is left out.
    """

    sweep: str
    title: str
    curves: Mapping[str, str]


PANELS = (
    Panel("parallel", "Toe (+ in)", {"toe_angle": "toe"}),
    Panel("parallel", "Camber (+ top outward)", {"camber_angle": "camber"}),
    Panel(
        "parallel", "Steering axis", {"caster_angle": "caster", "kingpin_inclination": "kingpin inclination"}
    ),
    Panel(
        "parallel", "Track and wheelbase", {"track_change": "track change", "wheelbase_change": "wheelbase"}
    ),
    Panel("parallel", "Roll centre above the road", {"roll_centre_height": "roll centre"}),
    Panel("parallel", "Steering axis at the road", {"scrub_radius": "scrub radius", "caster_trail": "trail"}),
    Panel(
        "parallel",
        "Carried by the links",
        {"anti_dive": "anti-dive", "anti_lift": "anti-lift", "anti_squat": "anti-squat"},
    ),
    Panel(
        "parallel",
        "Shortening per wheel travel",
        {"spring_motion_ratio": "spring", "damper_motion_ratio": "damper"},
    ),
    Panel("parallel", "Rates at the wheel", {"wheel_rate": "wheel rate", "ride_rate": "with tyre"}),
    Panel("parallel-bushings", "Toe with bushings (+ in)", {"toe_angle": "toe"}),
    Panel("parallel-bushings", "Camber with bushings (+ top outward)", {"camber_angle": "camber"}),
    Panel("parallel-bushings", "Vertical force with bushings", {"vertical_force": "at the wheel centre"}),
    Panel("opposed", "Steer in roll (+ left)", {"steer_angle": "steer"}),
    Panel("opposed", "Camber in roll (+ top outward)", {"camber_angle": "camber"}),
    Panel(
        "opposed",
        "Roll centre in roll",
        {"roll_centre_height": "height", "roll_centre_lateral": "to the left"},
    ),
    *(
        panel
        for kind, title in (
            ("lateral", "Lateral"),
            ("lateral-opposed", "Lateral, opposed"),
            ("longitudinal", "Longitudinal"),
            ("longitudinal-opposed", "Longitudinal, opposed"),
            ("aligning", "Aligning"),
            ("aligning-opposed", "Aligning, opposed"),
        )
        for panel in (
            Panel(kind, f"{title}: angles", {"steer_angle": "steer (+ left)", "camber_angle": "camber"}),
            Panel(
                kind,
                f"{title}: centre",
                {"wheel_centre_x": "forward", "wheel_centre_y": "to the left", "wheel_centre_z": "up"},
            ),
        )
    ),
    Panel("steering", "Wheels (+ left)", {"steer_angle": "steer", "ideal_outer_angle": "ideal outer"}),
    Panel("steering", "Ackermann (100 % is ideal)", {"ackermann_percentage": "Ackermann"}),
    Panel("steering", "Steering ratio", {"steering_ratio": "ratio"}),
)
AXES = {
    "parallel": "wheel travel, both up [mm]",
    "opposed": "left wheel up, right wheel down [mm]",
    "left": "left wheel up [mm]",
    "right": "right wheel up [mm]",
    "steering": "steering [% of full lock, + left]",
    "lateral": "force at each wheel [kN, + left]",
    "lateral-opposed": "force, left wheel [kN, + left]",
    "longitudinal": "force at each wheel [kN, + forward]",
    "longitudinal-opposed": "force, left wheel [kN, + forward]",
    "aligning": "torque at each wheel [N*m, + left]",
    "aligning-opposed": "torque, left wheel [N*m, + left]",
}


def save_page(sweeps: Mapping[str, xr.Dataset], title: str, path: Path) -> None:
    """Draw the page of some sweeps, by their kinds, and write it as PNG."""
    with style():
        page(sweeps, title).savefig(path, format="png", dpi=100)


def page(sweeps: Mapping[str, xr.Dataset], title: str) -> Figure:
    """The page: one panel for each question that the sweeps answer."""
    panels = [
        panel
        for panel in PANELS
        if panel.sweep in sweeps and any(name in sweeps[panel.sweep] for name in panel.curves)
    ]
    with style():
        figure, grid = sheet(len(panels), 1.3, 3.2, (0.9, 0.5, 0.6, 1.1), hspace=0.5)
        for k, panel in enumerate(panels):
            draw(figure.add_subplot(grid[k // COLUMNS, k % COLUMNS]), panel, sweeps[panel.sweep])
        y = 1.0 - 0.15 / figure.get_figheight()
        figure.suptitle(f"{title}\nleft wheel: line, right wheel: dashes", y=y)
    return figure


def draw(axes: Axes, panel: Panel, results: xr.Dataset) -> None:
    """One panel."""
    axes.set_title(panel.title)
    axes.set_xlabel(AXES[panel.sweep.removesuffix("-bushings")])
    over = 100.0 * results["steering"].values
    moved = "force" in results.coords
    if moved:
        over = (1e-3 if results["force"].attrs["units"] == "N" else 1.0) * results["force"].values
    elif panel.sweep != "steering":
        over = 1e3 * results["wheel_travel"].values[:, 1 if panel.sweep == "right" else 0]
    unit = ""
    for colour, (name, label) in zip(AXLE_COLOURS, panel.curves.items(), strict=False):
        if name not in results:
            continue
        values, unit = shown(results[name].values, results[name].attrs["units"])
        if moved and name.startswith("wheel_centre"):
            values = values - values[np.argmin(np.abs(over))]
        for k, column in enumerate(values.reshape(len(over), -1).T):
            text = label if k == 0 else "_nolegend_"
            axes.plot(over, np.ma.masked_invalid(column), "-" if k == 0 else "--", color=colour, label=text)
    axes.set_ylabel("ratio" if unit == "1" else f"[{unit}]")
    axes.margins(x=0.01)
    widen(axes, LEAST.get(unit, 1e-3))
    if sum(not str(line.get_label()).startswith("_") for line in axes.get_lines()) > 1:
        legend_of_named(axes)


def legend_of_named(axes: Axes) -> None:
    """A legend of the lines that have a name."""
    named = [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")]
    axes.legend(handles=named, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3)
