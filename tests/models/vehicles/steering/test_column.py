"""Steering by torques: what hands feel, what happens when they let go, and the column's own balance."""

import math
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import HingeLoad
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.steering.column import (
    Column,
    ColumnAssistanceData,
    ColumnData,
    FrictionData,
    HandsData,
)
from ce_dynamics.models.vehicles.steering_angle import steering_wheel_lock
from ce_dynamics.simulation.results import quantity
from ce_dynamics.simulation.simulate import simulate
from tests.models.components import Scripted, body

LOCK = math.radians(540.0)
FRICTION, GAIN, HALF = 0.6, 3.0, 20.0
SPEED, STEERED = 15.0, 0.1


@pytest.fixture(scope="module")
def data() -> VehicleParameters:
    return VehicleParameters.load("sedan-column")


@pytest.fixture(scope="module")
def model(data: VehicleParameters) -> Model:
    return Model(build(data, speed=SPEED))


def drive(model: Model, y0: Floats, duration: float, **inputs: float) -> xr.Dataset:
    given = {"throttle": 0.1, **inputs}
    return simulate(model, given, duration=duration, method="rk4", y0=y0, interval=0.02)


def last_state(model: Model, run: xr.Dataset) -> Floats:
    entries = (*model.layout.q, *model.layout.v, *model.layout.x)
    return np.array([float(quantity(run, entry.name)[-1]) for entry in entries])


@pytest.fixture(scope="module")
def turning(model: Model) -> xr.Dataset:
    """A steady turn, the wheel held; how it starts is forgotten."""
    return drive(model, model.y0, 3.0, steering=STEERED)


def test_hands_feel_what_the_rack_needs(turning: xr.Dataset) -> None:
    """The same turn with a rack that is led: the torque of hands on it, for the same angle, is the load.

    Both turn steadily but for some 1e-3; the load follows the angle, which differs by less.  Hands and
    assistance give that, and what friction takes.
    """
    last = turning.isel(time=-1)
    angle, load, torque = (float(last[f"steering_column_{name}"]) for name in ("angle", "load", "torque"))
    v = float(last["speed"])
    assert 0.0 < torque * (1.0 + GAIN / (1.0 + (v / HALF) ** 2)) - load < FRICTION
    led = Model(build(VehicleParameters.load("sedan"), speed=SPEED))
    run = drive(led, led.y0, 3.0, steering=angle / LOCK)
    lock = steering_wheel_lock(VehicleParameters.load("sedan", ["steering.ratio=16"]))
    assert abs(load) > 3.0
    assert load == pytest.approx(float(run["hand_torque"][-1]) * lock / LOCK, rel=0.01)
    assert float(last["hand_torque"]) == torque
    assert float(run["yaw_rate"][-1]) == pytest.approx(float(last["yaw_rate"]), rel=0.005)


def test_a_torque_turns_as_hands_do(model: Model, turning: xr.Dataset) -> None:
    """Steered by the torque that hands gave, without hands; friction may hold a part of the angle."""
    torque, angle, load = (
        float(turning[f"steering_column_{name}"][-1]) for name in ("torque", "angle", "load")
    )
    run = drive(model, last_state(model, turning), 1.5, steering_torque=torque, grip=0.0)
    assert float(run["steering_column_torque"][-1]) == pytest.approx(torque, rel=1e-12)
    assert float(run["steering_column_angle"][-1]) == pytest.approx(angle, abs=FRICTION / (load / angle))


def test_it_returns_when_hands_let_go(model: Model, turning: xr.Dataset) -> None:
    """Aligning torques turn the wheel back until friction holds: within its torque over their stiffness."""
    angle, load = (float(turning[f"steering_column_{name}"][-1]) for name in ("angle", "load"))
    run = drive(model, last_state(model, turning), 2.0, grip=0.0)
    back = run["steering_column_angle"].values
    assert angle > 0.8
    assert abs(back[-1]) < 1.2 * FRICTION / (load / angle)
    assert abs(float(run["yaw_rate"][-1])) < 0.15 * float(turning["yaw_rate"][-1])
    assert np.abs(run["steering_column_torque"].values).max() == 0.0


COLUMN = ColumnData(
    lock=8.0,
    inertia=0.04,
    damping=0.5,
    stop_stiffness=200.0,
    hands=HandsData(stiffness=50.0, damping=2.0),
    friction=FrictionData(torque=1.0, stiffness=40.0),
    assistance=ColumnAssistanceData(gain=4.0, half_speed=10.0),
)


def test_torques_by_hand() -> None:
    """A rack that moves by −0.08 m at full lock to the left; at half speed half of the assistance."""
    rack = body("rack")
    object.__setattr__(rack, "parent", body("chassis"))

    class Moving(Scripted):
        def coordinate(self, body: object, k: int = 0) -> float:
            return -0.081

    column = Column("column", rack, COLUMN, -0.08)
    observer = Moving(rates={"rack": -0.01}, v={"chassis": np.array((6.0, 8.0, 0.0))})
    u = {"steering": 0.5, "steering_torque": 3.0, "grip": 0.25}
    response = column.evaluate(observer, np.array([0.01]), u)
    out, angle, rate = response.outputs, 8.1, 1.0
    driver = 3.0 + 0.25 * (50.0 * (4.0 - angle) - 2.0 * rate)
    assert out["angle"] == pytest.approx(angle)
    assert out["torque"] == pytest.approx(driver)
    assert out["assistance"] == pytest.approx(2.0 * driver)
    assert 0.0 < out["friction"] <= 1.0 + math.sqrt(40.0 * 0.04) * rate
    stop = 200.0 * 0.1
    load = 3.0 * driver - out["friction"] - 0.5 * rate - stop
    assert out["load"] == pytest.approx(load)
    (hinge,) = response.loads
    assert isinstance(hinge, HingeLoad)
    assert hinge.value == pytest.approx(load * 8.0 / -0.08)
    assert column.data.armature(-0.08) == pytest.approx([0.04 * 1e4])
    assert response.potential == pytest.approx(0.5 * 200.0 * 0.01 + 0.5 * 40.0 * 1e-4)


def test_a_steering_is_led_by_one_of_both(tmp_path: Path) -> None:
    written = Path("own.yaml")
    text = (
        "base: sedan-column\ntitle: own\nsteering:\n  actuator: {natural_frequency: 8 Hz, damping_ratio: 1}\n"
    )
    (tmp_path / written).write_text(text, encoding="utf-8")
    own = VehicleParameters.load(tmp_path / written)
    assert own.steering.column is None
    assert own.steering.actuator.natural_frequency == 8.0
    (tmp_path / written).write_text(
        text.replace("sedan-column", "sedan") + "  column: {lock: 540 deg}\n", encoding="utf-8"
    )
    with pytest.raises(DataError, match="column"):
        VehicleParameters.load(tmp_path / written)
