"""Locks of differentials: what hinders two shafts from turning at different speeds.

Between both there is a clutch with an elastic deflection ψ.  It sticks up to the torque that it holds and
slides at that torque (`deflection`, with ψ̇ = Δω while it sticks); a lock that holds any torque is a torsion
spring, T = k ψ + c ψ̇.  Torque T is taken from the faster side and given to the slower one, so that an open
differential with a lock splits M into M/2 ∓ T, and the power lost is T times what slides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, Response, StateDeclaration
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.brake import BrakeParameters, brake_torque
from ce_dynamics.models.parts.differentials import DrivenWheel, DrivenWheels, Propeller


@dataclass(frozen=True)
class LockParameters:
    """A lock.

    Attributes
    ----------
    stiffness, damping : float
        Of the shafts between both sides [N m/rad, N m s/rad].
    max_torque : float or None
        That the clutch holds [N m]; None for a lock that does not slide.
    """

    stiffness: float
    damping: float
    max_torque: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                check_number("differential", field.name, value, above=0.0)


class DifferentialLock(ForceElement):
    """A lock between two sides: two wheels, or the mean speeds of two axles.

    Parameters
    ----------
    name : str
        Unique in the system.
    chassis : Body
        The body that carries the differential.
    one, other : sequence of DrivenWheel
        The wheels of both sides; each side's torque is shared equally among them.
    parameters : LockParameters
    propeller : Propeller, optional
        What drives final drives that are not on the chassis.
    """

    states: tuple[StateDeclaration, ...] = (StateDeclaration("windup", "rad"),)
    outputs: Mapping[str, str] = {"torque": "N*m", "difference": "rad/s"}

    def __init__(
        self,
        name: str,
        chassis: Body,
        one: Sequence[DrivenWheel],
        other: Sequence[DrivenWheel],
        parameters: LockParameters,
        propeller: Propeller | None = None,
    ) -> None:
        self.name = name
        self.one, self.other = (
            DrivenWheels(f"lock {name}", chassis, side, None, propeller) for side in (one, other)
        )
        self.parameters = parameters

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (*self.one.attachments, *self.other.attachments)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """The torque from the first side to the second, where the first is faster."""
        p = self.parameters
        one, omega_one = self.one.observed(observer)
        other, omega_other = self.other.observed(observer)
        difference = omega_one - omega_other
        if p.max_torque is None:
            torque, windup_rate = p.stiffness * x[0] + p.damping * difference, difference
        else:
            clutch = BrakeParameters(p.max_torque, p.stiffness, p.damping)
            torque, windup_rate = brake_torque(clutch, p.max_torque, x[0], difference)
        loads = [
            *self.one.loads(observer, one, -torque),
            *self.other.loads(observer, other, torque),
        ]
        return Response(
            loads=loads,
            x_dot=(windup_rate,),
            outputs={"torque": torque, "difference": difference},
            potential=0.5 * p.stiffness * x[0] * x[0],
        )
