"""The door to vehicles: results are those of the entrances behind it, to the last bit."""

from pathlib import Path

import numpy as np
import pytest

from ce_dynamics import vehicles
from ce_dynamics.errors import DataError
from ce_dynamics.models import handling, hmmwv, kc
from ce_dynamics.models.environments import VehicleEnv

CHANGES = {"front.spring.linear": "80 kN/m", "chassis.mass": "1400 kg"}
TEXTS = ["front.spring.linear=80 kN/m", "chassis.mass=1400 kg"]


@pytest.fixture(scope="module")
def car() -> vehicles.Vehicle:
    return vehicles.load("sedan", CHANGES)


def test_drive_equals_a_run(car: vehicles.Vehicle) -> None:
    options = {"steer": 0.05}
    found = car.drive("step-steer", speed="60 km/h", duration=0.5, options=options)
    expected = hmmwv.run(
        "step-steer", model="sedan", overrides=TEXTS, speed="60 km/h", duration=0.5, options=options
    )
    assert set(found) == set(expected)
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    assert found.attrs["overrides"] == expected.attrs["overrides"]


def test_axle_is_that_of_the_rig(car: vehicles.Vehicle) -> None:
    travel = [-0.05, 0.0, 0.05]
    found = car.axle("front").sweep("parallel", travel)
    expected = kc.rig_of("sedan", "front", overrides=TEXTS).sweep("parallel", travel)
    assert found.identical(expected)
    assert car.axle("front") is car.axle("front")


def test_test_equals_a_performed_one(car: vehicles.Vehicle) -> None:
    options: dict[str, float | str] = {"speed": "30 km/h", "duration": 4.0}
    found = car.test("acceleration", **options)
    expected = handling.perform("acceleration", handling.vehicle("sedan", TEXTS), None, **options)
    assert found.as_dict() == expected.as_dict()
    assert found.figures


def test_environment_is_that_of_the_overrides(car: vehicles.Vehicle) -> None:
    ranges = {"road.friction": (0.4, 0.9)}
    found = car.environment("lane-change", randomise=ranges)
    expected = VehicleEnv("lane-change", "sedan", overrides=TEXTS, randomise=ranges)
    a, b = (env.reset(seed=3)[0] for env in (found, expected))
    np.testing.assert_array_equal(a, b)
    for env in (found, expected):
        env.step(np.array([0.1, 0.2]))
    np.testing.assert_array_equal(found.simulator.state, expected.simulator.state)


def test_variant_adds_to_what_is_given(car: vehicles.Vehicle) -> None:
    other = car.variant({"chassis.mass": "1500 kg"}, road="iso8608:C")
    assert float(other.data.chassis.mass) == 1500.0
    assert float(other.data.corners["front_left"].spring.linear) == 80e3
    assert float(car.data.chassis.mass) == 1400.0
    assert "chassis.mass=1500 kg; road iso8608:C" in repr(other)


def test_prepared_tasks_are_kept(car: vehicles.Vehicle) -> None:
    assert car.prepare("straight", speed=10.0) is car.prepare("straight", speed=10.0)
    assert car.prepare("straight", speed=10.0) is not car.prepare("straight", speed=11.0)


def test_export_starts_where_the_vehicle_settles(car: vehicles.Vehicle, tmp_path: Path) -> None:
    header, *_ = car.export_c(tmp_path, speed="36 km/h", name="car")
    assert header.name == "car.h"
    y0 = car.prepare(speed="36 km/h", practice=False).y0
    assert any(repr(float(y0[0])) in path.read_text() for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: vehicles.load("sedam"), "no vehicle 'sedam'; did you mean 'sedan'"),
        (lambda: vehicles.load("sedan", {"front.spring.liner": "1 N/m"}), "front.spring.liner"),
        (lambda: vehicles.load("sedan", "front.spring.linear=1"), "changes"),
        (lambda: kc.rig_of(vehicles.load(), tyres=["a.tir"]), "tyres is given beside a vehicle"),
        (lambda: handling.vehicle(vehicles.load("sedan"), road="kerb"), "road is given beside a vehicle"),
    ],
)  # fmt: skip
def test_mistakes_are_refused_at_the_door(wrong, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError, match=message.replace("(", r"\(")):
        wrong()
