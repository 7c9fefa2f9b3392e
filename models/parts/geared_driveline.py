"""A drive unit, shafts with inertia, half-shafts that wind up, differentials and driven wheels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Array, Scalar, array, zeros
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response, StateDeclaration
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.differentials import DrivenWheel, DrivenWheels
from ce_dynamics.models.parts.drive_units.base import DriveUnit


@dataclass(frozen=True)
class ShaftParameters:
    """From the gearbox' output to the wheels.

    Attributes
    ----------
    axle_ratio : float
        Wheel speed over gearbox output speed.
    inertia : float
        Of what turns with the gearbox' output: shafts, cases of the differentials [kg m²].
    stiffness, damping : float
        Of the half-shafts' wind-up, all together, between mean wheel angle and gearbox [N m/rad, N m s/rad].
    roll_reaction : float
        Part of the propeller shaft's torque that rolls the chassis backwards about its x axis.
    """

    axle_ratio: float
    inertia: float
    stiffness: float
    damping: float
    roll_reaction: float = 0.0

    def __post_init__(self) -> None:
        for name in ("axle_ratio", "inertia", "stiffness", "damping"):
            check_number("driveline", name, getattr(self, name), above=0.0)
        check_number("driveline", "roll_reaction", self.roll_reaction, at_least=0.0)


class GearedDriveline(ForceElement):
    """A drive unit drives wheels by shafts that wind up.

    With ω_s the speed of the gearbox' output, φ the wind-up of the half-shafts, a the axle's ratio, T and J
    the torque and the inertia of the unit,

        (J_s + J) ω̇_s = T − a T_w,
        φ̇ = a ω_s − ω_w,      T_w = k φ + c φ̇,

    ω_w being the mean speed of the driven wheels.

    The wheels' torques react on the chassis; that of the propeller shaft along x as far as is said.

    Parameters
    ----------
    name : str
        Unique in the system.
    chassis : Body
        The body that carries engine and differentials.
    wheels : sequence of (Body, Body, centre, axis)
        Wheel, its carrier, and in the design pose its centre [m] and spin axis to the left.
    unit : DriveUnit
    shafts : ShaftParameters
    shares : sequence of float, optional
        Part of the torque that each wheel gets; equal parts if not given.
    wheel_speed : float
        Of all wheels at the start [rad/s].
    """

    def __init__(
        self,
        name: str,
        chassis: Body,
        wheels: Sequence[DrivenWheel],
        unit: DriveUnit,
        shafts: ShaftParameters,
        shares: Sequence[float] | None = None,
        wheel_speed: float = 0.0,
    ) -> None:
        self.name = name
        self.driven = DrivenWheels(f"driveline {name}", chassis, wheels, shares)
        self.unit, self.shafts = unit, shafts
        self.inputs = unit.inputs
        self.outputs: Mapping[str, str] = {"torque": "N*m", "speed": "rad/s", "power": "W", **unit.outputs}
        shaft = check_number(f"driveline {name}", "wheel_speed", wheel_speed) / shafts.axle_ratio
        self.states = (
            StateDeclaration("shaft_speed", "rad/s", shaft),
            StateDeclaration("windup", "rad"),
            *unit.states(shaft),
        )

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return self.driven.attachments

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        p = self.shafts
        omega_s, phi, *own = list(x)
        axes, omega_w = self.driven.observed(observer)
        unit = self.unit.drive(omega_s, own, u)
        phi_dot = p.axle_ratio * omega_s - omega_w
        T_w = p.stiffness * phi + p.damping * phi_dot
        omega_s_dot = (unit.torque - p.axle_ratio * T_w) / (p.inertia + unit.inertia)
        loads = self.driven.loads(observer, axes, T_w)
        if p.roll_reaction > 0.0:
            none, rolling = zeros(3), array((-p.roll_reaction * p.axle_ratio * T_w, 0.0, 0.0))
            loads.append(PointLoad(self.driven.chassis, self.driven.chassis, none, none, rolling))
        return Response(
            loads=loads,
            x_dot=(omega_s_dot, phi_dot, *unit.x_dot),
            outputs={"torque": T_w, "speed": omega_w, "power": T_w * omega_w, **unit.outputs},
            potential=0.5 * (p.stiffness * phi * phi + p.inertia * omega_s * omega_s) + unit.energy,
        )
