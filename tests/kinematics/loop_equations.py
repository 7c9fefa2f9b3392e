"""Loop equations of a linkage in SymPy, differentiated symbolically and evaluated with 40 digits.

The equations are written from the hinges and the cut edges alone: the position of a body-fixed point is a chain
of Rodrigues rotations, and a closure demands that two such points coincide or keep their distance.  Nothing of
the closed forms is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import sympy

from ce_dynamics.hinges.distance import Distance
from ce_dynamics.hinges.prismatic import Prismatic
from ce_dynamics.hinges.revolute import Revolute
from ce_dynamics.hinges.universal import Universal
from ce_dynamics.kinematics.base import Cut, Joint

DIGITS = 40


def exact(vector: Any) -> sympy.Matrix:
    """A float vector as exact rationals."""
    return sympy.Matrix([sympy.Rational(*float(x).as_integer_ratio()) for x in vector])


def direction(axis: Any) -> sympy.Matrix:
    """A float direction, of unit length to 60 digits (a float one is of unit length to 16 only)."""
    v = exact(axis)
    return (v / sympy.sqrt(v.dot(v))).evalf(60)


def turned(axis: sympy.Matrix, angle: sympy.Expr, v: sympy.Matrix) -> sympy.Matrix:
    """Rodrigues' formula."""
    return v * sympy.cos(angle) + axis.cross(v) * sympy.sin(angle) + axis * axis.dot(v) * (1 - sympy.cos(angle))


class LoopEquations:
    """Φ(q) = 0 of a set of joints and cuts, with its first and second derivatives.

    Parameters
    ----------
    joints : sequence of Joint
        All joints of the tree, with the bodies that do not belong to S as well.
    cuts : sequence of Cut
    unknown : sequence of str
        Bodies whose hinges are dependent.
    """

    def __init__(self, joints: Sequence[Joint], cuts: Sequence[Cut], unknown: Sequence[str]) -> None:
        self.joints = {joint.body: joint for joint in joints}
        self.q = {
            joint.body: [sympy.Symbol(f"q_{n}_{k}") for k in range(joint.hinge.n_v)]
            for n, joint in enumerate(joints)
        }
        self.unknown = [symbol for name in unknown for symbol in self.q[name]]
        self.known = [s for name, symbols in self.q.items() if name not in unknown for s in symbols]
        symbols = self.unknown + self.known
        rates = [sympy.Symbol(f"v_{n}") for n in range(len(symbols))]
        phi = sympy.Matrix.vstack(*(self.residual(cut) for cut in cuts))
        jacobian = phi.jacobian(symbols)
        # δ̇ at q̈ = 0: (∂/∂q (Φ_q q̇)) q̇
        second = (jacobian * sympy.Matrix(rates)).jacobian(symbols) * sympy.Matrix(rates)
        self._first = sympy.lambdify([symbols], [phi, jacobian], "mpmath", cse=True)
        self._second = sympy.lambdify([symbols, rates], second, "mpmath", cse=True)

    def residual(self, cut: Cut) -> sympy.Matrix:
        """Rows of one closure; a hinge closes its position only, which is enough in a planar loop."""
        closure = cut.closure
        gap = self.point(cut.body_b, exact(closure.at_child)) - self.point(cut.body_a, exact(closure.at_parent))
        if isinstance(closure, Distance):
            design = exact(closure.at_child) - exact(closure.at_parent)
            return sympy.Matrix([gap.dot(gap) - design.dot(design)])
        return gap

    def point(self, name: str, at: sympy.Matrix) -> sympy.Matrix:
        """World position of the body-fixed point that is at ``at`` in the design pose."""
        while name in self.joints:
            joint = self.joints[name]
            hinge, q = joint.hinge, self.q[name]
            foot = exact(hinge.at)
            if isinstance(hinge, Revolute):
                at = foot + turned(direction(hinge.axis), q[0], at - foot)
            elif isinstance(hinge, Universal):
                arm = turned(direction(hinge.axis2), q[1], at - foot)
                at = foot + turned(direction(hinge.axis1), q[0], arm)
            else:
                assert isinstance(hinge, Prismatic)
                at = at + direction(hinge.axis) * q[0]
            name = joint.carrier
        return at

    def solve(self, guess: Sequence[float], known: Sequence[float]) -> tuple[mpmath.matrix, mpmath.matrix]:
        """Unknown coordinates by Newton's method from a guess, and Φ_q there, with 40 digits."""
        with mpmath.workdps(DIGITS):
            q = mpmath.matrix([mpmath.mpf(x) for x in guess])
            fixed = [mpmath.mpf(x) for x in known]
            n = len(q)
            for _ in range(12):
                phi, jacobian = self._first([*q, *fixed])
                step, _ = mpmath.qr_solve(jacobian[:, :n], -phi)
                q += step
                if mpmath.norm(step) < mpmath.mpf(10) ** (8 - DIGITS):
                    return q, self._first([*q, *fixed])[1]
        raise AssertionError(f"Newton did not converge from {guess}: last step {step}")

    def derivatives(
        self,
        q: mpmath.matrix,
        jacobian: mpmath.matrix,
        known: Sequence[float],
        known_rates: Sequence[float],
    ) -> tuple[mpmath.matrix, mpmath.matrix]:
        """∂(unknown)/∂(known) and the unknowns' accelerations while those of the known coordinates are zero."""
        with mpmath.workdps(DIGITS):
            n = len(q)
            Y1, Y2 = jacobian[:, :n], jacobian[:, n:]
            X = mpmath.matrix(n, Y2.cols)
            for k in range(Y2.cols):
                X[:, k] = mpmath.qr_solve(Y1, -Y2[:, k])[0]  # (13)
            v = mpmath.matrix([mpmath.mpf(x) for x in known_rates])
            rates = [*(X * v), *v]
            delta_dot = self._second([*q, *(mpmath.mpf(x) for x in known)], rates)
            return X, mpmath.qr_solve(Y1, -delta_dot)[0]  # (14)
