"""The curve of configurations of a loop with one degree of freedom, all of its hinges alike.

Pseudo-arclength continuation in floats: the tangent t of the curve is the null vector of Y over all hinges.
No hinge is singled out, so a dead centre of one of them (where its rate along the curve vanishes) is a point
like any other, and where another branch crosses, the curve goes straight on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel, largest, least_squares
from ce_dynamics.embedding.closures.loop import with_unit_quaternions
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.hinges.base import Hinge

LARGEST_STEP = 0.1  # of arc length, in radians and sizes of the loop
SMALLEST_STEP = 1e-9
LARGEST_TURN = math.cos(0.1)  # of the tangent within one step
LONGEST = 60.0  # arc length followed each way
MOST_POINTS = 20000
RANK_TOLERANCE = 1e-12
CROSSING = 1e-6  # smallest singular value of Y below which the tangent is not known


class CurvePoint(NamedTuple):
    """A point of the curve.

    Attributes
    ----------
    s : float
        Arc length from the design pose.
    q : (n_q,) array
        Coordinates of all hinges.
    t : (n_v,) array
        Unit tangent in scaled velocities.
    regular : float
        Smallest singular value of Y that is not zero by structure: zero where two branches cross.
    """

    s: float
    q: Array
    t: Array
    regular: float


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of the curve in the order of s, from one end to the other.

    Attributes
    ----------
    kernel : LoopKernel
        Of the loop with all hinges dependent.
    points : list of CurvePoint
    closed : bool
        Whether the last point is the first one again (after whole turns of some hinges).
    """

    kernel: LoopKernel
    points: list[CurvePoint]
    closed: bool

    @property
    def length(self) -> float:
        """Arc length of all of it."""
        return self.points[-1].s - self.points[0].s


def follow_curve(kernel: LoopKernel, q0: Array, forward: Array, longest: float = LONGEST) -> Curve:
    """The curve through q0: all of it if it closes, else as far as it goes or ``longest`` each way.

    Parameters
    ----------
    kernel : LoopKernel
    q0 : (n_q,) array
        Coordinates of all hinges in a pose that closes.
    forward : (n_v,) array
        Scaled velocities of which one direction is to be forward.
    longest : float
    """
    _, Y = kernel(q0, kernel.p0)
    t, regular = null_vector(kernel.scaled(Y))
    t = t if float(t @ forward) >= 0.0 else -t
    start = CurvePoint(0.0, q0, t, regular)
    ahead, closed = march(kernel, start, 1.0, longest)
    if closed:
        return Curve(kernel, [start, *ahead], True)
    behind, _ = march(kernel, start, -1.0, longest)
    return Curve(kernel, [*reversed(behind), start, *ahead], False)


def null_vector(Y: Array) -> tuple[Array, float]:
    """The right singular vector of the smallest singular value, and the value above that."""
    _, singular, Vt = np.linalg.svd(Y)
    n = Y.shape[1]
    return Vt[n - 1], float(singular[n - 2]) if n > 1 and len(singular) > n - 2 else 1.0


def march(
    kernel: LoopKernel, start: CurvePoint, direction: float, longest: float
) -> tuple[list[CurvePoint], bool]:
    """Points from the start in one direction, and whether they came back to it."""
    points: list[CurvePoint] = []
    before, here, h = start, start, 0.02
    while len(points) < MOST_POINTS:
        there = step(kernel, before, here, direction * h)
        if there is None or float(there.t @ here.t) < LARGEST_TURN:
            h *= 0.61  # no power of which is a sum of others: a crossing of branches is not met twice
            if h < SMALLEST_STEP:
                return points, False
            continue
        last = returned(kernel, start, here, there) if direction > 0.0 and len(points) > 3 else None
        if last is not None:
            return [*points, last], True
        points.append(there)
        if abs(there.s) >= longest:
            return points, False
        before, here, h = here, there, min(1.4 * h, LARGEST_STEP)
    raise AssemblyError(
        f"the loop of {kernel.loop.name!r} was followed over {MOST_POINTS} points without reaching its end; "
        f"name an independent coordinate, and give its linkage limits"
    )


