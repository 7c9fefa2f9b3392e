"""Tyres, brakes and driveline together on a rigid cart, through the compiled pipeline."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from ce_dynamics.compiled.model import Model
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.parts.brake import Brake, BrakeData
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import FlatRoad, InclinedRoad
from ce_dynamics.models.powertrain.differentials import DrivenWheel, Drivetrain
from ce_dynamics.models.powertrain.envelope import Driveline, Traction
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.tyres.tmeasy import TMeasyTyre
from ce_dynamics.simulation.right_hand_side import RightHandSide
from tests.models.components import POWERTRAIN, TYRE

MASS, WHEEL = 2500.0, 71.0
TOTAL = MASS + 4.0 * WHEEL
# State: q = x y z, quaternion, four wheel angles; v = ω, velocity, four spins; x_e, y_e, wind-up per wheel.
VX, SPINS, STATES = 14, slice(17, 21), slice(21, 33)


def cart(road: Road) -> Model:
    system = System(gravity=(0.0, 0.0, -9.81))
    system.add_input("throttle", unit="1", default=0.0)
    system.add_input("brake", unit="1", default=0.0)
    com = (0.0, 0.0, 0.6)
    inertia = (1000.0, 3000.0, 3500.0)
    chassis = system.add_body(
        "chassis", mass=MASS, com=com, inertia=inertia, parent=system.ground, hinge=Free(at=com)
    )
    wheels = []
    for k, (x, y) in enumerate(((1.69, 0.9), (1.69, -0.9), (-1.69, 0.9), (-1.69, -0.9))):
        at, axis = (x, y, 0.4549), (0.0, 1.0, 0.0)
        wheel = system.add_body(
            f"wheel{k}", mass=WHEEL, com=at, inertia=(4.3, 8.2, 4.3), parent=chassis, hinge=Revolute(axis, at)
        )
        system.add_force(
            RoadTyre(f"tyre{k}", wheel, chassis, at, axis, TMeasyTyre(TYRE), road, system.ground)
        )
        system.add_force(
            Brake(f"brake{k}", wheel, at, BrakeData(max_torque=4000.0, stiffness=1e5, damping=500.0))
        )
        wheels.append(DrivenWheel(wheel, chassis, at, axis))
    system.add_force(Driveline("driveline", POWERTRAIN, Drivetrain(chassis, wheels)))
    return Model(system)


def run(
    model: Model, y0: NDArray[np.float64], inputs: dict[str, float], times: list[float]
) -> NDArray[np.float64]:
    result = solve_ivp(
        RightHandSide(model, inputs), (0.0, times[-1]), y0, "DOP853", t_eval=times, rtol=1e-8, atol=1e-10
    )
    assert result.success
    return np.asarray(result.y)


def test_parked_on_a_grade_with_the_brake_on() -> None:
    angle = math.atan(0.15)
    model = cart(InclinedRoad(0.8, angle))
    y0 = model.y0
    # Turned nose up about −y, just touching.
    y0[3], y0[5] = math.cos(0.5 * angle), -math.sin(0.5 * angle)
    y0[0], y0[2] = -0.6 * math.sin(angle), 0.6 * math.cos(angle) - 0.6
    y = run(model, y0, {"throttle": 0.0, "brake": 1.0}, [20.0, 40.0])
    # Fore-aft swinging decays with 1.5/s or faster: e^-30 after 20 s.
    assert np.max(np.abs(y[11:21, -1])) < 1e-7
    # No creep: in another 20 s it moves by no more than the error of integration.
    assert np.max(np.abs(y[:11, 1] - y[:11, 0])) < 1e-6
    along = TYRE.cx * np.sum(y[STATES][0::3, -1])
    assert along == pytest.approx(TOTAL * 9.81 * math.sin(angle), rel=1e-6)
    # The brakes hold the wheels against the tyres, with the static radius for a lever.
    torque = 1e5 * np.sum(y[STATES][2::3, -1])
    assert abs(torque) / along == pytest.approx(0.455, abs=0.005)


def test_wheels_carry_torques_over_the_static_radius() -> None:
    model = cart(FlatRoad(0.8))
    y0 = model.y0
    y0[VX], y0[SPINS] = 15.0, 15.0 / 0.4646
    y = run(model, y0, {"throttle": 0.0, "brake": 0.3}, [0.5, 1.0])
    slowed = (y[VX, 0] - y[VX, 1]) / 0.5
    despun = float(np.mean(y[SPINS, 0] - y[SPINS, 1])) / 0.5
    # Engine braking is linear in the speed in between (one gear).
    engine = -Traction(POWERTRAIN).torque(float(np.mean(y[SPINS, :])), 0.0)
    rolling = TYRE.rolling_resistance * TOTAL * 9.81 * TYRE.unloaded_radius
    # Moment balance of all wheels: ΣI ω̇ = Fx r_S − ΣT, with Fx = m v̇.
    lever = (4.0 * 0.3 * 4000.0 + engine + rolling - 4.0 * 8.2 * despun) / (TOTAL * slowed)
    # r_S swings with the pitching (some 0.1 mm on average), the cart's v with it.
    assert lever == pytest.approx(TYRE.unloaded_radius - TOTAL * 9.81 / (4.0 * TYRE.cz), rel=1e-3)
