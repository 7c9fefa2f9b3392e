"""The sections of ``hmmwv.yaml`` as frozen pydantic models: numbers in SI, points in file coordinates.

A corner is described once, as the **left** one: x forward, y to the left, z up, measured from its
`origin`.  `corner.py` turns these into positions in vehicle coordinates, mirrored for the right side.
"""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import model_validator

from ce_dynamics.models.data.parameters import Section
from ce_dynamics.models.data.quantities import (
    PAIR,
    CubicStiffness,
    Damping,
    Fraction,
    InertiaTensor,
    Length,
    Mass,
    MomentOfInertia,
    Numbers,
    Point,
    PositiveFraction,
    PositiveMass,
    PositiveStiffness,
    Quantity,
    Stiffness,
)

Pair = Annotated[Numbers, Quantity("1", components=PAIR, above=0.0)]
"""Values at the loads pn | 2 pn."""
Spins = Annotated[Numbers, Quantity("rad/s", curve=True)]
Torques = Annotated[Numbers, Quantity("N*m", curve=True)]
Ratios = Annotated[Numbers, Quantity("1", curve=True, above=0.0)]
Spin = Annotated[float, Quantity("rad/s", above=0.0)]
Frequency = Annotated[float, Quantity("Hz", above=0.0)]


class BodyData(Section):
    """A rigid body; its inertia is about its centre of mass, in vehicle axes at the design position."""

    mass: Mass
    com: Point
    inertia: InertiaTensor


class ChassisData(Section):
    """The sprung body without suspension, wheels and steering link."""

    mass: PositiveMass
    com: Point
    inertia: InertiaTensor


class ArmData(BodyData):
    """A control arm: two chassis pivots span its axis, which points from rear to front."""

    front_pivot: Point
    rear_pivot: Point


class RodData(Section):
    """A uniform solid cylinder between two joints of the linkage: centre and inertia follow from these."""

    mass: Mass
    radius: Length


class ShockHalfData(RodData):
    """Half a shock absorber: a uniform cylinder that starts at its joint and points to the other joint."""

    length: Length


class SpringData(Section):
    """Coil spring: tension a d + b d³ at d = length − free length, and stops beyond both its lengths.

    A stop compressed by δ pushes with stop_stiffness δ + stop_progression δ³.
    """

    chassis: Point
    arm: Point
    free_length: Length
    linear: Stiffness
    cubic: CubicStiffness
    min_length: Length
    max_length: Length
    stop_stiffness: Stiffness
    stop_progression: CubicStiffness

    @model_validator(mode="after")
    def _stops_in_order(self) -> SpringData:
        if not self.min_length < self.max_length:
            raise ValueError(
                f"min_length {self.min_length:g} m must be less than max_length {self.max_length:g} m"
            )
        return self


class DamperData(Section):
    """Shock absorber between J (chassis) and B (lower arm), force proportional to the rate of its length."""

    chassis: Point
    arm: Point
    coefficient: Damping


class WheelPartData(Section):
    """A body of revolution on the wheel's axis; its inertia is about its centre of mass."""

    mass: Mass
    inertia: InertiaTensor


class WheelData(Section):
    """The wheel assembly, all parts centred at W; the hub is what Project Chrono calls the spindle."""

    hub: WheelPartData
    rim: WheelPartData
    tyre: WheelPartData
    axle_inertia: MomentOfInertia

    @model_validator(mode="after")
    def _has_mass(self) -> WheelData:
        if not self.hub.mass + self.rim.mass + self.tyre.mass > 0.0:
            raise ValueError("hub.mass + rim.mass + tyre.mass must be above 0 kg")
        return self


class TyreData(Section):
    """TMeasy tyre (Rill): slopes and forces in multiples of the load, at the loads pn | 2 pn."""

    radius: Length
    width: Length
    rim_radius: Length
    pn: Annotated[float, Quantity("N", above=0.0)]
    pn_max: Annotated[float, Quantity("N", above=0.0)]
    mu0: PositiveFraction
    rolling_resistance: Fraction
    slip_speed: Annotated[float, Quantity("m/s", above=0.0)]
    cz: PositiveStiffness
    dz: Damping
    cx: PositiveStiffness
    dx: Damping
    cy: PositiveStiffness
    dy: Damping
    dfx0: Pair
    fxm: Pair
    sxm: Pair
    fxs: Pair
    sxs: Pair
    dfy0: Pair
    fym: Pair
    sym: Pair
    fys: Pair
    sys: Pair
    nL0: Pair
    sq0: Pair
    sqe: Pair

    @model_validator(mode="after")
    def _consistent(self) -> TyreData:
        if not self.rim_radius < self.radius:
            raise ValueError(f"rim_radius {self.rim_radius:g} m must be less than radius {self.radius:g} m")
        if not self.pn <= self.pn_max:
            raise ValueError(f"pn_max {self.pn_max:g} N must be at least pn {self.pn:g} N")
        for peak, slide in (("sxm", "sxs"), ("sym", "sys"), ("sq0", "sqe")):
            if not all(m < s for m, s in zip(getattr(self, peak), getattr(self, slide), strict=True)):
                raise ValueError(f"{peak} must be less than {slide} at both loads")
        return self


