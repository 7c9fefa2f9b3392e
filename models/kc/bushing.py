"""Elastic joints: where they are and how stiff."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError


@dataclass(frozen=True, eq=False)
class Bushing:
    """An elastic joint between two bodies that a hinge or closure joins in the model.

    A joint may have several: an arm has one at each end of its axis.

    Attributes
    ----------
    between : pair of str
        Names of the bodies; the displacements are those of the second relative to the first.
    at : (3,) array_like
        Its centre in the design pose [m].
    axis : (3,) array_like
        Its z axis in the design pose.
    stiffness : (6,) array_like
        Along its x, y, z [N/m] and about them [N*m/rad].
    x_axis : (3,) array_like, optional
        A direction in its x-z plane; the vehicle's z axis, or where that is its own axis the x axis, if not
        given.
    """

    between: tuple[str, str]
    at: ArrayLike
    axis: ArrayLike
    stiffness: ArrayLike
    x_axis: ArrayLike | None = None

    def frame(self) -> Floats:
        """Its axes as columns."""
        z = checks.finite_array(f"bushing {self.between}: axis", self.axis, (3,), DataError)
        size = float(np.linalg.norm(z))
        if not size > 0.0:
            raise DataError(f"bushing {self.between}: axis is zero")
        z = z / size
        given = self.x_axis
        if given is None:
            given = (0.0, 0.0, 1.0) if abs(z[2]) < 0.9 else (1.0, 0.0, 0.0)
        x = checks.finite_array(f"bushing {self.between}: x_axis", given, (3,), DataError)
        x = x - z * (z @ x)
        if not np.linalg.norm(x) > 1e-6:
            raise DataError(f"bushing {self.between}: x_axis lies along its axis")
        x = x / np.linalg.norm(x)
        return np.stack((x, np.cross(z, x), z), axis=1)

    def matrix(self) -> Floats:
        """Its stiffness, diagonal: rotations first, as displacements are [turn; shift]."""
        k = checks.finite_array(f"bushing {self.between}: stiffness", self.stiffness, (6,), DataError)
        if not np.all(k >= 0.0):
            raise DataError(f"bushing {self.between}: stiffness {k.tolist()} must be at least 0")
        return np.diag((*k[3:], *k[:3]))
