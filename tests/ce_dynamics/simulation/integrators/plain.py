"""The fixed-step methods and embedded pairs on plain NumPy, written from their Butcher tables."""

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


def embedded_pair(f: F, t: float, y: Floats, h: float, A: Floats, error: Floats) -> tuple[Floats, Floats]:
    """One step with a square A: the state after it, and the estimated error."""
    K = np.zeros((len(A), len(y)))
    for k in range(len(A)):
        after = y + h * A[k] @ K
        K[k] = f(t + A[k].sum() * h, after)
    return after, h * error @ K


def dormand_prince() -> tuple[Floats, Floats]:
    """SciPy's tables: A, and the weights of the error."""
    A = np.zeros((7, 7))
    A[:6, :5], A[6, :6] = RK45.A, RK45.B
    return A, RK45.E


def tsitouras() -> tuple[Floats, Floats]:
    """A from c and the columns that the paper gives (2011, table 1), and the weights of the error."""
    c = np.array([0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0])
    A = np.zeros((7, 7))
    A[2, 1] = 0.3354806554923570
    A[3, 1:3] = -6.359448489975075, 4.362295432869581
    A[4, 1:4] = -11.74888356406283, 7.495539342889836, -0.09249506636175525
    A[5, 1:5] = -12.92096931784711, 8.159367898576159, -0.07158497328140100, -0.02826905039406838
    A[6, 1:6] = 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774
    A[:, 0] = c - A.sum(axis=1)
    first = [0.001780011052226, 0.000816434459657, -0.007880878010262, 0.144711007173263]
    return A, -np.array([*first, -0.582357165452555, 0.458082105929187, -1 / 66])
