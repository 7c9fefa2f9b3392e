"""Page of curves of a suspension over travel, roll and steering; figures in rows, and curves for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.kc.compliance import compliance_figures, unit_of
from ce_dynamics.models.kc.sweeps import convert_units, curves_of
from ce_dynamics.models.kc.travel_limits import ends_of_travel
from ce_dynamics.models.vehicles.summary import finite_numbers
from ce_dynamics.views.charts import (
    COLOURS,
    GREY,
    RED,
    Area,
    Chart,
    Dashes,
    Line,
    colours_of,
    save_sheet,
    sheet,
)

if TYPE_CHECKING:
    from pathlib import Path

    import xarray as xr
    from matplotlib.figure import Figure

    from ce_dynamics.models.kc.compliance import Compliance
    from ce_dynamics.models.kc.rig import KCRig
    from ce_dynamics.views.scene.take import Take

LEAST = {"deg": 0.02, "mm": 0.2, "%": 1.0, "N/mm": 0.2, "1": 1e-3}
"""Range of a panel at least, lest it shows rounding."""


class SweepPlot(NamedTuple):
    """A plot over one sweep: labels of its curves by quantity; missing ones are left out."""

    sweep: str
    title: str
    curves: Mapping[str, str]


PANELS = (
    SweepPlot("parallel", "Toe (+ in)", {"toe_angle": "toe"}),
    SweepPlot("parallel", "Camber (+ top outward)", {"camber_angle": "camber"}),
    SweepPlot(
        "parallel", "Steering axis", {"caster_angle": "caster", "kingpin_inclination": "kingpin inclination"}
    ),
    SweepPlot(
        "parallel", "Track and wheelbase", {"track_change": "track change", "wheelbase_change": "wheelbase"}
    ),
    SweepPlot("parallel", "Roll centre above the road", {"roll_centre_height": "roll centre"}),
    SweepPlot(
        "parallel", "Steering axis at the road", {"scrub_radius": "scrub radius", "caster_trail": "trail"}
    ),
    SweepPlot(
        "parallel",
        "Carried by the links",
        {"anti_dive": "anti-dive", "anti_lift": "anti-lift", "anti_squat": "anti-squat"},
    ),
    SweepPlot(
        "parallel",
        "Shortening per wheel travel",
        {"spring_motion_ratio": "spring", "damper_motion_ratio": "damper"},
    ),
    SweepPlot("parallel", "Rates at the wheel", {"wheel_rate": "wheel rate", "ride_rate": "with tyre"}),
    SweepPlot("parallel-bushings", "Toe with bushings (+ in)", {"toe_angle": "toe"}),
    SweepPlot("parallel-bushings", "Camber with bushings (+ top outward)", {"camber_angle": "camber"}),
    SweepPlot("parallel-bushings", "Vertical force with bushings", {"vertical_force": "at the wheel centre"}),
    SweepPlot("opposed", "Steer in roll (+ left)", {"steer_angle": "steer"}),
    SweepPlot("opposed", "Camber in roll (+ top outward)", {"camber_angle": "camber"}),
    SweepPlot(
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
            SweepPlot(kind, f"{title}: angles", {"steer_angle": "steer (+ left)", "camber_angle": "camber"}),
            SweepPlot(
                kind,
                f"{title}: centre",
                {"wheel_centre_x": "forward", "wheel_centre_y": "to the left", "wheel_centre_z": "up"},
            ),
        )
    ),
    SweepPlot("steering", "Wheels (+ left)", {"steer_angle": "steer", "ideal_outer_angle": "ideal outer"}),
    SweepPlot("steering", "Ackermann (100 % is ideal)", {"ackermann_percentage": "Ackermann"}),
    SweepPlot("steering", "Steering ratio", {"steering_ratio": "ratio"}),
)
ARROW, SLIGHT = 0.35, 0.05
"""Length of the largest load [m], and the part of it below which loads are left out."""
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


DASHES: tuple[tuple[Dashes, Dashes], ...] = (
    ("-", "--"),
    ("-.", ":"),
    ((0, (6, 1, 1, 1, 1, 1)), (0, (1, 3))),
)
"""Dashes of the left and right wheel, by the curve of a panel, where colours distinguish variants."""


def save_page(variants: Mapping[str, Mapping[str, xr.Dataset]], title: str, path: Path) -> None:
    """Draw the page of `page` and write it as PNG."""
    save_sheet(page(variants, title), path)


def page(variants: Mapping[str, Mapping[str, xr.Dataset]], title: str) -> Figure:
    """Return the page of curves of sweeps by kind, by axle: one chart for each question that they answer."""
    several = len(variants) > 1
    wheels = f"left wheel: line{' or dash-dots' * several}, right wheel: dashes{' or dots' * several}"
    subjects = colours_of(list(variants)) if several else None
    return sheet(charts_of(variants), f"{title}\n{wheels}", subjects)


def charts_of(variants: Mapping[str, Mapping[str, xr.Dataset]]) -> list[Chart]:
    """Return the charts of `page`."""
    found = []
    for panel in PANELS:
        shown = {label: sweeps[panel.sweep] for label, sweeps in variants.items() if has_curve(panel, sweeps)}
        if shown:
            found.append(chart_of(panel, shown, colours_of(list(variants)) if len(variants) > 1 else {}))
    return found


def axle_picture(take: Take) -> Chart:
    """Return an axle as it is seen from behind: links, springs and dampers, wheels, and loads with values."""
    places = [Rotation.from_quat(place[3:]).as_matrix() for place in take.places[0]]

    def project(body: int, points: Any) -> Floats:
        at = np.atleast_2d(np.asarray(points, dtype=float))
        moved = at if body < 0 else at @ places[body].T + take.places[0, body, :3]
        return np.stack((-moved[:, 1], moved[:, 2]))

    lines, areas = [], []
    for k, body in enumerate(take.bodies):
        for shape in body.shapes:
            x, y = project(k, shape.points)
            if shape.kind == "wheel":
                corners = np.array([0, 1, 1, 0]), shape.radius * np.array([-1.0, -1.0, 1.0, 1.0])
                areas.append(Area("", x[corners[0]], y[corners[0]] + corners[1], GREY, 0.35))
            elif shape.kind == "rod":
                lines.append(Line("", x, y, COLOURS[k % len(COLOURS)], width=4.0, marker=" "))
            elif len(shape.triangles):
                areas.append(Area("", x, y, COLOURS[k % len(COLOURS)], 0.6))
    for strand in take.strands:
        x, y = np.hstack((project(strand.body_a, strand.at_a), project(strand.body_b, strand.at_b)))
        dashes = ":" if strand.kind == "spring" else "--"
        lines.append(Line("", x, y, "#7a6a10" if strand.kind == "spring" else GREY, dashes, " ", 3.0))
    marks = [project(mark.body, mark.at) for mark in take.marks]
    lines += [Line("", at[0], at[1], "#000000") for at in marks]
    forces = [float(np.linalg.norm(arrow[3:])) for arrow in take.arrows[0]]
    for name, force, arrow in zip(take.forces, forces, take.arrows[0], strict=True):
        if force > SLIGHT * max(forces):
            tip = arrow[:3] + ARROW / max(forces) * arrow[3:]
            x, y = project(-1, np.stack((arrow[:3], tip)))
            lines.append(Line(f"{name} {1e-3 * force:.2f} kN", x, y, RED, width=1.6, marker=" "))
            lines.append(Line("", x[1:], y[1:], RED))
    x, y = "to the right, seen from behind [m]", "height [m]"
    return Chart("Axle with loads", x, y, tuple(lines), equal=True, areas=tuple(areas))


def has_curve(panel: SweepPlot, sweeps: Mapping[str, xr.Dataset]) -> bool:
    """Return True if sweeps have a curve of a panel."""
    return panel.sweep in sweeps and any(name in sweeps[panel.sweep] for name in panel.curves)


def chart_of(panel: SweepPlot, variants: Mapping[str, xr.Dataset], colours: Mapping[str, str]) -> Chart:
    """Return one chart; colours distinguish curves, or variants if there are any."""
    unit, names, lines = "", list(panel.curves), []
    for variant, results in variants.items():
        over, moved = abscissa(panel, results)
        for k, name in enumerate(names):
            if name not in results:
                continue
            values, unit = convert_units(results[name].values, results[name].attrs["units"])
            if moved and name.startswith("wheel_centre"):
                values = values - values[np.argmin(np.abs(over))]
            dashes = DASHES[k] if colours else DASHES[0]
            for side, column in enumerate(values.reshape(len(over), -1).T):
                lines.append(Line("", over, column, colours.get(variant, COLOURS[k]), dashes[side]))
    here = [k for k, name in enumerate(names) if any(name in results for results in variants.values())]
    none = np.empty(0)
    key = [
        Line(panel.curves[names[k]], none, none, *((GREY, DASHES[k][0]) if colours else (COLOURS[k], "-")))
        for k in here
    ]
    return Chart(
        panel.title, AXES[panel.sweep.removesuffix("-bushings")], "ratio" if unit == "1" else f"[{unit}]",
        tuple(lines), key=tuple(key) if len(here) > 1 else (), above=True, least=(LEAST.get(unit, 1e-3), 0.0),
    )  # fmt: skip


def abscissa(panel: SweepPlot, results: xr.Dataset) -> tuple[Floats, bool]:
    """Return the abscissa of a panel in its unit, and True if forces drive it."""
    if "force" in results.coords:
        return (1e-3 if results["force"].attrs["units"] == "N" else 1.0) * results["force"].values, True
    if panel.sweep == "steering":
        return 100.0 * results["steering"].values, False
    return 1e3 * results["wheel_travel"].values[:, 1 if panel.sweep == "right" else 0], False


class SummaryRow(NamedTuple):
    """A figure as people read it; ``values`` are left and right, or one of the axle."""

    name: str
    values: tuple[float, ...]
    unit: str


def design_rows(rig: KCRig) -> list[SummaryRow]:
    """Return all figures in the design pose, in the units of engineers."""
    read = rig.read(rig.solve_poses([[0.0, 0.0]]))
    rows = []
    for quantity in rig.quantities:
        values, unit = convert_units(read[quantity.name][0], quantity.unit)
        if np.any(np.isfinite(values)):  # straight ahead there is no Ackermann
            rows.append(SummaryRow(quantity.name, tuple(float(x) for x in np.atleast_1d(values)), unit))
    return rows


def end_rows(rig: KCRig) -> list[SummaryRow]:
    """Return the ends of travel of both wheels together, or against each other if no other travel exists."""
    found = zip(("lowest", "highest"), ends_of_travel(rig, rig.kinds[0]), strict=True)
    return [SummaryRow(f"{what} travel", (1e3 * end.value,), "mm") for what, end in found if end is not None]


def compliance_rows(elastic: Compliance) -> list[SummaryRow]:
    """Return figures of the compliance matrix in the design pose, of the left wheel, in engineering units.

    With the signs that the same figures have elsewhere: camber angles positive top outward, caster top to the
    rear, ride steer towards toe-in; the matrix has turns about the vehicle's axes.
    """
    rig = elastic.rig
    pose = rig.solve_poses([[0.0, 0.0]])
    wheel = rig.axle.left
    track = float(rig.read(pose, ["track"])["track"][0])
    found = compliance_figures(elastic.at(pose[0]).C, track, wheel.loaded_radius, wheel.tyre_rate)
    rows = []
    for name, value in found.items():
        if math.isfinite(value):
            against = name == "ride_steer" or "camber" in name or "caster" in name
            number, unit = convert_units(np.array(-value if against else value), unit_of(name))
            rows.append(SummaryRow(name, (float(number),), unit))
    return rows


def as_json(sweeps: dict[str, xr.Dataset]) -> dict[str, Any]:
    """Return all curves of all sweeps in SI units, with None for numbers that are not finite."""
    content: dict[str, Any] = {}
    for kind, results in sweeps.items():
        curves: dict[str, Any] = {}
        for name, unit, each in curves_of(results):
            values = {side: finite_numbers(curve) for side, curve in each.items()}
            curves[name] = {"unit": unit, "values": values.get("", values)}
        content[kind] = {"attributes": dict(results.attrs), "curves": curves}
    return content
