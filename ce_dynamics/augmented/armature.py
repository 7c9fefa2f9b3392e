"""Armature of hinges over absolute velocities: ½ θ̇ᵀ A θ̇ with θ̇ = ℓ V read off the motion of two bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, zeros
from ce_dynamics.augmented.coupling_rows import VELOCITIES, AbsoluteView
from ce_dynamics.augmented.states import BodyState
from ce_dynamics.mechanism.body import Body


class HingeVelocities(NamedTuple):
    """Velocities of a hinge that have armature.

    Attributes
    ----------
    A : (k,) array
        Their armature.
    names : list of str
        Bodies, but for the ground, whose six velocities each are the columns.
    rows : (k, 6 len(names)) array
        ℓ.
    rate, bias : (k,) arrays
        ℓ V, and ℓ̇ V: its time derivative where no body is accelerated.
    """

    A: Array
    names: list[str]
    rows: Array
    rate: Array
    bias: Array


def hinge_velocities(body: Body, states: Mapping[str, BodyState]) -> HingeVelocities:
    """Rates of the coordinates of a hinge; behind a quaternion the relative angular velocity."""
    view = AbsoluteView(body.name, (body,), states)
    hinge, A, rows, rate, bias = body.inboard, [], [], [], []
    V = np.concatenate([np.concatenate((states[name].w, states[name].v)) for name in view.columns])
    for k in range(hinge.n_q):
        j = hinge.velocity_of(k)
        if j is not None:
            coordinate = view._q(body, k)
            A.append(body.armature[j])
            rows.append(coordinate.J)
            rate.append(coordinate.J @ V)
            bias.append(coordinate.acceleration)
    if hinge.n_q > hinge.n_v:  # ω of the child less that of the carrier, in the carrier's axes
        child, carrier = states[body.name], states[body.carrier.name]
        relative = child.w - carrier.w
        turning = cross(carrier.w, relative)
        for j, axis in enumerate(carrier.R.T[:3]):
            row = np.zeros(len(V), dtype=object)
            row[:] = 0.0
            for name, sign in ((body.name, 1.0), (body.carrier.name, -1.0)):
                if name in view.columns:
                    first = VELOCITIES * view.columns.index(name)
                    row[first : first + 3] = sign * axis
            A.append(body.armature[j])
            rows.append(row)
            rate.append(axis @ relative)
            bias.append(-(axis @ turning))
    return HingeVelocities(array(A), view.columns, np.array(rows), array(rate), array(bias))


def add_armature(M: Array, bodies: Sequence[Body], states: Mapping[str, BodyState]) -> None:
    """Add ℓᵀ A ℓ of every hinge to the mass matrix over all absolute velocities, in place."""
    for body in bodies:
        if body.has_armature:
            hinge = hinge_velocities(body, states)
            places = columns_of(hinge.names, bodies)
            M[np.ix_(places, places)] += hinge.rows.T @ (hinge.A[:, None] * hinge.rows)


def armature_force(bodies: Sequence[Body], states: Mapping[str, BodyState]) -> Array:
    """−ℓᵀ A ℓ̇ V of all hinges, over all absolute velocities."""
    force = zeros(VELOCITIES * len(bodies))
    for body in bodies:
        if body.has_armature:
            hinge = hinge_velocities(body, states)
            part = np.zeros(len(force), dtype=object)
            part[:] = 0.0
            part[columns_of(hinge.names, bodies)] = -(hinge.rows.T @ (hinge.A * hinge.bias))
            force = force + part
    return array(force)


def armature_energy(bodies: Sequence[Body], states: Mapping[str, BodyState]) -> Scalar:
    """½ Σ θ̇ᵀ A θ̇."""
    total: Scalar = 0.0
    for body in bodies:
        if body.has_armature:
            hinge = hinge_velocities(body, states)
            total = total + 0.5 * (hinge.A @ (hinge.rate * hinge.rate))
    return total


def columns_of(names: Sequence[str], bodies: Sequence[Body]) -> list[int]:
    """Places of the velocities of some bodies among those of all."""
    first = {body.name: VELOCITIES * k for k, body in enumerate(bodies)}
    return [first[name] + i for name in names for i in range(VELOCITIES)]
