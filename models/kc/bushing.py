"""Elastic joints: where they are and how stiff."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.elastic_joints import ElasticJoint
from ce_dynamics.mechanism.forces.bushing import Bushing as BushingForce
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.kc.free_bodies import axle_joints
from ce_dynamics.models.kc.rig import KCRig


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

    def element(self, name: str, system: System) -> BushingForce:
        """The force element that stands for it in a system."""
        one, other = (system.find(body) for body in self.between)
        k = checks.finite_array(f"bushing {self.between}: stiffness", self.stiffness, (6,), DataError)
        if not np.all(k >= 0.0):
            raise DataError(f"bushing {self.between}: stiffness {k.tolist()} must be at least 0")
        return BushingForce(name, one, other, self.at, k.tolist(), axes=self.frame())


def elastic_joint(rig: KCRig, bushing: Bushing, number: int) -> ElasticJoint:
    """The joint of an axle that a bushing stands for.

    Raises
    ------
    DataError
        If no joint of the axle is between its bodies.
    """
    names = {*bushing.between}
    joints = axle_joints(rig)
    for joint in joints:
        if {joint.parent.name, joint.child.name} == names:
            return ElasticJoint(joint.name, bushing.element(f"bushing {number}", rig.model.system))
    pairs = ", ".join(f"{joint.parent.name} and {joint.child.name}" for joint in joints)
    raise DataError(f"no joint of the axle is between {' and '.join(bushing.between)}; there are: {pairs}")
