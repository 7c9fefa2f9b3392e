"""Benchmark A05: a stiff flyball governor."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.forces import SpringDamper
from ce_dynamics.mechanism.hinges import Prismatic, Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.published.mechanism import bar_inertia, show_point

DENSITY, SIDE, CUBE = 3000.0, 0.01, 0.1
BALL = 5.0
BELOW = math.radians(30.0)
STIFFNESS, DAMPING, FREE_LENGTH = 8e5, 4e4, 0.5
SPEED = 2.0 * math.pi


def point_inertia(mass: float, r: Array) -> Array:
    """Return the inertia of a point mass about what it is r away from."""
    return np.asarray(mass * ((r @ r) * np.eye(3) - np.outer(r, r)))


def governor() -> System:
    """Return a spinning shaft with two rods that carry balls, and a slider on stiff springs.

    The springs take the place of coupler rods, so there is no loop: the benchmark tests the integrator.  The
    shaft is free to turn and starts with one turn a second, everything else at rest relative to it; gravity
    9.81 m/s² along −z.  Output ``s`` is the height of the slider [m].
    """
    system = System(gravity=(0.0, 0.0, -9.81), name="flyball governor")
    z, top, gyration_2 = np.array((0.0, 0.0, 1.0)), np.array((0.0, 0.0, 1.0)), SIDE**2 / 12.0
    mass = DENSITY * SIDE**2
    inertia = bar_inertia(z, mass, 1.0, gyration_2)
    shaft = system.add_body(
        "shaft", mass=mass, com=0.5 * top, inertia=inertia, parent=system.ground, hinge=Revolute(z)
    )
    cube = DENSITY * CUBE**3
    centre = np.array((0.0, 0.0, 0.5))
    slider = system.add_body(
        "slider",
        mass=cube,
        com=centre,
        inertia=(cube * CUBE**2 / 6.0,) * 3,
        parent=shaft,
        hinge=Prismatic(z, centre),
    )
    for name, side in (("right", 1.0), ("left", -1.0)):
        beside = np.array((0.05 * side, 0.0, 0.0))
        e = np.array((side * math.cos(BELOW), 0.0, -math.sin(BELOW)))
        hinge, middle, tip = top + beside, top + beside + 0.5 * e, top + beside + e
        com = (mass * middle + BALL * tip) / (mass + BALL)
        inertia = bar_inertia(e, mass, 1.0, gyration_2) + point_inertia(mass, middle - com)
        rod = system.add_body(
            f"{name} rod",
            mass=mass + BALL,
            com=com,
            inertia=inertia + point_inertia(BALL, tip - com),
            parent=shaft,
            hinge=Revolute((0.0, 1.0, 0.0), hinge),
        )
        ends = rod, middle, slider, centre + beside
        system.add_force(
            SpringDamper(f"{name} spring", *ends, spring=STIFFNESS, damper=DAMPING, free_length=FREE_LENGTH)
        )
    system.start(shaft, v=[SPEED])
    show_point(system, slider, centre, {"s": 2})
    return system
