"""The steering wheel of every vehicle: its angle, its ratio to the road wheels, and the torque of hands."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.dynamics.energy import energy_rates, load_power
from ce_dynamics.errors import AccuracyWarning, ModelError
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.steering.base import Rack, compute_wheel_angle
from ce_dynamics.models.vehicles.steering_angle import full_turn, steering_ratio, wheel_angle
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from tests.models.vehicles.chrono.small_car import written
from tests.models.vehicles.chrono.test_rear_chassis import folding
from tests.models.vehicles.chrono.test_suspensions import two_steerings

LED = {
    "sedan": "steering.rack", "sedan-column": "steering.rack", "hmmwv": "steering.pitman_arm",
    "folding": "rear_chassis_1",
}  # fmt: skip
"""Bodies that the steering wheel moves, by vehicle: a rack, one with a column, a Pitman arm, a half."""
RACK_OR_ARM = ("sedan", "sedan-column", "hmmwv")


def loaded(name: str, folder: Path) -> VehicleParameters:
    ratio = ["steering.ratio=18"] if name in ("sedan", "hmmwv") else []
    return VehicleParameters.load(written(folder, folding()) if name == "folding" else name, ratio)


def steered(model: Model, body: str, coordinate: float, rate: float) -> Floats:
    """The state at the start with a steering's coordinate and its rate."""
    names = model.layout.y_names
    y = model.y0.copy()
    states = (
        (coordinate, (body, f"{body}.motion.position")),
        (rate, (f"{body}_rate", f"{body}.motion.rate")),
    )
    for value, known in states:
        (place,) = (k for k, name in enumerate(names) if name in known)
        y[place] = value
    return y


def gain_of(data: VehicleParameters) -> float:
    """Coordinate of what is led at full lock to the left; the fold's is 30°."""
    if not data.steerings:
        return -float(np.radians(30.0))
    mechanism = data.steering
    return float(
        mechanism.sense * mechanism.data.travel if mechanism.template == "rack" else -mechanism.data.max_angle
    )


def headings(model: Model, y: Floats) -> list[float]:
    """Front wheels' headings in the chassis [rad]."""
    system, outward = model.system, model.instant(y, model.u0).outward
    found = []
    for corner in ("front_left", "front_right"):
        wheel = system.find(f"{corner}.wheel")
        assert isinstance(wheel.inboard, Revolute)
        e = outward.direction(wheel.carrier, wheel.inboard.axis, system.find("chassis"))
        found.append(float(np.arctan2(-e[0], e[1])))
    return found


@pytest.mark.parametrize("name", ["sedan", "hmmwv"])
@pytest.mark.parametrize("part", [-1.0, -0.3, 0.4, 1.0])
def test_wheel_angle_is_that_of_the_mechanism(name: str, part: float, tmp_path: Path) -> None:
    """The formula from the hardpoints against the poses of all bodies; positive is to the left."""
    data = loaded(name, tmp_path)
    model = Model(build(data))
    found = headings(model, steered(model, LED[name], part * gain_of(data), 0.0))
    told = [float(wheel_angle(data, data.corners[c], part)) for c in ("front_left", "front_right")]
    assert found == pytest.approx(told, abs=1e-13)
    assert min(angle * part for angle in found) > 0.0


@pytest.mark.parametrize("name", RACK_OR_ARM)
def test_steering_ratio_is_of_finite_differences(name: str, tmp_path: Path) -> None:
    """Differences over 2h = 2e-4 of full lock are right to h²/6 of a third derivative below 10, thus 1e-6."""
    data = loaded(name, tmp_path)
    model, lock, gain = Model(build(data, speed=10.0)), float(full_turn(data)), gain_of(data)
    for part in (-0.7, 0.0, 0.4):
        angle = part * lock
        y = steered(model, LED[name], part * gain, 0.3 * gain)
        low, high = (
            np.mean(headings(model, steered(model, LED[name], (part + h) * gain, 0.0))) for h in (-1e-4, 1e-4)
        )
        out = model.outputs(y=y)
        assert out["steering_wheel_angle"] == pytest.approx(angle, rel=1e-12, abs=1e-12)
        assert out["steering_ratio"] == pytest.approx(2e-4 * lock / (high - low), rel=1e-6)
        assert out["steering_ratio"] == pytest.approx(steering_ratio(data, part), rel=1e-6)


