"""The sedan: rack, anti-roll bars, front drive, from a file that needs nothing of the HMMWV."""

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.powertrain.automatic import AutomaticData
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle
from tests.models.vehicles.any_vehicle import assert_accelerations, driven, random_instant

DATA = VehicleParameters.load("sedan")
HEIGHT = 0.182
"""[m] of the chassis origin, near that at rest."""


@pytest.fixture(scope="module")
def sedan() -> System:
    return build(DATA)


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_of_every_body_against_all_hinges_cut(seed: int, rng: np.random.Generator) -> None:
    """Travel of 0.2 rad is 65 mm at the wheel; the tolerance is that of the HMMWV's test."""
    system = driven(build(DATA), "steering.rack")
    instant = random_instant(system, rng, HEIGHT, travel=0.2, steer=0.05)
    assert sum(instant.loads.responses[f"{c}.tyre"].outputs["Fz"] for c in system.groups["corner"]) > 1e3
    assert_accelerations(instant)


def test_bars_resist_roll_and_nothing_else(sedan: System) -> None:
    """Equal travel of both wheels twists no bar; opposed travel does, and its energy is ½ k Δ²."""
    model = Model(sedan)
    names = [entry.name for entry in model.layout.q]
    for left, right, twisted in (
        (0.1, -0.1, False),
        (0.1, 0.1, True),
    ):  # arm angles are about +x on both sides
        y = model.y0
        y[names.index("front_left.lower_arm")], y[names.index("front_right.lower_arm")] = left, right
        response = model.instant(y, model.u0).loads.responses["front.anti_roll_bar"]
        twist, torque = response.outputs["twist"], response.outputs["torque"]
        assert (abs(twist) > 0.05) == twisted
        assert abs(twist) < 1e-14 or twisted
        assert torque == pytest.approx(-2300.0 * twist, abs=1e-12)
        assert response.potential == pytest.approx(1150.0 * twist**2, abs=1e-15)


def test_drop_link_of_the_bar_keeps_its_length(sedan: System) -> None:
    model = Model(sedan)
    y = model.y0
    y[[entry.name for entry in model.layout.q].index("front_left.lower_arm")] = 0.15
    outward = model.instant(y, model.u0).outward
    bar = DATA.anti_roll_bars["front"]
    end, link = np.array(bar.end), np.array(bar.link)
    ends = (("front_left.anti_roll_bar", end), ("front_left.lower_arm", link))
    one, other = (outward.point(sedan.find(name), at, sedan.ground).r for name, at in ends)
    assert np.linalg.norm(one - other) == pytest.approx(np.linalg.norm(end - link), abs=1e-14)


def test_rack_ahead_of_axle_steers_to_left_too() -> None:
    """Tie rods mirrored in x to the other side of the steering axis: the rack moves the other way."""
    ahead = VehicleParameters.load(
        "sedan",
        ["front.K=(0.15, 0.77, -0.12) m", "front.L=(0.2, 0.42, -0.12) m"],
    )
    assert (DATA.steering.sense, ahead.steering.sense) == (-1, 1)
    assert float(max_wheel_angle(ahead)) > 0.3


def test_too_much_rack_travel_is_refused_with_limit() -> None:
    with pytest.raises(Exception, match=r"steering\.travel = 300 mm; admissible is up to \d+(\.\d+)? mm"):
        max_wheel_angle(VehicleParameters.load("sedan", ["steering.travel=0.3 m"]))


def test_only_the_front_is_driven(sedan: System) -> None:
    assert DATA.driven == ("front_left", "front_right")
    model = Model(sedan)
    rates = [[e.name for e in model.layout.v].index(f"{c}.wheel_rate") for c in sedan.groups["corner"]]
    wound = model.y0
    names = model.layout.y_names
    wound[names.index("driveline.windup")] = 0.05  # 800 N m
    idle, pushed = (model.instant(y, model.u0).accelerations.v_dot[rates] for y in (model.y0, wound))
    assert np.all((pushed - idle)[:2] > 10.0)
    # the rear wheels feel it only by way of the chassis that pitches
    assert np.all(np.abs((pushed - idle)[2:]) < 0.01 * (pushed - idle)[0])