class BrakeData(Section):
    """Brake of one wheel."""

    max_torque: Annotated[float, Quantity("N*m", above=0.0)]
    stiffness: Annotated[float, Quantity("N*m/rad", above=0.0)]
    damping: Annotated[float, Quantity("N*m*s/rad", above=0.0)]


class GroundSpringData(Section):
    """A vertical spring and damper at W in place of the tyre; it may pull (validation model "ride")."""

    stiffness: Stiffness
    damping: Damping
    height: Length


class CornerData(Section):
    """One corner, given as the left one, relative to `origin`; letters as in the paper."""

    origin: Point
    D: Point
    F: Point
    K: Point
    L: Point
    W: Point
    lower_arm: ArmData
    upper_arm: ArmData
    upright: BodyData
    upright_link: RodData
    tie_rod: RodData
    shock_lower: ShockHalfData
    shock_upper: ShockHalfData
    spring: SpringData
    damper: DamperData
    wheel: WheelData
    tyre: TyreData
    brake: BrakeData
    ground_spring: GroundSpringData | None = None


class VehicleData(Section):
    """What belongs to no part."""

    gravity: Annotated[float, Quantity("m/s^2", at_least=0.0)]
    ride_height: Annotated[float, Quantity("m")]


class ActuatorData(Section):
    """Second-order servo between the steering input and the Pitman arm."""

    natural_frequency: Frequency
    damping_ratio: PositiveFraction


class SteeringData(Section):
    """Pitman steering in its own frame: at `origin`, turned by `tilt` about +y; all axes along the frame's z.

    T U is the Pitman arm (T on the chassis), W V the idler arm (W on the chassis), U V the link.
    """

    origin: Point
    tilt: Annotated[float, Quantity("rad")]
    T: Point
    U: Point
    V: Point
    W: Point
    max_angle: Annotated[float, Quantity("rad", above=0.0, below=math.pi / 2)]
    pitman_arm: BodyData
    idler_arm: BodyData
    link: BodyData
    actuator: ActuatorData


class TorqueCurve(Section):
    """Torque against speed, linear between the points."""

    speed: Spins
    torque: Torques

    @model_validator(mode="after")
    def _is_a_function(self) -> TorqueCurve:
        if len(self.speed) != len(self.torque):
            raise ValueError(
                f"speed has {len(self.speed)} numbers and torque {len(self.torque)}; they must pair up"
            )
        if not all(a < b for a, b in zip(self.speed, self.speed[1:], strict=False)):
            raise ValueError("speed must increase from number to number")
        return self


class EngineData(Section):
    """Engine torque at full and at closed throttle."""

    full_throttle: TorqueCurve
    closed_throttle: TorqueCurve
    max_speed: Spin
    inertia: MomentOfInertia


class TransmissionData(Section):
    """Gear ratios are output speed over input speed; the automatic shifts at engine speeds."""

    gears: Ratios
    reverse: Annotated[float, Quantity("1", below=0.0)]
    upshift: Spin
    downshift: Spin

    @model_validator(mode="after")
    def _shifts_in_order(self) -> TransmissionData:
        if not self.downshift < self.upshift:
            raise ValueError("downshift must be at a lower speed than upshift")
        if not all(a < b for a, b in zip(self.gears, self.gears[1:], strict=False)):
            raise ValueError("gears must increase from first to last (output speed over input speed)")
        return self


class PowertrainData(Section):
    """Engine, transmission and the ratio of the conical gears (wheel speed over shaft speed)."""

    engine: EngineData
    transmission: TransmissionData
    axle_ratio: PositiveFraction


class RoadData(Section):
    """The road."""

    friction: PositiveFraction


class DriverData(Section):
    """A driver that looks ahead on the path and holds a speed, see `ce_dynamics.models.parts.driver`.

    What he knows of the linkage, wheelbase and wheel angle at full lock, follows from the hardpoints.
    """

    understeer: Annotated[float, Quantity("rad*s^2/m")]
    preview_time: Annotated[float, Quantity("s", above=0.0)]
    min_preview: Length
    feedforward_time: Annotated[float, Quantity("s", at_least=0.0)]
    aim_gain: Fraction
    yaw_damping: Annotated[float, Quantity("s", at_least=0.0)]
    throttle_gain: Annotated[float, Quantity("s/m", at_least=0.0)]
    brake_gain: Annotated[float, Quantity("s/m", at_least=0.0)]
    hold_throttle: Fraction
    brake_margin: Annotated[float, Quantity("m/s", at_least=0.0)]


class PublishedData(Section):
    """Published properties of the whole vehicle; not used by the model, there to compare with."""

    wheelbase: Length
    max_wheel_angle: Annotated[float, Quantity("rad", above=0.0)]
    min_turning_radius: Length


class HmmwvData(Section):
    """All numbers of the HMMWV after layering: four corners, each in left-side values."""

    vehicle: VehicleData
    chassis: ChassisData
    front_left: CornerData
    front_right: CornerData
    rear_left: CornerData
    rear_right: CornerData
    steering: SteeringData
    powertrain: PowertrainData
    road: RoadData
    driver: DriverData
    published: PublishedData
