"""A planar vehicle with linear tyres, driven like any other, and its closed-form figures.

Tyres push across the body by C (δ − (v_y + x ψ̇)/v_x) in front and −C (v_y − x ψ̇)/v_x behind, so that the
linear single-track model is exact up to squares of angles:

    d/dt [v_y, ψ̇] = A [v_y, ψ̇] + B δ at constant v_x.                                                  (a)
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar, array, sqrt
from ce_dynamics.compiled.model import Model
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.handling import Start, Subject
from ce_dynamics.models.parts.driver import Driver, DriverData
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.vehicles.sensors import add_sensors

Floats = NDArray[np.float64]
LOCK = 0.5
"""Angle of the front wheels at full lock [rad]."""


@dataclass(frozen=True)
class Car:
    """Numbers of a single-track model [kg], [kg m²], [m], [N/rad], front wheels turned by [rad]."""

    m: float = 1500.0
    I: float = 2600.0  # noqa: E741
    a: float = 1.2
    b: float = 1.6
    C_f: float = 90e3
    C_r: float = 110e3
    pull: float = 0.0

    @property
    def L(self) -> float:
        return self.a + self.b

    @property
    def K(self) -> float:
        """Understeer gradient [rad s²/m]."""
        return self.m * (self.b * self.C_r - self.a * self.C_f) / (self.L * self.C_f * self.C_r)

    def matrices(self, v: float) -> tuple[Floats, Floats]:
        """A and B of (a)."""
        c0, c1 = self.C_f + self.C_r, self.a * self.C_f - self.b * self.C_r
        c2 = self.a**2 * self.C_f + self.b**2 * self.C_r
        A = np.array([[-c0 / (self.m * v), -v - c1 / (self.m * v)], [-c1 / (self.I * v), -c2 / (self.I * v)]])
        return A, np.array([self.C_f / self.m, self.a * self.C_f / self.I])

    def response(self, v: float, f: Floats) -> tuple[Floats, Floats]:
        """Complex ratios ψ̇/δ and a_y/δ at frequencies [Hz]."""
        A, B = self.matrices(v)
        yaw, ay = [], []
        for s in 2j * math.pi * f:
            vy, r = np.linalg.solve(s * np.eye(2) - A, B)
            yaw.append(r)
            ay.append(s * vy + v * r)
        return np.array(yaw), np.array(ay)


@dataclass(eq=False)
class Tyres(ForceElement):
    name: str
    body: Body
    ground: Body
    car: Car
    power: float = 8e3
    breaks_at: float = math.inf
    inputs = "steering", "throttle", "brake"

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, array((0.0, 0.0, 0.0))),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        ahead = observer.direction(self.body, array((1.0, 0.0, 0.0)), self.ground)
        left = array((0.0 - ahead[1], ahead[0], 0.0))
        loads = []
        for at, C, delta in (
            (self.car.a, self.car.C_f, LOCK * u["steering"] + self.car.pull),
            (-self.car.b, self.car.C_r, 0.0),
        ):
            point = observer.point(self.body, array((at, 0.0, 0.0)), self.ground)
            vx, vy = (point.v[0] * e[0] + point.v[1] * e[1] for e in (ahead, left))
            force = C * (delta - vy / vx)
            loads.append(PointLoad(self.body, self.ground, point.r, force * left))
        point = observer.point(self.body, array((0.0, 0.0, 0.0)), self.ground)
        along = self.power * u["throttle"] - 0.8 * 9.81 * self.car.m * u["brake"]
        if math.isfinite(self.breaks_at):  # NaN beyond that yaw rate
            r = observer.angular_velocity(self.body, self.ground)[2]
            along = along + 1e-9 * sqrt(self.breaks_at * self.breaks_at - r * r)
        loads.append(PointLoad(self.body, self.ground, point.r, along * ahead))
        return Response(loads)


def build(car: Car, left_out: str = "", power: float = 8e3, breaks_at: float = math.inf) -> System:
    """The planar vehicle, without one input if so said."""
    system = ce.System(gravity=(0, 0, 0), name="single track")
    body = system.add_body(
        "car",
        mass=car.m,
        inertia=(car.I, car.I, car.I),
        parent=system.ground,
        hinge=ce.Planar((0, 0, 1)),
    )
    for name in ("steering", "throttle", "brake"):
        system.add_input(name if name != left_out else f"no {name}", "1")
    if not left_out:
        system.add_force(Tyres("tyres", body, system.ground, car, power, breaks_at))
    add_sensors(system, body)
    system.start(body, v=[20.0, 0.0, 0.0])
    return system


@dataclass(frozen=True, eq=False, kw_only=True)
class SingleTrack(Subject):
    """The planar vehicle as what is put to tests."""

    car: Car
    model: Model

    def start(self, task: Manoeuvre, road: str | None = None) -> Start:
        y0 = self.model.y0.copy()
        y0[3] = task.speed
        return Start(self.model, y0, self.model.u0)

    def road_wheel_angle(self, steering: Floats) -> Floats:
        return LOCK * np.asarray(steering)


def subject(
    car: Car | None = None,
    title: str = "single track",
    left_out: str = "",
    power: float = 8e3,
    breaks_at: float = math.inf,
) -> SingleTrack:
    """Ready to be tested; its driver knows its understeer gradient and has no resistances to balance."""
    own = Car() if car is None else car
    driver = Driver(
        DriverData(
            preview_time=0.6,
            min_preview=4.0,
            feedforward_time=0.1,
            aim_gain=1.0,
            throttle_gain=0.5,
            brake_gain=0.2,
            hold_throttle=0.0,
            brake_margin=0.5,
        ),
        wheelbase=own.L,
        max_wheel_angle=LOCK,
        understeer=own.K,
        yaw_damping=0.1,
    )
    return SingleTrack(
        title=title,
        wheelbase=own.L,
        mass=own.m,
        gravity=9.81,
        driver=driver,
        defaults={"friction": 0.8, "vehicle_width": 1.8},
        car=own,
        model=Model(build(own, left_out, power, breaks_at)),
    )