def test_torque_split() -> None:
    with pytest.raises(DataError, match="one axle is driven, so it has no effect"):
        VehicleParameters.load("sedan", ["powertrain.torque_split=(0.4, 0.6)"])
    for wrong in ("(0.4, 0.4)", "(0.2, 0.4, 0.4)"):
        with pytest.raises(
            DataError, match="one for each of the 2 driven axles, from front to rear, with sum 1"
        ):
            VehicleParameters.load(overrides=[f"powertrain.torque_split={wrong}"])
    split = VehicleParameters.load(overrides=["powertrain.torque_split=(0.4, 0.6)"])
    assert split.torque_shares == pytest.approx((0.2, 0.2, 0.3, 0.3), abs=1e-16)


def test_it_stands_on_its_wheels(sedan: System) -> None:
    model = Model(sedan)
    y = settle(model)
    loads = [
        model.instant(y, model.u0).loads.responses[f"{c}.tyre"].outputs["Fz"] for c in sedan.groups["corner"]
    ]
    assert sum(loads) == pytest.approx(9.81 * DATA.mass, rel=1e-6)
    assert loads[0] > loads[2]  # the engine is in front


@pytest.mark.parametrize("selector", [1.0, 0.0, -1.0])
def test_the_powertrain_gives_no_more_than_the_engine(
    sedan: System, selector: float, rng: np.random.Generator
) -> None:
    """Energy stored and given to the wheels is the engine's power, less heat of converter and shafts."""
    model = Model(sedan)
    names = [entry.name for entry in model.layout.x]
    first = names.index("driveline.shaft_speed")
    for _ in range(5):
        y = model.y0
        q, v, x = model.layout.split(y)
        rates = [[e.name for e in model.layout.v].index(f"{c}.wheel_rate") for c in sedan.groups["corner"]]
        v[rates] = rng.uniform(-50.0, 100.0, 4)
        x[first : first + 3] = rng.uniform((-100.0, -0.05, 50.0), (500.0, 0.05, 600.0))
        u = model.inputs_with(inputs={"throttle": rng.uniform(), "selector": selector})
        y = np.concatenate((q, v, x))
        instant = model.instant(y, u)
        response = instant.loads.responses["driveline"]
        omega_s, phi, omega_e = x[first : first + 3]
        p = DATA.powertrain
        assert isinstance(p, AutomaticData)
        rate_s, rate_phi, rate_e = (float(rate) for rate in response.x_dot[:3])
        stored = p.shafts.stiffness * phi * rate_phi
        stored += p.engine.inertia * omega_e * rate_e + p.shafts.inertia * omega_s * rate_s
        heat = response.outputs["engine_torque"] * omega_e - response.outputs["power"] - stored
        assert heat > 0.0
        if selector == 0.0:  # only the wind-up's damper
            assert heat == pytest.approx(p.shafts.damping * rate_phi**2, rel=1e-9)


def test_reverse_goes_backwards(sedan: System) -> None:
    model = Model(sedan)
    u = model.inputs_with(inputs={"throttle": 1.0, "selector": -1.0})
    response = model.instant(model.y0, u).loads.responses["driveline"]
    assert float(response.x_dot[0]) < 0.0  # the shaft begins to turn backwards
    assert response.outputs["gear"] == -1.0


def test_full_throttle_from_walking_pace() -> None:
    """Gears go up one by one, the engine stays between idle and limiter, energy is accounted for."""
    case = prepare("straight-acceleration", model="sedan", speed=1.0, duration=7.0, options={"throttle": 0.7})
    run = case.simulate_to_record(method="dopri5")
    gear, engine = run["driveline_gear"].values, run["driveline_engine_speed"].values
    assert gear[0] == 1.0
    assert gear[-1] >= 3.0
    assert np.all(np.diff(gear) > -1e-6)
    assert 30.0 / np.pi * engine.min() > 0.8 * 850.0
    assert 30.0 / np.pi * engine.max() < 1.02 * 6500.0
    energy = run["energy"].values
    imbalance = np.abs(energy - energy[0] - run["work"].values).max()
    assert imbalance < 1e-6 * np.ptp(energy)  # rtol of the run
    assert np.abs(run["closure_error"].values).max() < 1e-12
