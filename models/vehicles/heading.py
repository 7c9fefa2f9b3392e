"""Heading of a vehicle, from its quaternion."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats


def heading_as(q: Floats, wanted: Floats) -> Floats:
    """A quaternion turned about the vertical until it heads where another does."""
    back = 0.5 * (heading(wanted) - heading(q))
    c, s = np.cos(back), np.sin(back)
    w, x, y, z = q
    return np.array([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w])


def heading(q: Floats) -> float:
    """Yaw angle of a quaternion [rad]."""
    w, x, y, z = q
    return float(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
