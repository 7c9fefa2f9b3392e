"""Positions of a loop with several parameters: a fixed number of substeps from where it starts.

The parameters are led along a straight line from the start (`ce_dynamics.embedding.numeric.base_pose`) or the
design pose to their values; each substep extrapolates
the last two and makes one Newton step.  The sign of det Y₁ is watched on the way: it changes where the path
crosses a singular pose, beyond which Newton might land on another branch.  The result then is NaN, as it is
where the closures do not hold at the end.

On numbers the path is followed by the closures as they were compiled when the loop was embedded: a substep
costs some microseconds, where the same operations on arrays of floats take a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol

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
from ce_dynamics.algebra.newton import largest_residual
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.algebra.rotation import normalise, rotation_from_quaternion
from ce_dynamics.compiler.tracing.cut_points import mark
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import Loop, hinge_at_rest, with_unit_quaternions
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion
from ce_dynamics.embedding.numeric.base_pose import Base
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import Hinge

Pose = tuple[dict[str, HingeMotion], dict[str, BodyMotion]]
"""Given hinges and siblings at rest at one point of the path."""


class Factors(Protocol):
    """A square matrix, ready for solutions."""

    @property
    def determinant(self) -> Scalar:
        """Its determinant."""

    def solve(self, b: Array) -> Array:
        """Return A⁻¹ b for a vector b."""


class Linearised(NamedTuple):
    """The kept rows of the closures at one trial: residual and factors of Y₁."""

    residual: Array
    Y1: Factors


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
        return hinges, {name: part_way(motion, s, parent) for name, motion in siblings.items()}

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


def part_way(motion: BodyMotion, s: float, parent: Body) -> BodyMotion:
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
    kept = list(rows)
    return two_steps(
        lambda q: linearise_closures(loop, rows, q, pose),
        lambda q: loop.residual(q, *pose)[kept],
        loop.advance,
        q,
    )


def two_steps(
    linearise: Callable[[Array], Linearised],
    residual: Callable[[Array], Array],
    advance: Callable[[Array, Array], Array],
    q: Array,
) -> Array:
    """Return the same of any equations."""
    r, Y1 = linearise(q)
    q = advance(q, -Y1.solve(r))
    return advance(q, -Y1.solve(residual(q)))


def linearise_closures(loop: Loop, rows: Sequence[int], q: Array, pose: Pose) -> Linearised:
    """Return the kept rows of the closures at a trial."""
    given, siblings = pose
    N = next((motion.X.shape[1] for motion in given.values()), 0)
    errors = loop.errors(q, zeros(loop.m + N), given, siblings)
    return Linearised(errors.residual[list(rows)], PivotedLU(errors.Y[list(rows), : loop.m]))


def led_on_numbers(
    kernel: LoopKernel, rows: Sequence[int], base: Base, p: Array, steps: tuple[int, int], tolerance: float
) -> Array:
    """Return dependent coordinates at parameters p, led there from a base; NaN where they cannot be reached.

    ``steps`` are the substeps, and the pairs of Newton steps at the end.
    """
    kept, m = list(rows), kernel.loop.m
    substeps, final = steps

    def linearise(q: Array, s: float) -> Linearised:
        r, Y = kernel(q, base.p + s * (p - base.p))
        return Linearised(r[kept], NumberFactors(Y[kept, :m]))

    q, regular = continue_along(linearise, kernel.advance, base.q, substeps)
    for _ in range(final):
        q = two_steps(lambda q: linearise(q, 1.0), lambda q: kernel(q, p)[0][kept], kernel.advance, q)
    if not (regular and largest_residual(kernel(q, p)[0]) < tolerance):
        return np.full_like(base.q, np.nan)
    return with_unit_quaternions(kernel.loop.dependent, q)


class NumberFactors:
    """A matrix of floats, ready for solutions by LAPACK, which are NaN where it is singular."""

    def __init__(self, A: Array) -> None:
        self._A = A

    @property
    def determinant(self) -> float:
        """Its determinant."""
        return float(np.linalg.det(self._A))

    def solve(self, b: Array) -> Array:
        """Return A⁻¹ b."""
        try:
            return np.asarray(np.linalg.solve(self._A, b))
        except np.linalg.LinAlgError:
            return np.full(len(b), np.nan)
