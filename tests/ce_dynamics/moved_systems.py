"""The same mechanism somewhere else: turned, moved by kilometres, its data rounded to some digits."""

import numpy as np
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.hinges import Closure, Distance, Hinge, Planar
from ce_dynamics.mechanism.hinges.rolling import RollingOnPlane
from ce_dynamics.mechanism.system import System


def rotation(rng: np.random.Generator) -> Array:
    """A random rotation, none as likely as any other."""
    return np.asarray(Rotation.random(random_state=rng).as_matrix())


class Elsewhere:
    """Place of a mechanism, and the digits of its data: decimals of metres and of components of directions.

    Directions are given random lengths before, so that parallel ones are rounded differently.
    """

    def __init__(self, R: Array, r: Array, digits: int | None = None) -> None:
        self.R, self.r, self.digits = R, r, digits
        self._lengths = np.random.default_rng(0)

    def _written(self, values: Array) -> Array:
        return values if self.digits is None else np.round(values, self.digits)

    def point(self, at: Array) -> Array:
        return self._written(self.R @ at + self.r)

    def direction(self, axis: Array) -> Array:
        turned = self._written(self._lengths.uniform(0.5, 1.0) * self.R @ axis)
        return np.asarray(turned / np.linalg.norm(turned))

    def hinge(self, hinge: Hinge) -> Hinge:
        if isinstance(hinge, Planar):
            return Planar(self.direction(hinge.normal), self.point(hinge.at))
        if isinstance(hinge, RollingOnPlane):
            return RollingOnPlane(self.direction(hinge.normal), self.point(hinge.at), hinge.radius)
        directions = [self.direction(getattr(hinge, name)) for name in hinge.directions]
        return hinge.relocate(directions, self.point(hinge.at))

    def closure(self, closure: Closure) -> Closure:
        if isinstance(closure, Distance):
            by_design = abs(float(np.linalg.norm(closure.at_b - closure.at_a)) - closure.length) < 1e-12
            length = None if by_design else closure.length
            return Distance(self.point(closure.at_a), self.point(closure.at_b), length)
        assert isinstance(closure, Hinge)
        return self.hinge(closure)

    def __call__(self, system: System) -> System:
        """Another system; of forces it has gravity only, of closures no couplings."""
        twin = System(gravity=self.R @ system.gravity, name=system.name, tolerance=system.tolerance)
        for body in system.bodies:
            twin.add_body(
                body.name,
                mass=body.mass,
                com=self.R @ body.com + self.r,
                inertia=self.R @ body.inertia @ self.R.T,
                parent=body.carrier.name,
                hinge=self.hinge(body.inboard),
            )
        twin.inputs |= system.inputs
        for name, motion in system.prescribed.items():
            twin.prescribe(name, motion)
        for edge in system.closures:
            assert isinstance(edge, LoopClosure)
            twin.close_loop(
                edge.name,
                edge.body_a.name,
                edge.body_b.name,
                self.closure(edge.closure),
                edge.independent,
                through_dead_centres=edge.through_dead_centres,
            )
        return twin
