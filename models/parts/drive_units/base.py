"""What every drive unit is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ce_dynamics.algebra.arrays import Array, Scalar, maximum
from ce_dynamics.mechanism.forces.base import StateDeclaration

THROTTLE, SELECTOR = "throttle", "selector"
"""Names of inputs: 0 … 1; and 1 forwards, 0 neutral, −1 reverse."""


@dataclass(frozen=True)
class Drive:
    """What a unit does to the shaft at the gearbox' output, which turns at ω_s.

    Attributes
    ----------
    torque : scalar
        On the shaft [N m], inertia of the unit left out.
    inertia : scalar
        Of the unit, that the shaft moves with itself [kg m²].
    x_dot : sequence of scalar
        Rates of the unit's states.
    energy : scalar
        Stored in the unit [J].
    outputs : mapping of str to scalar
    """

    torque: Scalar
    inertia: Scalar = 0.0
    x_dot: Sequence[Scalar] = ()
    energy: Scalar = 0.0
    outputs: Mapping[str, Scalar] = field(default_factory=dict)


class DriveUnit(ABC):
    """Contract of an engine or motor with its clutch or converter and its gears.

    1. `inputs` names what it reads; `outputs` what it reports, with units.
    2. `states` declares its first-order states for a shaft that turns at a speed at the start.
    3. `drive` is written on scalars: it never branches on a value, and is finite at every speed.
    """

    inputs: tuple[str, ...] = (THROTTLE,)
    outputs: Mapping[str, str]

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        """The unit's states with the shaft at a speed [rad/s]; most have none."""
        return ()

    @abstractmethod
    def drive(self, shaft_speed: Scalar, x: Array | Sequence[Scalar], u: Mapping[str, Scalar]) -> Drive:
        """What the unit does at a speed of the shaft [rad/s]."""


def directions(selector: Scalar) -> tuple[Scalar, Scalar]:
    """How far a selector stands for forwards and for reverse, 0 … 1 each."""
    return maximum(selector, 0.0), maximum(-selector, 0.0)
