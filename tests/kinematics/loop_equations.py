"""Loop equations of a linkage, differentiated by SymPy and evaluated with 40 digits.

The equations are written from the hinges and the cut edges alone: a body-fixed point is carried to the world
by a chain of rotations and displacements, and a closure demands that two such points coincide or keep their
distance.  Nothing of the closed forms is used.  SymPy differentiates one step of the chain and one closure of
each kind twice in time; a chain is then evaluated step by step (a whole one takes SymPy a minute).
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import mpmath
import sympy

from ce_dynamics.kinematics.base import Cut, Joint
from ce_dynamics.mechanism.hinges.closures import Distance, PointOnLine, PointOnPlane
from ce_dynamics.mechanism.hinges.conditions import InPlane
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.universal import Universal

DIGITS = 40


class Jet(NamedTuple):
    """A vector and its first and second time derivatives."""

    x: list[Any]
    v: list[Any]
    a: list[Any]


def fixed(values: Any) -> Jet:
    still = [mpmath.mpf(0)] * 3
    return Jet([mpmath.mpf(float(value)) for value in values], still, still)


@cache
def direction(*axis: float) -> list[Any]:
    """Make a float direction a unit vector to all digits."""
    with mpmath.workdps(DIGITS):
        v = [mpmath.mpf(x) for x in axis]
        length = mpmath.norm(v)
        return [x / length for x in v]


def differentiated(build: Callable[..., Any], *moving: str) -> Callable[..., Any]:
    """Lambdify an expression of moving 3-vectors, scalar q(t) and constant axis with its time derivatives."""
    t = sympy.Symbol("t")
    axis = sympy.Matrix(sympy.symbols("a:3"))
    functions = [sympy.Matrix([sympy.Function(f"{name}{i}")(t) for i in range(3)]) for name in moving]
    q = sympy.Function("q")(t)
    expression = build(axis, q, *functions)
    orders = [expression, expression.diff(t), expression.diff(t, 2)]
    arguments: list[Any] = [list(axis)]
    replace: dict[Any, Any] = {}
    for n, f in enumerate([sympy.Matrix([q]), *functions]):
        for order in (2, 1, 0):
            symbols = sympy.symbols(f"s{n}_{order}_:{len(f)}")
            replace.update({sympy.diff(entry, t, order): s for entry, s in zip(f, symbols, strict=True)})
            arguments.append(list(symbols))
    # highest derivatives first: a function is part of its own derivative
    ordered = [(f, s) for order in (2, 1, 0) for f, s in replace.items() if derivative_order(f) == order]
    entries = [entry for e in orders for entry in e.subs(ordered)]  # of one list, or none would be shared
    function: Callable[..., list[Any]] = sympy.lambdify(arguments, entries, "mpmath", cse=True)
    n = len(expression)

    def evaluate(*given: Any) -> list[list[Any]]:
        found = function(*given)
        return [found[:n], found[n : 2 * n], found[2 * n :]]

    return evaluate


def derivative_order(expression: Any) -> int:
    """Return the order of the derivative of a function."""
    return int(expression.derivative_count) if isinstance(expression, sympy.Derivative) else 0


@cache
def rotation_step() -> Callable[..., Any]:
    """Rodrigues' formula."""

    def build(axis: Any, q: Any, v: Any) -> Any:
        along = axis * axis.dot(v)
        return along + (v - along) * sympy.cos(q) + axis.cross(v) * sympy.sin(q)

    return differentiated(build, "v")


@cache
def square_of_gap() -> Callable[..., Any]:
    """|gap|²."""
    return differentiated(lambda axis, q, v: sympy.Matrix([v.dot(v)]), "v")


@cache
def height_of_gap() -> Callable[..., Any]:
    return differentiated(lambda axis, q, n, v: sympy.Matrix([n.dot(v)]), "n", "v")


def turn(axis: Any, q: Any, q_dot: Any, v: Jet) -> Jet:
    """A moving vector turned about an axis by q, while q̈ = 0."""
    return Jet(*rotation_step()(direction(*map(float, axis)), [0], [q_dot], [q], v.a, v.v, v.x))


def plus(one: Jet, other: Jet, sign: int = 1) -> Jet:
    return Jet(*([x + sign * y for x, y in zip(p, r, strict=True)] for p, r in zip(one, other, strict=True)))


