"""Tables of hardpoints as vehicle files: CSV with a header, or the block ``[HARDPOINT]`` of Adams/Car.

::

    name, x, y, z
    lca_outer, 267.0, -750.0, 210.0

Names are those of `ADAMS`, with or without ``hpl_``, or short names such as ``lower_arm.front_pivot``.
Points of the right side are left out; the axes of the table have to be stated.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import si_value
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.vehicles.chrono.json_file import quantities
from ce_dynamics.models.vehicles.chrono.reading import Sections, yaml_text
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.tree import FORMAT, long_name, put

AXES: Mapping[str, tuple[str, Floats]] = {
    "iso": ("x forward, y left, z up", np.array((1.0, 1.0, 1.0))),
    "adams": ("x rearward, y right, z up", np.array((-1.0, -1.0, 1.0))),
    "sae": ("x forward, y right, z down", np.array((1.0, -1.0, -1.0))),
}
"""Axes of tables by name: a description, and signs that turn them into x forward, y left, z up."""
ADAMS: Mapping[str, tuple[str, ...]] = {
    "lca_front": ("lower_arm.front_pivot",),
    "lca_rear": ("lower_arm.rear_pivot",),
    "lca_outer": ("D",),
    "uca_front": ("upper_arm.front_pivot",),
    "uca_rear": ("upper_arm.rear_pivot",),
    "uca_outer": ("F",),
    "tierod_outer": ("K",),
    "tierod_inner": ("L",),
    "wheel_center": ("W",),
    "lwr_strut_mount": ("spring.arm", "damper.arm"),
    "top_mount": ("spring.chassis", "damper.chassis"),
}
"""Hardpoints of Adams/Car's double wishbone by the names of a suspension here."""
LARGEST_TABLE = 2**20
"""Most bytes of a table."""


class HardpointFile(NamedTuple):
    """A vehicle file made of a table: its text, the points in the vehicle's axes [m], and unused names."""

    text: str
    points: Mapping[str, Floats]
    unused: tuple[str, ...]


def adams_block(text: str) -> list[str] | None:
    """Return the rows of the block ``[HARDPOINT]`` of Adams/Car, or None if there is none."""
    _, found, rest = text.partition("[HARDPOINT]")
    if not found:
        return None
    header, closed, rows = rest.partition("}")
    if not closed or not header.lstrip().startswith("{"):
        return None
    lines = [line.strip() for line in rows.splitlines()]
    ends = (k for k, line in enumerate(lines) if line[:1] in ("[", "$"))
    return [line for line in lines[: next(ends, len(lines))] if line]


def read_hardpoints(path: Path) -> dict[str, Floats]:
    """Return the points of a table by name, as written; those of the right side are left out."""
    text = files.read("table of hardpoints", path, LARGEST_TABLE).decode("utf-8", errors="replace")
    if (block := adams_block(text)) is not None:
        rows = [row.replace("'", "").split() for row in block]
        header = ["name", "symmetry", "x", "y", "z"]
    else:
        dialect = next((mark for mark in (";", "\t", ",") if mark in text.partition("\n")[0]), ",")
        try:
            lines = [row for row in csv.reader(io.StringIO(text), delimiter=dialect) if row]
        except csv.Error as error:
            raise DataError(f"{path.name}: it is no table of hardpoints: {error}") from None
        header, *rows = [[cell.strip() for cell in row] for row in lines] or [[]]
        header = [name.lower().removesuffix("_value") for name in header]
    if not {"x", "y", "z"} < set(header):
        raise DataError(f"{path.name}: expected columns name, x, y, z; found {', '.join(header) or 'none'}")
    found: dict[str, Floats] = {}
    for number, row in enumerate(rows, start=1):
        cells = dict(zip(header, row, strict=False))
        name = row[0].removeprefix("hpl_").removeprefix("hps_") if row else ""
        if name.startswith("hpr_") or cells.get("symmetry", "").lower() == "right":
            continue
        try:
            point = np.array([float(cells[axis]) for axis in "xyz"])
        except (KeyError, ValueError):
            point = np.full(3, np.nan)
        if not np.isfinite(point).all():
            raise DataError(
                f"{path.name}: row {number}: expected a name and three numbers, all finite; "
                f"found {checks.show(row)}"
            )
        if name in found:
            raise DataError(f"{path.name}: row {number}: {name!r} is there twice; remove one")
        found[name] = point
    return found


def convert_hardpoints(path: Path, base: str, axle: str, axes: str, length: str = "mm") -> HardpointFile:
    """Return a vehicle file that gives an axle of a base the hardpoints of a table.

    The wheel centre stays where the base has it along x and z; the other points keep their distances from it.

    Parameters
    ----------
    path : Path
    base : str
        A shipped vehicle, or the file of one.
    axle : str
        Name of the axle.
    axes : str
        A key of `AXES`: those of the table.
    length : str
        Unit of the table.
    """
    if axes not in AXES:
        choices = "; ".join(f"{name}: {what}" for name, (what, _) in AXES.items())
        raise DataError(
            f"axes: unknown {checks.show(axes)}{checks.suggest_name(axes, AXES) or ';'} choose from {choices}"
        )
    vehicle = VehicleParameters.load(base)
    layout = {one.name: one for one in vehicle.layout.axles}
    if axle not in layout:
        raise DataError(f"axle: {base} has no axle {checks.show(axle)}; it has {', '.join(layout)}")
    what, signs = AXES[axes]
    scale = si_value("length", f"1 {length}", "m")
    section = getattr(vehicle.data, layout[axle].corners[0])
    known = {
        ".".join(key) for key, one in leaves(type(section)).items() if one.unit == "m" and one.components
    }
    written: dict[str, Floats] = {}
    unused = []
    for name, point in read_hardpoints(path).items():
        targets = [target for target in ADAMS.get(name, (name,)) if target in known]
        written |= dict.fromkeys(targets, scale * signs * point)
        if not targets:
            unused.append(name)
    if "W" not in written:
        raise DataError(f"{path.name}: the wheel centre (wheel_center, or W) is missing; add its row")
    if written["W"][1] <= 0.0:
        raise DataError(
            f"{path.name}: with {what} the left wheel centre is at y = {written['W'][1]:g} m, on the right; "
            f"choose other axes: {', '.join(name for name in AXES if name != axes)}"
        )
    moved = (np.array(section.W) - written["W"]) * (1.0, 0.0, 1.0) - (0.0, section.origin[1], 0.0)
    points = {name: point + moved for name, point in written.items()}
    tree: Sections = {"format": FORMAT, "base": base, "title": f"{vehicle.title}, hardpoints of {path.name}"}
    put(tree, ("sources", "table"), f"{path.name}: {what}, lengths in {length}")
    put(tree, ("axles", axle, "source"), "table")
    for name, point in points.items():
        key = long_name((axle, *name.split(".")), vehicle.layout.parts)
        put(tree, key, quantities(point.round(9), "m"))
    return HardpointFile(yaml_text(tree), points, tuple(unused))
