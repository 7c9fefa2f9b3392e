"""Driver: ramps, paths, steering law and speed, against differences and simple vehicles."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.driver import DriverData, hold_speed, steer
from ce_dynamics.models.parts.manoeuvres import ConstantRadius, DoubleLaneChange, Manoeuvre
from ce_dynamics.models.parts.paths import CirclePath, LateralPath, LateralStep, Path
from ce_dynamics.models.parts.rounding import (
    saturate_symmetric,
    saturate_unit,
    smooth_hinge,
    smooth_step,
    smooth_step_curvature,
    smooth_step_slope,
)
from tests.ce_dynamics.opaque import Opaque, reveal_scalar
from tests.models.components import DRIVER, TYRE, steady_force

Vector = NDArray[np.float64]

LANE_CHANGE = LateralPath((LateralStep(10.0, 30.0, 3.5), LateralStep(60.0, 25.0, -3.0)))


def test_ramps_and_their_derivatives() -> None:
    h = 1e-6
    for x in np.linspace(-0.3, 1.3, 41):
        # Third derivative ≤ 60, times h²; rounding 1e-16/h.
        slope = (smooth_step(x + h) - smooth_step(x - h)) / (2.0 * h)
        assert smooth_step_slope(x) == pytest.approx(slope, abs=1e-9)
        bend = (smooth_step_slope(x + h) - smooth_step_slope(x - h)) / (2.0 * h)
        assert smooth_step_curvature(x) == pytest.approx(bend, abs=1e-4)
    assert [smooth_step(x) for x in (-1.0, 0.0, 0.5, 1.0, 9.0)] == [0.0, 0.0, 0.5, 1.0, 1.0]


@pytest.mark.parametrize("width", [0.02, 0.4])
def test_saturations_are_exact_outside_and_smooth_inside(width: float) -> None:
    assert saturate_unit(-1e-12, width) == 0.0
    assert saturate_unit(1.0 + width, width) == pytest.approx(1.0, abs=1e-15)
    assert saturate_unit(50.0, width) == pytest.approx(1.0, abs=1e-13)
    assert saturate_symmetric(0.37, width) == pytest.approx(0.37, abs=1e-15)
    assert saturate_symmetric(-9.0, width) == pytest.approx(-1.0, abs=1e-13)
    functions: tuple[tuple[Callable[[float, float], float], float], ...] = (
        (smooth_hinge, 1.0),
        (saturate_unit, 1.0),
        (saturate_symmetric, 1.0),
    )
    h = 1e-7
    for function, most in functions:
        x = np.linspace(-2.0, 2.0, 4001)
        y = np.array([function(value, width) for value in x])
        assert np.all(np.diff(y) >= -1e-15)
        slopes = np.array([(function(v + h, width) - function(v, width)) / h for v in x])
        assert np.max(slopes) <= most + 1e-6
        # Slope continuous: it changes by at most 1/width per unit of x, 1e-3 apart.
        assert np.max(np.abs(np.diff(slopes))) <= 1e-3 / width + 1e-6


def test_lane_change_geometry_by_differences() -> None:
    h = 1e-5
    for x in np.linspace(0.0, 95.0, 77):
        slope = (LANE_CHANGE.y_ref(x + h) - LANE_CHANGE.y_ref(x - h)) / (2.0 * h)
        assert LANE_CHANGE.slope(x) == pytest.approx(slope, abs=1e-9)
        # Curvature is the change of heading along the arc.
        turned = (LANE_CHANGE.heading(x + h) - LANE_CHANGE.heading(x - h)) / (
            2.0 * h * math.hypot(1.0, slope)
        )
        assert LANE_CHANGE.curvature(x) == pytest.approx(turned, abs=1e-7)
    assert LANE_CHANGE.y_ref(50.0) == pytest.approx(3.5)
    assert LANE_CHANGE.y_ref(90.0) == pytest.approx(0.5)


def points_of(path: Path, along: float) -> tuple[float, float, float]:
    """Position and heading of a point of the path (x for a lane change, arc for a circle)."""
    if isinstance(path, CirclePath):
        R = path.radius
        return R * math.sin(along / R), R * (1.0 - math.cos(along / R)), along / R
    assert isinstance(path, LateralPath)
    return along, path.y_ref(along), path.heading(along)


PATHS = pytest.mark.parametrize("path", [LANE_CHANGE, CirclePath(30.0), CirclePath(-12.0), LateralPath()])


@PATHS
def test_on_the_path_everything_is_in_line(path: Path) -> None:
    for along in (0.0, 13.0, 25.0, 33.0, 71.0, 140.0):
        x, y, yaw = points_of(path, along)
        view = path.view(x, y, yaw, 8.0, 2.0)
        assert (view.offset, view.heading_error) == pytest.approx((0.0, 0.0), abs=1e-12)
        assert view.aim == pytest.approx(view.aim_on_path, abs=1e-12)


@PATHS
def test_beside_the_path_signs_and_first_order(path: Path) -> None:
    for along in (5.0, 27.0, 66.0):
        x, y, yaw = points_of(path, along)
        e, psi, d = 1e-4, 2e-4, 6.0
        left = path.view(x - e * math.sin(yaw), y + e * math.cos(yaw), yaw, d, 0.0)
        turned = path.view(x, y, yaw + psi, d, 0.0)
        # To first order in e: offset e; second order e² × curvature (≤ 0.1) ~ 1e-9.
        assert left.offset == pytest.approx(e, rel=1e-4)
        assert turned.heading_error == pytest.approx(psi, rel=1e-9)
        # Seen from the left, or turned left by ψ, the aim lies to the right: by e, and by about ψ d.
        assert left.aim - left.aim_on_path == pytest.approx(-e, rel=0.15)
        assert turned.aim - turned.aim_on_path == pytest.approx(-psi * d, rel=0.1)


def test_circle_view_is_same_all_the_way_round() -> None:
    for radius in (25.0, -25.0):
        path = CirclePath(radius)
        views = []
        for theta in np.linspace(0.0, 6.0, 9) * math.copysign(1.0, radius):
            x, y = radius * math.sin(theta), radius * (1.0 - math.cos(theta))
            # 0.3 m left of the path, turned 0.1 rad left.
            views.append(
                path.view(x - 0.3 * math.sin(theta), y + 0.3 * math.cos(theta), theta + 0.1, 7.0, 1.0)
            )
        assert np.ptp(np.array(views, dtype=float), axis=0) == pytest.approx(np.zeros(5), abs=1e-12)
        assert views[0].offset == pytest.approx(0.3)
        assert views[0].heading_error == pytest.approx(0.1)
    assert np.all(np.isfinite(CirclePath(25.0).view(0.0, 25.0, 0.0, 7.0, 1.0)))


def sensors(x: float = 0.0, y: float = 0.0, yaw: float = 0.0, v: float = 12.0) -> dict[str, float]:
    return {"x": x, "y": y, "yaw": yaw, "speed": v, "vx": v, "vy": 0.0, "yaw_rate": 0.0}


def test_steering_sign_and_limits() -> None:
    straight = LateralPath()
    assert steer(DRIVER, straight, sensors()) == 0.0
    assert steer(DRIVER, straight, sensors(y=0.3)) < 0.0 < steer(DRIVER, straight, sensors(y=-0.3))
    assert steer(DRIVER, straight, sensors(yaw=0.05)) < 0.0
    assert steer(DRIVER, straight, {**sensors(), "yaw_rate": 0.1}) < 0.0
    assert steer(DRIVER, straight, sensors(y=-500.0)) == pytest.approx(1.0, abs=1e-12)
    # The yaw rate counts less below walking pace, and not at all at rest.
    turning = [steer(DRIVER, straight, {**sensors(v=v), "yaw_rate": 0.01}) for v in (0.0, 0.5, 1.0, 2.0)]
    np.testing.assert_allclose(turning, np.array([0.0, 0.5, 1.0, 1.0]) * turning[-1], rtol=1e-6)
    # Steady on a circle: wheel angle (L + understeer v²)/R of full lock.
    driver = replace(DRIVER, understeer=2e-3)
    on_circle = {**sensors(v=8.0), "yaw_rate": 8.0 / 30.0}
    expected = (3.378 + 2e-3 * 64.0) / 30.0 / math.radians(30.23)
    assert steer(driver, CirclePath(30.0), on_circle) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("speed", [1.0, 2.0, 5.0, 20.0])
def test_a_vehicle_that_spins_is_countersteered(speed: float) -> None:
    """It moves along the path and points ever further to the right of it, up to backwards."""
    for yaw in np.radians(np.linspace(-30.0, -150.0, 121)):
        seen = {**sensors(yaw=yaw, v=speed), "vx": speed * math.cos(yaw), "vy": -speed * math.sin(yaw)}
        assert steer(DRIVER, LateralPath(), {**seen, "yaw_rate": -1.0}) > 0.1


def test_pedals_hold_the_speed_and_never_fight() -> None:
    for v in np.linspace(5.0, 20.0, 151):
        throttle, brake = hold_speed(DRIVER, 12.0, sensors(v=float(v)))
        assert throttle * brake == 0.0
        assert 0.0 <= throttle <= 1.0 + 1e-12
        assert 0.0 <= brake <= 1.0 + 1e-12
    throttle, brake = hold_speed(DRIVER, 12.0, sensors(v=12.0))
    # The rounded corner of width 0.02 takes half of it.
    assert throttle == pytest.approx(DRIVER.data.hold_throttle, abs=0.011)
    assert hold_speed(DRIVER, 12.0, sensors(v=9.0))[0] == pytest.approx(1.0, abs=1e-12)
    assert hold_speed(DRIVER, 12.0, sensors(v=15.0))[1] > 0.3
    # half a metre per second is left to the engine; at walking pace a tenth, on a pedal 2.5 times as steep
    assert hold_speed(DRIVER, 12.0, sensors(v=12.4))[1] == pytest.approx(0.0, abs=1e-12)
    assert hold_speed(DRIVER, 1.0, sensors(v=1.4))[1] == pytest.approx(
        2.5 * 0.3 * DRIVER.data.brake_gain, abs=0.011
    )


def test_runs_on_traced_scalars() -> None:
    for path in (LANE_CHANGE, CirclePath(-20.0)):
        plain = sensors(x=31.0, y=1.0, yaw=0.1)
        traced = steer(DRIVER, path, {name: Opaque(value) for name, value in plain.items()})
        assert reveal_scalar(traced) == steer(DRIVER, path, plain)


@pytest.mark.parametrize(
    ("name", "value"),
    [("wheelbase", 0.0), ("preview_time", -1.0), ("aim_gain", math.nan), ("understeer", math.inf)],
)
def test_wrong_drivers_are_named(name: str, value: float) -> None:
    wrong: dict[str, Any] = {name: value}
    own = DRIVER.data.model_dump()
    with pytest.raises(DataError, match=name):
        DriverData(**own | wrong) if name in own else replace(DRIVER, **wrong)


def test_wrong_paths_are_named() -> None:
    with pytest.raises(DataError, match="radius"):
        CirclePath(0.0)
    with pytest.raises(DataError, match="length of step 0"):
        LateralPath([LateralStep(0.0, 0.0, 1.0)])


Rate = Callable[[Vector, float], Vector]


def drive(
    manoeuvre: Manoeuvre, rate: Rate, size: int, read: Callable[[Vector], dict[str, float]]
) -> list[dict[str, float]]:
    """Sensors over time of a vehicle with state rates of (state, wheel angle); Runge–Kutta, 10 ms."""
    h, state, log = 1e-2, np.zeros(size), []
    for k in range(round(manoeuvre.duration / h)):
        seen = read(state)
        log.append(seen)

        def f(y: Vector, t: float) -> Vector:
            return rate(y, DRIVER.max_wheel_angle * manoeuvre.inputs(t, read(y))["steering"])

        t = k * h
        k1 = f(state, t)
        k2 = f(state + 0.5 * h * k1, t + 0.5 * h)
        k3 = f(state + 0.5 * h * k2, t + 0.5 * h)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + f(state + h * k3, t + h))
    return log


def kinematic(manoeuvre: Manoeuvre) -> list[dict[str, float]]:
    """Bicycle without side-slip angles, wheel angle through a second-order actuator of 25 rad/s."""
    v, half = manoeuvre.speed, 0.5 * DRIVER.wheelbase

    def slip(y: Vector) -> float:
        return math.atan(0.5 * math.tan(y[3]))

    def rate(y: Vector, command: float) -> Vector:
        beta = slip(y)
        acceleration = 25.0**2 * (command - y[3]) - 2.0 * 0.8 * 25.0 * y[4]
        course = y[2] + beta
        return np.array(
            [v * math.cos(course), v * math.sin(course), v / half * math.sin(beta), y[4], acceleration]
        )

    def read(y: Vector) -> dict[str, float]:
        beta = slip(y)
        return {
            **{"x": y[0], "y": y[1], "yaw": y[2], "speed": v},
            **{"vx": v * math.cos(beta), "vy": v * math.sin(beta), "yaw_rate": v / half * math.sin(beta)},
        }

    return drive(manoeuvre, rate, 5, read)


def dynamic(manoeuvre: Manoeuvre) -> list[dict[str, float]]:
    """Bicycle on TMeasy tyres with relaxation, about the HMMWV's mass; the same actuator."""
    v, mass, inertia, half = manoeuvre.speed, 2570.0, 5300.0, 0.5 * DRIVER.wheelbase
    load, sigma = 2570.0 * 9.81 / 4.0, 0.15

    def rate(y: Vector, command: float) -> Vector:
        _, _, yaw, vy, r, delta, delta_dot, front, rear = y
        F_front, F_rear = (2.0 * steady_force(TYRE, load, 0.0, s)[1] for s in (front, rear))
        slip_front, slip_rear = math.tan(delta) - (vy + half * r) / v, -(vy - half * r) / v
        acceleration = 25.0**2 * (command - delta) - 2.0 * 0.8 * 25.0 * delta_dot
        return np.array(
            [
                *(v * math.cos(yaw) - vy * math.sin(yaw), v * math.sin(yaw) + vy * math.cos(yaw), r),
                (F_front * math.cos(delta) + F_rear) / mass - v * r,
                half * (F_front * math.cos(delta) - F_rear) / inertia,
                *(delta_dot, acceleration),
                *((slip_front - front) * v / sigma, (slip_rear - rear) * v / sigma),
            ]
        )

    def read(y: Vector) -> dict[str, float]:
        return {
            "x": y[0],
            "y": y[1],
            "yaw": y[2],
            "speed": math.hypot(v, y[3]),
            "vx": v,
            "vy": y[3],
            "yaw_rate": y[4],
        }

    return drive(manoeuvre, rate, 9, read)


