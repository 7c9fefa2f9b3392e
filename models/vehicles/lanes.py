"""Lanes between cones: how near a vehicle's flanks come to them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.models.parts.manoeuvres.lane_change import Gate

Floats = NDArray[np.float64]


def clearance(axles: Sequence[Floats], yaw: Floats, width: float, gates: Sequence[Gate]) -> float:
    """Least distance of the vehicle's flanks, at its axles, from the cones of the gates [m].

    Parameters
    ----------
    axles : sequence of (n, 2) arrays
        Paths of the middles of the axles [m].
    yaw : (n,) array
        Heading [rad].
    width : float
        Of the vehicle [m].
    gates : sequence of Gate

    Returns
    -------
    float
        Negative where cones fall; NaN as long as no gate has been reached.
    """
    across = 0.5 * width * np.stack((-np.sin(yaw), np.cos(yaw)), axis=1)
    least = math.nan
    for centre in axles:
        for gate in gates:
            for side in (centre + across, centre - across):
                y = side[(side[:, 0] >= gate.start) & (side[:, 0] <= gate.end), 1]
                if y.size:
                    least = float(np.fmin(least, min(gate.left - y.max(), y.min() - gate.right)))
    return least
