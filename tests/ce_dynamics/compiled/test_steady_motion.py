"""Steady states with their inputs: known balances, a vehicle that stays on its circle, what is refused."""

import doctest

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.compiled import steady_state as steady_motion
from ce_dynamics.models import hmmwv
from tests.ce_dynamics.compiled.test_trim import MASS, STIFFNESS, G, spring_mass


def test_the_examples() -> None:
    result = doctest.testmod(steady_motion)
    assert result.attempted > 0
    assert result.failed == 0


def test_force_that_holds_spring_where_it_is_wanted() -> None:
    found = ce.steady_state(spring_mass(), {"mass": -0.1}, ["pull"])
    assert found.inputs["pull"] == pytest.approx(MASS * G - 0.1 * STIFFNESS, rel=1e-12)
    np.testing.assert_allclose(found.y, (-0.1, 0.0), atol=1e-15)
    assert not found.moving


def test_sled_turns_under_force_that_turns_with_it() -> None:
    """m ω × v keeps a free body on its circle, whatever heading it starts with."""
    system = ce.System(gravity=(0, 0, 0))
    sled = system.add_body("sled", mass=4.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Free())
    for name in ("side", "push"):
        system.add_input(name, "N")
    system.add_force(ce.AppliedWrench("rope", sled, (0, 0, 0), force=("push", "side", 0.0), frame=sled))
    heading = 0.7
    quaternion = [np.cos(heading / 2), 0, 0, np.sin(heading / 2)]
    forward = 6.0 * np.array((np.cos(heading), np.sin(heading), 0.0))
    system.start(sled, q=[1, 2, 0, *quaternion], v=[0, 0, 0.5, *forward])
    found = ce.steady_state(ce.Model(system), {"sled.wz": 0.5, "sled.vx": forward[0]}, ["side", "push"])
    R = Rotation.from_rotvec((0.0, 0.0, heading)).as_matrix()
    force = R @ (found.inputs["push"], found.inputs["side"], 0.0)
    np.testing.assert_allclose(force, 4.0 * np.cross((0, 0, 0.5), found.y[10:13]), atol=1e-9)
    assert found.y[10] == pytest.approx(forward[0])
    assert set(found.moving) == {"sled.rz", "sled.x", "sled.y"}


def test_vehicle_stays_on_circle_it_was_trimmed_for() -> None:
    """Simulated for two seconds: an arc of the radius, on which only heading and place change."""
    speed, radius = 15.0, 60.0
    model = ce.Model(hmmwv.build(speed=speed))
    found = hmmwv.steady(model, speed, radius)
    assert 0.1 < found.inputs["steering"] < 0.2  # to the left
    assert 0.1 < found.inputs["throttle"] < 0.4
    run = ce.simulate(model, found.inputs, duration=2.0, interval=0.5, y0=found.y, rtol=1e-9, atol=1e-9)
    x, y, yaw = (run[name].values for name in ("x", "y", "yaw"))
    # The centre lies to the left of the velocity, whose direction is not quite that of the body.
    slip = np.arctan2(run["vy"].values, run["vx"].values)
    centre = np.array((x - radius * np.sin(yaw + slip), y + radius * np.cos(yaw + slip)))
    np.testing.assert_allclose(centre, centre[:, :1] * np.ones(len(x)), atol=1e-5)
    np.testing.assert_allclose(run["speed"].values, speed, rtol=1e-7)
    np.testing.assert_allclose(run["roll"].values, run["roll"].values[0], atol=1e-7)
    assert yaw[-1] - yaw[0] == pytest.approx(2.0 * speed / radius, rel=1e-7)
    assert run["ay"].values[-1] == pytest.approx(speed**2 / radius * np.cos(slip[-1]), rel=1e-3)
    straight = hmmwv.steady(model, speed)
    assert straight.inputs["throttle"] < found.inputs["throttle"]
    assert abs(straight.moving["chassis.rz"]) < 1e-4  # left and right differ by rounding of the data only
    with pytest.raises(ce.ModelError, match="radius 0"):
        hmmwv.steady(model, speed, 0.0)


def test_a_saturated_input_is_named() -> None:
    """A motor of 3 N m turns a drag of 0.1 N m s/rad at 30 rad/s at most."""
    system = ce.System(gravity=(0, 0, 0))
    axle = ce.Revolute((0, 0, 1))
    fan = system.add_body("fan", mass=1.0, inertia=(1, 1, 2), parent="ground", hinge=axle)
    system.add_input("torque", "N*m")
    system.add_force(ce.Actuator("motor", fan, command="torque", force_range=(-3.0, 3.0)))
    system.add_force(ce.TorsionSpringDamper("drag", fan, damper=0.1))
    model = ce.Model(system)
    assert ce.steady_state(model, {"fan_rate": 20.0}, ["torque"]).inputs["torque"] == pytest.approx(2.0)
    with pytest.raises(ce.AssemblyError, match=r"torque = .* has no influence there"):
        ce.steady_state(model, {"fan_rate": 50.0}, ["torque"])


def test_what_is_not_steady_is_refused() -> None:
    with pytest.raises(ce.ModelError, match=r"not steady: as \['mass'\] go on"):
        ce.steady_state(spring_mass(), {"mass_rate": 0.5}, ["pull"], moving=["mass"])


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(ce.AssemblyError, match=r"mass_rate = 0.5.*remains"):
        ce.steady_state(spring_mass(), {"mass_rate": 0.5}, ["pull"])


def test_names_and_numbers_are_checked() -> None:
    model = spring_mass()
    with pytest.raises(ce.ModelError, match="no input 'push'"):
        ce.steady_state(model, {"mass": 0.0}, ["push"])
    with pytest.raises(ce.ModelError, match="no quantity 'weight'"):
        ce.steady_state(model, {"weight": 0.0}, ["pull"])
    with pytest.raises(ce.ModelError, match="1 inputs cannot meet 2 targets"):
        ce.steady_state(model, {"mass": 0.0, "mass_rate": 0.0}, ["pull"])
    with pytest.raises(ce.ModelError, match="targets: mass nan must be a finite number"):
        ce.steady_state(model, {"mass": np.nan}, ["pull"])
    with pytest.raises(ce.ModelError, match="no displacement"):
        ce.steady_state(model, {"mass": 0.0}, ["pull"], moving=["arm"])


def test_turns_are_right_handed() -> None:
    R = Rotation.from_rotvec((0.0, 0.0, np.pi / 2)).as_matrix()
    np.testing.assert_allclose(R @ (1, 0, 0), (0, 1, 0), atol=1e-15)
