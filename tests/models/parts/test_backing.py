"""Backing trailers up, beside units that roll without slip: their places, hitches and axles alone."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.backing import SPARE, BackedTrailer, Train, last_axle
from ce_dynamics.models.parts.manoeuvres import Reversing
from tests.models.components import DRIVER

WHEELBASE, LOCK, REAR = DRIVER.wheelbase, DRIVER.max_wheel_angle, -1.6
SHARPEST = math.tan(LOCK) / WHEELBASE
CARAVAN = BackedTrailer("caravan", 1.1, 3.2)
SEMI = BackedTrailer("semi", -0.5, 7.0)
SHORT = BackedTrailer("short", 1.5, 1.2)
DOLLY = (BackedTrailer("dolly", 1.1, 2.0), BackedTrailer("second", -0.05, 4.0))


def heading(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle)])


class Rolling:
    """A vehicle and its trailers on a plane; every axle moves along its own heading only."""

    def __init__(self, towed: tuple[BackedTrailer, ...], yaws: tuple[float, ...] = ()) -> None:
        self.towed = towed
        self.axle = REAR * heading(0.0)
        self.yaws = [0.0, *(yaws or (0.0,) * len(towed))]

    def step(self, curvature: float, way: float) -> None:
        """Backwards; hitches move with what tows, which turns the trailer about its axle."""
        velocity, rate = -heading(self.yaws[0]), -curvature
        rates = [rate]
        for k, one in enumerate(self.towed):
            ahead, own = heading(self.yaws[k]), heading(self.yaws[k + 1])
            at_hitch = velocity - one.overhang * rate * np.array([-ahead[1], ahead[0]])
            rate = float(own[0] * at_hitch[1] - own[1] * at_hitch[0]) / one.drawbar
            velocity = float(at_hitch @ own) * own
            rates.append(rate)
        self.axle = self.axle - way * heading(self.yaws[0])
        self.yaws = [yaw + way * rate for yaw, rate in zip(self.yaws, rates, strict=True)]

    def sensors(self) -> dict[str, float]:
        x, y = self.axle - REAR * heading(self.yaws[0])
        turned = np.diff(self.yaws)
        own = {f"{one.name}.hitch_yaw": float(g) for one, g in zip(self.towed, turned, strict=True)}
        return {
            "x": x,
            "y": y,
            "yaw": self.yaws[0],
            "speed": 1.0,
            "vx": -1.0,
            "vy": 0.0,
            "yaw_rate": 0.0,
            **own,
        }


def backed(
    towed: tuple[BackedTrailer, ...], way: float, yaws: tuple[float, ...] = (), **options: float
) -> tuple[np.ndarray, np.ndarray]:
    """Distance of the last axle from the path, and angles of hitches, over the way."""
    driver = replace(DRIVER, train=Train(REAR, towed))
    manoeuvre, units, step = Reversing(driver, speed=1.0, **options), Rolling(towed, yaws), 0.05
    errors, angles = [], []
    for _ in range(round(way / step)):
        sensors = units.sensors()
        u = manoeuvre.inputs(1.0, sensors)["steering"]
        errors.append(manoeuvre.path_error(sensors))
        angles.append([sensors[f"{one.name}.hitch_yaw"] for one in towed])
        units.step(math.tan(u * LOCK) / WHEELBASE, step)
    return np.array(errors, dtype=float), np.array(angles)


TRAINS = [(CARAVAN,), (SEMI,), (SHORT,), DOLLY]


@pytest.mark.parametrize("towed", TRAINS, ids=["caravan", "semi", "short", "dolly"])
def test_into_the_next_lane_and_mirrored(towed: tuple[BackedTrailer, ...]) -> None:
    """It stays within a quarter of a metre of the path, as lanes have beside a vehicle, and ends straight."""
    errors, angles = backed(towed, 70.0, shift=3.0, length=25.0)
    assert np.abs(errors).max() < 0.25
    assert abs(errors[-1]) < 0.02
    assert np.abs(angles).max() < math.radians(20.0)
    assert np.abs(angles[-1]).max() < 0.01
    mirrored, turned = backed(towed, 70.0, shift=-3.0, length=25.0)
    np.testing.assert_allclose(mirrored, -errors, atol=1e-12)
    np.testing.assert_allclose(turned, -angles, atol=1e-12)


@pytest.mark.parametrize("towed", TRAINS, ids=["caravan", "semi", "short", "dolly"])
@pytest.mark.parametrize("angle", [0.3, -0.3])
def test_a_train_that_is_turned_is_straightened(towed: tuple[BackedTrailer, ...], angle: float) -> None:
    """Left alone it would fold: e^(30/7) times the angle after 30 m of the longest."""
    errors, angles = backed(towed, 80.0, yaws=(angle,) * len(towed))
    assert np.abs(angles[-1]).max() < 0.01
    assert abs(errors[-1]) < 0.05


@pytest.mark.parametrize("one", [CARAVAN, SEMI, SHORT])
def test_errors_of_the_angle_die_out_as_said(one: BackedTrailer) -> None:
    """γ − γ_wanted = e^(−k s) of what it was; steps of 1 mm are off by k h/2 of what is left."""
    k, wanted, units = 0.8, 0.1, Rolling((one,), (-0.2,))
    for n in range(5000):
        yaw = units.yaws[1] - units.yaws[0]
        if n % 1000 == 0:
            assert yaw - wanted == pytest.approx(-0.3 * math.exp(-k * 1e-3 * n), rel=3e-3)
        units.step(float(one.curvature_ahead(yaw, wanted, k)), 1e-3)


@pytest.mark.parametrize("one", [CARAVAN, SEMI, SHORT])
@pytest.mark.parametrize("curvature", [0.05, -0.12])
def test_on_a_circle_the_angle_stays(one: BackedTrailer, curvature: float) -> None:
    """Held where `angle` says, the trailer's axle goes round with the curvature that was asked for."""
    yaw = float(one.angle(curvature))
    units = Rolling((one,), (yaw,))
    units.step(float(one.curvature_ahead(yaw, yaw, 1.0)), 1e-3)
    assert units.yaws[1] - units.yaws[0] == pytest.approx(yaw, abs=1e-12)
    before = last_axle(Train(REAR, (one,)), Rolling((one,), (yaw,)).sensors())
    after = last_axle(Train(REAR, (one,)), units.sensors())
    way = math.hypot(after.x - before.x, after.y - before.y)
    assert (before.yaw - after.yaw) / way == pytest.approx(curvature, rel=1e-3)


@pytest.mark.parametrize("one", [CARAVAN, SHORT])
def test_limit_is_part_of_lock_without_unfolding(one: BackedTrailer) -> None:
    """A short drawbar has such an angle; a long one is unfolded by full lock from any."""
    turned = Rolling((SEMI,), (1.5,))
    turned.step(-SHARPEST, 1e-4)
    assert turned.yaws[1] - turned.yaws[0] < 1.5
    held = abs(float(one.angle(one.most_curved(SHARPEST))))
    for part, unfolds in ((0.99, True), (1.01, False)):
        yaw = part * held / SPARE
        units = Rolling((one,), (yaw,))
        units.step(-SHARPEST, 1e-4)
        assert (units.yaws[1] - units.yaws[0] < yaw) is unfolds


def test_speeds_at_which_trains_would_fold_are_refused() -> None:
    driver = replace(DRIVER, train=Train(REAR, DOLLY))
    assert driver.train is not None
    Reversing(driver, speed=driver.train.fastest)
    with pytest.raises(
        DataError, match=r"speed = 5 m/s is too fast to back up dolly and second.* give 3 m/s"
    ):
        Reversing(driver, speed=5.0)
