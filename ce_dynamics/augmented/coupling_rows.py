"""Constraint rows of couplings, written constraints and prescribed motions over absolute velocities.

Hinge coordinates are read off the poses of two bodies (`ce_dynamics.augmented.hinge_coordinates`), which
nothing of the embedded kinematics enters; rows and their derivatives follow from the poses moving with
Ṙ = ω × R and ṙ = v.

Poses determine angles in (−π, π] only.  A linear coupling with fractions p/n as ratios is therefore
imposed as sin(n φ)/n = 0, which no whole turn changes and whose derivatives on the constraint are those of φ.
For other ratios nothing but the velocities can be constrained, beyond the first half turn: the row is not
``holonomic``.  Couplings of other kinds hold within half a turn of the design pose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, sin, zeros
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.augmented.hinge_coordinates import RelativeMotion, coordinates
from ce_dynamics.augmented.rows import ConstraintRows
from ce_dynamics.augmented.states import VELOCITIES, BodyState
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.components import ConstraintView
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.drives import Prescribed
from ce_dynamics.mechanism.system import System

LARGEST_DENOMINATOR = 1000
"""Largest denominator of a ratio that counts as a fraction."""


class AbsoluteView(ConstraintView):
    """Poses of free bodies whose six velocities each are columns of their own."""

    def __init__(self, name: str, bodies: Sequence[Body], states: Mapping[str, BodyState]) -> None:
        super().__init__(name, bodies)
        with_carriers = {body.name: body for body in bodies}
        with_carriers |= {body.carrier.name: body.carrier for body in bodies if not body.is_ground}
        self.columns = [name for name, body in with_carriers.items() if not body.is_ground]
        self.states = states

    def _moving(self, name: str, x: Array, J: Array, rate: Array, acceleration: Array) -> Array:
        n = VELOCITIES * len(self.columns)
        entries = []
        for i in range(3):
            row = np.zeros(n, dtype=object)
            row[:] = 0.0
            if name in self.columns:
                first = VELOCITIES * self.columns.index(name)
                row[first : first + VELOCITIES] = J[i]
            entries.append(ScalarMotion(x[i], row, 0.0, rate[i], acceleration[i]))
        return np.array(entries, dtype=object)

    def _carry_vector(self, body: Body, e: Array) -> Array:
        """Return a vector fixed on a body: ė = ω × e, ë = ω × (ω × e)."""
        w = self.states[body.name].w
        J = np.hstack((array(cross(axis, e) for axis in IDENTITY).T, zeros(3, 3)))
        return self._moving(body.name, e, J, cross(w, e), cross(w, cross(w, e)))

    def _R(self, body: Body) -> Array:
        R = self.states[body.name].R
        return np.array([self._carry_vector(body, R @ axis) for axis in IDENTITY], dtype=object).T

    def _x(self, body: Body, at: Array) -> Array:
        state = self.states[body.name]
        J = np.hstack((zeros(3, 3), IDENTITY))
        centre = self._moving(body.name, state.r, J, state.v, zeros(3))
        return centre + self._carry_vector(body, state.R @ body.local(at))

    def _q(self, body: Body, k: int) -> Scalar:
        hinge, R_p = body.inboard, self._R(body.carrier)
        delta = self._x(body, hinge.at_child) - self._x(body.carrier, hinge.at_parent)
        still = zeros(3)  # coordinates depend on positions only
        return coordinates(hinge, RelativeMotion(R_p.T @ self._R(body), R_p.T @ delta, still, still))[k]


def couplings_of(system: System) -> list[CutEdge]:
    """Return all closures that are no hinges between two points."""
    return [loop for loop in system.closures if not loop.attachments]


def coupling_rows(edge: CutEdge, states: Mapping[str, BodyState]) -> ConstraintRows:
    """Return the rows of a coupling or a written constraint."""
    view = AbsoluteView(edge.name, edge.bodies, states)
    return rows_of(residuals_of(edge, view), view)


def impose_motion(body: Body, states: Mapping[str, BodyState], motion: Prescribed) -> ConstraintRows:
    """Return the rheonomic row: the coordinate q of the inboard hinge follows the motion s.

    It is q − s, and sin(q − s) of angles whose turns a pose leaves open, with the same root and slope.
    """
    view = AbsoluteView(body.name, (body,), states)
    still = zeros(VELOCITIES * len(view.columns))
    s = ScalarMotion(motion.position, still, motion.rate, motion.rate, motion.acceleration)
    phi = view._q(body, 0) - s
    return rows_of([sin(phi) if wraps(body, 0) else phi], view)


def rows_of(residuals: Sequence[Any], view: AbsoluteView) -> ConstraintRows:
    """Return the rows of residuals that move with the bodies of a view."""
    rows = [ScalarMotion.of(value, VELOCITIES * len(view.columns)) for value in residuals]
    J = array(entry for row in rows for entry in row.J).reshape(len(rows), -1)
    blocks = {name: J[:, VELOCITIES * k : VELOCITIES * (k + 1)] for k, name in enumerate(view.columns)}
    g, drift, gamma = (
        array(part) for part in zip(*((r.value, r.drift, r.acceleration) for r in rows), strict=True)
    )
    return ConstraintRows(g, blocks, drift, gamma)


@singledispatch
def residuals_of(edge: CutEdge, view: AbsoluteView) -> list[Any]:
    """Return residuals that move with the bodies."""
    raise NotImplementedError(f"the augmented form has no rows for a {type(edge).__name__}")


@residuals_of.register
def _(edge: Written, view: AbsoluteView) -> list[Any]:
    return list(edge.residual(view))


@residuals_of.register
def _(edge: Coupled, view: AbsoluteView) -> list[Any]:
    phi = edge.coupling.residual([view._q(body, k) for body, k in edge.coordinates])
    n = turns_scale(edge)
    if not is_holonomic(edge):
        return [ScalarMotion(0.0, phi.J, phi.drift, phi.rate, phi.acceleration)]
    return [phi if n is None else sin(n * phi) / n]


def turning(edge: Coupled) -> list[float] | None:
    """Return coefficients of angles in a linear coupling whose turns a pose leaves open; None for others."""
    row = edge.coupling.row()
    if row is None:
        return None
    return [
        float(c)
        for c, (body, k) in zip(row[0], edge.coordinates, strict=True)
        if body.inboard.coordinate_units[k] == "rad" and wraps(body, k)
    ]


def wraps(body: Body, k: int) -> bool:
    """Return True if a pose is the same after a full turn of a coordinate."""
    hinge = body.inboard
    q = np.array(hinge.neutral)
    q[k] += 2.0 * math.pi
    poses = [hinge.pose(hinge.configuration(values)) for values in (hinge.neutral, q)]
    return all(np.allclose(a, b, rtol=0.0, atol=1e-9) for a, b in zip(*poses, strict=True))


def turns_scale(edge: Coupled) -> float | None:
    """Return the n of sin(n φ)/n, None where turns do not matter or are unknown."""
    angles = turning(edge)
    if not angles:
        return None
    first = abs(angles[0])
    ratios = [Fraction(c / first).limit_denominator(LARGEST_DENOMINATOR) for c in angles]
    if any(abs(float(r) - c / first) > 1e-12 * abs(c / first) for r, c in zip(ratios, angles, strict=True)):
        return None
    return math.lcm(*(r.denominator for r in ratios)) / first


@singledispatch
def is_holonomic(edge: CutEdge) -> bool:
    """Return True if poses determine whether a coupling or written constraint holds."""
    return True


@is_holonomic.register
def _(edge: Coupled) -> bool:
    return not (turning(edge) and turns_scale(edge) is None)


class HingeVelocities(NamedTuple):
    """Velocities of a hinge that have armature."""

    A: Array  # (k,): Their armature
    names: list[str]  # Bodies, but for the ground, whose six velocities each are the columns
    rows: Array  # (k, 6 len(names)): ℓ
    # rate, bias (k,): ℓ V, and ℓ̇ V: its time derivative where no body is accelerated
    rate: Array
    bias: Array


def hinge_velocities(body: Body, states: Mapping[str, BodyState]) -> HingeVelocities:
    """Return rates of the coordinates of a hinge; behind a quaternion the relative angular velocity."""
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


def columns_of(names: Sequence[str], bodies: Sequence[Body]) -> list[int]:
    """Return places of the velocities of some bodies among those of all."""
    first = {body.name: VELOCITIES * k for k, body in enumerate(bodies)}
    return [first[name] + i for name in names for i in range(VELOCITIES)]
