"""Components with the HMMWV's figures (Project Chrono's public vehicle data), and a scripted observer."""

import math
from collections.abc import Mapping

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import PointState
from ce_dynamics.models.parts.driver import Driver, DriverData
from ce_dynamics.models.powertrain.engine import IdlingEngineData, TorqueCurve
from ce_dynamics.models.powertrain.envelope import EnvelopeData
from ce_dynamics.models.powertrain.gear_choice import GearboxData
from ce_dynamics.models.tyres.tmeasy_curves import LoadPair, TMeasyParameters, slip_force

PAYLOAD = 17125.65
PN = 0.5 * PAYLOAD
CZ = PAYLOAD / (0.16 * 0.26035)
TYRE_MASS = 37.6


def times_load(at_pn: float, at_2pn: float) -> LoadPair:
    return (at_pn * PN, at_2pn * 2.0 * PN)


TYRE = TMeasyParameters(
    radius=0.4699,
    cz=CZ,
    dz=2.0 * 0.5 * math.sqrt(CZ * TYRE_MASS),
    cx=0.9 * CZ,
    dx=0.5 * math.sqrt(0.9 * CZ * TYRE_MASS),
    cy=0.8 * CZ,
    dy=0.5 * math.sqrt(0.8 * CZ * TYRE_MASS),
    pn=PN,
    pn_max=3.5 * PN,
    mu0=0.8,
    rolling_resistance=0.015,
    slip_speed=0.01,
    dfx0=times_load(17.7764, 14.5301),
    fxm=times_load(0.89965, 0.77751),
    sxm=(0.10811, 0.12389),
    fxs=times_load(0.46183, 0.42349),
    sxs=(0.66667, 0.66667),
    dfy0=times_load(7.4013, 6.8505),
    fym=times_load(0.75876, 0.72628),
    sym=(0.33167, 0.33216),
    fys=times_load(0.68276, 0.65319),
    sys=(1.0296, 1.0296),
    nL0=(0.178, 0.19),
    sq0=(0.36484, 0.36538),
    sqe=(1.0296, 1.0296),
)


def rpm(*speeds: float) -> tuple[float, ...]:
    return tuple(speed * math.pi / 30.0 for speed in speeds)


FULL = TorqueCurve(
    speed=rpm(
        *(-100, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700),
        *(1800, 1900, 2000, 2100, 2200, 2300, 2400, 2500, 2700),
    ),
    torque=(
        *(300, 382, 490, 579, 650, 706, 746, 774, 789, 793, 788),
        *(774, 754, 728, 697, 664, 628, 593, 558, -400),
    ),
)
CLOSED = TorqueCurve(speed=rpm(-100, 0, 100, 1000, 2000, 3000), torque=(0, 0, 0, -50, -70, -90))
POWERTRAIN = EnvelopeData(
    engine=IdlingEngineData(
        full_throttle=FULL, closed_throttle=CLOSED, max_speed=rpm(2600)[0], idle_speed=rpm(800)[0]
    ),
    transmission=GearboxData(gears=(0.1708, 0.2791, 0.4218, 0.6223, 1.0173, 1.5361)),
    axle_ratio=0.2,
)

DRIVER = Driver(
    DriverData(
        preview_time=0.9,
        min_preview=4.0,
        feedforward_time=0.2,
        aim_gain=1.0,
        throttle_gain=1.0,
        brake_gain=0.15,
        hold_throttle=0.11,
        brake_margin=0.5,
    ),
    wheelbase=3.378,
    max_wheel_angle=math.radians(30.23),
    understeer=0.0,
    yaw_damping=0.2,
)


def body(name: str) -> Body:
    return Body(name, 1.0, np.zeros(3), np.eye(3), None, None)


class Scripted:
    """An observer for which every body is at the design pose, with given velocities."""

    def __init__(
        self,
        r: Mapping[str, Array] | None = None,
        v: Mapping[str, Array] | None = None,
        omega: Mapping[str, Array] | None = None,
        axes: Mapping[str, Array] | None = None,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        self.r, self.v, self.omega = r or {}, v or {}, omega or {}
        self.axes, self.rates = axes or {}, rates or {}

    def point(self, body: Body, at: Array, frame: Body) -> PointState:
        return PointState(self.r.get(body.name, np.asarray(at)), self.v.get(body.name, np.zeros(3)))

    def direction(self, body: Body, axis: Array, frame: Body) -> Array:
        return self.axes.get(body.name, np.asarray(axis))

    def angular_velocity(self, body: Body, frame: Body) -> Array:
        return self.omega.get(body.name, np.zeros(3)) - self.omega.get(frame.name, np.zeros(3))

    def coordinate(self, body: Body, k: int = 0) -> Scalar:
        return 0.0

    def rate(self, body: Body, k: int = 0) -> Scalar:
        return self.rates.get(body.name, 0.0)


def steady_force(
    p: TMeasyParameters, Fz: Scalar, s_x: Scalar, s_y: Scalar, friction: Scalar = 1.0
) -> tuple[Scalar, Scalar]:
    """Return steady (Fx, Fy) [N] at slips s_x = −(v_x − r_D Ω)/(r_D |Ω|), s_y = −v_y/(r_D |Ω|)."""
    f = slip_force(p, Fz, friction, 1.0, -s_x, -s_y)
    return f.G_x * s_x / f.W_x, f.G_y * s_y / f.W_y
