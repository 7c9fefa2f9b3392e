"""Assembly of a loop from a rough guess."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.algebra.newton import descend, largest
from ce_dynamics.embedding.closures.closure_errors import numerical_rank
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import with_unit_quaternions
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.assumptions import COARSEST

ITERATIONS = 200
SMALLEST_DAMPING = 1.0 / 1024.0
BEST_STEPS = 12  # as many as `LoopKernel.newton` takes from nearby
STARTS = 12
FARTHER = 0.15  # [rad, or sizes of the loop] that every further start lies away from the guess, at most
SEED = 20240229  # the same guess is assembled in the same way every time


def assemble(kernel: LoopKernel) -> Array:
    """Dependent coordinates that close the loop with everything given in the design pose.

    A design pose that closes already is kept as it is.  Otherwise Gauss-Newton steps, at most 0.3 rad (or 0.3
    sizes of the loop) long and halved until the residual shrinks, start from there; where they get stuck,
    from some more poses around it, farther and farther away.

    Raises
    ------
    AssemblyError
        Naming the closure that stays open most.
    """
    q = kernel.loop.neutral()
    r, _ = kernel(q, kernel.p0)
    if largest(r) <= kernel.tolerance:
        return q
    best, smallest = q, np.inf
    for start in starts(kernel, q):
        closed = kernel.newton(descend_squares(kernel, start), kernel.p0)
        if closed.error <= kernel.tolerance:
            return closed.q
        if closed.error < smallest:
            best, smallest = closed.q, closed.error
    raise AssemblyError(explain_open_loop(kernel, best))


def starts(kernel: LoopKernel, q: Array) -> Iterator[Array]:
    """The guess, and poses around it."""
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
        _, Y = self.kernel(q, self.kernel.p0)
        return self.kernel.scale_columns(Y)[:, : self.kernel.loop.m]

    def displace(self, q: Array, step: Array) -> Array:
        return self.kernel.advance(q, step * self.kernel.column_scales[: self.kernel.loop.m])


def descend_squares(kernel: LoopKernel, q: Array) -> Array:
    """Return the dependent coordinates that damped Gauss-Newton steps reach from q."""
    enough = 1e-6 * kernel.size
    found = descend(Closing(kernel), q, enough, iterations=ITERATIONS, rcond=1e-6, smallest=SMALLEST_DAMPING)
    return np.asarray(found.x)


def nearly_assembled(kernel: LoopKernel, tolerance: float) -> Array | None:
    """Return coordinates that close the loop best in the least-squares sense, if that is to a tolerance.

    Parameters
    ----------
    kernel : LoopKernel
    tolerance : float
        Of directions [rad] and of points, in sizes of the loop.  Singular values of Y below it count as zero.
    """
    for start in starts(kernel, kernel.loop.neutral()):
        q = close_best(kernel, descend_squares(kernel, start), tolerance)
        if largest(kernel(q, kernel.p0)[0]) <= tolerance * kernel.size:
            return q
    return None


def close_best(kernel: LoopKernel, q: Array, tolerance: float) -> Array:
    """Return where Gauss-Newton steps from nearby lead, small singular values of Y counting as zero."""
    m = kernel.loop.m
    for _ in range(BEST_STEPS):
        r, Y = kernel(q, kernel.p0)
        step = least_squares(kernel.scale_columns(Y)[:, :m], -r, tolerance)
        q = kernel.move(q, step)
        if largest(step) <= kernel.tolerance:
            break
    return q


def explain_open_loop(kernel: LoopKernel, q: Array) -> str:
    """Return the message for a loop that cannot be closed: the worst closure, its error and remedies."""
    r, Y = kernel(q, kernel.p0)
    start, worst, name = 0, -1.0, ""
    for loop in kernel.loop.closures:
        rows = loop.rows
        error = largest(r[start : start + rows])
        if error > worst:
            worst, name = error, loop.name
        start += rows
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
