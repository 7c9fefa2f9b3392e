"""Rows of couplings and of written constraints along the motion of a sub-graph."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.embedding.motion import PointMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.components import ConstraintView
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written


class MovingView(ConstraintView):
    """A written constraint's view of a moving sub-graph, measured from its parent p."""

    def __init__(self, edge: Written, motion: SubgraphMotion) -> None:
        super().__init__(edge.name, edge.bodies)
        self.motion = motion

    def _R(self, body: Body) -> Array:
        columns = [self._direction(body, axis) for axis in IDENTITY]
        return np.array(columns, dtype=object).T

    def _direction(self, body: Body, axis: Array) -> Array:
        """R e with (R e)˙ = ω × R e and (R e)¨ = α × R e + ω × (ω × R e)."""
        j = self.motion.body(body.name)
        e = j.R @ axis
        return components(
            PointMotion(
                e,
                array([cross(j.w[:, k], e) for k in range(self.motion.N)]).reshape(self.motion.N, 3).T,
                cross(j.w_drift, e),
                cross(j.w_total, e),
                cross(j.alpha, e) + cross(j.w_total, cross(j.w_total, e)),
            )
        )

    def _x(self, body: Body, at: Array) -> Array:
        return components(self.motion.point(body.name, at))

    def _q(self, body: Body, k: int) -> Scalar:
        return self.motion.coordinate(body.name, k)


def components(point: PointMotion) -> Array:
    """The three coordinates of a moving point as moving scalars."""
    r, J, drift, v, a = point
    return np.array([ScalarMotion(r[i], J[i], drift[i], v[i], a[i]) for i in range(3)], dtype=object)


@singledispatch
def moving_residuals(edge: CutEdge, motion: SubgraphMotion) -> list[ScalarMotion]:
    """Residuals of a coupling or a written constraint, with their derivatives."""
    raise NotImplementedError(f"how a {type(edge).__name__} moves is not registered")


@moving_residuals.register
def _(edge: Written, motion: SubgraphMotion) -> list[ScalarMotion]:
    return moving(edge.residual(MovingView(edge, motion)), motion)


@moving_residuals.register
def _(edge: Coupled, motion: SubgraphMotion) -> list[ScalarMotion]:
    q = [motion.coordinate(body.name, k) for body, k in edge.coordinates]
    return moving([edge.coupling.residual(q)], motion)


def moving(values: Iterable[Scalar], motion: SubgraphMotion) -> list[ScalarMotion]:
    """Numbers with their derivatives, zero where they have none."""
    return [ScalarMotion.of(value, motion.N) for value in values]
