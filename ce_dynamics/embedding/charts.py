"""Loop kinematics on charts: a loop with several freedoms goes through the dead centres of all its hinges.

A chart is the plane through a configuration q_r along the directions T in which the loop can move there.
θ = Tᵀ (q − q_r) (T32), in units of 1 rad and the loop's size, locates the loop as long as it has not
turned too far away from T; then the next chart begins where it is (`ChartLinkage.chart`).  No hinge is
singled out, so hinges of which only some velocities are independent do no harm either.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import (
    Array,
    Scalar,
    absolute,
    array,
    concatenate,
    dot,
    maximum,
    sqrt,
    where,
    zeros,
)
from ce_dynamics.algebra.dense import gram_schmidt, singular_values_and_vectors
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.embedding.closures.assembly import assemble, null_space, refuse_contradiction
from ce_dynamics.embedding.closures.choices import RowChoice
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.curve import project_to_curve
from ce_dynamics.embedding.closures.leading import LoopCoordinate, coordinate_body
from ce_dynamics.embedding.closures.loop import Loop, parts_of, with_unit_quaternions
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.embedding.numeric.substeps import is_closed
from ce_dynamics.embedding.path.table import coordinate_map
from ce_dynamics.errors import IndependentCoordinatesError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import CoordinateRole


class ChartHinge(LoopCoordinate):
    """N coordinates that move nothing by themselves, and the n + n N numbers of their chart."""

    start: ClassVar[Array]

    @property
    def neutral(self) -> Array:
        return np.array(self.start)

    def role_of(self, k: int) -> CoordinateRole:
        return "quantity" if k < self.n_v else "chart"

    def q_dot(self, q: Array, v: Array) -> Array:
        """Return the chart stays."""
        return concatenate((v, zeros(self.n_q - self.n_v)))


def chart_body(parent: Body, first: Body, n: int, start: Array) -> Body:
    """Return the virtual body of a chart, from its [θ; q_r; T] in the design pose and the length n of q_r."""
    N = (len(start) - n) // (n + 1)
    names = [
        *(f"{k + 1}" for k in range(N)),
        *(f"at.{k + 1}" for k in range(n)),
        *(f"along.{k + 1}.{j + 1}" for k in range(n) for j in range(N)),
    ]
    members = {
        "n_q": len(start),
        "n_v": N,
        "coordinate_names": tuple(names),
        "velocity_names": tuple(names[:N]),
        "coordinate_units": ("1",) * len(start),
        "velocity_units": ("1/s",) * N,
        "start": start,
    }
    kind = type("ChartHinge", (ChartHinge,), members)
    return coordinate_body("chart", parent, first, kind)


ITERATIONS = 5  # of Newton, from the point of the plane; quadratic from an error of a tenth
TOLERANCE = 4e-13  # residual that counts as closed, relative to the size of the loop: 1e-12 of six rows
FARTHEST = 0.4  # of θ from the chart's point [rad, or sizes of the loop]
STEEPEST = 0.85  # smallest cosine of an angle between the chart and the loop's motion
WORN = 0.99  # wear at which a chart is left behind; it is watched between steps
SAMPLES = 12  # configurations each way along every direction, among which rows are chosen
SAMPLE_STEP = 0.15


class OnChart(NamedTuple):
    """All hinges of the loop."""

    q: Array  # (n,), coordinates
    X: Array  # (n_v, N), velocities per θ̇
    bias: Array  # (n_v,), accelerations at θ̈ = 0


class ChartLinkage(Linkage):
    """All hinges of an aggregated body with several freedoms, from coordinates on a chart.

    ``coordinate`` is the virtual body of the chart, ``kernel`` has the closures over all hinges of the loop.
    """

    def __init__(self, loop: Loop) -> None:
        if loop.has_free_geometry:
            raise IndependentCoordinatesError(
                f"the loop of {loop.name!r}: its geometry depends on free parameters, and charts of what "
                f"they allow cannot stay open; give numbers, or name independent coordinates without asking "
                f"for a way through dead centres"
            )
        self.loop = loop
        self.determines = tuple(body.name for body in loop.dependent)
        self.closes = tuple(closure.name for closure in loop.closures)
        self.kernel = LoopKernel(loop, ())
        self.scales = self.kernel.coordinate_scales
        self.q0 = assemble(self.kernel)
        refuse_contradiction(self.kernel, self.q0)
        self.n = len(self.q0)
        self._tolerance = TOLERANCE * max(1.0, self.kernel.size) + loop.rounding
        self.coordinate = chart_body(loop.parent, loop.bodies[0], self.n, self.chart(self.q0))

    # Charts, on floats

    def directions(self, q: Array) -> Array:
        """Return orthonormal directions (n, N), in scaled coordinates, in which the loop can move."""
        motions = null_space(self.kernel, q).T
        basis, _ = np.linalg.qr((coordinate_map(self.kernel, q) @ motions) / self.scales[:, np.newaxis])
        return np.asarray(basis)

    def chart(self, q: Array) -> Array:
        """Return [θ; q_r; T] of the chart that touches the configurations in q."""
        T = self.directions(q)
        return np.concatenate((np.zeros(T.shape[1]), q, T.ravel()))

    def rates(self, q: Array, v: Array) -> Array:
        """Return θ̇ on the chart at q for hinge velocities v that the closures allow."""
        coordinate_rates = self.kernel.advance(q, v) - q
        return np.asarray(self.directions(q).T @ (coordinate_rates / self.scales))

    @cached_property
    def _rows(self) -> list[int]:
        """Independent rows of the closures, the same everywhere."""
        samples = []
        for q in self._sample_range():
            _, Y = self.kernel(q, self.kernel.p0)
            scaled = self.kernel.scale_columns(Y)
            _, _, Vt = singular_values_and_vectors(scaled)
            N = self.coordinate.inboard.n_v
            samples.append(scaled @ Vt[: Y.shape[1] - N].T)
        return list(RowChoice(samples).rows)

    def _sample_range(self) -> list[Array]:
        found = [self.q0]
        for k in range(self.coordinate.inboard.n_v):
            for sign in (-1.0, 1.0):
                q, before = self.q0, None
                for _ in range(SAMPLES):
                    _, Y = self.kernel(q, self.kernel.p0)
                    scaled = self.kernel.scale_columns(Y)
                    _, _, Vt = singular_values_and_vectors(scaled)
                    N = Vt[Vt.shape[0] - self.coordinate.inboard.n_v :]
                    t = sign * N[k] if before is None else N.T @ (N @ before)
                    before = t / np.linalg.norm(t)
                    ahead = project_to_curve(
                        self.kernel,
                        self.kernel.advance(q, SAMPLE_STEP * before * self.kernel.column_scales),
                        N,
                    )
                    if ahead is None:
                        break
                    q = ahead
                    found.append(q)
        return found

    # Evaluation, on floats or traced scalars

    @property
    def how(self) -> str:
        return "on charts of its configurations"

    def solve(self, motion: SubgraphMotion) -> None:
        here = self.solve_on_chart(motion.hinge_motions[self.coordinate.name].c, motion.theta_dot)
        for body, at, part in parts_of(self.loop.dependent):
            hinge, q = body.inboard, here.q[at]
            plain = q if hinge.n_q == hinge.n_v else None
            motion.set(
                body.name,
                HingeMotion(hinge.configuration(q), here.X[part], zeros(hinge.n_v), here.bias[part], q=plain),
            )

    def solve_on_chart(self, c: Array, theta_dot: Array) -> OnChart:
        """Return configuration, X_S and bias; NaN where the plane is too far from the configurations."""
        theta, q_r, T = self._parts(c)
        rows, loop, n_v = self._rows, self.loop, self.loop.m
        N = len(theta)
        T_scaled = T / self.scales[:, np.newaxis]
        q = with_unit_quaternions(loop.dependent, q_r + self.scales * (T @ theta))
        for _ in range(ITERATIONS):
            errors = loop.errors(q, zeros(n_v), {}, {})
            A = PivotedLU(np.vstack((errors.Y[rows], T_scaled.T @ self._map(q))))
            off = T_scaled.T @ (q - q_r) - theta
            step = A.solve(concatenate((errors.residual[rows], off)))
            q = with_unit_quaternions(loop.dependent, loop.advance(q, -step))
        fits = is_closed(loop.residual(q, {}, {}), self._tolerance)
        q = array(where(fits, entry, math.nan) for entry in q)
        # (T33): Y X = 0 and Tᵀ E X = 1
        E = self._map(q)
        errors = loop.errors(q, zeros(n_v), {}, {})
        A = PivotedLU(np.vstack((errors.Y[rows], T_scaled.T @ E)))
        X = A.solve_columns(np.vstack((zeros(n_v - N, N), np.eye(N))))
        # Y v̇ + δ̇ = 0 and Tᵀ (E v̇ + Ė v) = 0
        v = X @ theta_dot
        delta_dot = loop.errors(q, v, {}, {}).delta_dot[rows]
        q_ddot = loop.advance(q + E @ v, v) - loop.advance(q, v) - E @ v  # q̇(q, v) is affine in q
        bias = -A.solve(concatenate((delta_dot, T_scaled.T @ q_ddot)))
        return OnChart(q, X, bias)

    def renewal(self, c: Array, theta_dot: Array) -> tuple[Scalar, Array, Array]:
        """Return the used part of the chart's range, which ends at 1, and the same motion on a fresh chart.

        The loop moves along M θ̇ = Q R θ̇ in scaled coordinates, with Tᵀ M = 1 (T33): the new chart has the
        directions Q, and Tᵀ Q = R⁻¹ has the cosines between both.  None is above one, so that the smallest is
        at least (|R|² − N + 1)^(−½): wear is overestimated if several directions have turned, never the other
        way.
        """
        theta, _, _ = self._parts(c)
        here = self.solve_on_chart(c, theta_dot)
        Q, R = gram_schmidt((self._map(here.q) @ here.X) / self.scales[:, np.newaxis])
        N = len(theta)
        steepest = 1.0 / sqrt(maximum(dot(R.ravel(), R.ravel()) - (N - 1.0), 1.0))
        wear = (1.0 - steepest) / (1.0 - STEEPEST)
        for x in theta:
            wear = maximum(wear, absolute(x) / FARTHEST)
        return wear, concatenate((zeros(N), here.q, Q.ravel())), R @ theta_dot

    def _parts(self, c: Array) -> tuple[Array, Array, Array]:
        """Return θ, q_r, T."""
        N = (len(c) - self.n) // (self.n + 1)
        return c[:N], c[N : N + self.n], c[N + self.n :].reshape(self.n, N)

    def _map(self, q: Array) -> Array:
        """Return coordinate rates per velocity, (n, n_v)."""
        return array(self.loop.advance(q, e) - q for e in np.eye(self.loop.m)).T