@pytest.mark.parametrize("name", ["sedan", "hmmwv", "folding"])
def test_hands_do_the_work_of_the_drive(name: str, tmp_path: Path) -> None:
    """Torque times rate is what the energy gains, less the work of the loads, in a turn that tyres resist.

    Powers are sums of terms of some 1e5 W with a rounding of 1e-16 each, a thousand of them at most.
    """
    data = loaded(name, tmp_path)
    model, lock, gain = Model(build(data, speed=10.0)), float(full_turn(data)), gain_of(data)
    y = steered(model, LED[name], 0.2 * gain, -0.5 * gain)
    y[[entry.name for entry in model.layout.q].index("chassis.z")] -= 0.02
    u = model.inputs_with(inputs={"steering": 0.9})
    instant = model.instant(y, u)
    supplied = sum(energy_rates(instant.outward, instant.accelerations))
    supplied -= load_power(instant.outward, instant.loads)
    found = model.outputs(y=y, u=u)["hand_torque"] * (-0.5 * lock)
    assert abs(supplied) > 1.0
    assert found == pytest.approx(supplied, abs=1e-8)


def test_steering_wheels_of_folding_vehicles_turn_the_fold(tmp_path: Path) -> None:
    model = Model(build(loaded("folding", tmp_path), speed=2.0))
    angle = np.radians(12.0)
    out = model.outputs(y=steered(model, LED["folding"], -angle, 0.0))
    assert out["steering_ratio"] == pytest.approx(16.0)
    assert out["steering_wheel_angle"] == pytest.approx(16.0 * angle)


@pytest.mark.parametrize("name", RACK_OR_ARM)
def test_steering_wheel_commands_replace_the_steering(name: str, tmp_path: Path) -> None:
    """The same rates, but for rounding, by the same part of full lock; there is no second input."""
    data = loaded(name, tmp_path)
    lock = float(full_turn(data))
    by_part = Model(build(data, speed=10.0))
    by_angle = Model(build(data, speed=10.0, steering_wheel=True))
    y = steered(by_part, LED[name], 0.1 * gain_of(data), 0.0)
    (wanted,) = by_part.dynamics(y, by_part.inputs_with(inputs={"steering": 0.3}))
    (found,) = by_angle.dynamics(y, by_angle.inputs_with(inputs={"steering_wheel_command": 0.3 * lock}))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-9)
    names = {entry.name for entry in by_angle.layout.u}
    assert names == {entry.name for entry in by_part.layout.u} - {"steering"} | {"steering_wheel_command"}


def test_simulators_are_steered_by_the_wheel_angle() -> None:
    """An actuator of 5 Hz or more has settled within 1e-3 after a second."""
    case = prepare("stand-still", model="sedan", overrides=["steering.ratio=18"], steering_wheel=True)
    sim = Simulator(case.model, y0=case.y0)
    sim.step(1.0, steering_wheel_command=0.5)
    assert sim.outputs()["steering_wheel_angle"] == pytest.approx(0.5, rel=1e-3)
    with pytest.raises(ModelError, match="steering"):
        sim.step(0.1, steering=0.1)
    with pytest.raises(ModelError, match="steering_wheel_command"):
        sim.step(0.1, steering_wheel_command=20.0)


def test_commands_by_assumed_ratios_are_warned_of() -> None:
    with pytest.warns(AccuracyWarning, match=r"steering\.ratio is not given; 16 is assumed"):
        build(VehicleParameters.load("sedan"), steering_wheel=True)


def test_hands_work_all_mechanisms_of_the_input(tmp_path: Path) -> None:
    """Two racks, each at the same part of its travel, of which the second is 20 mm; rounding as above."""
    data = VehicleParameters.load(written(tmp_path, two_steerings()), ["second_steering.travel=20 mm"])
    model, lock = Model(build(data, speed=10.0)), float(full_turn(data))
    names = model.layout.y_names
    y = model.y0.copy()
    y[names.index("chassis.z")] -= 0.02
    for name, rack in data.steerings.items():
        assert isinstance(rack, Rack)
        gain = rack.phase * rack.sense * rack.data.travel
        y[names.index(f"{name}.rack.motion.position")] = 0.2 * gain
        y[names.index(f"{name}.rack.motion.rate")] = -0.5 * gain
    instant = model.instant(y, model.u0)
    supplied = sum(energy_rates(instant.outward, instant.accelerations))
    supplied -= load_power(instant.outward, instant.loads)
    assert abs(supplied) > 1.0
    assert model.outputs(y=y)["hand_torque"] * (-0.5 * lock) == pytest.approx(supplied, abs=1e-8)


@pytest.mark.parametrize("vehicle", ["sedan", "hmmwv", "off-roader"])
def test_mechanism_in_counter_phase_steers_to_right(vehicle: str) -> None:
    """A rack, a Pitman arm and a rotary arm, with the axle against the driver's steering."""
    data = VehicleParameters.load(vehicle)
    corners = list(data.corners.values())[:2]
    mechanism = replace(data.steering, phase=-1).aim(corners)
    angles = [compute_wheel_angle(mechanism, corner, 0.1) for corner in corners]
    assert max(angles) < 0.0