@pytest.mark.parametrize("vehicle", [kinematic, dynamic])
@pytest.mark.parametrize("speed", [8.0, 12.0])
def test_double_lane_change_passes_between_the_cones(
    vehicle: Callable[[Manoeuvre], list[dict[str, float]]], speed: float
) -> None:
    manoeuvre = DoubleLaneChange(DRIVER, speed=speed, duration=120.0 / speed)
    log = vehicle(manoeuvre)
    half_width = 0.5 * manoeuvre.values["vehicle_width"]
    passed = [0, 0, 0]
    for seen in log:
        for k, gate in enumerate(manoeuvre.gates):
            # Both axles' ends of the body, at ± half the wheelbase.
            for end in (-0.5 * DRIVER.wheelbase, 0.5 * DRIVER.wheelbase):
                x = seen["x"] + end * math.cos(seen["yaw"])
                if gate.start <= x <= gate.end:
                    y = seen["y"] + end * math.sin(seen["yaw"])
                    reach = half_width * math.cos(seen["yaw"])
                    assert gate.right < y - reach
                    assert y + reach < gate.left
                    passed[k] += 1
    assert min(passed) > 50
    # The driver expects a lag of 0.2 s, which the kinematic vehicle does not have.
    assert manoeuvre.path is not None
    furthest = max(abs(manoeuvre.path.offset(seen["x"], seen["y"])) for seen in log)
    assert furthest < (0.25 if vehicle is dynamic else 0.5)


