"""Forces on free bodies: what the force elements answer, gravity and gyroscopic torques."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, zeros
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.augmented.hinge_coordinates import rate_rows
from ce_dynamics.augmented.observer import AbsoluteObserver
from ce_dynamics.augmented.states import BodyState, point_of
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import HingeLoad, PointLoad, Response
from ce_dynamics.mechanism.system import System


class Applied(NamedTuple):
    """What the force elements do.

    Attributes
    ----------
    wrenches : dict of str to (6,) array
        [torque; force] on each body about its centre of mass, world axes.
    responses : dict of str to Response
        Answers of the elements by name.
    """

    wrenches: dict[str, Array]
    responses: dict[str, Response]


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
    """A point load as a wrench about the centre of mass of its body."""
    frame, body = states[load.frame.name], states[load.body.name]
    force = frame.R @ load.force
    lever = frame.r + frame.R @ load.r - body.r
    return load.body, concatenate((frame.R @ load.torque + cross(lever, force), force))


def hinge_pair(load: HingeLoad, observer: AbsoluteObserver) -> list[tuple[Body, Array]]:
    """A generalised hinge force on the child and its reaction on the parent, at the child's hinge point."""
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
    """blkdiag(R I Rᵀ, m 1) as (6, 6)."""
    rotated = state.R @ body.inertia @ state.R.T
    return array(
        [[*row, 0.0, 0.0, 0.0] for row in rotated] + [[0.0, 0.0, 0.0, *row] for row in body.mass * IDENTITY]
    )


def free_force(body: Body, state: BodyState, wrench: Array, gravity: Array) -> Array:
    """Right-hand side of a free body's Newton-Euler equations: [τ − ω × I ω; F + m g]."""
    momentum = state.R @ (body.inertia @ (state.R.T @ state.w))
    return concatenate((wrench[:3] - cross(state.w, momentum), wrench[3:] + body.mass * gravity))
