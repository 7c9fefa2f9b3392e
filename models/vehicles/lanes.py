"""Lanes between cones: how near a vehicle's flanks come to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.parts.paths import Gate


class AxlePath(NamedTuple):
    """Path of an axle: its middle (n, 2) [m] and the unit vector along it, to the left (n, 2)."""

    centre: Floats
    left: Floats

    @classmethod
    def between(cls, left: Floats, right: Floats) -> AxlePath:
        """Return the path of an axle from those of its wheels, (n, 2) each.

        A trailer's axle has its own heading.
        """
        along = left - right
        return cls(0.5 * (left + right), along / np.linalg.norm(along, axis=1, keepdims=True))


def clearance(axles: Sequence[AxlePath], width: float, gates: Sequence[Gate]) -> float:
    """Least distance of the vehicle's flanks, at its axles, from the cones of the gates [m].

    Parameters
    ----------
    axles : sequence of AxlePath
    width : float
        Of the vehicle [m].
    gates : sequence of Gate

    Returns
    -------
    float
        Negative where cones fall; NaN as long as no gate has been reached.
    """
    least = math.nan
    for centre, left in axles:
        for gate in gates:
            for side in (centre + 0.5 * width * left, centre - 0.5 * width * left):
                y = side[(side[:, 0] >= gate.start) & (side[:, 0] <= gate.end), 1]
                if y.size:
                    least = float(np.fmin(least, min(gate.left - y.max(), y.min() - gate.right)))
    return least
