"""The HMMWV: chassis, four double wishbones, Pitman steering, tyres, brakes and driveline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ce_dynamics.kinematics.pitman import PitmanSteering
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import SecondOrderActuator
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.parts.brake import Brake
from ce_dynamics.models.parts.powertrain import Driveline
from ce_dynamics.models.parts.road import FlatRoad, Road
from ce_dynamics.models.parts.tyre_tmeasy import Tyre
from ce_dynamics.models.vehicles.hmmwv.corner import CornerParameters
from ce_dynamics.models.vehicles.hmmwv.elements import (
    brake_parameters,
    powertrain_parameters,
    tyre_parameters,
)
from ce_dynamics.models.vehicles.hmmwv.schema import CORNERS, HmmwvParameters, SteeringParameters
from ce_dynamics.models.vehicles.hmmwv.sensors import add_sensors
from ce_dynamics.models.vehicles.hmmwv.suspension import add_corner, add_rigid_body

INPUTS = {"steering": (-1.0, 1.0), "throttle": (0.0, 1.0), "brake": (0.0, 1.0)}
"""Ranges of the inputs: full lock to the right and left, pedals from rest to the floor."""


def build(
    parameters: HmmwvParameters | None = None,
    *,
    overrides: Sequence[str] = (),
    path: str | Path | None = None,
    road: Road | None = None,
    speed: float = 0.0,
) -> System:
    """The full vehicle on a road.

    Inputs: ``steering`` (−1 … 1, positive to the left), ``throttle`` and ``brake`` (0 … 1).

    Parameters
    ----------
    parameters : HmmwvParameters, optional
        The data; loaded from ``path`` (the file of the package if None) with ``overrides`` if not given.
    overrides : sequence of str
        ``key=value`` each, see `HmmwvParameters.load`.
    path : path, optional
        A data file.
    road : Road, optional
        Flat with the data's friction if not given.
    speed : float
        Initial forward speed [m/s], wheels rolling.

    Returns
    -------
    System
        14 degrees of freedom.
    """
    data = HmmwvParameters.load(path, overrides) if parameters is None else parameters
    surface = FlatRoad(data.road.friction) if road is None else road
    system = System(gravity=data.gravity, name="hmmwv")
    for parameter in data.free:
        system.add_parameter(parameter)
    for name, between in INPUTS.items():
        system.add_input(name, "1", between=between)
    system.group("corner", CORNERS)
    chassis = add_rigid_body(system, "chassis", data.chassis, system.ground, Free())
    link = add_steering(system, chassis, data.steering)
    wheels = []
    for name in CORNERS:
        corner = data.corners[name]
        wheel = add_corner(system, chassis, corner, link if corner.steered else None)
        add_wheel_forces(system, wheel, corner, surface)
        wheels.append((wheel, wheel.carrier, corner.W, corner.wheel.axis))
        system.start(wheel, v=[speed / corner.tyre.radius])
    system.add_force(Driveline("driveline", chassis, wheels, powertrain_parameters(data.powertrain)))
    add_sensors(system, chassis)
    start_on(system, chassis, surface, data.ride_height, speed)
    return system


def start_on(system: System, chassis: Body, road: Road, height: float, speed: float) -> None:
    """Start at the origin, a height above the road and along its grade there."""
    grade, _ = road.slope(0.0, 0.0)
    angle = math.atan(grade)
    s, c = math.sin(angle), math.cos(angle)
    r = [0.0 - height * s, 0.0, road.height(0.0, 0.0) + height * c]
    system.start(
        chassis,
        q=[*r, math.cos(0.5 * angle), 0.0, 0.0 - math.sin(0.5 * angle), 0.0],
        v=[0.0, 0.0, 0.0, speed * c, 0.0, speed * s],
    )


def add_steering(system: System, chassis: Body, steering: SteeringParameters) -> Body:
    """Add the Pitman steering, driven by the input ``steering`` through its actuator; returns the link."""
    linkage = PitmanSteering(
        steering.T,
        steering.U,
        steering.V,
        steering.W,
        steering.axis,
        arm="steering.pitman_arm",
        link="steering.link",
        idler="steering.idler_arm",
        chassis=chassis.name,
    )
    for joint in linkage.joints():
        parameters = getattr(steering, joint.body.removeprefix("steering."))
        add_rigid_body(system, joint.body, parameters, joint.carrier, joint.hinge)
    for cut in linkage.cuts():
        system.close_loop(cut.name, cut.body_a, cut.body_b, cut.closure)
    system.use_linkage(linkage)
    actuator = steering.actuator
    # The arms point forward and the tie rods lie behind the wheel centres: an arm that turns to the left
    # moves the link to the left and the wheels' rears with it, which steers to the right.
    gain = -steering.max_angle
    system.prescribe(
        "steering.pitman_arm",
        SecondOrderActuator(
            "steering", gain, 2.0 * math.pi * actuator.natural_frequency, actuator.damping_ratio
        ),
    )
    return system.find("steering.link")


def add_wheel_forces(system: System, wheel: Body, corner: CornerParameters, road: Road) -> None:
    """Add the tyre and the brake of a wheel."""
    system.add_force(
        Tyre(
            f"{corner.name}.tyre",
            wheel,
            wheel.carrier,
            corner.W,
            corner.wheel.axis,
            tyre_parameters(corner.tyre),
            road,
            system.ground,
        )
    )
    system.add_force(Brake(f"{corner.name}.brake", wheel, corner.W, brake_parameters(corner)))
