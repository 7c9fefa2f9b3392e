"""Curves of configurations, followed in floats: the branch of a coordinate and the path of a loop.

A point u of a curve that closes the loop has the unit tangent t, the null vector of Y in scaled velocities.
The next one is guessed along the tangent and closed in the plane across it.

On the path of a loop all hinges are alike.  A dead centre of one of them (where its rate along the curve
vanishes) is a point like any other, and where another branch crosses, the curve goes straight on.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import singular_values_and_vectors
from ce_dynamics.algebra.newton import largest_residual, polish
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import with_unit_quaternions
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.universal import Universal

FIRST_STEP = 0.02  # of arc length, in radians and sizes of the loop
LARGEST_STEP = 0.1
SMALLEST_STEP = 1e-9
GROWTH = 1.4  # of the next step
LARGEST_TURN = math.cos(0.1)  # of the tangent within one step
MOST_POINTS = 20000
ITERATIONS = 8
RANK_TOLERANCE = 1e-12


class OnCurve(Protocol):
    """A point with a tangent."""

    @property
    def t(self) -> Array: ...


P = TypeVar("P", bound=OnCurve)
E = TypeVar("E")


class March(ABC, Generic[P, E]):
    """Follows a curve by steps that are as long as it lets them be."""

    shorter: ClassVar[float] = 0.5  # factor on a step that was too long
    remedy: ClassVar[str]  # what to do about a curve that does not end

    def __init__(self, kernel: LoopKernel, start: P, direction: float) -> None:
        self.kernel = kernel
        self.start = start
        self.direction = direction
        self.points: list[P] = []

    @abstractmethod
    def next_point(self, before: P, here: P, h: float) -> P | None:
        """Return the next point, at about arc length h from here; None if the step is too long."""

    @abstractmethod
    def stuck(self, here: P, h: float) -> E | None:
        """Return the end if the next step, h, would be too short to go on with; else None."""

    @abstractmethod
    def find_end(self, there: P) -> E | None:
        """Return the end if the curve need not be followed beyond a point; else None."""

    def run(self) -> tuple[list[P], E]:
        """Return points after the start, and how they end."""
        before, here, h = self.start, self.start, FIRST_STEP
        while len(self.points) < MOST_POINTS:
            there = self.next_point(before, here, self.direction * h)
            if there is None:
                h *= self.shorter
                end = self.stuck(here, h)
            else:
                self.points.append(there)
                before, here, h = here, there, min(GROWTH * h, LARGEST_STEP)
                end = self.find_end(there)
            if end is not None:
                return self.points, end
        raise AssemblyError(
            f"the loop of {self.kernel.loop.name!r} was followed over {MOST_POINTS} points without reaching "
            f"its end; {self.remedy}"
        )


def has_turned(here: OnCurve, there: OnCurve) -> bool:
    """Return True if the tangent has turned too far from one point to the next."""
    return float(there.t @ here.t) < LARGEST_TURN


def close_across(kernel: LoopKernel, q: Array, p: Array, t: Array) -> tuple[Array, Array] | None:
    """Return dependent coordinates and parameters that close, in the plane through (q, p) across t.

    t is one direction, or several in rows.  None if Newton does not find the point.
    """
    across, m, n = np.atleast_2d(t), kernel.loop.m, len(q)

    def equations(u: Array) -> tuple[Array, Array]:
        r, Y = kernel(u[:n], u[n:])
        live = kernel.live
        return np.append(r[live], np.zeros(len(across))), np.vstack((kernel.scale_columns(Y)[live], across))

    def move(u: Array, step: Array) -> Array:
        correction = step * kernel.column_scales
        return np.concatenate((kernel.advance(u[:n], correction[:m]), u[n:] + correction[m:]))

    start, limit = np.concatenate((q, p)), kernel.tolerance
    u, error = polish(equations, move, start, limit, iterations=ITERATIONS, rcond=RANK_TOLERANCE)
    return (u[:n], u[n:]) if error <= kernel.tolerance else None


LONGEST = 60.0  # arc length followed each way
CROSSING = 1e-6  # smallest singular value of Y below which the tangent is not known


class CurvePoint(NamedTuple):
    """A point of the curve."""

    s: float  # arc length from the design pose
    q: Array  # (n_q,), coordinates of all hinges
    t: Array  # (n_v,), unit tangent in scaled velocities
    # smallest singular value of Y that is not zero by structure: zero where two branches cross
    regular: float


@dataclass(frozen=True, eq=False)
class LoopCurve:
    """Points of the curve in the order of s, from one end to the other."""

    kernel: LoopKernel  # of the loop with all hinges dependent
    points: list[CurvePoint]
    closed: bool  # whether the last point is the first one again (after whole turns of some hinges)

    @property
    def length(self) -> float:
        """Arc length of all of it."""
        return self.points[-1].s - self.points[0].s


def follow_curve(kernel: LoopKernel, q0: Array, forward: Array) -> LoopCurve:
    """Return the curve through q0: all of it if it closes, else as far as it goes or `LONGEST` each way.

    ``forward`` are scaled velocities (n_v,) of which one direction is to be forward.
    """
    _, Y = kernel(q0, kernel.p0)
    t, regular = null_vector(kernel.scale_columns(Y))
    t = t if float(t @ forward) >= 0.0 else -t
    start = CurvePoint(0.0, q0, t, regular)
    ahead, closed = CurveMarch(kernel, start, 1.0).run()
    if closed:
        return LoopCurve(kernel, [start, *ahead], True)
    behind, _ = CurveMarch(kernel, start, -1.0).run()
    return LoopCurve(kernel, [*reversed(behind), start, *ahead], False)


def null_vector(Y: Array) -> tuple[Array, float]:
    """Return the right singular vector of the smallest singular value, and the value above that."""
    _, singular, Vt = singular_values_and_vectors(Y)
    n = Y.shape[1]
    return Vt[n - 1], float(singular[n - 2]) if n > 1 and len(singular) > n - 2 else 1.0


class CurveMarch(March[CurvePoint, bool]):
    """From the start in one direction; ends with whether the points came back to it."""

    shorter = 0.61  # no power of which is a sum of others: a crossing of branches is not met twice
    remedy = "name an independent coordinate"

    def __init__(self, kernel: LoopKernel, start: CurvePoint, direction: float) -> None:
        super().__init__(kernel, start, direction)
        self._last: CurvePoint | None = None

    def next_point(self, before: CurvePoint, here: CurvePoint, h: float) -> CurvePoint | None:
        there = step(self.kernel, before, here, h)
        if there is None or has_turned(here, there):
            return None
        if self.direction > 0.0 and len(self.points) > 3:
            self._last = find_return(self.kernel, self.start, here, there)
        return self._last or there

    def stuck(self, here: CurvePoint, h: float) -> bool | None:
        return False if h < SMALLEST_STEP else None

    def find_end(self, there: CurvePoint) -> bool | None:
        if there is self._last:
            return True
        return False if abs(there.s) >= LONGEST else None


def step(kernel: LoopKernel, before: CurvePoint, here: CurvePoint, h: float) -> CurvePoint | None:
    """Return the point of the curve at about arc length h along the tangent; None if it is not found."""
    scales = kernel.column_scales
    turning = (here.t - before.t) / (here.s - before.s) if here.s != before.s else 0.0 * here.t
    predicted = kernel.advance(here.q, h * (here.t + 0.5 * h * turning) * scales)
    q = project_to_curve(kernel, predicted, here.t)
    if q is None:
        return None
    _, Y = kernel(q, kernel.p0)
    t, regular = null_vector(kernel.scale_columns(Y))
    if regular < CROSSING:
        return None
    t = t if float(t @ here.t) > 0.0 else -t
    chord = float(np.linalg.norm(difference(kernel, q, here.q)))
    if abs(chord - abs(h)) > 0.5 * abs(h):
        return None
    bend = math.acos(min(1.0, float(t @ here.t)))
    arc = chord * (0.5 * bend / math.sin(0.5 * bend) if bend > 1e-6 else 1.0)
    return CurvePoint(here.s + math.copysign(arc, h), q, t, regular)


def project_to_curve(kernel: LoopKernel, q: Array, t: Array) -> Array | None:
    """Return a point that closes in the plane through q across t (one direction or several rows of them).

    None if Newton does not find it.
    """
    found = close_across(kernel, q, kernel.p0, t)
    return None if found is None else with_unit_quaternions(kernel.loop.dependent, found[0])


def difference(kernel: LoopKernel, a: Array, b: Array) -> Array:
    """Return a − b in scaled coordinates (quaternions count twice: their rate is half the velocity)."""
    return np.asarray((a - b) / kernel.coordinate_scales)


def whole_turns(kernel: LoopKernel, a: Array, b: Array) -> Array:
    """Return multiples of 2π (or the other sign of a quaternion) by which a differs from a pose next to b."""
    turns: Array = np.where(kernel.comes_round, 2.0 * math.pi * np.round((a - b) / (2.0 * math.pi)), 0.0)
    for part in kernel.quaternions:
        if float(a[part] @ b[part]) < 0.0:
            turns[part] = 2.0 * a[part]
    return turns


def find_return(
    kernel: LoopKernel, start: CurvePoint, here: CurvePoint, there: CurvePoint
) -> CurvePoint | None:
    """Return the start again, after whole turns, if the step from here to there passes it."""
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
    """Return True if whole turns are the same to the closures too (not to a cam's profile over its angle)."""
    r, Y = kernel(q, kernel.p0)
    drift = kernel.scale_columns(Y) @ start.t
    return largest_residual(r) <= 1e3 * kernel.tolerance and largest_residual(drift) <= 1e-9


ALONE = 0.99  # component of a unit vector above which the motion is that of one hinge


def diagnose_gimbal_pose(bodies: Sequence[Body], t: Array) -> str:
    """Return a diagnosis and a remedy where a Universal turns alone; empty if none does.

    t (n_v,) is the unit vector along which a loop moves, in scaled velocities of the bodies' hinges.
    """
    moving = [(body, k) for body in bodies for k in range(body.inboard.n_v)]
    rate, (body, k) = max(zip(np.abs(t).tolist(), moving, strict=True), key=lambda pair: pair[0])
    if rate < ALONE or not isinstance(body.inboard, Universal):
        return ""
    return (
        f"the Universal of {body.name!r} comes near a gimbal pose there: what it holds gets into line with "
        f"its axis{k + 1}, about which it turns at once; give it axes that stay across the motion"
    )
