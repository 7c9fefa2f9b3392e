"""The fixed-step methods and Dormand–Prince on plain NumPy, written from their Butcher tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.integrate._ivp.rk import RK45

Floats = NDArray[np.float64]
F = Callable[[float, Floats], Floats]


def rk4(f: F, t: float, y: Floats, h: float) -> Floats:
    """The classical tableau."""
    A = np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1.0, 0]])
    b = np.array([1, 2, 2, 1]) / 6
    K = np.zeros((4, len(y)))
    for k in range(4):
        K[k] = f(t + A[k].sum() * h, y + h * A[k] @ K)
    return np.asarray(y + h * b @ K)


def rosenbrock(f: F, J: Callable[[float, Floats], Floats], t: float, y: Floats, h: float) -> Floats:
    """The usual two-stage form with α21 = 1, γ21 = −2γ, b = (1/2, 1/2), which ROS2 is a transformation of.

    k1 = f(y) + γhJ k1;  k2 = f(y + h k1) + hJ(−2γ k1 + γ k2);  y + h (k1 + k2)/2.
    """
    gamma = 1 - 1 / np.sqrt(2)
    matrix = J(t, y)
    W = np.eye(len(y)) - gamma * h * matrix
    k1 = np.linalg.solve(W, f(t, y))
    k2 = np.linalg.solve(W, f(t + h, y + h * k1) - 2 * gamma * h * matrix @ k1)
    return np.asarray(y + h * (k1 + k2) / 2)


def implicit_euler(f: F, J: Callable[[float, Floats], Floats], t: float, y: Floats, h: float) -> Floats:
    """One Newton step for y⁺ = y + h f(y⁺)."""
    return np.asarray(y + h * np.linalg.solve(np.eye(len(y)) - h * J(t, y), f(t, y)))


def dormand_prince(f: F, t: float, y: Floats, h: float) -> tuple[Floats, Floats]:
    """One step with SciPy's tables: the state after it, and the estimated error."""
    K = np.zeros((7, len(y)))
    for k in range(6):
        K[k] = f(t + RK45.C[k] * h, y + h * (RK45.A[k, :k] @ K[:k] if k else 0.0))
    after = y + h * RK45.B @ K[:6]
    K[6] = f(t + h, after)
    return after, h * RK45.E @ K
