"""Computes the steepness of an axle's motion in a pose, relative to its design pose.

Towards the end of its travel the coordinates q of a suspension move ever faster with the wheels: dq/dz = D
grows without bound where links let a wheel come no higher or lower.  Where a loop or the steering nears its
dead centre, what depends on q does so: ∂/∂q of the places of the wheels and of the lengths of springs grows.
The condition of a pose is the largest of these growths.  What is left of the travel goes with its inverse (of
a loop's dead centre) or with the square of that, and derivatives tell of changes that are small beside it.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, norm
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import TracedFunction, compile_function, trace
from ce_dynamics.models.kc.poses import AxlePoses, Geometry
from ce_dynamics.models.kc.travelling import Travelling

NEAR = 10.0
"""Condition above which a pose is near the end of travel: a hundredth to a thousandth of it is left."""


def steepness(poses: AxlePoses) -> TracedFunction:
    """Sizes of dq/dz, then of the derivatives of the geometry by each coordinate and by the steering."""

    def steep(c: Array) -> dict[str, Array]:
        axle = Travelling(poses, c)
        return {"sizes": array([norm(np.ravel(axle.D)), *(norm(moved(by)) for by in axle.by)])}

    return trace(f"{poses.axle.name} axle: steepness", steep, {"c": poses.size})


def moved(by: Geometry) -> Array:
    """Return one vector of the changes of places, attitudes and lengths [m], [rad]."""
    return np.concatenate([np.ravel(part) for part in (by.W, by.R, by.lengths)])


class Steepness:
    """The condition of poses.

    Parameters
    ----------
    poses : AxlePoses
    design : (n_c,) array
        The design pose, beside which others are steep.
    """

    def __init__(self, poses: AxlePoses, design: Floats) -> None:
        self._function = compile_function(steepness(poses))
        (self._design,) = self._function(design)

    def at(self, poses: Floats) -> Floats:
        """The condition of every pose (n,): 1 in the design pose, infinite where a part cannot be."""
        rows = np.array([self._function(c)[0] for c in poses]).reshape(len(poses), -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = np.where(self._design > 0.0, rows / self._design, 1.0)
        found: Floats = np.max(np.where(np.isnan(growth), np.inf, growth), axis=1, initial=1.0)
        return found