class LoopEquations:
    """Φ(q) = 0 of the joints of a tree and its cuts, with its first and second derivatives.

    Hinges of the bodies ``unknown`` are dependent; all others are known, in the order of ``joints``.
    """

    def __init__(self, joints: Sequence[Joint], cuts: Sequence[Cut], unknown: Sequence[str]) -> None:
        self.joints = {joint.body: joint for joint in joints}
        self.cuts = cuts
        order = [*unknown, *(name for name in self.joints if name not in unknown)]
        self.slots: dict[str, slice] = {}
        self.size = 0
        for name in order:
            n_v = self.joints[name].hinge.n_v
            self.slots[name] = slice(self.size, self.size + n_v)
            self.size += n_v
        self.n_unknown = sum(self.joints[name].hinge.n_v for name in unknown)

    def point(self, name: str, at: Any, q: Sequence[Any], q_dot: Sequence[Any]) -> Jet:
        """World position of the body-fixed point at ``at`` in the design pose, while q̈ = 0."""
        x = fixed(at)
        while name in self.joints:
            joint = self.joints[name]
            hinge, c, c_dot = joint.hinge, q[self.slots[name]], q_dot[self.slots[name]]
            foot = fixed(hinge.at)
            if isinstance(hinge, Revolute):
                x = plus(foot, turn(hinge.axis, c[0], c_dot[0], plus(x, foot, -1)))
            elif isinstance(hinge, Universal):
                arm = turn(hinge.axis2, c[1], c_dot[1], plus(x, foot, -1))
                x = plus(foot, turn(hinge.axis1, c[0], c_dot[0], arm))
            else:
                assert isinstance(hinge, Prismatic)
                u = direction(*map(float, hinge.axis))
                x = plus(x, Jet([c[0] * e for e in u], [c_dot[0] * e for e in u], [0, 0, 0]))
            name = joint.carrier
        return x

    def residual(self, q: Sequence[Any], q_dot: Sequence[Any]) -> Jet:
        """Φ and its time derivatives while q̈ = 0; a hinge closes its position, enough in a plane."""
        rows: list[Jet] = []
        for cut in self.cuts:
            closure = cut.closure
            one = self.point(cut.body_a, closure.at_parent, q, q_dot)
            gap = plus(self.point(cut.body_b, closure.at_child, q, q_dot), one, -1)
            if isinstance(closure, Distance):
                design = plus(fixed(closure.at_child), fixed(closure.at_parent), -1)
                x, v, a = square_of_gap()([0, 0, 0], [0], [0], [0], gap.a, gap.v, gap.x)
                gap = Jet([x[0] - sum(e * e for e in design.x)], v, a)
            if isinstance(closure, (PointOnLine, PointOnPlane)):
                for condition in closure.constraints:
                    assert isinstance(condition, InPlane)
                    tip = self.point(cut.body_a, closure.at_parent + condition.normal_on_parent, q, q_dot)
                    n = plus(tip, one, -1)
                    still = ([0, 0, 0], [0], [0], [0])
                    rows.append(Jet(*height_of_gap()(*still, n.a, n.v, n.x, gap.a, gap.v, gap.x)))
                continue
            rows.append(gap)
        return Jet(*([entry for row in rows for entry in row[order]] for order in range(3)))

    def jacobian(self, q: Sequence[Any]) -> mpmath.matrix:
        """Φ_q, (rows, unknown + known)."""
        columns = []
        for k in range(self.size):
            unit = [mpmath.mpf(int(i == k)) for i in range(self.size)]
            columns.append(self.residual(q, unit).v)
        return mpmath.matrix(columns).T

    def solve(self, guess: Sequence[float], known: Sequence[float]) -> list[Any]:
        """Solve for the unknown coordinates by Newton's method from a guess, with 40 digits; return all.

        Behind a step below 1e-8 the slope is kept: with it every further step gains about eight digits.
        """
        with mpmath.workdps(DIGITS):
            n = self.n_unknown
            q = [mpmath.mpf(float(x)) for x in (*guess, *known)]
            still = [mpmath.mpf(0)] * self.size
            size = mpmath.inf
            for _ in range(30):
                if size > 1e-8:
                    slope = self.jacobian(q)[:, :n]
                step = mpmath.lu_solve(slope, -mpmath.matrix(self.residual(q, still).x))
                q = [x + step[k] if k < n else x for k, x in enumerate(q)]
                size = mpmath.norm(step)
                if size < mpmath.mpf(10) ** (12 - DIGITS):
                    return q
        raise AssertionError(f"Newton did not converge from {guess}: last step {mpmath.nstr(size, 3)}")

    def derivatives(self, q: Sequence[Any], known_rates: Sequence[float]) -> tuple[Any, Any, Any]:
        """X = ∂(unknown)/∂(known), the unknowns' accelerations while the known ones' are zero, and Y1."""
        with mpmath.workdps(DIGITS):
            n = self.n_unknown
            Y = self.jacobian(q)
            Y1, Y2 = Y[:, :n], Y[:, n:]
            X = mpmath.matrix(n, Y2.cols)
            for k in range(Y2.cols):
                X[:, k] = mpmath.lu_solve(Y1, -Y2[:, k])  # (13)
            v = mpmath.matrix([mpmath.mpf(float(x)) for x in known_rates])
            delta_dot = mpmath.matrix(self.residual(q, [*(X * v), *v]).a)
            return X, mpmath.lu_solve(Y1, -delta_dot), Y1  # (14)
