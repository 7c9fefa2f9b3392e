"""Steps of explicit Runge–Kutta methods, compiled by numba; the method is a table.

See `ce_dynamics.simulation.integrators.table`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ce_dynamics.simulation.integrators.kernels import (
    EARLY,
    buffers_of,
    combine,
    evaluate,
    integer_matrix,
    is_finite,
    kernel,
    leaves,
    matrix,
    part,
    sample_if_due,
    vector,
)


class Explicit(NamedTuple):
    """Work space of explicit stages: a table (`weights` and `places`), rates in rows, the state ahead."""

    weights: Any
    places: Any
    K: Any
    ahead: Any


@part
def explicit_of(block):  # type: ignore[no-untyped-def]
    """The work space that a block tells of."""
    return Explicit(matrix(block, 0), integer_matrix(block, 1), matrix(block, 2), vector(block, 3))


@part
def explicit_stages(b, w, y, t, h, first):  # type: ignore[no-untyped-def]
    """The rates of all stages from the first wanted one on."""
    for s in range(first, w.K.shape[0]):
        if s == 0:
            evaluate(b, t, y)
        else:
            combine(w.weights, w.places, s, w.K, y, h, w.ahead)
            evaluate(b, t + w.weights[s, 0] * h, w.ahead)
        for i in range(y.size):
            w.K[s, i] = b.rate[i]


@part
def explicit_step(b, w, y, t, h):  # type: ignore[no-untyped-def]
    """One step of an explicit Runge–Kutta method; the state after it is left in `ahead`."""
    last = w.K.shape[0]
    explicit_stages(b, w, y, t, h, 0)
    combine(w.weights, w.places, last, w.K, y, h / w.weights[last, 0], w.ahead)


@kernel
def march_explicit(model, work, y, t, first, n, h, guards, out):  # type: ignore[no-untyped-def]
    """From each t[k] + first·h by n steps of h; out[k] is the state after them.

    Returns the number of steps that led to finite states; y is the last of these.  It stops before a step
    that `leaves` the guards.
    """
    b, w = buffers_of(model), explicit_of(work)
    for k in range(out.shape[0]):
        for step in range(n):
            if leaves(guards, y, h) >= 0:
                return k * n + step
            at = t[k] + (first + step) * h
            sample_if_due(b, at, EARLY * h, y)
            explicit_step(b, w, y, at, h)
            if not is_finite(w.ahead):
                return k * n + step
            for i in range(y.size):
                y[i] = w.ahead[i]
        for i in range(y.size):
            out[k, i] = y[i]
    return out.shape[0] * n
