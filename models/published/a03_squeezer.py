"""Benchmark A03: Andrews' squeezer."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.forces.wrench import AppliedWrench
from ce_dynamics.mechanism.hinges import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.published.mechanism import show_hinge

MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (
    np.array((-0.06934, -0.00227, 0.0)),
    np.array((-0.03635, 0.03273, 0.0)),
    np.array((0.014, 0.072, 0.0)),
)
D, DA, E, EA = 0.028, 0.0115, 0.02, 0.01421
RR, RA, SS, SA, SB, SC, SD = 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
TORQUE = 0.033
STIFFNESS, FREE_LENGTH = 4530.0, 0.07785

START = {
    "beta": -0.0617138900142764496358948458001,
    "Theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "Phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "Omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}
"""Angles at the start, when everything is at rest [rad]."""


def along(angle: float) -> Array:
    """Return (cos, sin, 0)."""
    return np.array((np.cos(angle), np.sin(angle), 0.0))


def across(angle: float) -> Array:
    """Return (−sin, cos, 0): a quarter turn further."""
    return along(angle + 0.5 * np.pi)


def squeezer() -> System:
    """Return seven bodies K1 to K7 in the plane, which meet in one point; a torque drives the crank K1.

    Named after Andrews, here with the numbers of the IVP test set.  Three loops, one degree of freedom, no
    gravity; the crank's angle is the independent coordinate.  Outputs are the angles ``beta`` (with its
    turns) and ``Theta``, ``gamma``, ``Phi``, ``delta``, ``Omega``, ``epsilon`` [rad] and their rates
    ``beta_rate`` … [rad/s].
    """
    system = System(gravity=(0.0, 0.0, 0.0), name="squeezer")
    beta, Theta, gamma, Phi, delta, Omega, epsilon = START.values()

    def body(number: int, parent: Body, at: Array, com: Array) -> Body:
        mass, axial = MASS[number - 1], INERTIA[number - 1]
        inertia = 0.5 * axial, 0.5 * axial, axial
        hinge = Revolute((0.0, 0.0, 1.0), at)
        return system.add_body(
            f"K{number}",
            mass=mass,
            com=com,
            inertia=inertia,
            parent=parent,
            hinge=hinge,
        )

    ground, origin = system.ground, np.zeros(3)
    pin = RR * along(beta)
    P = pin - D * along(beta + Theta)
    K1 = body(1, ground, origin, RA * along(beta))
    K2 = body(2, K1, pin, pin - DA * along(beta + Theta))
    K3 = body(3, ground, B, B - SA * across(gamma) + SB * along(gamma))
    K5 = body(5, ground, A, A + TA * along(delta) + TB * across(delta))
    pivot = A + ZT * along(delta)
    K4 = body(4, K5, pivot, pivot - (E - EA) * across(Phi + delta))
    K7 = body(7, ground, A, A - UA * across(epsilon) - UB * along(epsilon))
    hook = A - U * across(epsilon)
    K6 = body(6, K7, hook, hook + (ZF - FA) * along(Omega + epsilon))
    for other in (K3, K4, K6):
        system.close_loop(f"P {other.name}", K2, other, Revolute((0.0, 0.0, 1.0), P), independent=[K1])

    end = B + SD * along(gamma) - SC * across(gamma)
    system.add_force(SpringDamper("spring", K3, end, ground, C, spring=STIFFNESS, free_length=FREE_LENGTH))
    system.add_force(AppliedWrench("drive", K1, origin, torque=(0.0, 0.0, TORQUE)))
    hinged = dict(zip(START, (K1, K2, K3, K4, K5, K6, K7), strict=True))
    for name, moved in hinged.items():
        show_hinge(system, name, moved, "rad", START[name])
    return system
