"""Benchmark A01: a pendulum."""

from __future__ import annotations

from ce_dynamics.mechanism.hinges import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.published.mechanism import show_point


def pendulum() -> System:
    """A point of 1 kg on a massless rod of 1 m, released from the horizontal at (−1, 0).

    Outputs ``x`` and ``y`` [m], with gravity 9.81 m/s² along −y.
    """
    system = System(gravity=(0.0, -9.81, 0.0), name="pendulum")
    hinge = Revolute((0.0, 0.0, 1.0))
    bob = system.add_body("bob", mass=1.0, com=(-1.0, 0.0, 0.0), parent=system.ground, hinge=hinge)
    show_point(system, bob, bob.com, {"x": 0, "y": 1})
    return system