def test_fast_lane_change_uses_room_between_the_cones() -> None:
    """It begins and ends within the lanes, inside in the second: curvature falls with the length squared."""
    near, far = (DoubleLaneChange(DRIVER, early=e, inside=i)._path() for e, i in ((0.0, 0.0), (6.0, 0.1)))
    assert isinstance(near, LateralPath)
    assert isinstance(far, LateralPath)
    first, second, third = DoubleLaneChange(DRIVER).gates
    assert far.y_ref(first.end - 6.0) == 0.0 < far.y_ref(first.end) < 0.1
    assert far.y_ref(second.start + 6.0) == pytest.approx(second.centre - 0.1)
    assert far.y_ref(third.start + 6.0) == pytest.approx(third.centre)
    x = np.linspace(0.0, 150.0, 3001)
    sharpest = [max(abs(path.curvature(float(at))) for at in x) for path in (near, far)]
    # of the second change, over 25 m: (h - 0.1)/h (25/37)², and slopes of up to 0.25 in the curvature
    assert sharpest[1] / sharpest[0] == pytest.approx(0.97 * (25.0 / 37.0) ** 2, rel=0.1)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_circle_is_held(direction: float) -> None:
    manoeuvre = ConstantRadius(DRIVER, direction=direction)
    log = dynamic(manoeuvre)
    error = np.array([manoeuvre.path_error(seen) for seen in log], dtype=float)
    assert np.max(np.abs(error)) < 0.5
    # Settled: constant, near the circle, turning at v/R.
    assert np.ptp(error[-200:]) < 1e-3
    assert abs(error[-1]) < 0.15
    assert log[-1]["yaw_rate"] == pytest.approx(direction * 8.0 / 30.0, rel=0.01)
