"""A wheel on a road in the plane: the nearest point, the gap, the normal; a wavy road."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, cos, sin
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.roads.contract import Road


class WavyRoad(Road):
    """z = amplitude sin(2π x / wavelength).

    Parameters
    ----------
    friction : float
    amplitude : float
        [m].
    wavelength : float
        [m], positive.
    """

    def __init__(self, friction: float, amplitude: float, wavelength: float) -> None:
        super().__init__(friction)
        self.amplitude = check_number("wavy road", "amplitude", amplitude)
        self.k = math.tau / check_number("wavy road", "wavelength", wavelength, above=0.0)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self.amplitude * sin(self.k * x)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return self.amplitude * self.k * cos(self.k * x), 0.0


class Touch(NamedTuple):
    """The road seen from the wheel.

    Attributes
    ----------
    gap : float
        d: distance of the wheel's rim from the road, negative in penetration [m].
    x : float
        Where the nearest point of the road is [m].
    n : (2,) array
        Unit normal there.
    mu : float
        Friction coefficient there.
    """

    gap: float
    x: float
    n: Floats
    mu: float


def touch(road: Road, x_w: float, y_w: float, radius: float) -> Touch:
    """The point of the road nearest to the wheel's centre.

    The nearest of a raster within one radius, made exact by the condition that the connecting line is normal
    to the road; roads whose hollows are curved more than the wheel can touch it in two points, of which one
    counts.
    """
    from scipy.optimize import brentq  # here, because most runs never ask

    def off_normal(x: float) -> float:
        slope = float(road.slope(x, 0.0)[0])
        return (x - x_w) + (float(road.height(x, 0.0)) - y_w) * slope

    raster = x_w + radius * np.linspace(-1.0, 1.0, 13)
    distance = [math.hypot(x - x_w, float(road.height(x, 0.0)) - y_w) for x in raster]
    k = min(max(int(np.argmin(distance)), 1), len(raster) - 2)
    a, b = float(raster[k - 1]), float(raster[k + 1])
    x = float(raster[k])
    if off_normal(a) < 0.0 < off_normal(b):
        x = float(brentq(off_normal, a, b, xtol=1e-14, rtol=1e-14))
    normal = np.asarray(road.normal(x, 0.0), dtype=float)
    n = normal[[0, 2]] / math.hypot(normal[0], normal[2])
    reach = (x_w - x) * n[0] + (y_w - float(road.height(x, 0.0))) * n[1]
    return Touch(reach - radius, x, n, float(road.friction(x, 0.0)))
