"""How long the steps of a method may be, by stability and by accuracy.

Near a state ẏ = J y but for constants.  A step of an explicit method makes R(hλ) of an eigenvector, λ its
eigenvalue, where

    R(z) = 1 + z bᵀ 1 + z² bᵀ A 1 + z³ bᵀ A² 1 + …;

it is stable where |R| is not more than 1.  Motion that grows by itself (Re λ > 0) limits no step in this way.
Linearly implicit methods of the library are L-stable: nothing linear limits their steps.

The error of a step is measured, by a step and two of half its length (the difference is 1 − 2⁻ᵖ of it for a
method of order p), or for a pair by its own estimate.  It is weighed as adaptive methods weigh it: root mean
square of the parts of atol + rtol |y|.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.methods import (
    EmbeddedPair,
    ExplicitRungeKutta,
    LinearlyImplicit,
    Method,
    lower_rows,
)

Rate = Callable[[Floats], Floats]
"""ż of z = [y; t]: time is a state here, as laws may depend on it."""

SHORTEST, LONGEST = 1e-9, 10.0
"""Steps that are looked at [s]."""

GRID = np.geomspace(SHORTEST, LONGEST, 401)
"""Steps from one to the next 6 % longer."""

SLACK = 1e-3
"""Growth by a step that passes for accuracy: of swings that nothing damps."""


def amplification(method: Method, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """R(z) of an explicit method."""
    if isinstance(method, ExplicitRungeKutta):
        return method.amplification(z)
    assert isinstance(method, EmbeddedPair)
    A = lower_rows(method.A)
    result = np.ones(z.shape, dtype=complex)
    power, row = np.ones(z.shape, dtype=complex), np.ones(len(A))
    for _ in range(len(A) - 1):
        power = power * z
        result = result + power * (A[-1] @ row)
        row = A @ row
    return result


def stable_step(method: Method, eigenvalues: NDArray[np.complex128]) -> float:
    """The longest step up to which all are stable; infinite if none that is looked at is not."""
    if isinstance(method, LinearlyImplicit):
        return float("inf")
    z = GRID[:, np.newaxis] * eigenvalues[eigenvalues.real <= SLACK * np.abs(eigenvalues)]
    with np.errstate(over="ignore", invalid="ignore"):
        grows = (np.abs(amplification(method, z)) > 1.0 + SLACK).any(axis=1)
    if not grows.any():
        return float("inf")
    first = int(grows.argmax())
    return float(GRID[first - 1]) if first else 0.0


def error(method: Method, rate: Rate, z: Floats, h: float, tolerance: float) -> float:
    """Of one step, relative to the tolerance (rtol; atol is a hundredth of it); infinite if it fails."""
    with np.errstate(all="ignore"):
        ahead, apart = attempted(method, rate, z, h)
        y, change = z[:-1], apart[:-1]
        scale = 0.01 * tolerance + tolerance * np.maximum(np.abs(y), np.abs(ahead[:-1]))
        size = float(np.sqrt(np.mean((change / scale) ** 2)))
    return size if np.isfinite(size) else float("inf")


def attempted(method: Method, rate: Rate, z: Floats, h: float) -> tuple[Floats, Floats]:
    """The state a step later, and its error."""
    if isinstance(method, EmbeddedPair):
        k: list[Floats] = []
        for row in method.A:
            k.append(rate(z + h * sum((a * k_j for a, k_j in zip(row, k, strict=True)), start=0.0 * z)))
        ahead = z + h * sum((b * k_j for b, k_j in zip(method.A[-1], k[:-1], strict=True)), start=0.0 * z)
        return ahead, h * sum((e * k_j for e, k_j in zip(method.error, k, strict=True)), start=0.0 * z)
    assert isinstance(method, ExplicitRungeKutta | LinearlyImplicit)
    whole = method.stepped(rate, z, h)
    halves = method.stepped(rate, method.stepped(rate, z, 0.5 * h), 0.5 * h)
    return halves, (whole - halves) / (1.0 - 0.5**method.order)


def accurate_step(method: Method, rate: Rate, z: Floats, tolerance: float, longest: float) -> float:
    """The longest step of which the error is within the tolerance, to some per cent; `longest` at most."""
    power = 1.0 / (method.order if isinstance(method, EmbeddedPair) else method.order + 1)
    h = longest
    for _ in range(60):
        found = error(method, rate, z, h, tolerance)
        if found <= 1.0:
            return h
        h *= max(0.1, min(0.95, found**-power)) if np.isfinite(found) else 0.1
        if h < SHORTEST:
            break
    return SHORTEST
