"""Loop kinematics along the curve of configurations: a loop with one freedom turns through its dead centres.

The independent coordinate is the position s on the curve.  X_S = dθ_S/ds is the tangent of the curve, which
is regular wherever the curve is: where a crank and its rod are in line, where all bars of a parallelogram
are.  Nothing is solved at run time; the closures hold to rounding because the series do.

Places on the path are where a hinge cannot drive the loop, and where a run starts.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.embedding.closures.assembly import assemble, refuse_contradiction
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.curve import LoopCurve, follow_curve, null_vector
from ce_dynamics.embedding.closures.leading import LoopNumber, coordinate_body
from ce_dynamics.embedding.closures.loop import Loop, has_own_velocities, parts_of
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.embedding.path.table import PathTable, make_table, regularity
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import Hinge


class PathHinge(LoopNumber):
    """The position along the path of a loop's configurations."""


AT_REST = 1e-9  # rate along the curve [rad, or sizes of the loop] that counts as none


class PathLinkage(Linkage):
    """All hinges of an aggregated body with one freedom, from its path coordinate.

    In the design pose the first coordinate of ``forward`` increases with s; by default of the first that
    moves. ``coordinate`` is the virtual body of s, ``kernel`` has the closures over all hinges of the loop.
    """

    def __init__(self, loop: Loop, forward: Body | None = None) -> None:
        if loop.has_free_geometry:
            raise ModelError(
                f"the loop of {loop.name!r}: its geometry depends on free parameters, and the curve it moves "
                "on cannot stay open; give numbers, or name an independent coordinate instead of the path's"
            )
        self.loop = loop
        self.coordinate = coordinate_body("path", loop.parent, loop.bodies[0], PathHinge)
        self.determines = tuple(body.name for body in loop.dependent)
        self.closes = tuple(closure.name for closure in loop.closures)
        self.kernel = LoopKernel(loop, ())
        self.q0 = assemble(self.kernel)
        refuse_contradiction(self.kernel, self.q0)
        self._forward = forward

    # Computed once

    @cached_property
    def curve(self) -> LoopCurve:
        """The curve through the design pose."""
        kernel = self.kernel
        _, Y = kernel(self.q0, kernel.p0)
        t, _ = null_vector(kernel.scale_columns(Y))
        owners = [body for body in self.loop.dependent for _ in range(body.inboard.n_v)]
        moving = [k for k in range(len(t)) if abs(t[k]) > AT_REST]
        named = [k for k in moving if owners[k] is self._forward]
        first = (named or moving)[0]
        return follow_curve(kernel, self.q0, np.eye(len(t))[first])

    @cached_property
    def table(self) -> PathTable:
        """Coordinates along the curve; made when first needed."""
        with log_work(f"tabulating the path of the loop {', '.join(self.closes)}"):
            return make_table(self.curve)

    def reach(self) -> tuple[float, float]:
        """Return the interval of the path coordinate; infinite where the curve is closed."""
        return self.table.coordinates.lower, self.table.coordinates.upper

    # Evaluation, on floats or traced scalars

    @property
    def how(self) -> str:
        return "along the path of its configurations"

    def solve(self, motion: SubgraphMotion) -> None:
        s = motion.hinge_motions[self.coordinate.name].c[0]
        s_dot = motion.theta_dot[0]
        q = self.table.coordinates.evaluate(s)
        for body, at, _ in parts_of(self.loop.dependent):
            hinge = body.inboard
            X, X_prime = q.first[at], q.second[at]
            if has_own_velocities(hinge):
                X, X_prime = velocities_of(hinge, q.value[at], X, X_prime)
            c = hinge.configuration(q.value[at])
            # θ̇_S = X ṡ and θ̈_S = X s̈ + X' ṡ²
            bias = X_prime * (s_dot * s_dot)
            motion.set(body.name, HingeMotion(c, X.reshape(-1, 1), zeros(hinge.n_v), bias, q=q.value[at]))


