"""Positions of a loop with several parameters: a fixed number of substeps from where it starts.

The parameters are led along a straight line from the start or the design pose to their values; each substep
extrapolates the last two and makes one Newton step.  The sign of det Y₁ is watched on the way: it changes
where the path crosses a singular pose, beyond which Newton might land on another branch.  The result then is
NaN, as it is where the closures do not hold at the end.

On numbers the path is followed by the closures as they were compiled when the loop was embedded: a substep
costs some microseconds, where the same operations on arrays of floats take a millisecond.

A straight line from the design pose to the start may cross a singular pose, beyond which there is another
branch, or leave what can be assembled.  Where it does, a way round is looked for: random parameters are
drawn, and from the nearest ones that were reached before the loop is followed towards them as far as its
branch goes, as rapidly exploring random trees do (LaValle, Planning Algorithms, 2006, section 5.5).  All of
this is done once, on numbers, when a system is embedded.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

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
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.algebra.rotation import normalise, rotation_from_quaternion
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel, comes_round
from ce_dynamics.embedding.closures.loop import Loop, hinge_at_rest, split, with_unit_quaternions
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import Hinge

LONGEST = 0.1  # rad, or sizes of the loop, of one step
SHORTEST = 1e-3
FARTHEST = 0.25  # that a dependent coordinate may go in one step, else it may have left its branch
EXPLORED = 200  # random parameters
TOWARDS = 3  # every so many of them are the goal instead
LENGTHS = 2.0  # sizes of the loop that lengths are drawn from on either side
SEED = 20261122  # the same way is found every time


class Base(NamedTuple):
    """A pose of a loop in which it is closed."""

    p: Array  # (n_p,), coordinates of the parameters
    q: Array  # (n_q,), dependent coordinates


def base_at(
    kernel: LoopKernel, rows: Sequence[int], q0: Array, start: Mapping[str, Array], wraps: bool
) -> Base | None:
    """Return the start pose on the branch of the design pose; None if no path leads there.

    Y₁ is watched in some rows.  ``start`` has coordinates of parameters by body, where they are not of the
    design pose; ``wraps``: angles a turn apart are the same.
    """
    parts = split(kernel.p0, kernel.parameters)
    p = np.concatenate([np.zeros(0), *(start.get(name, part) for name, part in parts.items())])
    goals = sorted(
        turns_of(kernel, p) if wraps else [p], key=lambda goal: float(np.linalg.norm(goal - kernel.p0))
    )
    found = Exploration(kernel, rows, Base(kernel.p0, q0)).search_goals(goals)
    return None if found is None else Base(p, found)


def turns_of(kernel: LoopKernel, p: Array) -> Iterator[Array]:
    """Yield parameters with every angle as it is, and a turn farther either way."""
    hinges = [(body.inboard, k) for body in kernel.parameters for k in range(body.inboard.n_q)]
    turns = [(0.0, -2.0 * np.pi, 2.0 * np.pi) if comes_round(hinge, k) else (0.0,) for hinge, k in hinges]
    for more in itertools.product(*turns):
        yield p + np.array(more)


class Exploration:
    """Poses that were reached from one, along one branch of a loop."""

    def __init__(self, kernel: LoopKernel, rows: Sequence[int], start: Base) -> None:
        self.kernel, self.rows = kernel, list(rows)
        hinges = [body.inboard for body in kernel.parameters]
        self.reach = np.array([half for hinge in hinges for half in reach_of(hinge, kernel.size)])
        self.poses = [start]
        self._sign = self._determinant(self.poses[0])

    def search_goals(self, goals: Sequence[Array]) -> Array | None:
        """Return dependent coordinates at the first goal that a path leads to; None if there is none."""
        for goal in goals:
            found = self.towards(goal)
            if found is not None:
                return found
        rng = np.random.default_rng(SEED)
        middle = 0.5 * (self.kernel.p0 + goals[0])
        for k in range(EXPLORED):
            if k % TOWARDS == 0:
                found = self.towards(goals[(k // TOWARDS) % len(goals)])
                if found is not None:
                    return found
            else:
                p = middle + self.reach * rng.uniform(-1.0, 1.0, len(middle))
                self.towards(with_unit_quaternions(self.kernel.parameters, p))
        return None

    def towards(self, goal: Array) -> Array | None:
        """Follow the loop from the nearest pose towards a goal; dependent coordinates if it gets there."""
        apart = [float(np.linalg.norm((goal - pose.p) / self.reach)) for pose in self.poses]
        start = self.poses[int(np.argmin(apart))]
        end, done = self._follow(start, goal)
        if done > 0.0:
            self.poses.append(end)
        return end.q if done == 1.0 else None

    def _follow(self, start: Base, goal: Array) -> tuple[Base, float]:
        """Return the last pose on the straight way to a goal, and how much of the way that is."""
        far = float(np.max(np.abs(goal - start.p) / self.reach, initial=0.0)) * np.pi
        longest = LONGEST / max(far, LONGEST)
        here, before, done, part = start, start, 0.0, longest
        last = part
        while done < 1.0:
            there = min(1.0, done + part)
            p = with_unit_quaternions(self.kernel.parameters, start.p + there * (goal - start.p))
            ahead = here.q + (here.q - before.q) * ((there - done) / last)
            found = self._close(p, ahead, here)
            if found is not None:
                before, here, last, done = here, found, there - done, there
                part = min(longest, 2.0 * part)
            elif part > SHORTEST * longest:
                part *= 0.25
            else:
                break
        return here, done

    def _close(self, p: Array, guess: Array, last: Base) -> Base | None:
        """Return the pose at parameters p on the branch of the last one; None if none is found."""
        closed = self.kernel.newton(with_unit_quaternions(self.kernel.loop.dependent, guess), p)
        if closed.error > self.kernel.tolerance:
            return None
        moved = np.max(np.abs(closed.x - last.q) / self.kernel.coordinate_scales, initial=0.0)
        there = Base(p, closed.x)
        if moved > FARTHEST or not self._determinant(there) * self._sign > 0.0:
            return None
        return there

    def _determinant(self, pose: Base) -> float:
        _, Y = self.kernel(pose.q, pose.p)
        return float(np.linalg.det(self.kernel.scale_columns(Y)[self.rows, : self.kernel.loop.m]))


def reach_of(hinge: Hinge, size: float) -> list[float]:
    """Return the half-width of the interval from which each coordinate of a parameter is drawn."""
    turn = np.pi if hinge.n_q == hinge.n_v else 1.0
    return [LENGTHS * size if unit == "m" else turn for unit in hinge.coordinate_units]


Pose = tuple[dict[str, HingeMotion], dict[str, BodyMotion]]
"""Given hinges and siblings at rest at one point of the path."""


class Linearised(NamedTuple):
    """The kept rows of the closures at one trial: residual and factors of Y₁."""

    residual: Array
    Y1: PivotedLU


def path(
    given: Mapping[str, HingeMotion],
    siblings: Mapping[str, BodyMotion],
    bodies: Mapping[str, Body],
    parent: Body,
    turns: bool,
    base: Mapping[str, Array],
) -> Callable[[float], Pose]:
    """Return given hinges and siblings at the fraction s of the path from the design pose, or from a base.

    Angles go the short way; all their turns, as far as these are known, only if ``turns`` count.
    """

    def pose(s: float) -> Pose:
        hinges = {}
        for name, hinge_motion in given.items():
            hinge = bodies[name].inboard
            known = hinge_motion.q if turns else None
            target = hinge.coordinates(hinge_motion.c) if known is None else known
            start = base.get(name, hinge.neutral)
            q = start + s * coordinate_change(hinge, start, target, short=known is None)
            hinges[name] = hinge_at_rest(hinge.configuration(q), hinge.n_v, hinge_motion.X.shape[1], q)
        return hinges, {name: interpolate_motion(motion, s, parent) for name, motion in siblings.items()}

    return pose


def coordinate_change(hinge: Hinge, start: Array, target: Array, short: bool) -> Array:
    """Return the change from hinge coordinates to others; the short way round for angles known up to turns.

    Of a quaternion the side is taken that is the nearer one: q and −q are the same pose.
    """
    moved = bool(np.any(start != hinge.neutral))
    w = hinge.quaternion
    if w is not None:
        side = dot(start[w:], target[w:]) if moved else target[w]
        target = concatenate((target[:w], where(side < 0.0, -target[w:], target[w:])))
    elif short and moved:
        if not hinge.neutral.any():
            return hinge.coordinates(hinge.configuration(target - start))
        return hinge.coordinates(hinge.configuration(hinge.neutral + (target - start))) - hinge.neutral
    return target - start


def interpolate_motion(motion: BodyMotion, s: float, parent: Body) -> BodyMotion:
    """Return a sibling at rest at the fraction s of its way from the design pose, at most half a turn."""
    R = motion.R
    w = 0.5 * sqrt(maximum(1.0 + R[0, 0] + R[1, 1] + R[2, 2], 0.0))
    axis = array((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])) * (0.25 / w)
    quaternion = concatenate((array((1.0 - s + s * w,)), s * axis))
    design = motion.at - parent.com
    r = design + s * (motion.origin.r - design)
    N = motion.w.shape[1]
    still = PointMotion(r, zeros(3, N), zeros(3), zeros(3), zeros(3))
    R_s = rotation_from_quaternion(normalise(quaternion))
    return BodyMotion(R_s, motion.at, still, zeros(3, N), zeros(3), zeros(3), zeros(3))


def continue_along(
    linearise: Callable[[Array, float], Linearised],
    advance: Callable[[Array, Array], Array],
    q0: Array,
    substeps: int,
) -> tuple[Array, Scalar]:
    """Return coordinates at the end of the path, but for two Newton steps, and whether det Y₁ kept its sign.

    ``linearise`` takes coordinates and the fraction of the way; q0 closes the loop at its beginning.
    """
    q, before = q0, q0
    regular: Scalar = True
    start = linearise(q0, 0.0).Y1.determinant
    sign = np.sign(float(start)) if isinstance(start, (float, int)) else start
    for k in range(1, substeps + 1):
        mark()  # substeps are alike: compiled once
        predicted = q + (q - before)
        residual, Y1 = linearise(predicted, k / substeps)
        regular = (Y1.determinant * sign > 0.0) & regular
        q, before = advance(predicted, -Y1.solve(residual)), q
    return q, regular


_unit: ContextVar[float] = ContextVar("unit", default=1.0)

SINGLE_PRECISION = float(np.finfo(np.float32).eps / np.finfo(np.float64).eps)
"""Ratio of rounding errors in single precision to those in double."""


@contextmanager
def single_precision_tolerances() -> Iterator[None]:
    """Scale the tolerances of closures to single precision for all functions traced in this context."""
    before = _unit.set(SINGLE_PRECISION)
    try:
        yield
    finally:
        _unit.reset(before)


def is_closed(residual: Array, tolerance: float) -> Scalar:
    """Return True if all residuals are below a tolerance of double precision, False where any is NaN."""
    result: Scalar = True
    for r in residual:
        result = (absolute(r) < tolerance * _unit.get()) & result
    return result


def polish(loop: Loop, rows: Sequence[int], q: Array, pose: Pose) -> Array:
    """Make two Newton steps on the kept rows, the second with the Y₁ of the first."""
    r, Y1 = linearise_closures(loop, rows, q, pose)
    q = loop.advance(q, -Y1.solve(r))
    return loop.advance(q, -Y1.solve(loop.residual(q, *pose)[list(rows)]))


def linearise_closures(loop: Loop, rows: Sequence[int], q: Array, pose: Pose) -> Linearised:
    """Return the kept rows of the closures at a trial."""
    given, siblings = pose
    N = next((motion.X.shape[1] for motion in given.values()), 0)
    errors = loop.errors(q, zeros(loop.m + N), given, siblings)
    return Linearised(errors.residual[list(rows)], PivotedLU(errors.Y[list(rows), : loop.m]))
