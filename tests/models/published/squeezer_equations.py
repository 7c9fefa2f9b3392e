"""Andrews' squeezer as the IVP test set states it: M(p) p̈ + Gᵀ λ = f(p, ṗ), g(p) = 0 in seven angles.

Integrated as an ordinary differential equation for p̈, with positions and velocities projected onto g = 0 and
G ṗ = 0 at short intervals.
"""

from itertools import pairwise
from math import cos, hypot, sin

import numpy as np
from scipy.integrate import solve_ivp

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.models.published import a03_squeezer as s

(XA, YA), (XB, YB), (XC, YC) = s.A[:2], s.B[:2], s.C[:2]
M1, M2, M3, M4, M5, M6, M7 = s.MASS
I1, I2, I3, I4, I5, I6, I7 = s.INERTIA
R4, R6 = s.E - s.EA, s.ZF - s.FA


def mass(p: Array) -> Array:
    """M."""
    _, theta, _, phi, _, omega, _ = p
    M = np.zeros((7, 7))
    M[0, 0] = M1 * s.RA**2 + M2 * (s.RR**2 - 2.0 * s.DA * s.RR * cos(theta) + s.DA**2) + I1 + I2
    M[0, 1] = M[1, 0] = M2 * (s.DA**2 - s.DA * s.RR * cos(theta)) + I2
    M[1, 1] = M2 * s.DA**2 + I2
    M[2, 2] = M3 * (s.SA**2 + s.SB**2) + I3
    M[3, 3] = M4 * R4**2 + I4
    M[3, 4] = M[4, 3] = M4 * (R4**2 + s.ZT * R4 * sin(phi)) + I4
    M[4, 4] = M4 * (s.ZT**2 + 2.0 * s.ZT * R4 * sin(phi) + R4**2) + M5 * (s.TA**2 + s.TB**2) + I4 + I5
    M[5, 5] = M6 * R6**2 + I6
    M[5, 6] = M[6, 5] = M6 * (R6**2 - s.U * R6 * sin(omega)) + I6
    M[6, 6] = M6 * (R6**2 - 2.0 * s.U * R6 * sin(omega) + s.U**2) + M7 * (s.UA**2 + s.UB**2) + I6 + I7
    return M


def force(p: Array, v: Array) -> Array:
    """f."""
    _, theta, gamma, phi, _, omega, _ = p
    beta_, theta_, _, phi_, delta_, omega_, epsilon_ = v
    x = s.SD * cos(gamma) + s.SC * sin(gamma) + XB - XC
    y = s.SD * sin(gamma) - s.SC * cos(gamma) + YB - YC
    length = hypot(x, y)
    pull = -s.STIFFNESS * (length - s.FREE_LENGTH) / length
    arm = s.SC * cos(gamma) - s.SD * sin(gamma), s.SD * cos(gamma) + s.SC * sin(gamma)
    return np.array(
        (
            s.TORQUE - M2 * s.DA * s.RR * theta_ * (theta_ + 2.0 * beta_) * sin(theta),
            M2 * s.DA * s.RR * beta_**2 * sin(theta),
            pull * (x * arm[0] + y * arm[1]),
            M4 * s.ZT * R4 * delta_**2 * cos(phi),
            -M4 * s.ZT * R4 * phi_ * (phi_ + 2.0 * delta_) * cos(phi),
            -M6 * s.U * R6 * epsilon_**2 * cos(omega),
            M6 * s.U * R6 * omega_ * (omega_ + 2.0 * epsilon_) * cos(omega),
        )
    )


def constraints(p: Array, v: Array) -> tuple[Array, Array, Array]:
    """g, G and the part of g̈ without p̈."""
    beta, theta, gamma, phi, delta, omega, epsilon = p
    beta_, theta_, gamma_, phi_, delta_, omega_, epsilon_ = v
    # legs from the fixed points to P: radius, angle, its rate, and the angles it is a sum of
    crank = ((s.RR, beta, beta_, (0,)), (-s.D, beta + theta, beta_ + theta_, (0, 1)))
    right = np.pi / 2.0
    legs = (
        ((s.SS, gamma - right, gamma_, (2,)),),
        ((s.ZT, delta, delta_, (4,)), (s.E, phi + delta - right, phi_ + delta_, (3, 4))),
        ((s.U, epsilon - right, epsilon_, (6,)), (s.ZF, omega + epsilon, omega_ + epsilon_, (5, 6))),
    )
    g, G, bias = np.zeros(6), np.zeros((6, 7)), np.zeros(6)
    for k, (leg, foot) in enumerate(zip(legs, ((XB, YB), (XA, YA), (XA, YA)), strict=True)):
        rows = slice(2 * k, 2 * k + 2)
        g[rows] -= foot
        for sign, bars in ((1.0, crank), (-1.0, leg)):
            for radius, angle, rate, sums in bars:
                along = sign * radius * np.array((cos(angle), sin(angle)))
                g[rows] += along
                bias[rows] -= along * rate**2
                for column in sums:
                    G[rows, column] += (-along[1], along[0])
    return g, G, bias


def rates(t: float, y: Array) -> Array:
    """(ṗ, p̈)."""
    p, v = y[:7], y[7:]
    _, G, bias = constraints(p, v)
    matrix = np.block([[mass(p), G.T], [G, np.zeros((6, 6))]])
    return np.concatenate((v, np.linalg.solve(matrix, np.concatenate((force(p, v), -bias)))[:7]))


def projected(y: Array) -> Array:
    """The nearest state with g = 0 and G ṗ = 0."""
    p, v = y[:7], y[7:]
    for _ in range(3):
        g, G, _ = constraints(p, v)
        p = p - np.linalg.lstsq(G, g, rcond=None)[0]
    _, G, _ = constraints(p, v)
    return np.concatenate((p, v - np.linalg.lstsq(G, G @ v, rcond=None)[0]))


def integrated(end: float, intervals: int, rtol: float) -> Array:
    """The state at the end."""
    y = projected(np.concatenate((list(s.START.values()), np.zeros(7))))
    times = np.linspace(0.0, end, intervals + 1)
    for start, stop in pairwise(times):
        run = solve_ivp(rates, (start, stop), y, "DOP853", rtol=rtol, atol=1e-2 * rtol)
        y = projected(run.y[:, -1])
    return y
