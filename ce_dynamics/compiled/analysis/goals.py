"""Goals of points and frames, and their errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.algebra.rotation import rotation_vector_of
from ce_dynamics.compiled.analysis.points import Frame, Point
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError

ORTHONORMAL = 1e-9  # largest accepted error of R Rᵀ = 1 of a target orientation


class Goal(NamedTuple):
    """Target position r [m] and orientation R of a frame in the world; any orientation if R is None."""

    frame: Frame
    r: Floats
    R: Floats | None

    @property
    def conditions(self) -> int:
        """Number of conditions."""
        return 3 if self.R is None else 6

    @property
    def arm(self) -> Floats:
        """The frame's origin from the centre of mass of its body, in the design pose."""
        com: Floats = nominal(self.frame.body.com).astype(float)
        return self.frame.at - com

    def find_error(self, r: Floats, R: Floats) -> Floats:
        """Return rotation vector, if it matters, and displacement from the goal to a frame at r, R."""
        if self.R is None:
            return r - self.r
        return np.concatenate((rotation_vector_of(R @ self.R.T), r - self.r))

    def rows(self, J: Floats) -> Floats:
        """Return the rows of a frame's Jacobian that belong to `find_error`, to first order in the error."""
        return J if self.R is not None else J[3:]


def goal_of(target: object, wanted: object) -> Goal:
    """Return a checked target."""
    if isinstance(target, Point):
        return Goal(target.frame, checked(f"target of {target.frame.body.name!r}", wanted, 3), None)
    if not isinstance(target, Frame):
        raise ModelError(f"targets: {target!r} is neither model.point(...) nor model.frame(...)")
    owner = f"target of {target.body.name!r}"
    if not isinstance(wanted, (tuple, list)) or len(wanted) != 2:
        raise ModelError(f"{owner}: a frame takes a position (3,) and a rotation matrix (3, 3)")
    r, R = checked(owner, wanted[0], 3), np.asarray(wanted[1], dtype=np.float64)
    proper = R.shape == (3, 3) and np.allclose(R @ R.T, np.eye(3), atol=ORTHONORMAL, rtol=0.0)
    if not proper or np.linalg.det(R) < 0.0:
        raise ModelError(f"{owner}: {R.tolist()} is no rotation matrix")
    return Goal(target, r, R)


def labels_of(goal: Goal) -> tuple[str, ...]:
    """Return the names and units of the rows of a goal, for messages."""
    where = f"{goal.frame.body.name!r} at {goal.frame.at.tolist()}"
    position = tuple(f"{axis} of {where} [m]" for axis in "xyz")
    turns = tuple(f"rotation about {axis} of {where} [rad]" for axis in "xyz")
    return position if goal.R is None else (*turns, *position)
