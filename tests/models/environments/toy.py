"""A small vehicle for environments: a plate that slides in a plane on two axles, quickly compiled."""

from collections.abc import Mapping

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar, array, cos, sin, sqrt
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.models.environments.task import INPUTS, DrivenVehicle
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driving import driver_parameters
from ce_dynamics.models.vehicles.sensors import add_sensors

FRONT, REAR = 1.2, -1.4


class Axle(ForceElement):
    """A force across a wheel, in proportion to its slip angle, and one along it."""

    inputs = ("throttle", "brake", "steering")

    def __init__(self, name: str, body: Body, x: float, lock: float, cliff: Scalar) -> None:
        self.name, self.body, self.at, self.lock, self.cliff = name, body, array((x, 0.0, 0.0)), lock, cliff

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.at),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        ground = self.body.carrier
        point = observer.point(self.body, self.at, ground)
        forward = observer.direction(self.body, array((1.0, 0.0, 0.0)), ground)
        left = observer.direction(self.body, array((0.0, 1.0, 0.0)), ground)
        angle = self.lock * u["steering"]
        along, across = (
            cos(angle) * forward + sin(angle) * left,
            cos(angle) * left - sin(angle) * forward,
        )
        v_along, v_across = (
            sum(a * b for a, b in zip(point.v, axis, strict=True)) for axis in (along, across)
        )
        speed = sqrt(v_along * v_along + 1.0)
        drive = 2000.0 * u["throttle"] - 4000.0 * u["brake"] * v_along / sqrt(v_along * v_along + 0.01)
        # beyond the cliff nothing is finite
        force = (drive + 1e-300 * sqrt(self.cliff - point.r[0])) * along - 6e4 * v_across / speed * across
        return Response([PointLoad(self.body, ground, point.r, force)])


def toy(task: str, free: bool = False) -> DrivenVehicle:
    """A vehicle of 1,200 kg at 12 m/s, or at rest for parking."""
    system = ce.System(name="plate", gravity=(0, 0, 0))
    mass: Scalar = 1200.0
    cliff: Scalar = 1e3
    if free:
        mass = system.add_parameter(ce.Parameter("mass", 1200.0, "kg"))
        cliff = system.add_parameter(ce.Parameter("cliff", 1e3, "m"))
    for name in INPUTS:
        system.add_input(name, "1", between=(-1.0 if name == "steering" else 0.0, 1.0))
    chassis = system.add_body(
        "chassis", mass=mass, com=(0, 0, 0), inertia=(500.0, 1500.0, 1800.0), parent=system.ground,
        hinge=ce.Planar((0, 0, 1)),
    )  # fmt: skip
    add_sensors(system, chassis)
    system.add_force(Axle("front", chassis, FRONT, 0.5, cliff))
    system.add_force(Axle("rear", chassis, REAR, 0.0, cliff))
    speed = 0.0 if task == "parking" else 12.0
    course = None
    if task == "lane-change":
        course = DoubleLaneChange(driver_parameters(VehicleParameters.load()), vehicle_width=1.8)
    system.start(chassis, v=[speed, 0.0, 0.0])
    model = ce.compile(system)
    return DrivenVehicle("plate", model, np.array(model.y0), speed, 4.0, 1.8, 0.1, course)
