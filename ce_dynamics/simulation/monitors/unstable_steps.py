"""Detects fixed steps that are too long.

Explicit steps amplify modes that the motion itself damps or keeps.  Near a state, ẏ = J y + constant.  Along
an eigenvector of eigenvalue λ the motion grows by exp(hλ) in a time h, and a step of an explicit Runge–Kutta
method by its polynomial R(z), z = hλ; that of RK4 is

    R(z) = 1 + z + z²/2 + z³/6 + z⁴/24.

Where |R(z)| is greater than 1 and than |exp z|, the growth is the method's own.

Linearly implicit steps (L-stable) amplify no linear mode.  They are too long if the motion is nonlinear
within a step: two steps of half the length then reach another state.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import (
    METHOD_OF,
    ExplicitRungeKutta,
    LinearlyImplicit,
    Rate,
    jacobian_at,
)
from ce_dynamics.errors import AccuracyWarning
from ce_dynamics.simulation.monitors.monitor import FinishedRun, Monitor

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.stepper import FixedSteps

GROWTH = 1.05  # ratio of growth by a step to growth of the motion, above which a step is unstable

UNRESOLVED = 0.5
"""Relative difference between a step and two half steps above which the motion is not resolved."""

DIFFERENCE = 1e-3  # difference relative to the state below which implicit steps may skip a motion

FixedMethod = ExplicitRungeKutta | LinearlyImplicit


class UnstableSteps(Monitor):
    """Warns of fixed steps that do not resolve the motion, and names steps that broke a run."""

    order = 0

    def check_run(self, run: FinishedRun) -> None:
        method, t, Y = METHOD_OF.get(run.options.method), run.t, run.Y
        if not isinstance(method, FixedMethod) or run.trouble:
            return
        h, stepper = run.options.step_made, cast("FixedSteps", run.stepper)
        looked_at = sorted({0, len(t) // 2, len(t) - 1})
        for k in looked_at[1:]:
            whole, halves = (stepper.after(t[k], Y[k], n, h / n) for n in (1, 2))
            if is_far_apart(method, Y[k], whole, halves):
                states = ((partial(run.rhs, t[at]), Y[at]) for at in looked_at)
                reason = too_long(method.name, h, states)
                if reason:
                    what = f"steps resolve nothing at t = {t[k]:.4g} s{reason}"
                    warnings.warn(what, AccuracyWarning, stacklevel=4)
                return

    def explain(self, run: FinishedRun) -> str:
        if run.cause not in ("by itself", "broken promise"):
            return ""
        t, Y, options = run.t, run.Y, run.options
        states = ((partial(run.rhs, t[k]), Y[k]) for k in sorted({0, len(t) // 2}))
        return too_long(options.method, options.step_made, states)


def growth(method: ExplicitRungeKutta, h: float, eigenvalues: NDArray[np.complex128]) -> float:
    """Return max |R(hλ)| / max(1, |exp(hλ)|)."""
    z = h * eigenvalues
    made = np.abs(method.amplification(z))
    return float(np.max(made / np.maximum(1.0, np.exp(np.minimum(z.real, 700.0))), initial=0.0))


def eigenvalues_at(rate: Rate, y: Floats) -> NDArray[np.complex128]:
    """Return λ of J = ∂ẏ/∂y; none where it is not finite."""
    J = jacobian_at(rate, y) if y.size else np.zeros((0, 0))
    if not np.all(np.isfinite(J)):
        return np.zeros(0, dtype=np.complex128)
    return np.linalg.eigvals(J).astype(np.complex128)


def stable_step(method: ExplicitRungeKutta, h: float, eigenvalues: NDArray[np.complex128]) -> float:
    """Return a stable step below h, to two digits."""
    longest = h
    while growth(method, longest, eigenvalues) > 1.0 + 1e-6:
        longest *= 0.9
    return float(f"{longest:.1e}")


def too_long(name: str, h: float, states: Iterable[tuple[Rate, Floats]]) -> str:
    """Return a clause if a method's steps of h are too long at one of these states; '' if at none.

    Only methods of fixed steps are checked.  States should lie well before the end of a broken run: near a
    limit of a loop any step is too long.
    """
    method = METHOD_OF.get(name)
    for rate, y in states:
        reason = ""
        if isinstance(method, ExplicitRungeKutta):
            reason = describe_growth(method, h, rate, y)
        elif isinstance(method, LinearlyImplicit) and is_unresolved(method, h, rate, y):
            reason = (
                f"; steps of {h:.3g} s are too long for {name}: steps of half that length reach another "
                "state; take shorter steps"
            )
        if reason:
            return reason
    return ""


def describe_growth(method: ExplicitRungeKutta, h: float, rate: Rate, y: Floats) -> str:
    """Return a clause on the growth of the fastest motion by a step; '' if it does not grow."""
    with np.errstate(all="ignore"):
        eigenvalues = eigenvalues_at(rate, y)
    factor = growth(method, h, eigenvalues)
    if not factor > GROWTH:
        return ""
    fastest, stable = float(np.max(np.abs(eigenvalues))), stable_step(method, h, eigenvalues)
    return (
        f"; steps of {h:.3g} s are too long for {method.name}: the fastest motion (|λ| = {fastest:.3g} 1/s) "
        f"grows by {factor:.3g} with every step; take steps of at most {stable:.2g} s "
        "or an implicit method (rosenbrock, implicit-euler)"
    )


def is_unresolved(method: LinearlyImplicit, h: float, rate: Rate, y: Floats) -> bool:
    """Return True if a step is far from two of half its length."""
    with np.errstate(all="ignore"):
        # one Jacobian will do, and a coarse one: methods that need one keep their order whatever it is
        J = jacobian_at(rate, y, central=False)
        whole, half = (method.step_plain(rate, y, length, J) for length in (h, 0.5 * h))
        halves = method.step_plain(rate, half, 0.5 * h, J)
        return is_far_apart(method, y, whole, halves)


def is_far_apart(method: FixedMethod, y: Floats, whole: Floats, halves: Floats) -> bool:
    """Return True if a step from y and two half steps lead to states that are far apart.

    States are far apart if their distance exceeds `UNRESOLVED` times the change of state, or is NaN.
    Implicit methods accept distances up to `DIFFERENCE` times max(1, |y|).
    """
    off, way = whole - halves, halves - y
    apart, made = math.sqrt(off @ off), math.sqrt(way @ way)
    if method.implicit and apart <= DIFFERENCE * max(1.0, math.sqrt(y @ y)):
        return False
    return not apart <= UNRESOLVED * made
