"""Gyroscopic terms in time steps: the implicit midpoint rule, which takes no energy and gives none.

Explicitly, a step adds h M⁻¹ c(v) with cᵀ v = 0 but not cᵀ v⁺ = 0, so that a free body gains energy without
bound.  Taken at ½ (v + v⁺) the same terms do no work at all: for

    I (ω⁺ − ω)/h + ½ (ω + ω⁺) × I ½ (ω + ω⁺) = 0        (body axes)

both ½ ωᵀ I ω and |I ω| are conserved to rounding whatever h is, and the error of ω is of second order.  The
orientation then moves by the exponential of h ω⁺, which turns the angular momentum of a free body by an angle
of first order in h that does not grow with time.

Where a body turns too far in a step, it is made in parts.
"""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.contact.linear_equations import eliminate
from ce_dynamics.simulation.integrators.kernels import call, kernel

ENOUGH = 1e-14
"""Share of the speeds below which an iteration has converged."""
SPUN = 1e-10
"""Share of the angular velocity below which a last Newton step is rounding."""
MOST_PARTS = 4096
"""Largest number of parts of a step in which bodies turn far."""
ITERATIONS = 60


@kernel
def cross(a, b, c):  # type: ignore[no-untyped-def]
    """Compute c ← a × b."""
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def spun_once(I, before, h, after):  # type: ignore[no-untyped-def]  # noqa: E741
    """Step a free body by the implicit midpoint rule in body axes; return True if Newton's method converged.

    F = I (ω⁺ − ω) + h ω_m × I ω_m has the Jacobian J = I + ½ h (ω̃_m I − (I ω_m)~).
    """
    w, L, F, J = np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3))
    size, largest = max(abs(before[0]), abs(before[1]), abs(before[2])), math.inf
    for _ in range(20):
        for i in range(3):
            w[i] = 0.5 * (before[i] + after[i])
        for i in range(3):
            L[i] = I[i, 0] * w[0] + I[i, 1] * w[1] + I[i, 2] * w[2]
        cross(w, L, F)
        for i in range(3):
            F[i] *= h
            for j in range(3):
                F[i] += I[i, j] * (after[j] - before[j])
        for j in range(3):
            for i in range(3):
                k, m = (i + 1) % 3, (i + 2) % 3
                J[i, j] = I[i, j] + 0.5 * h * (w[k] * I[m, j] - w[m] * I[k, j])
            k, m = (j + 1) % 3, (j + 2) % 3
            J[k, j] -= 0.5 * h * L[m]
            J[m, j] += 0.5 * h * L[k]
        if not eliminate(J, F):
            return False
        largest = 0.0
        for i in range(3):
            after[i] -= F[i]
            largest = max(largest, abs(F[i]))
        if largest <= ENOUGH * size:
            break
    return largest <= SPUN * size


@kernel
def spin(inertia, before, h, after):  # type: ignore[no-untyped-def]
    """Compute angular velocities after h, in parts where bodies turn too far in one.

    Where no parts will do, they are what they were, which gives no energy either.
    """
    start = np.empty(3)
    for n in range(len(before)):
        parts, done = 1, False
        while not done and parts <= MOST_PARTS:
            for i in range(3):
                after[n, i] = before[n, i]
            done = True
            for _ in range(parts):
                for i in range(3):
                    start[i] = after[n, i]
                if not spun_once(inertia[n], start, h / parts, after[n]):
                    done = False
                    break
            parts *= 2
        if not done:
            for i in range(3):
                after[n, i] = before[n, i]


@kernel
def rotate_all(quaternion, rate, h, new):  # type: ignore[no-untyped-def]
    """Rotate orientations for h at constant rate: cos(h |q̇|) q + sin(h |q̇|) q̇/|q̇|; in place if asked."""
    for k in range(len(quaternion)):
        speed, size = 0.0, 0.0
        for i in range(4):
            speed += rate[k, i] ** 2
        speed = math.sqrt(speed)
        cosine = math.cos(h * speed)
        share = math.sin(h * speed) / speed if speed > 0.0 else h
        for i in range(4):
            new[k, i] = cosine * quaternion[k, i] + share * rate[k, i]
            size += new[k, i] ** 2
        for i in range(4):
            new[k, i] /= math.sqrt(size)


@kernel
def iterate(M, v, h, new, enough):  # type: ignore[no-untyped-def]
    """Iterate v⁺ ← v + h v̇(½ (v + v⁺)), which converges for h |∂v̇/∂v| < 2; whether it did."""
    before, n_q = math.inf, M.q.size
    for _ in range(ITERATIONS):
        change = 0.0
        for k in range(v.size):
            M.y_mid[n_q + k] = 0.5 * (v[k] + new[k])
        call(M.dynamics_call[0], M.dynamics_call[1])
        for k in range(v.size):
            following = v[k] + h * M.y_dot[n_q + k]
            if not abs(following - new[k]) <= change:
                change = abs(following - new[k])
            new[k] = following
        if change <= enough:
            return True
        if not change < 0.7 * before:
            return False
        before = change
    return False


@kernel
def free_velocities(M, v, h, free):  # type: ignore[no-untyped-def]
    """Compute v_free = v + h v̇(½ (v + v_free)) of an embedded system at the machine's state, by iteration.

    In parts where that does not converge in one; where no parts will do, v + h v̇.
    """
    n, n_q, parts = v.size, M.q.size, 1
    start = np.empty(n)
    for k in range(M.y.size):
        M.y_mid[k] = M.y[k]
    while parts <= MOST_PARTS:
        done, part = True, h / parts
        for k in range(n):
            free[k] = v[k]
        for count in range(parts):
            speed, rise = 0.0, 0.0
            for k in range(n):
                start[k] = free[k]
                rate = M.v_dot[k] if count == 0 else M.y_dot[n_q + k]
                speed, rise = max(speed, abs(start[k])), max(rise, part * abs(rate))
                free[k] = start[k] + part * rate
            if not iterate(M, start, part, free, ENOUGH * (speed + rise)):
                done = False
                break
        if done:
            return
        parts *= 2
    for k in range(n):
        free[k] = v[k] + h * M.v_dot[k]
