"""A drive unit, shafts with inertia, half-shafts that wind up, differentials and driven wheels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot
from ce_dynamics.mechanism.body import Body, ground_of
from ce_dynamics.mechanism.checked import unit_axis
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response, StateDeclaration
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.differentials import DrivenWheel, DrivenWheels, Propeller
from ce_dynamics.models.parts.drive_units.base import DriveUnit

ALONG = (-1.0, 0.0, 0.0)
"""Axis of engines along the vehicle that turn clockwise as seen from the front."""
OUTPUTS: Mapping[str, str] = {
    "torque": "N*m",
    "speed": "rad/s",
    "power": "W",
    "shaft_loss": "W",
    "reaction_x": "N*m",
    "reaction_y": "N*m",
    "spin": "N*m*s",
}
"""Of every such driveline: what wheels get, loss of half-shafts, torque on the chassis, what spins."""


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
    """A drive unit drives wheels by shafts that wind up, and all that turns reacts on the chassis.

    Shafts, and what of the unit is tied to them with i turns, spin about one axis d of the chassis, which
    turns with ω_d about it.  Their momentum conjugate to the shaft's speed on the chassis, σ, is

        p = (J_s + i² J) σ + (J_s + i J) ω_d.

    The state ``shaft_speed`` is s = p/(J_s + i² J).  With the wind-up φ of the half-shafts, the axle's
    ratio a and the unit's torque T,

        ṗ = T − a T_w,      φ̇ = a σ − ω_w,      T_w = k φ + c φ̇,

    ω_w being the mean speed of the driven wheels (`DrivenWheels`).  With the angular momentum of all that
    turns, h = (J_s + i J) s + that of what turns by itself, the chassis gets

        −(ḣ d + ω × h d) − what wheels and axles get,

    whatever torques gears, mounts and differentials exchange: momentum and energy of the whole vehicle are
    those of bodies.  Of the chassis' own inertia about d, what turns is no part.

    Parameters
    ----------
    name : str
        Unique in the system.
    chassis : Body
        The body that carries engine and gearbox.
    wheels : sequence of DrivenWheel
    unit : DriveUnit
    shafts : ShaftParameters
    shares : sequence of float, optional
        Part of the torque that each wheel gets; equal parts if not given.
    wheel_speed : float
        Of all wheels at the start [rad/s].
    axis : (3,) array_like
        d: about which engine and shafts turn forwards, in the design pose.  (−1, 0, 0): along the vehicle,
        clockwise as seen from the front.
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
        axis: object = ALONG,
    ) -> None:
        self.name = name
        owner = f"driveline {name}"
        self.axis = unit_axis(axis, owner)
        propeller = Propeller(shafts.axle_ratio, self.axis)
        self.driven = DrivenWheels(owner, chassis, wheels, shares, propeller)
        self.ground = ground_of(chassis)
        self.unit, self.shafts = unit, shafts
        self.inputs = unit.inputs
        self.outputs: Mapping[str, str] = {**OUTPUTS, **unit.outputs}
        shaft = check_number(owner, "wheel_speed", wheel_speed) / shafts.axle_ratio
        self.states = (
            StateDeclaration("shaft_speed", "rad/s", shaft),
            StateDeclaration("windup", "rad"),
            *unit.states(shaft),
        )

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (*self.driven.attachments, (self.ground, self.driven.chassis.com))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        p, chassis = self.shafts, self.driven.chassis
        s, phi, *own = list(x)
        axes, omega_w = self.driven.observed(observer)
        omega = -1.0 * observer.angular_velocity(self.ground, chassis)  # of the chassis, in its axes
        omega_d = dot(self.axis, omega)
        tied = self.unit.tied(own, u)
        J_p, J_h = p.inertia + tied.at_shaft, p.inertia + tied.turns * tied.inertia
        sigma = s - J_h / J_p * omega_d
        unit = self.unit.drive(sigma, own, u, omega_d)
        phi_dot = p.axle_ratio * sigma - omega_w
        T_w = p.stiffness * phi + p.damping * phi_dot
        s_dot = (unit.torque - p.axle_ratio * T_w) / J_p
        h = J_h * s + unit.spin
        h_dot = J_h * s_dot + tied.inertia * unit.tied_rate * s + unit.spin_rate
        turning = -1.0 * (h_dot * self.axis + cross(omega, h * self.axis))
        loads = self.driven.loads(observer, axes, T_w)
        none = np.zeros(3)
        if p.roll_reaction > 0.0:
            turning = turning + array((-p.roll_reaction * p.axle_ratio * T_w, 0.0, 0.0))
        loads.append(PointLoad(chassis, chassis, none, none, turning))
        reaction = turning + T_w * self.driven.on_chassis(axes)
        return Response(
            loads=loads,
            x_dot=(s_dot, phi_dot, *unit.x_dot),
            outputs={
                "torque": T_w,
                "speed": omega_w,
                "power": T_w * omega_w,
                "shaft_loss": p.damping * phi_dot * phi_dot,
                "reaction_x": reaction[0],
                "reaction_y": reaction[1],
                "spin": h,
                **unit.outputs,
            },
            potential=0.5 * (p.stiffness * phi * phi + J_p * s * s) + unit.energy,
        )
