"""The `Observer` of force elements, answered from absolute states."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.algebra.arrays import Array, Scalar, concatenate, cross, dot, zeros
from ce_dynamics.augmented.hinge_coordinates import Relative, coordinates, rate_rows, relative_motion
from ce_dynamics.augmented.states import BodyState, point_of
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import PointState


class AbsoluteObserver:
    """Observes a motion given by the absolute states of all bodies, the ground among them."""

    def __init__(self, states: Mapping[str, BodyState]) -> None:
        self.states = states

    def point(self, body: Body, at: Array, frame: Body) -> PointState:
        """See `Observer.point`."""
        if body is frame:
            return PointState(body.local(at), zeros(3))
        f = self.states[frame.name]
        x, v = point_of(body, self.states[body.name], at)
        delta = x - f.r
        return PointState(f.R.T @ delta, f.R.T @ (v - f.v - cross(f.w, delta)))

    def direction(self, body: Body, axis: Array, frame: Body) -> Array:
        """See `Observer.direction`."""
        turned: Array = self.states[frame.name].R.T @ (self.states[body.name].R @ axis)
        return turned

    def angular_velocity(self, body: Body, frame: Body) -> Array:
        """See `Observer.angular_velocity`."""
        f = self.states[frame.name]
        relative: Array = f.R.T @ (self.states[body.name].w - f.w)
        return relative

    def coordinate(self, body: Body, k: int = 0) -> Scalar:
        """See `Observer.coordinate`; quaternions are not to be had, angles are in (−π, π]."""
        q = coordinates(body.inboard, self.relative(body))
        if k >= len(q):
            raise ModelError(
                f"coordinate {k} of body {body.name!r} is part of a quaternion, whose sign absolute states do"
                " not tell; let the force element ask for `direction` instead"
            )
        return q[k]

    def rate(self, body: Body, k: int = 0) -> Scalar:
        """See `Observer.rate`."""
        relative = self.relative(body)
        row = rate_rows(body.inboard, relative.R)[k]
        return dot(row, concatenate((relative.w, relative.v)))

    def relative(self, body: Body) -> Relative:
        """Motion of a body relative to the parent of its inboard hinge."""
        return relative_motion(body, self.states[body.carrier.name], self.states[body.name])
