"""Contract of powertrains, and of those whose drive unit turns shafts that reach the wheels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, NamedTuple, TypeAlias

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot
from ce_dynamics.mechanism.body import Body, ground_of
from ce_dynamics.mechanism.checked import unit_axis
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response, StateDeclaration
from ce_dynamics.models.data.quantities import (
    Fraction,
    Numbers,
    ParameterQuantity,
    PositiveFraction,
    check_number,
)
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.powertrain.differentials import CentreData, Drivetrain

THROTTLE, SELECTOR = "throttle", "selector"
"""Names of inputs: 0 … 1; and 1 forwards, 0 neutral, −1 reverse."""
Inputs = Mapping[str, tuple[float, float, float]]
"""Least, default and largest value of inputs."""
States: TypeAlias = "Array | Sequence[Scalar]"
"""Values of a drive unit's states."""
Given: TypeAlias = "Mapping[str, Scalar]"
"""Values of inputs by name."""
SELECTS: Inputs = {SELECTOR: (-1.0, 1.0, 1.0)}
Ratios = Annotated[Numbers, ParameterQuantity("1", curve=True, above=0.0)]


class PowertrainData(Section):
    """Common data of powertrains: the ratio of the axles (wheel speed over shaft speed), the torque split.

    ``torque_split`` are the parts of the torque for the driven axles, from front to rear; equal parts if
    not given.  ``axle_ratios`` are those of the driven axles where they differ, from front to rear; inertia
    and elasticity of the shafts are then those behind ``axle_ratio``.  ``centre`` locks the
    differential between the driven axles; without it the differential is open.
    """

    axle_ratio: PositiveFraction
    axle_ratios: Ratios | None = None
    torque_split: Ratios | None = None
    centre: CentreData | None = None

    reacts: ClassVar[bool] = True
    """True if engine or shafts have inertia, whose turning reacts on the chassis."""

    @property
    def inputs(self) -> Inputs:
        """Inputs it reads beside the throttle: least, default and largest value."""
        return {}

    def inputs_at(self, wheel_speed: float) -> Inputs:
        """Return `inputs` as a vehicle has them whose wheels turn at a speed [rad/s]."""
        return self.inputs

    @abstractmethod
    def element(self, train: Drivetrain) -> ForceElement:
        """Return the force element ``driveline``."""


class ShaftsData(Section):
    """Inertia turning with the gearbox' output, and the wind-up of all half-shafts together, at the wheels.

    ``roll_reaction`` is the part of the propeller shaft's torque that rolls the chassis, which then gets the
    wheels' torque about its own y axis, instead of what wheels and final drives leave.  It is none
    unless given: the axle's reaction is that of engine and gearbox, on the same body.  ``gyroscopic`` is the
    part of the moment ḣ d + ω × h d of all that turns which acts on the chassis, ``reaction`` that of the
    wheels' torques which final drives and chassis get, and ``seen_speed`` that of the shaft's speed which the
    gearbox reads; all unless given.  ``torque_bias`` are those of the driven axles' differentials, which are
    open unless given.
    """

    inertia: Annotated[float, ParameterQuantity("kg*m^2", above=0.0)]
    stiffness: Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", above=0.0)]
    roll_reaction: Fraction | None = None
    gyroscopic: Fraction | None = None
    reaction: Fraction | None = None
    seen_speed: Fraction | None = None
    torque_bias: Annotated[Numbers, ParameterQuantity("1", curve=True, at_least=1.0, fewest=1)] | None = None


@dataclass(frozen=True)
class ShaftDrive:
    """Action of a drive unit on the shaft at the gearbox' output, which turns at ω_s.

    ``torque`` is that on the shaft [N m], inertia of the unit left out; ``x_dot`` are rates of the unit's
    states, ``energy`` is stored in the unit [J].  ``spin`` and ``spin_rate`` are the angular momentum of what
    turns by itself, about the axis of engine and shafts [N m s], and its rate; ``tied_rate`` is the rate of
    the ``turns`` of `Tied` while gears are shifted [1/s].
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

    J is its ``inertia`` about its own axis, which is that of the shaft [kg m²]; it ``turns`` i times per
    revolution of the shaft.
    """

    inertia: Scalar = 0.0
    turns: Scalar = 0.0

    @property
    def at_shaft(self) -> Scalar:
        """i² J: the inertia that the shaft moves with itself [kg m²]."""
        return self.turns * self.turns * self.inertia