def step(kernel: LoopKernel, before: CurvePoint, here: CurvePoint, h: float) -> CurvePoint | None:
    """The point of the curve at about arc length h along the tangent; None if it is not found."""
    loop, scales = kernel.loop, kernel.column_scales
    turning = (here.t - before.t) / (here.s - before.s) if here.s != before.s else 0.0 * here.t
    predicted = loop.advanced(here.q, h * (here.t + 0.5 * h * turning) * scales)
    q = on_curve(kernel, predicted, here.t)
    if q is None:
        return None
    _, Y = kernel(q, kernel.p0)
    t, regular = null_vector(kernel.scaled(Y))
    if regular < CROSSING:
        return None
    t = t if float(t @ here.t) > 0.0 else -t
    chord = float(np.linalg.norm(difference(kernel, q, here.q)))
    if abs(chord - abs(h)) > 0.5 * abs(h):
        return None
    bend = math.acos(min(1.0, float(t @ here.t)))
    arc = chord * (0.5 * bend / math.sin(0.5 * bend) if bend > 1e-6 else 1.0)
    return CurvePoint(here.s + math.copysign(arc, h), q, t, regular)


def on_curve(kernel: LoopKernel, q: Array, t: Array) -> Array | None:
    """A point that closes in the plane through q across t (one direction or several rows of them).

    None if Newton does not find it.
    """
    across = np.atleast_2d(t)
    scales = kernel.column_scales
    error = math.inf
    for _ in range(8):
        r, Y = kernel(q, kernel.p0)
        previous, error = error, largest(r)
        if error <= kernel.tolerance and error > 0.1 * previous:
            break
        A = np.vstack((kernel.scaled(Y), across))
        off = np.concatenate((-r, np.zeros(len(across))))
        q = kernel.loop.advanced(q, least_squares(A, off, RANK_TOLERANCE) * scales)
    return with_unit_quaternions(kernel.loop.dependent, q) if error <= kernel.tolerance else None


def difference(kernel: LoopKernel, a: Array, b: Array) -> Array:
    """a − b in scaled coordinates (a quaternion counts twice: its rate is half the angular velocity)."""
    return np.asarray((a - b) / coordinate_scales(kernel))


def coordinate_scales(kernel: LoopKernel) -> Array:
    """What counts as one unit of each coordinate."""
    scale = {"r": 1.0, "m": kernel.size, "1": 0.5}
    return np.array([scale[u[0]] for body in kernel.loop.dependent for u in body.inboard.coordinate_units])


def whole_turns(kernel: LoopKernel, a: Array, b: Array) -> Array:
    """Multiples of 2π (or the other sign of a quaternion) by which a differs from a pose next to b."""
    turns = np.zeros(len(a))
    start = 0
    for body in kernel.loop.dependent:
        hinge = body.inboard
        for k in range(hinge.n_q):
            if comes_round(hinge, k):
                turns[start + k] = 2.0 * math.pi * round((a[start + k] - b[start + k]) / (2.0 * math.pi))
        w = np.flatnonzero(hinge.neutral == 1.0)
        if len(w):
            part = slice(start + int(w[0]), start + hinge.n_q)
            if float(a[part] @ b[part]) < 0.0:
                turns[part] = 2.0 * a[part]
        start += hinge.n_q
    return turns


def comes_round(hinge: Hinge, k: int) -> bool:
    """Whether a coordinate is an angle known by its cosine and sine only."""
    turned = hinge.neutral + 2.0 * math.pi * np.eye(hinge.n_q)[k]
    c, c_turned = hinge.configuration(hinge.neutral), hinge.configuration(turned)
    return bool(np.allclose(c_turned, c, rtol=0.0, atol=1e-9))


def returned(kernel: LoopKernel, start: CurvePoint, here: CurvePoint, there: CurvePoint) -> CurvePoint | None:
    """The start again, after whole turns, if the step from here to there passes it."""
    a = difference(kernel, here.q - whole_turns(kernel, here.q, start.q), start.q)
    b = difference(kernel, there.q - whole_turns(kernel, there.q, start.q), start.q)
    step_length = there.s - here.s
    if max(np.linalg.norm(a), np.linalg.norm(b)) > 2.0 * step_length or float(start.t @ there.t) < 0.9:
        return None
    chord = difference(kernel, there.q - whole_turns(kernel, there.q, here.q), here.q)
    along_a, along_b = float(a @ chord), float(b @ chord)
    if not along_a < 0.0 <= along_b:
        return None
    rest = a - along_a / float(chord @ chord) * chord
    if float(np.linalg.norm(rest)) > 0.1 * step_length:
        return None
    turns = whole_turns(kernel, there.q, start.q)
    if not same_closures(kernel, start, start.q + turns):
        return None
    s = here.s - along_a / float(np.linalg.norm(chord))
    return CurvePoint(s, start.q + turns, start.t, start.regular)


def same_closures(kernel: LoopKernel, start: CurvePoint, q: Array) -> bool:
    """Whether whole turns are the same to the closures too (not to a cam's profile over its angle)."""
    r, Y = kernel(q, kernel.p0)
    drift = kernel.scaled(Y) @ start.t
    return largest(r) <= 1e3 * kernel.tolerance and largest(drift) <= 1e-9
