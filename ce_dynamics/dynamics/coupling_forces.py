"""Forces of couplings and written constraints on bodies and hinges, from their multipliers."""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Array, Scalar, cross, zeros
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.couplings.view import ConstraintView
from ce_dynamics.mechanism.parameters import Values

Floats = NDArray[np.float64]


class CouplingForces(NamedTuple):
    """Forces of a coupling or written constraint.

    Attributes
    ----------
    wrenches : dict of str to (6,) array
        Wrenches on the bodies of a written constraint, about the origin of their motion, in p's axes.
    generalised : array
        Forces on the coordinates of a coupling, in order.  Each acts between a body and its carrier, along
        the hinge.
    """

    wrenches: dict[str, Floats]
    generalised: Floats


class ColumnView(ConstraintView):
    """Positions of a sub-graph in which every body has six velocities of its own."""

    def __init__(self, edge: Written, motion: SubgraphMotion, values: Values) -> None:
        super().__init__(edge.name, edge.bodies)
        self.motion, self.values = motion, values
        self.names = list(self.bodies)

    def _fixed(self, values: Array, columns: dict[str, Array]) -> Array:
        """Moving scalars with the given columns, at rest."""
        J = np.zeros((3, 6 * len(self.names)), dtype=values.dtype)
        for name, block in columns.items():
            first = 6 * self.names.index(name)
            J[:, first : first + 6] = block
        return np.array([ScalarMotion.at_rest(values[i], J[i]) for i in range(3)], dtype=object)

    def _R(self, body: Body) -> Array:
        R = self.values(self.motion.body(body.name).R)
        columns = []
        for e in R.T:
            swing = np.array([cross(axis, e) for axis in IDENTITY]).T
            columns.append(self._fixed(e, {body.name: np.hstack((swing, zeros(3, 3)))}))
        return np.array(columns, dtype=object).T

    def _x(self, body: Body, at: Array) -> Array:
        j, point = self.motion.body(body.name), self.motion.point(body.name, at)
        r = self.values(point.r)
        e = r - self.values(j.origin.r)
        swing = np.array([cross(axis, e) for axis in IDENTITY]).T
        return self._fixed(r, {body.name: np.hstack((swing, IDENTITY))})

    def _q(self, body: Body, k: int) -> Scalar:
        return self.values(self.motion.coordinates(body.name))[k]


@singledispatch
def coupling_forces(edge: CutEdge, motion: SubgraphMotion, lam: Floats, values: Values) -> CouplingForces:
    """Forces for multipliers λ of the rows of one coupling or written constraint."""
    raise NotImplementedError(f"what a {type(edge).__name__} exerts is not registered")


@coupling_forces.register
def _(edge: Coupled, motion: SubgraphMotion, lam: Floats, values: Values) -> CouplingForces:
    n = len(edge.coordinates)
    places = [values(motion.coordinates(body.name))[k] for body, k in edge.coordinates]
    q = [ScalarMotion.at_rest(x, np.eye(n)[i]) for i, x in enumerate(places)]
    J = ScalarMotion.of(edge.coupling.residual(q), n).J
    return CouplingForces({}, values(J) * lam[0])


@coupling_forces.register
def _(edge: Written, motion: SubgraphMotion, lam: Floats, values: Values) -> CouplingForces:
    view = ColumnView(edge, motion, values)
    rows = np.array([values(ScalarMotion.of(row, 6 * len(view.names)).J) for row in edge.residual(view)])
    f = rows.T @ lam
    return CouplingForces({name: f[6 * i : 6 * i + 6] for i, name in enumerate(view.names)}, zeros(0))


def along_hinge(H: Array, k: int, value: Scalar) -> Array:
    """The smallest wrench on a body, at its hinge point in its carrier's axes, with one generalised force."""
    along: Array = H.T @ LDL(H @ H.T).solve(np.eye(len(H))[k]) * value
    return along
