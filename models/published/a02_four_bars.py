"""Benchmark A02: four-bars in a row."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.published.mechanism import bar_inertia, show_point

AXIS = (0.0, 0.0, 1.0)


def four_bars(number: int = 1) -> System:
    """Square loops in a row: cranks on the ground at x = 0, 1 … and couplers between their tops.

    All bars are lines of 1 m and 1 kg.  They start upright, their tops moving at 1 m/s along +x, gravity is
    9.81 m/s² along −y.  The first crank's angle is the independent coordinate; outputs ``x`` and ``y`` are
    its top [m].  Wherever the cranks are horizontal all bars are in line, and another branch of the linkage
    crosses.

    Parameters
    ----------
    number : int
        Number of loops.
    """
    system = System(gravity=(0.0, -9.81, 0.0), name=f"{number} four-bars")

    def bar(name: str, parent: Body, start: Array, end: Array) -> Body:
        inertia = bar_inertia(end - start, mass=1.0, length=1.0, gyration_2=0.0)
        return system.add_body(
            name,
            mass=1.0,
            com=0.5 * (start + end),
            inertia=inertia,
            parent=parent,
            hinge=Revolute(AXIS, start),
        )

    feet = np.column_stack((np.arange(number + 1), np.zeros((number + 1, 2))))
    tops = feet + (0.0, 1.0, 0.0)
    cranks = [
        bar(f"crank {k}", system.ground, foot, top)
        for k, (foot, top) in enumerate(zip(feet, tops, strict=True))
    ]
    for k in range(number):
        coupler = bar(f"coupler {k + 1}", cranks[k], tops[k], tops[k + 1])
        pin = Revolute(AXIS, tops[k + 1])
        system.close_loop(f"pin {k + 1}", coupler, cranks[k + 1], pin, [cranks[0]], through_dead_centres=True)
    system.start(cranks[0], v=[-1.0])
    show_point(system, cranks[0], tops[0], {"x": 0, "y": 1})
    return system
