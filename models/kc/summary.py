"""Collects the figures of the design pose as rows of a table, and the curves for JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ce_dynamics.models.kc.compliance import compliance_figures, unit_of
from ce_dynamics.models.kc.sweeps import axes_of, convert_units
from ce_dynamics.models.kc.travel_limits import ends_of_travel

if TYPE_CHECKING:
    import xarray as xr

    from ce_dynamics.models.kc.compliance import Compliance
    from ce_dynamics.models.kc.rig import KCRig


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
        curves = {}
        for name in (*axes_of(results), *results.data_vars):
            variable = results[name]
            sides = [str(side) for side in results["side"].values] if "side" in variable.dims else None
            rows = np.asarray(variable.values, dtype=float)
            values: Any = (
                finite(rows) if sides is None else dict(zip(sides, map(finite, rows.T), strict=True))
            )
            curves[str(name)] = {"unit": variable.attrs["units"], "values": values}
        content[kind] = {"attributes": dict(results.attrs), "curves": curves}
    return content


def finite(values: Any) -> list[float | None]:
    """Return numbers, and None for NaN and infinities."""
    return [float(x) if math.isfinite(x) else None for x in values]
