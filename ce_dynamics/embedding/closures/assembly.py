"""Assembly of a loop: from a rough guess, and in a closed pose near a given one.

Where data have few digits, a loop is closed in the least-squares sense, along the way that it then moves.

What holds in a pose and not near it is an accident of the pose.  Independent coordinates that do not
determine the loop, and closures that contradict each other as it moves, are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import singular_values_and_vectors
from ce_dynamics.algebra.newton import Rounding, descend, largest_residual, polish, short_steps
from ce_dynamics.embedding.closures.choices import RowChoice, smallest_singular
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import (
    Loop,
    numerical_rank,
    rows_of,
    surroundings,
    with_unit_quaternions,
)
from ce_dynamics.errors import (
    AssemblyError,
    IndependentCoordinatesError,
    OverConstrainedError,
    SingularConfigurationError,
)
from ce_dynamics.mechanism.assumptions import COARSEST
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.conditions import InPart, one_by_one

ITERATIONS = 200
SMALLEST_DAMPING = 1.0 / 1024.0
BEST_STEPS = 12  # as many as `LoopKernel.newton` takes from nearby
STARTS = 12
FARTHER = 0.15  # [rad, or sizes of the loop] that every further start lies away from the guess, at most
RANK_TOLERANCE = 1e-9  # as that of `numerical_rank`
SEED = 20240229  # the same guess is assembled in the same way every time


def assemble(kernel: LoopKernel) -> Array:
    """Return dependent coordinates that close the loop with everything given in the design pose.

    A design pose that closes already is kept as it is.  Otherwise Gauss-Newton steps, at most 0.3 rad (or 0.3
    sizes of the loop) long and halved until the residual shrinks, start from there; where they get stuck,
    from some more poses around it, farther and farther away.
    """
    q = kernel.loop.neutral()
    r, _ = kernel(q, kernel.p0)
    if largest_residual(r) <= kernel.tolerance:
        return q
    best, smallest = q, np.inf
    for start in starts(kernel, q):
        closed = kernel.newton(descend_squares(kernel, start), kernel.p0)
        if closed.error <= kernel.tolerance:
            return closed.x
        if closed.error < smallest:
            best, smallest = closed.x, closed.error
    raise AssemblyError(explain_open_loop(kernel, best))


def starts(kernel: LoopKernel, q: Array) -> Iterator[Array]:
    """Yield the guess, and poses around it."""
    rng = np.random.default_rng(SEED)
    m = kernel.loop.m
    for k in range(STARTS):
        step = k * FARTHER * rng.uniform(-1.0, 1.0, m) * kernel.column_scales[:m]
        yield with_unit_quaternions(kernel.loop.dependent, kernel.advance(q, step))


class Closing(NamedTuple):
    """Dependent coordinates that close a loop in its design pose, as a problem of `descend`."""

    kernel: LoopKernel

    def gap(self, q: Array) -> Array:
        return self.kernel(q, self.kernel.p0)[0]

    def slope(self, q: Array) -> Array:
        return self.kernel.at(self.kernel.p0)(q)[1]

    def displace(self, q: Array, step: Array) -> Array:
        return self.kernel.advance(q, step * self.kernel.column_scales[: self.kernel.loop.m])


def descend_squares(kernel: LoopKernel, q: Array) -> Array:
    """Return the dependent coordinates that damped Gauss-Newton steps reach from q."""
    enough = 1e-6 * kernel.size
    steps = partial(short_steps, rcond=1e-6)
    found = descend(Closing(kernel), q, enough, iterations=ITERATIONS, steps=steps, smallest=SMALLEST_DAMPING)
    return np.asarray(found.x)


def nearly_assembled(kernel: LoopKernel, tolerance: float) -> Array | None:
    """Return coordinates that close the loop best in the least-squares sense, if that is to a tolerance.

    It is one of directions [rad] and of points, in sizes of the loop; smaller singular values of Y count as
    zero.
    """
    for start in starts(kernel, kernel.loop.neutral()):
        q = close_best(kernel, descend_squares(kernel, start), tolerance)
        if largest_residual(kernel(q, kernel.p0)[0]) <= tolerance * kernel.size:
            return q
    return None


def close_best(kernel: LoopKernel, q: Array, tolerance: float) -> Array:
    """Return the end of Gauss-Newton steps from nearby, small singular values of Y counting as zero.

    They end where a step leaves half of the residual: then it is that of the best pose.
    """
    stop = Rounding(gain=0.5)
    equations = kernel.at(kernel.p0)
    return polish(equations, kernel.move, q, np.inf, iterations=BEST_STEPS, stop=stop, rcond=tolerance).x


AROUND = (0.03, -0.03, 0.1)
"""Steps [rad, or sizes of the loop] to poses in which hinges are looked at beside the design pose."""
STEP_AHEAD, STEPS_AHEAD = 0.1, 100
"""Poses for which conditions are chosen are so far apart [rad, or sizes], and so many each way: a full turn
of two hinges that turn alike is 9 rad."""
MOST_SAMPLES = 40  # poses that are looked at, as of a branch that is tabulated


def with_single_conditions(bodies: Sequence[Body], closures: Sequence[CutEdge]) -> Loop:
    """Return a sub-graph whose joints have conditions of one row each, with all hinges to be found."""
    members = tuple(sorted(bodies, key=lambda body: body.index))
    parent, _ = surroundings(members, closures)
    edges = [
        replace(edge, closure=InPart(edge.closure, one_by_one(edge.closure.constraints)))
        if isinstance(edge, LoopClosure)
        else edge
        for edge in closures
    ]
    return Loop(parent, members, tuple(edges), members)


def least_open_poses(kernel: LoopKernel, tolerance: float) -> tuple[list[Array], list[Array]]:
    """Return poses in which a loop is closed best, first those close by, and then others along its way.

    The first is as near to the design pose as can be.  There are none if nothing moves there.
    """
    q = nearly_assembled(kernel, tolerance)
    if q is None:
        return [], []
    null = null_space(kernel, q, tolerance)
    if not len(null):
        return [], []
    t = mix_rows(null)
    t = t / np.linalg.norm(t)
    near = [q, *(step_pose(kernel, q, h * t, tolerance) for h in AROUND)]
    far = [*follow_direction(kernel, q, t, tolerance), *follow_direction(kernel, q, -t, tolerance)]
    return near, far[:: max(1, len(far) // MOST_SAMPLES)]


def follow_direction(kernel: LoopKernel, q: Array, t: Array, tolerance: float) -> Iterator[Array]:
    """Yield poses from one on in direction t, until the loop opens or has other freedoms."""
    freedoms = len(null_space(kernel, q, tolerance))
    for _ in range(STEPS_AHEAD):
        q = step_pose(kernel, q, STEP_AHEAD * t, tolerance)
        null = null_space(kernel, q, tolerance)
        t = (null @ t) @ null
        length = float(np.linalg.norm(t))
        opened = largest_residual(kernel(q, kernel.p0)[0]) > tolerance * kernel.size
        if opened or len(null) != freedoms or length < 0.5:  # a turn by 60 degrees in one step is none
            return
        t = t / length
        yield q


def step_pose(kernel: LoopKernel, q: Array, step: Array, tolerance: float) -> Array:
    """Return the pose that is closed best a step of scaled velocities from another."""
    return close_best(kernel, kernel.move(q, step), tolerance)


def null_space(kernel: LoopKernel, q: Array, tolerance: float = RANK_TOLERANCE) -> Array:
    """Return an orthonormal basis (rows) of the scaled velocities that keep a loop closed to a tolerance."""
    return null_rows(kernel.scale_columns(kernel(q, kernel.p0)[1]), tolerance)


def independent_rows(samples: Sequence[Array], loose: Array, tolerance: float) -> Array:
    """Return a mask of rows of Y to keep: those not loose, and of the others as many as are independent.

    ``samples`` are scaled Y in several poses; singular values below the tolerance count as zero.
    """
    fixed = numerical_rank(samples[0][~loose])
    needed = numerical_rank(samples[0], tolerance) - fixed
    reduced = []
    for Y in samples:
        free = singular_values_and_vectors(Y[~loose])[2][fixed:].T if fixed else np.eye(Y.shape[1])
        Y_free = Y[loose] @ free
        reduced.append(Y_free @ singular_values_and_vectors(Y_free)[2][:needed].T)
    kept = ~loose
    chosen = RowChoice(reduced).rows if needed else ()
    kept[np.flatnonzero(loose)[list(chosen)]] = True
    return kept


def explain_open_loop(kernel: LoopKernel, q: Array) -> str:
    """Return the message for a loop that cannot be closed: the worst closure, its error and remedies."""
    r, Y = kernel(q, kernel.p0)
    errors = [(largest_residual(r[rows]), loop.name) for loop, rows in rows_of(kernel.loop.closures)]
    worst, name = max(errors, key=lambda error: error[0])
    off = 10.0 ** math.ceil(math.log10(worst / kernel.size)) if worst > 0.0 else 0.0
    precise = 0.0 < off <= COARSEST and numerical_rank(kernel.scale_columns(Y)) < len(Y)
    digits = f"; give System(tolerance={off:g}) if that is the precision of the data" if precise else ""
    held = [body.name for body in kernel.parameters]
    moved = [body.name for body in kernel.loop.dependent]
    while_held = f" with {held} in the design pose" if held else ""
    return (
        f"the loop of {kernel.loop.name!r} cannot be assembled{while_held}: closure "
        f"{name!r} stays open by {worst:.3g} (m or rad) whatever {moved} do; move the hinge points of the "
        f"design pose so that the bars reach, or choose other independent coordinates{digits}"
    )


STEP = 0.03  # rad, or sizes of the loop, along the null space of Y
STEPS_BACK = 40
CORRECTIONS = 6  # from a step of 0.03 quadratic convergence takes four to rounding
REGULAR = 1e-4  # no singular value is between this and zero, else Newton just has not come to its end
CONTRADICTION = (
    1e-6  # sizes of the loop (or rad) from where on closures do not contradict each other, but lock
)


class LoopProblem(NamedTuple):
    """The closures of a loop as equations for all of its hinges, and a pose that is closed."""

    loop: Loop
    q: Array  # coordinates of all hinges
    equations: Callable[[Array], tuple[Array, Array]]  # residual and scaled Y at coordinates
    move: Callable[[Array, Array], Array]  # coordinates after a small step of scaled velocities

    def close_nearby(self, length: float = STEP) -> Array | None:
        """Return scaled Y in a closed pose a small step away, in a direction allowed to first order.

        None if there is none.  The step has a length [rad, or sizes of the loop]; it goes backward if that is
        negative.
        """
        null = null_rows(self.equations(self.q)[1])
        if not len(null):
            return None
        direction = mix_rows(null)
        here = self.move(self.q, length * direction / np.linalg.norm(direction))
        here, error = polish(self.equations, self.move, here, self.loop.tolerance, iterations=STEPS_BACK)
        return self.equations(here)[1] if error <= self.loop.tolerance else None

    def refuse_contradiction(self) -> None:
        """Refuse redundant conditions that hold together in the pose only.

        A small step in a direction that all conditions allow, the redundant ones to within the tolerance of
        `numerical_rank`, is closed by those that are not redundant; what then stays open of the others is
        what they contradict each other by.
        """
        loop, (_, Y) = self.loop, self.equations(self.q)
        null = null_rows(Y)
        if len(Y) == Y.shape[1] - len(null) or not len(null):
            return
        q = self.move(self.q, STEP * np.sum(null, axis=0) / np.sqrt(len(null)))
        _, left = polish(self.equations, self.move, q, 0.0, iterations=CORRECTIONS, rcond=RANK_TOLERANCE)
        negligible = 0.1 * (loop.tolerance - loop.rounding) + loop.rounding
        if negligible < left < CONTRADICTION * loop.size:
            raise contradiction_error(loop, f"{STEP:g} rad from the design pose", left)


def mix_rows(null: Array) -> Array:
    """Return unequal parts of all null vectors, so that no symmetry of a pose is kept."""
    return np.asarray((1.0 / np.arange(1.0, len(null) + 1.0)) @ null)


def null_rows(Y: Array, tolerance: float = RANK_TOLERANCE) -> Array:
    """Return an orthonormal basis (rows) of the null space of Y."""
    return np.asarray(singular_values_and_vectors(Y)[2][numerical_rank(Y, tolerance) :])


def refuse_contradiction(kernel: LoopKernel, q0: Array) -> None:
    """Refuse redundant conditions that hold together in the design pose only."""
    over_all_hinges(kernel, q0).refuse_contradiction()


def contradiction_error(loop: Loop, where: str, left: float) -> OverConstrainedError:
    """Return the error for redundant conditions that do not hold together."""
    return OverConstrainedError(
        f"the loop of {loop.name!r} moves only because some of the conditions of its closures "
        f"{[edge.name for edge in loop.closures]} repeat others, but as they are given they "
        f"contradict each other: {where} by {left:.2g} (m or rad); give the geometry with more digits, let "
        f"System(tolerance=...) take it as exact, or let a closure hold less, as a Spherical instead of a "
        f"Revolute"
    )


def contradicts(kernel: LoopKernel, left: float, Y: Array) -> bool:
    """Return True if what stays open of redundant closures is too little to come from anything else."""
    if not kernel.tolerance < left < CONTRADICTION * kernel.size:
        return False
    scaled = kernel.scale_columns(Y)
    rank = numerical_rank(scaled)
    return len(Y) > rank == numerical_rank(scaled, REGULAR)


def over_all_hinges(kernel: LoopKernel, q0: Array) -> LoopProblem:
    """Return the problem of dependent coordinates and parameters together."""
    m, n_q, loop = kernel.loop.m, len(q0), kernel.loop

    def equations(q: Array) -> tuple[Array, Array]:
        r, Y = kernel(q[:n_q], q[n_q:])
        return r, kernel.scale_columns(Y)

    def move(q: Array, step: Array) -> Array:
        moved = step * kernel.column_scales
        dependent = with_unit_quaternions(loop.dependent, kernel.advance(q[:n_q], moved[:m]))
        parameters = kernel.move_parameters(q[n_q:], moved[m:])
        return np.concatenate((dependent, with_unit_quaternions(kernel.parameters, parameters)))

    return LoopProblem(loop, np.concatenate((q0, kernel.p0)), equations, move)


SINGULAR = 1e-9  # smallest singular value of Y₁, over its largest, that counts as regular


def refuse_undetermined(kernel: LoopKernel, q0: Array) -> None:
    """Refuse independent coordinates with which Y₁ is singular in the design pose."""
    loop = kernel.loop
    _, Y = kernel(q0, kernel.p0)
    Y1 = kernel.scale_columns(Y)[:, : loop.m]
    largest = max(1.0, float(np.linalg.norm(Y1, 2)) if Y1.size else 0.0)
    if Y1.shape[0] >= loop.m and smallest_singular(Y1) > SINGULAR * largest:
        return
    given = [body.name for body in kernel.parameters]
    loose = loop.m - numerical_rank(Y1)
    still = bodies_in_null_space(Y1, loop)
    trouble = (
        f"the loop of {loop.name!r} cannot be driven by {given}: Y1 is singular in the design pose"
        f"{{}}, so {still} may still move in {loose} way(s) that {given} do not determine; "
    )
    closed = over_all_hinges(kernel, q0).close_nearby()
    if closed is not None and numerical_rank(closed[:, : loop.m]) == loop.m:
        raise SingularConfigurationError(
            trouble.format(" and regular close by")
            + "name other independent coordinates, or move the design pose away from this dead centre"
        )
    raise IndependentCoordinatesError(
        trouble.format(" and close by as well") + "name other independent coordinates"
    )


def bodies_in_null_space(Y1: Array, loop: Loop) -> list[str]:
    """Return bodies whose hinges move in the null space of Y₁."""
    null = null_rows(Y1)
    names = [body.name for body in loop.dependent for _ in range(body.inboard.n_v)]
    largest = np.max(np.abs(null), axis=0, initial=0.0)
    return list(dict.fromkeys(name for name, part in zip(names, largest, strict=True) if part > 1e-6))
