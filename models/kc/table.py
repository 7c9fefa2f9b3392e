"""Results of the rig as labelled data, and as a table in the units that engineers use."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.kc.axle import Axle
from ce_dynamics.models.kc.quantities import Quantity
from ce_dynamics.models.kc.sweeps import Sweep

DEGREES = 180.0 / math.pi

SHOWN: Mapping[str, tuple[float, str]] = {
    "rad": (DEGREES, "deg"),
    "m": (1e3, "mm"),
    "N/m": (1e-3, "N/mm"),
    "rad/m": (DEGREES, "deg/m"),
    "N*m/rad": (1.0 / DEGREES, "N*m/deg"),
    "m/rad": (1e3 / DEGREES, "mm/deg"),
    "rad/N": (1e3 * DEGREES, "deg/kN"),
    "m/N": (1e6, "mm/kN"),
    "rad/(N*m)": (1e3 * DEGREES, "deg/(kN*m)"),
}
"""Factor and unit in which tables and pages show a unit; others stay."""


def dataset(
    model: str, axle: Axle, known: Sequence[Quantity], sweep: Sweep, found: Mapping[str, Floats]
) -> xr.Dataset:
    """Figures over a sweep of an axle of a model, in SI units."""
    quantities = {quantity.name: quantity for quantity in known}
    variables = {}
    for name, values in found.items():
        quantity = quantities[name]
        dims = ("pose", "side") if quantity.per_wheel else ("pose",)
        attributes = {"units": quantity.unit, "long_name": quantity.meaning}
        variables[name] = xr.Variable(dims, values, attributes)
    travel = xr.Variable(("pose", "side"), sweep.travel, {"units": "m", "long_name": "wheel travel, up"})
    lock = {"units": "1", "long_name": "part of full lock, positive to the left"}
    return xr.Dataset(
        variables,
        coords={
            "side": list(axle.sides),
            "wheel_travel": travel,
            "steering": xr.Variable(("pose",), sweep.steering, lock),
        },
        attrs={
            "model": model,
            "axle": axle.name,
            "sweep": sweep.kind,
            "conventions": "ISO 8855: x forward, y to the left, z up; SI units",
        },
    )


def axes_of(results: xr.Dataset) -> list[str]:
    """Return the coordinates of the results that a sweep can vary."""
    return [name for name in ("force", "wheel_travel", "steering") if name in results.coords]


def shown(values: Floats, unit: str) -> tuple[Floats, str]:
    """Values and unit as engineers read them."""
    factor, other = SHOWN.get(unit, (1.0, unit))
    return factor * np.asarray(values, dtype=float), other


def columns(results: xr.Dataset) -> dict[str, Floats]:
    """All curves of a sweep by heading, such as ``left toe_angle [deg]``."""
    found: dict[str, Floats] = {}
    for name in (*axes_of(results), *results.data_vars):
        variable = results[name]
        unit = variable.attrs["units"]
        sides = [str(side) for side in results["side"].values] if "side" in variable.dims else [""]
        for k, side in enumerate(sides):
            values = variable.values[:, k] if side else variable.values
            scaled, text = shown(values, unit)
            found[f"{side} {name} [{text}]".strip()] = scaled
    return found


def csv_text(results: xr.Dataset) -> str:
    """A table with one row per pose; numbers are written such that they are read back as they were."""
    table = columns(results)
    rows = zip(*table.values(), strict=True)
    lines = [",".join(table), *(",".join(repr(float(x)) for x in row) for row in rows)]
    return "\n".join(lines) + "\n"
