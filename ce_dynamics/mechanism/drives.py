"""Prescribed motion: a hinge coordinate as a given function of time, with its rate and acceleration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.base import StateDeclaration


class Prescribed(NamedTuple):
    """A prescribed coordinate: position, rate, acceleration, and the rates of the motion's own states."""

    position: Scalar
    rate: Scalar
    acceleration: Scalar
    x_dot: Sequence[Scalar] = ()


class Motion(ABC):
    """Contract of a prescribed motion.

    1. ``states``: first-order states it owns, if any.
    2. ``inputs``: system inputs it reads.
    3. `evaluate` returns a position whose first and second time derivatives are the rate and acceleration.
    """

    states: tuple[StateDeclaration, ...] = ()
    inputs: tuple[str, ...] = ()

    @abstractmethod
    def evaluate(self, x: Array, u: Mapping[str, Scalar]) -> Prescribed:
        """Position, rate and acceleration for states x and inputs u."""


class Held(Motion):
    """A coordinate held at a constant value."""

    def __init__(self, value: float = 0.0) -> None:
        self.value = finite_number(value, "Held", "value")

    def evaluate(self, x: Array, u: Mapping[str, Scalar]) -> Prescribed:
        return Prescribed(self.value, 0.0, 0.0)


class Driven(Motion):
    """A coordinate driven by three inputs: ``name``, ``name_rate`` and ``name_acceleration``.

    The caller ensures their consistency: the second must be the time derivative of the first, and the
    third that of the second.
    """

    def __init__(self, name: str) -> None:
        checks.name_of("Driven: name", name)
        self.inputs = (name, f"{name}_rate", f"{name}_acceleration")

    def evaluate(self, x: Array, u: Mapping[str, Scalar]) -> Prescribed:
        position, rate, acceleration = (u[name] for name in self.inputs)
        return Prescribed(position, rate, acceleration)


class SecondOrderActuator(Motion):
    """A coordinate that follows gain × input through s̈ = ω² (gain u − s) − 2 ζ ω ṡ.

    The coordinate, its rate and its acceleration are consistent for any input, even one that jumps.

    Parameters
    ----------
    command : str
        Name of the input.
    gain : float
        Coordinate per unit of input.
    natural_frequency : float
        ω [rad/s].
    damping_ratio : float
        ζ [-].
    unit : str
        Unit of the coordinate.
    """

    def __init__(
        self,
        command: str,
        gain: float,
        natural_frequency: float,
        damping_ratio: float = 1.0,
        unit: str = "rad",
    ) -> None:
        owner = f"actuator of {command!r}"
        self.inputs = (checks.name_of("SecondOrderActuator: command", command),)
        self.gain = finite_number(gain, owner, "gain")
        self.omega = finite_number(natural_frequency, owner, "natural_frequency", above=0.0)
        self.zeta = finite_number(damping_ratio, owner, "damping_ratio", above=0.0)
        checks.unit(f"{owner}: unit", unit)
        self.states = (StateDeclaration("position", unit), StateDeclaration("rate", f"{unit}/s"))

    def evaluate(self, x: Array, u: Mapping[str, Scalar]) -> Prescribed:
        position, rate = x
        target = self.gain * u[self.inputs[0]]
        acceleration = self.omega**2 * (target - position) - 2.0 * self.zeta * self.omega * rate
        return Prescribed(position, rate, acceleration, (rate, acceleration))
