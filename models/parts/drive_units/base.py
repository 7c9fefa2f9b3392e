"""Contract of drive units."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, maximum
from ce_dynamics.mechanism.forces.base import StateDeclaration

THROTTLE, SELECTOR = "throttle", "selector"
"""Names of inputs: 0 … 1; and 1 forwards, 0 neutral, −1 reverse."""


@dataclass(frozen=True)
class Drive:
    """Action of a drive unit on the shaft at the gearbox' output, which turns at ω_s.

    Attributes
    ----------
    torque : scalar
        On the shaft [N m], inertia of the unit left out.
    x_dot : sequence of scalar
        Rates of the unit's states.
    energy : scalar
        Stored in the unit [J].
    spin, spin_rate : scalar
        Angular momentum of what turns by itself, about the axis of engine and shafts [N m s], and its rate.
    tied_rate : scalar
        Rate of the ``turns`` of `Tied` while gears are shifted [1/s].
    outputs : mapping of str to scalar
    """

    torque: Scalar
    x_dot: Sequence[Scalar] = ()
    energy: Scalar = 0.0
    spin: Scalar = 0.0
    spin_rate: Scalar = 0.0
    tied_rate: Scalar = 0.0
    outputs: Mapping[str, Scalar] = field(default_factory=dict)


class Tied(NamedTuple):
    """Part of a drive unit that turns with the shaft.

    Attributes
    ----------
    inertia : scalar
        J, about its own axis, which is that of the shaft [kg m²].
    turns : scalar
        i: its revolutions per revolution of the shaft.
    """

    inertia: Scalar = 0.0
    turns: Scalar = 0.0

    @property
    def at_shaft(self) -> Scalar:
        """i² J: the inertia that the shaft moves with itself [kg m²]."""
        return self.turns * self.turns * self.inertia


class DriveUnit(ABC):
    """Contract of an engine or motor with its clutch or converter and its gears.

    1. `inputs` names what it reads; `outputs` what it reports, with units.
    2. `states` declares its first-order states for a shaft that turns at a speed at the start.
    3. `tied` tells what turns with the shaft in fixed gear, `drive` the rest.
    4. `drive` is written on scalars: it never branches on a value, and is finite at every speed.
    5. What turns by itself has as its state the speed about its axis in inertial space; the chassis turns
       beneath it.
    """

    inputs: tuple[str, ...] = (THROTTLE,)
    outputs: Mapping[str, str]

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        """The unit's states with the shaft at a speed [rad/s]; most have none."""
        return ()

    def tied(self, x: Array | Sequence[Scalar], u: Mapping[str, Scalar]) -> Tied:
        """Return the part of the unit that turns with the shaft; none by default."""
        return Tied()

    @abstractmethod
    def drive(
        self,
        shaft_speed: Scalar,
        x: Array | Sequence[Scalar],
        u: Mapping[str, Scalar],
        chassis_spin: Scalar = 0.0,
    ) -> Drive:
        """Return the action of the unit at a speed of the shaft relative to the chassis [rad/s].

        ``chassis_spin`` is the chassis' angular velocity about the axis of engine and shafts [rad/s].
        """


def directions(selector: Scalar) -> tuple[Scalar, Scalar]:
    """Return the shares, 0 … 1 each, of forwards and reverse in a selector's position."""
    return maximum(selector, 0.0), maximum(-selector, 0.0)