class GearedData(PowertrainData):
    """Contract of an engine or motor that turns shafts, with its clutch or converter and its gears.

    1. `inputs` names what it reads beside the throttle; `outputs` what it reports, with units.
    2. `states` declares its first-order states for a shaft that turns at a speed at the start.
    3. `tie_to_shaft` returns what turns with the shaft in fixed gear, `drive` the rest.
    4. `drive` is written on scalars: it never branches on a value, and is finite at every speed.
    5. What turns by itself has as its state the speed about its axis in inertial space; the chassis turns
       beneath it.
    """

    shafts: ShaftsData
    outputs: ClassVar[Mapping[str, str]]

    @property
    def inputs(self) -> Inputs:
        return SELECTS

    def states(self, shaft_speed: float) -> tuple[StateDeclaration, ...]:
        """Return the unit's states with the shaft at a speed [rad/s]; most have none."""
        return ()

    def tie_to_shaft(self, x: States, u: Given) -> Tied:
        """Return the part of the unit that turns with the shaft; none by default."""
        return Tied()

    @abstractmethod
    def drive(self, shaft_speed: Scalar, x: States, u: Given, chassis_spin: Scalar = 0.0) -> ShaftDrive:
        """Return the action of the unit at a speed of the shaft relative to the chassis [rad/s].

        ``chassis_spin`` is the chassis' angular velocity about the axis of engine and shafts [rad/s].
        """

    def element(self, train: Drivetrain) -> ForceElement:
        return GearedDriveline("driveline", self, train)


OUTPUTS: Mapping[str, str] = {
    "torque": "N*m",
    "speed": "rad/s",
    "power": "W",
    "shaft_loss": "W",
    "reaction_x": "N*m",
    "reaction_y": "N*m",
    "spin": "N*m*s",
}
"""Outputs of every such driveline: torque of the wheels, loss of half-shafts, torque on the chassis, spin."""


class GearedDriveline(ForceElement):
    """A drive unit drives wheels by shafts that wind up, and all that turns reacts on the chassis.

    Shafts, and what of the unit is tied to them with i turns, spin about one axis d of the chassis, which
    turns with ω_d about it.  Their momentum conjugate to the shaft's speed on the chassis, σ, is

        p = (J_s + i² J) σ + (J_s + i J) ω_d.

    The state ``shaft_speed`` is s = p/(J_s + i² J).  With the wind-up φ of the half-shafts, the axle's ratio
    a and the unit's torque T,

        ṗ = T − a T_w,      φ̇ = a σ − ω_w,      T_w = k φ + c φ̇,

    ω_w being the mean speed of the driven wheels (`DrivenWheels`).  With the angular momentum of all that
    turns, h = (J_s + i J) s + that of what turns by itself, the chassis gets

        −(ḣ d + ω × h d) − what wheels and axles get,

    whatever torques gears, mounts and differentials exchange: momentum and energy of the whole vehicle are
    those of bodies.  Of the chassis' own inertia about d, what turns is no part.
    """

    def __init__(self, name: str, powertrain: GearedData, train: Drivetrain) -> None:
        self.name = name
        owner = f"driveline {name}"
        self.axis = unit_axis(train.axis, owner)
        self.driven = train.join(owner, powertrain.axle_ratio, powertrain.shafts.torque_bias)
        self.ground = ground_of(train.chassis)
        self.powertrain = powertrain
        self.inputs = (THROTTLE, *powertrain.inputs)
        self.outputs: Mapping[str, str] = {**OUTPUTS, **powertrain.outputs}
        shaft = check_number(owner, "wheel_speed", train.wheel_speed) / powertrain.axle_ratio
        self.states = (
            StateDeclaration("shaft_speed", "rad/s", shaft),
            StateDeclaration("windup", "rad"),
            *powertrain.states(shaft),
        )

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (*self.driven.attachments, (self.ground, self.driven.chassis.com))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        p, a, chassis = self.powertrain.shafts, self.powertrain.axle_ratio, self.driven.chassis
        s, phi, *own = list(x)
        parts, omega_w = self.driven.observe(observer)
        omega = -1.0 * observer.angular_velocity(self.ground, chassis)  # of the chassis, in its axes
        omega_d = dot(self.axis, omega)
        tied = self.powertrain.tie_to_shaft(own, u)
        J_p, J_h = p.inertia + tied.at_shaft, p.inertia + tied.turns * tied.inertia
        sigma = s - J_h / J_p * omega_d
        seen = sigma if p.seen_speed is None else p.seen_speed * sigma
        unit = self.powertrain.drive(seen, own, u, omega_d)
        phi_dot = a * sigma - omega_w
        T_w = p.stiffness * phi + p.damping * phi_dot
        s_dot = (unit.torque - a * T_w) / J_p
        h = J_h * s + unit.spin
        h_dot = J_h * s_dot + tied.inertia * unit.tied_rate * s + unit.spin_rate
        turning = -1.0 * (h_dot * self.axis + cross(omega, h * self.axis))
        if p.gyroscopic is not None:
            turning = p.gyroscopic * turning
        back = 1.0 if p.reaction is None else p.reaction
        if p.roll_reaction:
            back, turning = 0.0, turning - T_w * array((p.roll_reaction * a, 1.0, 0.0))
        loads = self.driven.loads(observer, parts, T_w, back)
        none = np.zeros(3)
        loads.append(PointLoad(chassis, chassis, none, none, turning))
        reaction = turning + back * T_w * self.driven.chassis_torque(parts)
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