def velocities_of(hinge: Hinge, q: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Return velocities v per ṡ of a hinge with a quaternion, and v': q' = E v, with E affine in q."""

    def rates(q: Array) -> Array:
        return array(hinge.q_dot(q, e) for e in np.eye(hinge.n_v)).T

    E = rates(q)
    normal = LDL(E.T @ E)
    v = normal.solve(E.T @ first)
    return v, normal.solve(E.T @ (second - (rates(q + first) - E) @ v))


GRID = 2000  # points along the curve between which a coordinate is taken to turn back once at most
CROSSING = 1e-6  # smallest singular value of Y that counts as zero


class DeadCentre(NamedTuple):
    """A configuration of a loop in which a hinge cannot drive it.

    Attributes
    ----------
    loop : str
        Name of the aggregated body.
    kind : str
        ``dead centre``: the hinge's coordinate turns back there.  ``crossing``: another branch of the loop's
        configurations crosses, and no coordinate selects one.
    body : str
        Owner of the hinge; empty for a crossing.
    coordinates : dict of str to float
        All coordinates of the loop there: of hinges with one coordinate, by the names of their bodies.
    path : float
        Path coordinate.
    """

    loop: str
    kind: str
    body: str
    coordinates: dict[str, float]
    path: float


def dead_centres(linkage: PathLinkage) -> list[DeadCentre]:
    """Return all dead centres along the curve (once round, if it is closed), by path coordinate."""
    found = [
        DeadCentre(linkage.loop.name, "dead centre", body.name, coordinates(linkage, s), s)
        for body, j in single_coordinates(linkage.loop)
        for s in turning_points(linkage, j)
    ]
    found += [
        DeadCentre(linkage.loop.name, "crossing", "", coordinates(linkage, s), s) for s in crossings(linkage)
    ]
    return sorted(found, key=lambda centre: (centre.path, centre.body))


def single_coordinates(loop: Loop) -> list[tuple[Body, int]]:
    """Return bodies on dependent hinges with one coordinate, and its place among all."""
    return [(body, at.start) for body, at, _ in parts_of(loop.dependent) if body.inboard.n_q == 1]


def coordinates(linkage: PathLinkage, s: float) -> dict[str, float]:
    """Return coordinates of the hinges with one coordinate."""
    q = linkage.table.coordinates.at(np.array((s,)))[0]
    return {body.name: float(q[j]) for body, j in single_coordinates(linkage.loop)}


def once_round(linkage: PathLinkage) -> Array:
    """Return points all along the curve."""
    lower, upper = linkage.reach()
    if linkage.table.closed:
        lower, upper = 0.0, linkage.curve.length
    return np.linspace(lower, upper, GRID + 1)


def turning_points(linkage: PathLinkage, j: int) -> list[float]:
    """Return the path coordinates at which coordinate j turns back."""
    import scipy.optimize  # here, because few models need it

    def rate(s: float) -> float:
        return float(linkage.table.coordinates.at(np.array((s,)), 1)[0, j])

    s = once_round(linkage)
    rates = linkage.table.coordinates.at(s, 1)[:, j]
    if np.max(np.abs(rates)) <= AT_REST:
        return []
    return [
        float(scipy.optimize.brentq(rate, s[k], s[k + 1], xtol=1e-14))
        for k in np.flatnonzero((rates[:-1] < 0.0) != (rates[1:] < 0.0))
    ]


def crossings(linkage: PathLinkage) -> list[float]:
    """Return the path coordinates at which another branch crosses."""
    import scipy.optimize  # here, because few models need it

    def regular(s: float) -> float:
        return regularity(linkage.kernel, linkage.table.coordinates.at(np.array((s,)))[0])

    s = [point.s for point in linkage.curve.points]
    values = [point.regular for point in linkage.curve.points]
    length = linkage.curve.length if linkage.table.closed else math.inf
    if linkage.table.closed:  # the last point is the first again: what comes before it does so there
        s, values = [s[-2] - length, *s], [values[-2], *values]
    found = []
    for k in range(1, len(s) - 1):
        if values[k] <= min(values[k - 1], values[k + 1]):
            bounds = s[k - 1], s[k + 1]
            least = scipy.optimize.minimize_scalar(
                regular, bounds=bounds, method="bounded", options={"xatol": 1e-10}
            )
            if least.fun < CROSSING:
                found.append(float(least.x) % length)
    return found


# Starts of runs


SLOW = 1e-6  # rate of a coordinate per path coordinate, relative to its largest, below which it gives no rate


def path_position(linkage: PathLinkage, body: Body, value: float) -> float:
    """Return the path coordinate of a hinge coordinate between the dead centres next to the design pose."""
    import scipy.optimize  # here, because few models need it

    j = place_of(linkage, body)
    series = linkage.table.coordinates
    low, high, turn = design_side(linkage, j)
    q_low, q_high = (float(series.at(np.array((s,)))[0, j]) for s in (low, high))
    whole = 0.0
    if turn:
        whole = math.floor((value - min(q_low, q_high)) / abs(q_high - q_low))
        value -= whole * abs(q_high - q_low)
        whole *= (high - low) * math.copysign(1.0, q_high - q_low)
    if not min(q_low, q_high) <= value <= max(q_low, q_high):
        raise AssemblyError(
            f"body {body.name!r}: its initial coordinate {value:.9g} is not between the dead centres "
            f"{min(q_low, q_high):.9g} and {max(q_low, q_high):.9g} on either side of the design pose; give "
            f"one between them, or that of another hinge of the loop"
        )

    def off(s: float) -> float:
        return float(series.at(np.array((s,)))[0, j]) - value

    return float(scipy.optimize.brentq(off, low, high, xtol=1e-15)) + whole


def path_rate(linkage: PathLinkage, body: Body, s: float, rate: float) -> float:
    """Return the path rate at which a hinge has a given rate."""
    j = place_of(linkage, body)
    if rate == 0.0:
        return 0.0
    X = float(linkage.table.coordinates.at(np.array((s,)), 1)[0, j])
    largest = np.max(np.abs(linkage.table.coordinates.at(once_round(linkage), 1)[:, j]))
    if abs(X) <= SLOW * largest:
        raise ModelError(
            f"body {body.name!r}: an initial rate of {rate:.6g} at its dead centre does not determine how "
            f"the loop moves; give the rate of another of {list(linkage.determines)}"
        )
    return rate / X


def place_of(linkage: PathLinkage, body: Body) -> int:
    """Place of a hinge's only coordinate."""
    for other, j in single_coordinates(linkage.loop):
        if other is body and np.max(np.abs(linkage.table.coordinates.at(once_round(linkage), 1)[:, j])) > 0.0:
            return j
    usable = [other.name for other, _ in single_coordinates(linkage.loop)]
    raise ModelError(
        f"body {body.name!r}: initial values of a loop with a path coordinate are given by a hinge with one "
        f"coordinate that moves; choose from {usable}"
    )


def design_side(linkage: PathLinkage, j: int) -> tuple[float, float, bool]:
    """Return the ends of the part around the design pose along which coordinate j does not turn back.

    The last result is True if that is all of a closed curve.
    """
    ends = once_round(linkage)
    low, high = float(ends[0]), float(ends[-1])
    turning = turning_points(linkage, j)
    if not turning:
        return low, high, linkage.table.closed
    if linkage.table.closed:
        round_ = high - low
        turning = [s - round_ for s in turning] + turning + [s + round_ for s in turning]
    else:
        turning = [low, *turning, high]
    if min(abs(s) for s in turning) < 1e-7 * (high - low):
        name = next(body.name for body, place in single_coordinates(linkage.loop) if place == j)
        raise AssemblyError(
            f"the design pose is a dead centre of {name!r}, from which it can only turn "
            f"back: give initial values by another of {list(linkage.determines)}"
        )
    return max(s for s in turning if s < 0.0), min(s for s in turning if s > 0.0), False
