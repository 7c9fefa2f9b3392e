"""Sweeps of the rig, and their results as labelled data and as tables in engineers' units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.kc.axle import Axle
from ce_dynamics.models.kc.quantities import Quantity

if TYPE_CHECKING:
    import xarray as xr

TRAVEL, POSES = 0.1, 41
"""Range either way [m] and number of poses, unless given."""

KINDS: Mapping[str, tuple[float, float, float]] = {
    "parallel": (1.0, 1.0, 0.0),
    "opposed": (1.0, -1.0, 0.0),
    "left": (1.0, 0.0, 0.0),
    "right": (0.0, 1.0, 0.0),
    "steering": (0.0, 0.0, 1.0),
}
"""Travel of the left and of the right wheel, and steering, per unit of the sweep."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """Poses one after the other: travel (n, 2) [m], positive up, and part of full lock, positive to the left.

    ``values`` are abscissas of the curves: travel [m], or share of full lock; ``kind`` is a name for people.
    """

    kind: str
    values: Floats
    travel: Floats
    steering: Floats

    @property
    def over_steering(self) -> bool:
        """True if it is steering that changes."""
        return self.kind == "steering"

    def part(self, rows: Sequence[int]) -> Sweep:
        """Return some of the poses."""
        return Sweep(self.kind, self.values[rows], self.travel[rows], self.steering[rows])


def sweep_of(kind: str | Sweep, values: ArrayLike | None = None) -> Sweep:
    """Return a sweep by name, or the given one."""
    if isinstance(kind, Sweep):
        return kind
    checks.check_name("sweep", kind, list(KINDS), "kind", DataError)
    largest = 1.0 if kind == "steering" else TRAVEL
    given = np.linspace(-largest, largest, POSES) if values is None else values
    x = checks.finite_array(f"{kind} sweep", given, (None,), DataError)
    if not len(x):
        raise DataError(f"{kind} sweep: no value is given")
    left, right, steering = KINDS[kind]
    return Sweep(kind, x, np.stack((left * x, right * x), axis=1), steering * x)


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


def label_figures(
    known: Iterable[Quantity], found: Mapping[str, Floats], unit: str = "{}", *more: str
) -> dict[str, xr.Variable]:
    """Return figures by name as variables over poses, wheels where these have one each, and ``more``."""
    import xarray as xr  # here, because it takes long to load

    quantities = {quantity.name: quantity for quantity in known}
    variables = {}
    for name, values in found.items():
        quantity = quantities[name]
        dims = ("pose", "side", *more) if quantity.per_wheel else ("pose", *more)
        attributes = {"units": unit.format(quantity.unit), "long_name": quantity.meaning}
        variables[name] = xr.Variable(dims, values, attributes)
    return variables


def dataset(
    model: str, axle: Axle, known: Sequence[Quantity], sweep: Sweep, found: Mapping[str, Floats]
) -> xr.Dataset:
    """Label the figures of a sweep, in SI units."""
    import xarray as xr  # here, because it takes long to load

    travel = xr.Variable(("pose", "side"), sweep.travel, {"units": "m", "long_name": "wheel travel, up"})
    lock = {"units": "1", "long_name": "part of full lock, positive to the left"}
    return xr.Dataset(
        label_figures(known, found),
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


def shown_unit(unit: str) -> tuple[float, str]:
    """Return factor and unit in which engineers read a unit."""
    return SHOWN.get(unit, (1.0, unit))


def convert_units(values: Floats, unit: str) -> tuple[Floats, str]:
    """Return values and unit as engineers read them."""
    factor, other = shown_unit(unit)
    return factor * np.asarray(values, dtype=float), other


def curves_of(results: xr.Dataset) -> Iterator[tuple[str, str, dict[str, Floats]]]:
    """Yield names, units and curves of a sweep: by side, that of the whole axle by an empty text."""
    sides = [str(side) for side in results["side"].values]
    for name in (*axes_of(results), *results.data_vars):
        values, unit = np.asarray(results[name].values, dtype=float), results[name].attrs["units"]
        of_wheels = "side" in results[name].dims
        yield str(name), unit, dict(zip(sides, values.T, strict=True)) if of_wheels else {"": values}


def columns(results: xr.Dataset) -> dict[str, Floats]:
    """Return all curves of a sweep by heading, such as ``left toe_angle [deg]``."""
    found: dict[str, Floats] = {}
    for name, unit, curves in curves_of(results):
        for side, values in curves.items():
            scaled, text = convert_units(values, unit)
            found[f"{side} {name} [{text}]".strip()] = scaled
    return found


def csv_text(results: xr.Dataset) -> str:
    """Return a table with one row per pose; numbers are written such that they are read back as they were."""
    table = columns(results)
    rows = zip(*table.values(), strict=True)
    lines = [",".join(table), *(",".join(repr(float(x)) for x in row) for row in rows)]
    return "\n".join(lines) + "\n"
