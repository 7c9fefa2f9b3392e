"""Impacts with restitution, in two stages of Poisson's kind that never give energy.

Before the step proper, rows whose gap closes within it and faster than a rest speed rebound.  With the rates
w⁻ = Gᵀ v⁻ + ∂ψ/∂t and A = Gᵀ M⁻¹ G:

1. *Compression* is Coulomb's law without restitution: impulses Λ with w_c = w⁻ + A Λ, normal ones
   complementary to w_c + max(ψ, 0)/h, friction opposite to w_c.  So Λᵀ w_c ≤ 0.
2. *Expansion* gives every normal row s e_i Λ_n more; friction within μ times that, and bilateral rows, are
   those that leave the least kinetic energy (Coulomb's law with a given bound).

s = 1 where all that rebound have the same e.  The proof: with E = diag(e_i), the impulses s E Λ lie within
the bounds of stage 2, hence

    ΔT ≤ ½ Λᵀ (w⁻ + w_c) + s (E Λ)ᵀ w_c + ½ s² (E Λ)ᵀ A (E Λ).

The first term is Λᵀ w_c − ½ Λᵀ A Λ.  For one e and s = 1 the sum is (1 + e) Λᵀ w_c − ½ (1 − e²) Λᵀ A Λ ≤ 0.
For different e it may be positive, and s is then the largest number for which it is not.  Impulses stay in
their friction cones.  What is thrown together again by the expansion is a further impact; after ``ROUNDS`` of
them the step proper, which has no restitution, takes the rest.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Booleans, Conditions, Kind
from ce_dynamics.contact.problem import Problem

if TYPE_CHECKING:
    from ce_dynamics.contact.gauss_seidel import Solver

TINY = 1e-300
ROUNDS = 4
"""Impacts after each other at one instant."""
GIVEN_BOUND = 1e-12
"""Tolerance of the friction of the expansion, a convex problem."""
ENOUGH = 2.0
"""Time for it [s]; what it has not found by then, the compression's friction does."""


def share_of(speed: Floats, rest_speed: float) -> Floats:
    """Return the share of e of an impact's rebound: none at the rest speed, all at twice that."""
    return np.asarray(np.clip((speed - rest_speed) / max(rest_speed, TINY), 0.0, 1.0))


def rebound_shares(
    psi: Floats,
    rate: Floats,
    predicted: Floats,
    h: float,
    unilateral: Booleans,
    restitution: Floats,
    rest_speed: float,
) -> Floats:
    """Return shares of e with which rows rebound now, from gaps and rates, and rates predicted after a step.

    A row rebounds if its gap would close within the step and it closes faster than ``rest_speed``.  It does
    so at the start of the step, while a gap of at most h |ψ̇| is left: an error of order h.  From that speed
    to twice it the share grows from nothing, as things that give a little come to rest: no rebound
    depends on the side of a threshold on which rounding left it.
    """
    rebounds = unilateral & (restitution > 0.0) & (rate < -rest_speed) & (psi / h + predicted <= 0.0)
    return np.where(rebounds, share_of(-rate, rest_speed), 0.0)


class Impact(NamedTuple):
    """Effect of the impacts at one instant."""

    v: Floats  # velocities after the impacts, (n,)
    p: Floats  # impulses, (m,)
    work: float  # sum of ½ pᵀ (rates before and after) [J]; positive only by rounding
    residual: float  # largest of the compressions [m/s or rad/s]
    unresolved: int  # compressions whose residual exceeds the solver's tolerance


def impacts(
    rows: Problem, v: Floats, psi: Floats, restitution: Floats, step: tuple[float, float], solver: Solver
) -> Impact | None:
    """Return all impacts at the start of a step from velocities v; None if there are none.

    The v of ``rows`` are those after the step without impulses, its c is ∂ψ/∂t and that of given motions.
    ``step`` is its length [s] and the rest speed; the solver finds the compressions.
    """
    h, rest_speed = step
    unilateral = rows.conditions.kind == Kind.UNILATERAL
    total, work, residual, unresolved = np.zeros(len(psi)), 0.0, 0.0, 0
    gap = np.where(unilateral, np.maximum(psi, 0.0) / h, 0.0)
    for k in range(ROUNDS):
        w = rows.rates(v)
        share = rebound_shares(psi, w, rows.b if k == 0 else w, h, unilateral, restitution, rest_speed)
        if not np.any(share > 0.0):
            break
        done = impact(rows, v, (1.0 - share) * gap, restitution, rest_speed, solver)
        v, work = done.v, work + done.work
        total += done.p
        residual, unresolved = max(residual, done.residual), unresolved + done.unresolved
    return Impact(v, total, work, residual, unresolved) if np.any(total) else None


