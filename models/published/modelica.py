"""Modelica's example MultiBody.Examples.Loops.Fourbar_analytic."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.mechanism.hinges import Distance, Prismatic, Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.published.mechanism import bar_inertia, show_hinge

DENSITY, RADIUS = 7700.0, 0.025
GRAVITY = 9.80665


def modelica_four_bar() -> System:
    """A crank and a slider across it, joined by a massless rod with ball joints.

    The crank (0, 0.5, 0.1) turns about x; the slider moves along x and carries a bar (0, 0.2, 0); the rod
    (−1, 0.3, 0.1) is between their ends.  Both bars are steel cylinders of 50 mm diameter with Modelica's
    default density of 7700 kg/m³.  The crank starts with 300°/s and is free.  Gravity is 9.80665 m/s² along
    −y, the default of version 4 of the Modelica Standard Library (version 3 has 9.81).  Outputs: the
    crank's angle ``phi`` (Modelica's j1.phi) [rad], the slider's displacement ``s`` [m], and their rates.
    """
    system = System(gravity=(0.0, -GRAVITY, 0.0), name="Modelica four-bar")
    x = np.array((1.0, 0.0, 0.0))
    crank_end = np.array((0.0, 0.5, 0.1))
    foot = np.array((1.0, 0.0, 0.0))  # b0 + s0 along x, where the rod fits
    tip = foot + (0.0, 0.2, 0.0)
    bodies = []
    for name, start, end, hinge in (
        ("crank", np.zeros(3), crank_end, Revolute(x)),
        ("slider", foot, tip, Prismatic(x, foot)),
    ):
        length = float(np.linalg.norm(end - start))
        mass = DENSITY * math.pi * RADIUS**2 * length
        inertia = bar_inertia((end - start) / length, mass, length, RADIUS**2 / 4.0)
        com = 0.5 * (start + end)
        bodies.append(
            system.add_body(name, mass=mass, com=com, inertia=inertia, parent=system.ground, hinge=hinge)
        )
    crank, slider = bodies
    system.close_loop("rod", crank, slider, Distance(crank_end, tip), independent=[crank])
    system.start(crank, v=[math.radians(300.0)])
    show_hinge(system, "phi", crank, "rad")
    show_hinge(system, "s", slider, "m")
    return system
