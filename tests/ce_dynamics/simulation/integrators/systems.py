"""Small systems for the tests of time stepping."""

from collections.abc import Mapping, Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, sin, sqrt
from ce_dynamics.compiled.model import Model
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.hinges import Prismatic, Revolute
from ce_dynamics.mechanism.system import System

G = 9.81


class Push(ForceElement):
    """F = push − c v − k x √(1 − x²) on a slider: not a number beyond x = 1 unless k = 0."""

    inputs = ("push",)
    attachments = ()

    def __init__(self, body: Body, damping: float, stiffness: float) -> None:
        self.name = "push"
        self.body, self.c, self.k = body, damping, stiffness

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        s, v = observer.coordinate(self.body), observer.rate(self.body)
        force = u["push"] - self.c * v
        if self.k:
            force = force - self.k * s * sqrt(1.0 - s * s)
        return Response(loads=(HingeLoad(self.body, 0, force),))


def slider(damping: float = 0.0, stiffness: float = 0.0, mass: float = 2.0) -> Model:
    """A mass on a horizontal rail with the input ``push`` [N]."""
    system = System(gravity=(0.0, 0.0, -G), name="slider")
    system.add_input("push", "N")
    body = system.add_body(
        "mass",
        mass=mass,
        com=(0, 0, 0),
        inertia=(1.0, 1.0, 1.0),
        parent=system.ground,
        hinge=Prismatic(axis=(1, 0, 0)),
    )
    system.add_force(Push(body, damping, stiffness))
    system.add_output("position", "m", lambda o: o.coordinate(body))
    return Model(system)


def pendulum(lengths: Sequence[float] = (1.0, 0.7)) -> Model:
    """A double pendulum with the input ``push`` [N m] on its first arm."""
    system = System(gravity=(0.0, 0.0, -G), name="double pendulum")
    system.add_input("push", "N*m")
    parent, at = system.ground, 0.0
    for k, length in enumerate(lengths):
        parent = system.add_body(
            f"arm{k}",
            mass=1.0 + k,
            com=(at + length / 2, 0, 0),
            inertia=(0.01, 0.1, 0.1),
            parent=parent,
            hinge=Revolute(axis=(0, 1, 0), at=(at, 0, 0)),
        )
        at += length
    system.add_force(Push(system.find("arm0"), 0.3, 0.0))
    return Model(system)


class Wave:
    """push = 3 sin(4 t) − 0.5 × (nothing sensed)."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {"push": 3.0 * sin(4.0 * t)}


PENDULUM_START = np.array([0.3, -0.5, 1.0, -2.0])
