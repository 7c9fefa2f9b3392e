"""The loops of the integrators, compiled by numba.

They see a model as `calls`, an array of addresses:

====  ==================================================================
0, 1  the dynamics, and the table of its arguments
2, 3  the control law (0 if there is none) and its table
4, 5  the Jacobian (0 if there is none) and its table
====  ==================================================================

and the buffers that the tables point to: `time`, `state`, the inputs (which only the compiled functions see),
`rate` (ẏ) and `entries` (of the Jacobian).  Addresses are numbers at run time, so that one compiled loop
serves every model and can be kept on disk.  Everything is in one file because numba looks only at the file
of a function to see whether what it kept is out of date.

State, work space and results are allocated by the caller; nothing is allocated here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

RK4, ROSENBROCK, IMPLICIT_EULER = 0, 1, 2

RUNNING, DONE, STEP_TOO_SMALL, GUARDED = 0, 1, 2, 3

GAMMA = 1.0 - math.sqrt(0.5)
"""Of ROS2: L-stable, and with the smaller of the two possible error constants."""


def kernel(function: Callable[..., Any]) -> Any:
    """Compile when first called; keep on disk where numba finds a folder it can write to."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder to write to
        return numba.njit(nogil=True)(function)


@intrinsic
def call_address(typing_context: Any, address: Any, table: Any) -> Any:
    """Call ``void f(double** table)`` at an address."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.PointerType(ir.IntType(8))
        function = ir.FunctionType(ir.VoidType(), [pointer]).as_pointer()
        given_address, given_table = arguments
        builder.call(builder.inttoptr(given_address, function), [builder.inttoptr(given_table, pointer)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), code


call: Any = call_address
"""As numba sees it: without the context."""


@kernel
def evaluate(calls, time, state, t, y):  # type: ignore[no-untyped-def]
    """Inputs and ẏ at (t, y), left in the buffers."""
    time[0] = t
    for k in range(y.size):
        state[k] = y[k]
    if calls[2] != 0:
        call(calls[2], calls[3])
    call(calls[0], calls[1])


@kernel
def is_finite(y):  # type: ignore[no-untyped-def]
    """Whether every entry is."""
    total = 0.0
    for k in range(y.size):
        total += 0.0 * y[k]
    return total == 0.0


# Fixed steps.  Each leaves the state after the step in work[0].


@kernel
def rk4_step(calls, time, state, rate, work, y, t, h):  # type: ignore[no-untyped-def]
    """The classical Runge–Kutta method."""
    ahead, total = work[0], work[1]
    evaluate(calls, time, state, t, y)
    for k in range(y.size):
        total[k] = rate[k]
        ahead[k] = y[k] + 0.5 * h * rate[k]
    evaluate(calls, time, state, t + 0.5 * h, ahead)
    for k in range(y.size):
        total[k] += 2.0 * rate[k]
        ahead[k] = y[k] + 0.5 * h * rate[k]
    evaluate(calls, time, state, t + 0.5 * h, ahead)
    for k in range(y.size):
        total[k] += 2.0 * rate[k]
        ahead[k] = y[k] + h * rate[k]
    evaluate(calls, time, state, t + h, ahead)
    for k in range(y.size):
        ahead[k] = y[k] + h / 6.0 * (total[k] + rate[k])


@kernel
def factorise(A, pivots):  # type: ignore[no-untyped-def]
    """LU with row exchanges in place; zeros below the diagonal cost nothing."""
    n = A.shape[0]
    for c in range(n):
        best = c
        for r in range(c + 1, n):
            if abs(A[r, c]) > abs(A[best, c]):
                best = r
        pivots[c] = best
        pivot_row = A[c]
        if best != c:
            other = A[best]
            for k in range(n):
                pivot_row[k], other[k] = other[k], pivot_row[k]
        inverse = 1.0 / pivot_row[c]
        for r in range(c + 1, n):
            row = A[r]
            if row[c] != 0.0:
                factor = row[c] * inverse
                row[c] = factor
                for k in range(c + 1, n):
                    row[k] -= factor * pivot_row[k]


@kernel
def solve(A, pivots, b):  # type: ignore[no-untyped-def]
    """Solve in place with the factors of A."""
    n = A.shape[0]
    for r in range(n):
        other = pivots[r]
        b[r], b[other] = b[other], b[r]
    for r in range(n):
        total = b[r]
        for k in range(r):
            total -= A[r, k] * b[k]
        b[r] = total
    for r in range(n - 1, -1, -1):
        total = b[r]
        for k in range(r + 1, n):
            total -= A[r, k] * b[k]
        b[r] = total / A[r, r]


@kernel
def prepare(calls, entries, rows, columns, matrix, pivots, gamma_h):  # type: ignore[no-untyped-def]
    """Factors of 1 − γ h J at the state and inputs that are in the buffers."""
    call(calls[4], calls[5])
    n = matrix.shape[0]
    for r in range(n):
        for c in range(n):
            matrix[r, c] = 0.0
        matrix[r, r] = 1.0
    for k in range(rows.size):
        matrix[rows[k], columns[k]] -= gamma_h * entries[k]
    if not is_finite(entries):
        matrix[n - 1, n - 1] = math.nan  # division by an infinite entry would pass for a step of zero
    factorise(matrix, pivots)


@kernel
def renew(calls, jacobian, factors, renewal, gamma_h):  # type: ignore[no-untyped-def]
    """As `prepare`, but only every few steps and when γ h has changed; `age` counts the steps since.

    `jacobian` is (entries, rows, columns), `factors` (matrix, pivots), `renewal` (every, age, γ h kept).
    """
    entries, rows, columns = jacobian
    matrix, pivots = factors
    every, age, kept = renewal
    if age[0] >= every or kept[0] != gamma_h:
        prepare(calls, entries, rows, columns, matrix, pivots, gamma_h)
        age[0] = 0
        kept[0] = gamma_h
    age[0] += 1


@kernel
def rosenbrock_step(  # type: ignore[no-untyped-def]
    calls, time, state, rate, jacobian, factors, renewal, work, y, t, h
):
    """ROS2 (Verwer et al., 1999): of order 2 whatever the matrix, L-stable with the exact Jacobian."""
    matrix, pivots = factors
    ahead, k1, k2 = work[0], work[1], work[2]
    evaluate(calls, time, state, t, y)
    renew(calls, jacobian, factors, renewal, GAMMA * h)
    for k in range(y.size):
        k1[k] = rate[k]
    solve(matrix, pivots, k1)
    for k in range(y.size):
        ahead[k] = y[k] + h * k1[k]
    evaluate(calls, time, state, t + h, ahead)
    for k in range(y.size):
        k2[k] = rate[k] - 2.0 * k1[k]
    solve(matrix, pivots, k2)
    for k in range(y.size):
        ahead[k] = y[k] + h * (1.5 * k1[k] + 0.5 * k2[k])


@kernel
def implicit_euler_step(  # type: ignore[no-untyped-def]
    calls, time, state, rate, jacobian, factors, renewal, work, y, t, h
):
    """The linearly implicit Euler method: of order 1 whatever the matrix."""
    matrix, pivots = factors
    ahead, k1 = work[0], work[1]
    evaluate(calls, time, state, t, y)
    renew(calls, jacobian, factors, renewal, h)
    for k in range(y.size):
        k1[k] = rate[k]
    solve(matrix, pivots, k1)
    for k in range(y.size):
        ahead[k] = y[k] + h * k1[k]


@kernel
def leaves(guards, y, h):  # type: ignore[no-untyped-def]
    """The first coordinate that is outside its bounds, or heads beyond them within a step; -1 if none.

    Rows of `guards` are its places in q and v, lower and upper bound, and its period (0 if it has none).  On
    the way into a dead centre the distance that is left is half the time left times the rate.
    """
    for g in range(guards.shape[0]):
        lower, upper, period = guards[g, 2], guards[g, 3], guards[g, 4]
        theta = y[int(guards[g, 0])]
        if period > 0.0:
            theta -= period * math.floor((theta - 0.5 * (lower + upper)) / period + 0.5)
        ahead = theta + 2.0 * h * y[int(guards[g, 1])]
        if not (lower <= theta <= upper and lower <= ahead <= upper):
            return g
    return -1


@kernel
def march_explicit(  # type: ignore[no-untyped-def]
    calls, time, state, rate, work, y, t, first, n, h, guards, out
):
    """RK4 from each t[k] + first·h by n steps of h; out[k] is the state after them.

    Returns the number of steps that led to finite states; y is the last of these.  It stops before a step
    that `leaves` the guards.
    """
    for k in range(out.shape[0]):
        for step in range(n):
            if leaves(guards, y, h) >= 0:
                return k * n + step
            rk4_step(calls, time, state, rate, work, y, t[k] + (first + step) * h, h)
            if not is_finite(work[0]):
                return k * n + step
            for i in range(y.size):
                y[i] = work[0, i]
        for i in range(y.size):
            out[k, i] = y[i]
    return out.shape[0] * n


@kernel
def march_implicit(  # type: ignore[no-untyped-def]
    method, calls, time, state, rate, jacobian, factors, renewal, work, y, t, first, n, h, guards, out
):
    """As `march_explicit`, with one of the linearly implicit methods; for the tuples see `renew`."""
    for k in range(out.shape[0]):
        for step in range(n):
            if leaves(guards, y, h) >= 0:
                return k * n + step
            at = t[k] + (first + step) * h
            if method == ROSENBROCK:
                rosenbrock_step(calls, time, state, rate, jacobian, factors, renewal, work, y, at, h)
            else:
                implicit_euler_step(calls, time, state, rate, jacobian, factors, renewal, work, y, at, h)
            if not is_finite(work[0]):
                return k * n + step
            for i in range(y.size):
                y[i] = work[0, i]
        for i in range(y.size):
            out[k, i] = y[i]
    return out.shape[0] * n


# Dormand–Prince 5(4), as in Hairer, Nørsett, Wanner: Solving ODEs I (II.4, II.5, II.6)


@kernel
def dopri5_stages(calls, time, state, rate, K, work, y, t, h):  # type: ignore[no-untyped-def]
    """All stages after the first; the state after the step is left in work[0], its rate in K[6]."""
    a = work[0]
    n = y.size
    for i in range(n):
        a[i] = y[i] + h * (1 / 5 * K[0, i])
    evaluate(calls, time, state, t + 1 / 5 * h, a)
    for i in range(n):
        K[1, i] = rate[i]
        a[i] = y[i] + h * (3 / 40 * K[0, i] + 9 / 40 * K[1, i])
    evaluate(calls, time, state, t + 3 / 10 * h, a)
    for i in range(n):
        K[2, i] = rate[i]
        a[i] = y[i] + h * (44 / 45 * K[0, i] - 56 / 15 * K[1, i] + 32 / 9 * K[2, i])
    evaluate(calls, time, state, t + 4 / 5 * h, a)
    for i in range(n):
        K[3, i] = rate[i]
        a[i] = y[i] + h * (
            19372 / 6561 * K[0, i] - 25360 / 2187 * K[1, i] + 64448 / 6561 * K[2, i] - 212 / 729 * K[3, i]
        )
    evaluate(calls, time, state, t + 8 / 9 * h, a)
    for i in range(n):
        K[4, i] = rate[i]
        a[i] = y[i] + h * (
            9017 / 3168 * K[0, i]
            - 355 / 33 * K[1, i]
            + 46732 / 5247 * K[2, i]
            + 49 / 176 * K[3, i]
            - 5103 / 18656 * K[4, i]
        )
    evaluate(calls, time, state, t + h, a)
    for i in range(n):
        K[5, i] = rate[i]
        a[i] = y[i] + h * (
            35 / 384 * K[0, i]
            + 500 / 1113 * K[2, i]
            + 125 / 192 * K[3, i]
            - 2187 / 6784 * K[4, i]
            + 11 / 84 * K[5, i]
        )
    evaluate(calls, time, state, t + h, a)
    for i in range(n):
        K[6, i] = rate[i]


@kernel
def dopri5_error(K, y, ahead, h, rtol, atol):  # type: ignore[no-untyped-def]
    """Root mean square of the estimated error relative to the tolerance."""
    total = 0.0
    for i in range(y.size):
        error = h * (
            71 / 57600 * K[0, i]
            - 71 / 16695 * K[2, i]
            + 71 / 1920 * K[3, i]
            - 17253 / 339200 * K[4, i]
            + 22 / 525 * K[5, i]
            - 1 / 40 * K[6, i]
        )
        scale = atol + rtol * max(abs(y[i]), abs(ahead[i]))
        total += (error / scale) ** 2
    return math.sqrt(total / y.size)


@kernel
def dopri5_between(K, y, ahead, h, theta, out):  # type: ignore[no-untyped-def]
    """The state at t + θ h, of order 4."""
    rest = 1.0 - theta
    for i in range(y.size):
        r2 = ahead[i] - y[i]
        r3 = h * K[0, i] - r2
        r4 = r2 - h * K[6, i] - r3
        r5 = h * (
            -12715105075 / 11282082432 * K[0, i]
            + 87487479700 / 32700410799 * K[2, i]
            - 10690763975 / 1880347072 * K[3, i]
            + 701980252875 / 199316789632 * K[4, i]
            - 1453857185 / 822651844 * K[5, i]
            + 69997945 / 29380423 * K[6, i]
        )
        out[i] = y[i] + theta * (r2 + rest * (r3 + theta * (r4 + rest * r5)))


@kernel
def dopri5_start(calls, time, state, rate, K, work, y, t, rtol, atol):  # type: ignore[no-untyped-def]
    """Size of the first step (Hairer, II.4); K[0] is ẏ."""
    n = y.size
    size = speed = 0.0
    for i in range(n):
        scale = atol + rtol * abs(y[i])
        size += (y[i] / scale) ** 2
        speed += (K[0, i] / scale) ** 2
    size, speed = math.sqrt(size / n), math.sqrt(speed / n)
    h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
    for i in range(n):
        work[0, i] = y[i] + h * K[0, i]
    evaluate(calls, time, state, t + h, work[0])
    bend = 0.0
    for i in range(n):
        bend += ((rate[i] - K[0, i]) / (atol + rtol * abs(y[i]))) ** 2
    largest = max(speed, math.sqrt(bend / n) / h)
    guess = max(1e-6, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** 0.2
    return min(100.0 * h, guess)


@kernel
def dopri5(  # type: ignore[no-untyped-def]
    calls, time, state, rate, K, work, y, clock, counts, t_store, rtol, atol, max_step, budget, guards, out
):
    """Go on towards the last of t_store by at most `budget` steps, and not by one that `leaves` the guards.

    `clock` holds the time, the size of the next step (0: to be chosen) and the error of the last one;
    `counts` the next instant to store, the evaluations, and the steps that were accepted and rejected.
    K[0] must be ẏ at y.  All of these and y are kept up to date, so that where one call ends and the next
    begins makes no difference.
    """
    t_end = t_store[t_store.size - 1]
    if clock[1] == 0.0:
        clock[1] = dopri5_start(calls, time, state, rate, K, work, y, clock[0], rtol, atol)
        counts[1] += 1
    for _ in range(budget):
        t = clock[0]
        if t >= t_end:
            return DONE
        wanted = min(clock[1], max_step)
        last = t + 1.01 * wanted >= t_end
        h = t_end - t if last else wanted
        if wanted <= 1e-14 * max(abs(t), abs(t_end)) or not h > 0.0:
            return STEP_TOO_SMALL
        if leaves(guards, y, h) >= 0:
            return GUARDED
        dopri5_stages(calls, time, state, rate, K, work, y, t, h)
        counts[1] += 6
        ahead = work[0]
        error = dopri5_error(K, y, ahead, h, rtol, atol)
        if not error < 1.0:  # NaN included
            counts[3] += 1
            clock[1] = h * (max(0.2, 0.9 * error**-0.2) if error < 1e300 else 0.2)
            continue
        t_new = t_end if last else t + h
        while counts[0] < t_store.size and t_store[counts[0]] <= t_new:
            dopri5_between(K, y, ahead, h, (t_store[counts[0]] - t) / h, out[counts[0]])
            counts[0] += 1
        for i in range(y.size):
            y[i] = ahead[i]
            K[0, i] = K[6, i]
        counts[2] += 1
        # proportional-integral control of the step (Hairer, Wanner: Solving ODEs II, IV.2)
        floor = max(error, 1e-10)
        factor = 0.9 * floor ** -(0.2 - 0.75 * 0.04) * clock[2] ** 0.04
        proposed = h * min(10.0, max(0.2, factor))
        # a step shortened to meet the end says nothing against the one that was wanted
        clock[1] = max(proposed, min(wanted, clock[1])) if last else proposed
        clock[2] = max(floor, 1e-4)
        clock[0] = t_new
    return DONE if clock[0] >= t_end else RUNNING
