"""A hydrodynamic torque converter between engine (impeller) and gearbox (turbine)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, where
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.engine import check_table
from ce_dynamics.models.parts.rounding import rounded_absolute, rounded_ramp
from ce_dynamics.models.parts.torque_table import ROUNDED, TorqueTable

COUPLING_BAND = 0.02
"""Of the speed ratio, on both sides of 1: where the torque changes its sign continuously."""
COUPLING_ROUNDING = 0.005
"""Of the speed ratio: half width of that band's rounded corners, and the largest one of the tables'."""
LEAST_SPEED = 1.0
"""[rad/s] of the impeller, by which the speed ratio is formed when the engine stands."""


@dataclass(frozen=True)
class ConverterParameters:
    """A torque converter by its two characteristics.

    Attributes
    ----------
    speed_ratio : tuple of float
        Turbine over impeller speed, increasing from 0 to 1.
    capacity : tuple of float
        Impeller torque over the square of its speed [N m s²/rad²].
    torque_ratio : tuple of float
        Turbine over impeller torque; 1 at the speed ratio 1.
    """

    speed_ratio: tuple[float, ...]
    capacity: tuple[float, ...]
    torque_ratio: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("capacity", "torque_ratio"):
            check_table("converter", name, self.speed_ratio, getattr(self, name))
        for k, number in enumerate(self.capacity):
            check_number("converter", f"capacity[{k}]", number, above=0.0)
        if (self.speed_ratio[0], self.speed_ratio[-1]) != (0.0, 1.0):
            raise DataError("converter: speed_ratio must go from 0 to 1")
        if self.torque_ratio[-1] != 1.0:
            last = self.torque_ratio[-1]
            raise DataError(f"converter: torque_ratio at speed ratio 1 is {last:g}; it must be 1")
        nu = np.linspace(0.0, 1.0, 1001)
        gain = nu * np.interp(nu, self.speed_ratio, self.torque_ratio)
        if np.max(gain) > 1.0:
            worst = float(nu[int(np.argmax(gain))])
            raise DataError(
                f"converter: at speed ratio {worst:g} it hands on {np.max(gain):.3g} of the power it takes; "
                "lower torque_ratio there"
            )

    def torques(self, impeller: Scalar, turbine: Scalar) -> tuple[Scalar, Scalar]:
        """Torque that the impeller takes and torque that the turbine gives [N m], at their speeds [rad/s].

        Where the turbine is the faster one it drives the engine: the flow is reversed, with the capacity of
        the mirrored speed ratio and no multiplication, but for what the corner of `torque_ratio` at equal
        speeds, which is rounded just beyond them, leaves off 1.  An engine that is turned backwards is braked
        by the housing, however the turbine turns, and hands nothing on.
        """
        nu = turbine / maximum(impeller, LEAST_SPEED)
        slip = rounded_absolute(1.0 - nu, COUPLING_ROUNDING)
        full = 1.0 - rounded_ramp(1.0 - absolute(1.0 - nu) / COUPLING_BAND, COUPLING_ROUNDING / COUPLING_BAND)
        ahead, back = maximum(impeller, 0.0), minimum(impeller, 0.0)
        strength = where(nu < 1.0, full, -full) * prolonged(self.speed_ratio, self.capacity)(1.0 - slip)
        taken = strength * (ahead * ahead)
        braked = taken - self.capacity[0] * (back * back)
        return braked, taken * prolonged(self.speed_ratio, self.torque_ratio)(nu)


def prolonged(x: tuple[float, ...], y: tuple[float, ...]) -> TorqueTable:
    """A table whose ends are moved outwards along its lines: they are rounded beyond where they were.

    At stall it then says what is written; at equal speeds there is no corner, nor more power than comes in.
    No end is moved so far that more than half of its value is lost, nor that roundings reach back over it.
    """
    reach, ends = COUPLING_ROUNDING, []
    for end, inner in ((0, 1), (-1, -2)):
        outwards, rise = x[end] - x[inner], y[end] - y[inner]
        part = min(COUPLING_ROUNDING / abs(outwards), ROUNDED / (1.0 - ROUNDED))
        if rise != 0.0:
            part = min(part, 0.5 * y[end] / abs(rise))
        reach = min(reach, part * abs(outwards))
        ends.append((x[end] + part * outwards, y[end] + part * rise))
    (first, low), (last, high) = ends
    return TorqueTable((first, *x[1:-1], last), (low, *y[1:-1], high), reach)
