"""Motion ratios and rates against spring lengths of SciPy's poses, differentiated by differences.

Lengths are exact to 1e-15 m.  Central differences of order four with h = 5 mm leave h⁴/30 f⁽⁵⁾ ~ 2e-11 f⁽⁵⁾
(metres, f⁽⁵⁾ ~ 10 to 1000/m⁴) in first derivatives and h⁴/90 f⁽⁶⁾ in second ones: 1e-7 is derived from that.
"""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import newton
from scipy.spatial.transform import Rotation

from ce_dynamics.models import kc
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.kc.rods import Floats
from tests.models.kc.test_against_constraints import carriers

H = 5e-3
TRAVELS = np.array([(-0.02, 0.04), (0.03, 0.03), (0.0, 0.0)])


@pytest.fixture(scope="module")
def data() -> VehicleParameters:
    return VehicleParameters.load("sedan")


@pytest.fixture(scope="module")
def rig(data: VehicleParameters) -> kc.KCRig:
    return kc.rig_of(data, "front")


def arm_point(data: VehicleParameters, side: int, z: float, point: Floats) -> Floats:
    """Return the place of a point of the lower arm, which turns about A1 A2 by its ball joint D."""
    corner = data.corners[("front_left", "front_right")[side]]
    A, axis = (
        corner.points["lower_arm.rear_pivot"],
        corner.points["lower_arm.front_pivot"] - corner.points["lower_arm.rear_pivot"],
    )
    axis = axis / np.linalg.norm(axis)
    carrier = carriers(data, "front")[side]
    now = carrier.at(carrier.solved(z), corner.points["D"])
    before, after = (d - axis * (axis @ d) for d in (corner.points["D"] - A, now - A))
    angle = np.arctan2(axis @ np.cross(before, after), before @ after)
    turned: Floats = A + Rotation.from_rotvec(angle * axis).apply(point - A)
    return turned


def spring_length(data: VehicleParameters, side: int, z: float) -> float:
    spring = data.corners[("front_left", "front_right")[side]].spring
    return float(np.linalg.norm(arm_point(data, side, z, spring.arm) - spring.chassis))


def bar_angle(data: VehicleParameters, side: int, z: float) -> float:
    """Return the angle of the bar's half about y at which its drop link has its length."""
    bar = data.anti_roll_bars["front"]
    pivot, end_0, link_0 = (
        np.array(r) * (1.0, (1.0, -1.0)[side], 1.0) for r in (bar.pivot, bar.end, bar.link)
    )
    link = arm_point(data, side, z, link_0)
    length = np.linalg.norm(end_0 - link_0)

    def gap(angle: float) -> float:
        end = pivot + Rotation.from_euler("y", angle).apply(end_0 - pivot)
        return float(np.linalg.norm(end - link) - length)

    return float(newton(gap, 0.0, x1=1e-3, tol=1e-15, maxiter=100))


def derivatives(f: Any, z: float) -> tuple[float, float]:
    a, b, c, d, e = (f(z + k * H) for k in (-2, -1, 0, 1, 2))
    return (a - 8 * b + 8 * d - e) / (12 * H), (-a + 16 * b - 30 * c + 16 * d - e) / (12 * H**2)


def test_springs_bars_and_rates(data: VehicleParameters, rig: kc.KCRig) -> None:
    read = rig.read(rig.solve_poses(TRAVELS))
    spring = data.corners["front_left"].spring
    k_bar = data.anti_roll_bars["front"].stiffness
    for row, (z, track) in enumerate(zip(TRAVELS, read["track"], strict=True)):
        springs, bars, force = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(2)
        twist = bar_angle(data, 0, z[0]) - bar_angle(data, 1, z[1])
        slopes = []
        for side in (0, 1):
            length = spring_length(data, side, z[side])
            first, second = derivatives(lambda x, side=side: spring_length(data, side, x), z[side])
            assert read["spring_length"][row, side] == pytest.approx(length, abs=1e-13)
            assert read["spring_motion_ratio"][row, side] == pytest.approx(-first, abs=1e-8)
            tension = spring.linear * (length - spring.free_length)
            assert spring.min_length < length < spring.max_length, "stops are out of this"
            # U = k d²/2: U'' = k L'² + k d L''
            springs[side, side] = spring.linear * first**2 + tension * second
            force[side] += tension * first
            sign = 1.0 if side == 0 else -1.0
            first, second = derivatives(lambda x, side=side: bar_angle(data, side, x), z[side])
            slopes.append(sign * first)
            bars[side, side] += k_bar * sign * twist * second
            force[side] += k_bar * twist * sign * first
        bars += k_bar * np.outer(slopes, slopes)
        K = springs + bars
        C = np.linalg.inv(K)
        assert read["anti_roll_bar_twist"][row] == pytest.approx(twist, abs=1e-12)
        assert read["wheel_force"][row] == pytest.approx(force, rel=1e-7)
        assert read["wheel_rate"][row] == pytest.approx(K.sum(axis=1), rel=1e-6)
        assert read["single_wheel_rate"][row] == pytest.approx(1.0 / np.diag(C), rel=1e-6)
        k_t = rig.axle.left.tyre_rate
        assert read["ride_rate"][row] == pytest.approx(1 / (1 / K.sum(axis=1) + 1 / k_t), rel=1e-6)
        both = C[0, 0] - C[0, 1] - C[1, 0] + C[1, 1]
        assert read["roll_rate"][row] == pytest.approx(track**2 / both, rel=1e-6)
        assert read["roll_rate_with_tyres"][row] == pytest.approx(track**2 / (both + 2 / k_t), rel=1e-6)
        alone = 1.0 / springs[0, 0] + 1.0 / springs[1, 1]
        assert read["roll_rate_without_bars"][row] == pytest.approx(track**2 / alone, rel=1e-6)


def test_the_springs_carry_the_vehicle_within_their_travel(data: VehicleParameters) -> None:
    """The sum of the rear's wheel forces grows with travel, and passes the rear's share of the weight."""
    rig = kc.rig_of(data, "rear")
    read = rig.read(rig.solve_poses(np.linspace(-0.05, 0.05, 21)[:, None] * np.ones(2)), ["wheel_force"])
    force = read["wheel_force"].sum(axis=1)
    assert np.all(np.diff(force) > 0.0)
    x, _ = rig.axle.centre_of_mass
    front, rear = (data.corners[f"{axle}_left"].W[0] for axle in ("front", "rear"))
    load = data.mass * 9.81 * (front - x) / (front - rear)
    assert force[0] < load < force[-1]


def test_roll_rate_by_the_stiffness_of_the_bar() -> None:
    """Straight ahead an axle is its mirror image: its roll rate is the springs' and k times a lever²."""
    rig = kc.rig_of("sedan", "rear", free=["rear.anti_roll_bar.stiffness"])
    by = kc.sensitivities(rig, "parallel", [-0.03, 0.02], quantities=["roll_rate", "wheel_rate"])
    read = rig.read(rig.solve_poses([(-0.03, -0.03), (0.02, 0.02)]), ["roll_rate", "roll_rate_without_bars"])
    (k,) = rig.nominal.values()
    expected = (read["roll_rate"] - read["roll_rate_without_bars"]) / k
    assert np.all(expected > 0.1)
    np.testing.assert_allclose(by["roll_rate"].values[:, 0], expected, rtol=1e-11)
    np.testing.assert_allclose(by["wheel_rate"].values, 0.0, atol=1e-9)
