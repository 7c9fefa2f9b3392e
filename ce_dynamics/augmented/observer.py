"""The `Observer` of force elements, answered from absolute states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, dot, zeros
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.augmented.augmented import Augmented
from ce_dynamics.augmented.hinge_coordinates import RelativeMotion, coordinates, rate_rows, relative_motion
from ce_dynamics.augmented.states import BodyState, point_of
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import HingeLoad, PointLoad, PointState, Response
from ce_dynamics.mechanism.system import System


class AbsoluteObserver:
    """Observes a motion given by the absolute states of all bodies, the ground among them."""

    def __init__(self, states: Mapping[str, BodyState]) -> None:
        self.states = checks.mapping("states", states)

    def point(self, body: Body, at: Array, frame: Body) -> PointState:
        """Return a point; see `Observer.point`."""
        if body is frame:
            return PointState(body.local(at), zeros(3))
        f = self.states[frame.name]
        x, v = point_of(body, self.states[body.name], at)
        delta = x - f.r
        return PointState(f.R.T @ delta, f.R.T @ (v - f.v - cross(f.w, delta)))

    def direction(self, body: Body, axis: Array, frame: Body) -> Array:
        """Return a direction; see `Observer.direction`."""
        turned: Array = self.states[frame.name].R.T @ (self.states[body.name].R @ axis)
        return turned

    def angular_velocity(self, body: Body, frame: Body) -> Array:
        """Return an angular velocity; see `Observer.angular_velocity`."""
        f = self.states[frame.name]
        relative: Array = f.R.T @ (self.states[body.name].w - f.w)
        return relative

    def coordinate(self, body: Body, k: int = 0) -> Scalar:
        """Return a coordinate, angles in (−π, π]; see `Observer.coordinate`.  Quaternions are refused."""
        q = coordinates(body.inboard, self.relative(body))
        if k >= len(q):
            raise ModelError(
                f"coordinate {k} of body {body.name!r} is part of a quaternion, whose sign absolute states do"
                " not have; let the force element ask for `direction` instead"
            )
        return q[k]

    def rate(self, body: Body, k: int = 0) -> Scalar:
        """Return a rate; see `Observer.rate`."""
        relative = self.relative(body)
        row = rate_rows(body.inboard, relative.R)[k]
        return dot(row, concatenate((relative.w, relative.v)))

    def relative(self, body: Body) -> RelativeMotion:
        """Return the motion of a body relative to the parent of its inboard hinge."""
        return relative_motion(body, self.states[body.carrier.name], self.states[body.name])


def apply_law(
    model: Augmented, law: InputLaw | None, t: Scalar, p: Array, V: Array, x: Array, u: Array
) -> Array:
    """Return the inputs of a law at a state, or u if there is no law.

    Inputs that the law does not answer have their defaults.
    """
    if law is None:
        return u
    system = model.system
    observer = AbsoluteObserver(model.instant(p, V, x, model.u0).states)
    sensors = {name: output.function(observer) for name, output in system.outputs.items()}
    given = law.inputs(t, sensors)
    unknown = sorted(set(given) - set(system.inputs))
    if unknown:
        raise ModelError(f"input law answers {unknown}; the system's inputs are {list(system.inputs)}")
    return array(given.get(name, declared.default) for name, declared in system.inputs.items())


class Applied(NamedTuple):
    """Wrenches and responses of the force elements."""

    wrenches: dict[str, Array]  # (6,): [torque; force] on each body about its centre of mass, world axes
    responses: dict[str, Response]  # Responses of the elements, by name


def apply_elements(
    system: System, states: Mapping[str, BodyState], x: Mapping[str, Array], u: Mapping[str, Scalar]
) -> Applied:
    """Evaluate every force element and sum its loads."""
    observer = AbsoluteObserver(states)
    wrenches = {body.name: zeros(6) for body in (system.ground, *system.bodies)}
    responses = {}
    for element in system.forces:
        response = element.evaluate(observer, x[element.name], u)
        responses[element.name] = response
        for load in response.loads:
            pairs = (
                hinge_pair(load, observer) if isinstance(load, HingeLoad) else [point_wrench(load, states)]
            )
            for body, wrench in pairs:
                wrenches[body.name] = wrenches[body.name] + wrench
    return Applied(wrenches, responses)


def point_wrench(load: PointLoad, states: Mapping[str, BodyState]) -> tuple[Body, Array]:
    """Return a point load as a wrench about the centre of mass of its body."""
    frame, body = states[load.frame.name], states[load.body.name]
    force = frame.R @ load.force
    lever = frame.r + frame.R @ load.r - body.r
    return load.body, concatenate((frame.R @ load.torque + cross(lever, force), force))


def hinge_pair(load: HingeLoad, observer: AbsoluteObserver) -> list[tuple[Body, Array]]:
    """Return a generalised hinge force on the child and its reaction on the parent, at the hinge point."""
    body, parent = load.body, load.body.carrier
    p, c = observer.states[parent.name], observer.states[body.name]
    row = rate_rows(body.inboard, observer.relative(body).R)[load.k]
    torque, force = p.R @ (row[:3] * load.value), p.R @ (row[3:] * load.value)
    x, _ = point_of(body, c, body.inboard.at_child)
    return [
        (body, concatenate((torque + cross(x - c.r, force), force))),
        (parent, concatenate((-torque - cross(x - p.r, force), -force))),
    ]


def inertia_matrix(body: Body, state: BodyState) -> Array:
    """Return blkdiag(R I Rᵀ, m 1) as (6, 6)."""
    rotated = state.R @ body.inertia @ state.R.T
    return array(
        [[*row, 0.0, 0.0, 0.0] for row in rotated] + [[0.0, 0.0, 0.0, *row] for row in body.mass * IDENTITY]
    )


def free_force(body: Body, state: BodyState, wrench: Array, gravity: Array) -> Array:
    """Return right-hand side of a free body's Newton-Euler equations: [τ − ω × I ω; F + m g]."""
    momentum = state.R @ (body.inertia @ (state.R.T @ state.w))
    return concatenate((wrench[:3] - cross(state.w, momentum), wrench[3:] + body.mass * gravity))