def impact(
    rows: Problem, v: Floats, gap: Floats, restitution: Floats, rest_speed: float, solver: Solver
) -> Impact:
    """Return one impact, compression and expansion, from velocities v.

    `gap` is what gaps allow the rows to close, none where they rebound.  A row counts as hit with A_ii Λ_i:
    what hits a resting neighbour through a body makes it rebound too.
    """
    w, nothing = rows.rates(v), np.zeros(len(gap))  # bounded forces have no impulse
    given = rows.conditions._replace(lower=nothing, upper=nothing)
    compression = rows.change(v, rows.c + gap, given)
    solution = solver.solve(compression)
    p = safe(solution.p, w, rows)
    middle = rows.after(v, p)
    w_c = rows.rates(middle)
    lost = 0.5 * float(p @ (w + w_c))
    hit = share_of(compression.diagonal * p, rest_speed) * restitution
    e = np.where(rows.conditions.kind == Kind.UNILATERAL, hit, 0.0)
    more = row_coefficients(e, rows.conditions) * p
    change = rows.rates(rows.after(middle, more)) - w_c
    more *= largest_share(lost, float(more @ w_c), 0.5 * float(more @ change))
    more, after, gained = expansion(rows, middle, w_c, more, compression.speed)
    return Impact(after, p + more, lost + gained, solution.residual, int(not solution.converged))


def expansion(rows: Problem, v: Floats, w: Floats, p: Floats, speed: float) -> tuple[Floats, Floats, float]:
    """Compute impulses, velocities after them and work: the given ones, or better with the least energy."""
    after = rows.after(v, p)
    work = 0.5 * float(p @ (w + rows.rates(after)))
    least = least_energy_impulses(rows, v, p, speed)
    if least is not None:
        other = rows.after(v, least)
        of_least = 0.5 * float(least @ (w + rows.rates(other)))
        if of_least <= work:
            return least, other, of_least
    return p, after, work


def safe(p: Floats, w: Floats, rows: Problem) -> Floats:
    """Scale impulses down where an unsolved compression would add energy: α p with the least of it."""
    change = rows.GT @ (rows.Y @ p)
    first, second = float(p @ w), float(p @ change)  # ΔT(α) = α p w + ½ α² p A p
    if first + 0.5 * second <= 0.0 or second <= 0.0:
        return p
    return p * min(1.0, max(0.0, -first / second))


def row_coefficients(e: Floats, conditions: Conditions) -> Floats:
    """Return coefficients of all rows: friction rows take their normal row's, bilateral ones the largest."""
    normal, kind = conditions.normal, conditions.kind
    own = np.where(normal >= 0, e[normal], e)
    return np.where(kind == Kind.BILATERAL, np.max(e, initial=0.0), own)


def largest_share(lost: float, gained: float, quadratic: float) -> float:
    """Return the largest s ≤ 1 with lost + s gained + s² quadratic ≤ 0, where lost ≤ 0 and quadratic ≥ 0."""
    if lost + gained + quadratic <= 0.0:
        return 1.0
    if lost >= 0.0:
        return 0.0
    # the positive root, without cancellation
    root = math.sqrt(gained * gained - 4.0 * lost * quadratic)
    return (root - gained) / (2.0 * quadratic) if gained <= 0.0 else -2.0 * lost / (gained + root)


def least_energy_impulses(rows: Problem, v: Floats, p: Floats, speed: float) -> Floats | None:
    """Compute impulses of the expansion with given normal ones: friction by Coulomb's law with a given bound.

    The tolerance is relative to the speeds of the impact: behind the compression there may be none.
    """
    from ce_dynamics.contact.solvers.chain import Chain  # here, because few runs need it

    kind = rows.conditions.kind
    held = kind == Kind.UNILATERAL
    if not np.any(p[held]) or not np.any(~held & (kind != Kind.BOX)):
        return None
    bounds = np.where(held, p, 0.0)
    boxes = np.where(held, int(Kind.BOX), kind).astype(np.int64)
    given = rows.conditions._replace(kind=boxes, lower=bounds, upper=bounds)
    problem = rows.change(v, rows.c, given)
    tolerance = GIVEN_BOUND * max(1.0, speed / max(problem.speed, TINY))
    return Chain(min(tolerance, 1e100), time_limit=ENOUGH).solve(problem, p).p
