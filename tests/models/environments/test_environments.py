"""Environments of Gymnasium: its own checker, its own vector environment, runs in Python."""

import math
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import ce_dynamics as ce
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.models.environments import NAMES, VehicleEnv, VehicleVectorEnv
from ce_dynamics.models.environments.task import DrivenVehicle, prepare_vehicle
from ce_dynamics.models.environments.tasks import TASKS
from ce_dynamics.models.vehicles.case import setup_of
from ce_dynamics.models.vehicles.steering_angle import steering_wheel_lock
from tests.models.environments.toy import toy

RANGES = {"mass": (900.0, 1500.0)}


@pytest.fixture(scope="module")
def vehicles() -> dict[str, DrivenVehicle]:
    return {task: toy(task) for task in TASKS}


@pytest.fixture(scope="module")
def free() -> DrivenVehicle:
    return toy("path-following", free=True)


@pytest.mark.parametrize("task", TASKS)
def test_gymnasium_has_nothing_to_say(task: str, vehicles: dict[str, DrivenVehicle]) -> None:
    names = {known: name for name, known in NAMES.items()}
    made = gymnasium.make(names[task], vehicle=vehicles[task], render_mode="rgb_array")
    check_env(made.unwrapped)


def test_the_names_are_known(vehicles: dict[str, DrivenVehicle]) -> None:
    for name, task in NAMES.items():
        spec = gymnasium.spec(name)
        assert spec.kwargs == {"task": task}
        assert spec.vector_entry_point is not None
    many = gymnasium.make_vec(
        "ce-dynamics/Parking-v0", 3, vectorization_mode="vector_entry_point", vehicle=vehicles["parking"]
    )
    assert isinstance(many.unwrapped, VehicleVectorEnv)
    assert many.num_envs == 3


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("task", ["path-following", "parking"])
def test_lanes_do_what_single_environments_do(
    mode: AutoresetMode, task: str, vehicles: dict[str, DrivenVehicle], free: DrivenVehicle
) -> None:
    """Gymnasium's own vector environment, over single ones on the simulator, is what lanes are held to."""
    randomised = task == "path-following"
    vehicle = free if randomised else vehicles[task]
    given: dict[str, Any] = {
        "randomise": RANGES if randomised else None,
        "options": {"duration": 1.0},
    }
    singles = SyncVectorEnv([lambda: VehicleEnv(task, vehicle, **given)] * 5, autoreset_mode=mode)
    lanes = VehicleVectorEnv(task, vehicle, 5, autoreset_mode=mode, lanes=4, threads=2, **given)
    (a, _), (b, _) = singles.reset(seed=7), lanes.reset(seed=7)
    np.testing.assert_array_equal(a, b)
    random = np.random.default_rng(3)
    over = 0
    for k in range(120):
        # some veer off the path, so that episodes end at different times
        actions = random.uniform(-0.3, 0.3, (5, 2)).astype(np.float32)
        actions[2, 0] = 0.8
        a, ra, ta, ca, ia = singles.step(actions)
        b, rb, tb, cb, ib = lanes.step(actions)
        # both round differently, and so do 0.02 s in steps of 1 ms: 1e-9 of it is seen through float32
        np.testing.assert_allclose(b, a, atol=2e-6, err_msg=f"step {k}")
        np.testing.assert_allclose(rb, ra, atol=1e-8, err_msg=f"step {k}")
        np.testing.assert_array_equal(tb, ta)
        np.testing.assert_array_equal(cb, ca)
        over += int((ta | ca).sum())
        if mode is AutoresetMode.SAME_STEP and (ta | ca).any():
            np.testing.assert_array_equal(ib["_final_obs"], ia["_final_obs"])
            for mine, theirs in zip(ib["final_obs"], ia["final_obs"], strict=True):
                assert (mine is None) == (theirs is None)
                if mine is not None:
                    np.testing.assert_allclose(mine, theirs, atol=2e-6)
        if randomised:
            np.testing.assert_array_equal(ib["parameters"]["mass"], ia["parameters"]["mass"])
    assert over > 5
    lanes.close()


def test_only_those_that_are_named_begin_anew(vehicles: dict[str, DrivenVehicle]) -> None:
    env = VehicleVectorEnv(
        "path-following", vehicles["path-following"], 3, autoreset_mode="Disabled", options={"duration": 0.04}
    )
    with pytest.raises(ModelError, match="reset"):
        env.step(np.zeros((3, 2)))
    env.reset(seed=1)
    env.step(np.zeros((3, 2)))
    *_, cut, _ = env.step(np.zeros((3, 2)))
    assert cut.all()
    with pytest.raises(ModelError, match="vehicle 0 is over"):
        env.step(np.zeros((3, 2)))
    before = env.fleet.states
    env.reset(options={"reset_mask": np.array([True, False, True])})
    moved = ~np.all(env.fleet.states == before, axis=1)
    np.testing.assert_array_equal(moved, [True, False, True])
    with pytest.raises(ModelError, match="vehicle 1 is over"):
        env.step(np.zeros((3, 2)))


def test_an_episode_is_a_run(free: DrivenVehicle) -> None:
    """With the free parameters that were drawn: `ce.simulate` ends in the same state."""
    env = VehicleEnv("path-following", free, randomise=RANGES)
    _, info = env.reset(seed=5)
    mass = info["parameters"]["mass"]
    assert 900.0 <= mass <= 1500.0
    for _ in range(50):
        *_, info = env.step(np.array([0.02, 0.1], dtype=np.float32))
    held = {"steering": float(np.float32(0.02)), "throttle": float(np.float32(0.1))}
    run = ce.simulate(
        free.model, held, y0=free.y0, duration=1.0, method="rk4", step=1e-3, parameters={"mass": mass}
    )
    assert info["time"] == pytest.approx(1.0)
    for name in ("x", "y", "yaw"):
        assert env.simulator.outputs()[name] == pytest.approx(float(run[name][-1]), abs=1e-11)
    _, info = env.reset(options={"parameters": {"mass": 1000.0}, "goal": [0.0, 0.1, 0.0]})
    assert info["parameters"] == {"mass": 1000.0}
    masses = {float(env.reset()[1]["parameters"]["mass"]) for _ in range(20)}
    assert len(masses) == 20
    assert min(masses) < 1050.0 < 1350.0 < max(masses)  # of twenty even draws, with 1 - 2e-3


def test_what_is_saved_goes_on_with_same_bits(free: DrivenVehicle) -> None:
    random = np.random.default_rng(0)
    actions = random.uniform(-0.5, 0.5, (60, 3, 2)).astype(np.float32)
    options = {"duration": 0.5}
    many = VehicleVectorEnv("path-following", free, 3, randomise=RANGES, options=options)
    one = VehicleEnv("path-following", free, randomise=RANGES)
    many.reset(seed=2)
    one.reset(seed=2)
    for k in range(20):
        many.step(actions[k])
        one.step(actions[k, 0])
    saved = pickle.dumps((many.save(), one.save()))
    first = [many.step(a)[0] for a in actions[20:]]
    alone = [one.step(a)[0] for a in 0.1 * actions[20:40, 0]]
    kept = pickle.loads(saved)
    many.restore(kept[0])
    one.restore(kept[1])
    np.testing.assert_array_equal([many.step(a)[0] for a in actions[20:]], first)
    np.testing.assert_array_equal([one.step(a)[0] for a in 0.1 * actions[20:40, 0]], alone)
    with pytest.raises(ModelError, match="another task"):
        VehicleVectorEnv("path-following", free, 4).restore(kept[0])


def test_vehicle_that_fails_takes_no_other_with_it(free: DrivenVehicle) -> None:
    env = VehicleVectorEnv("path-following", free, 3)
    env.reset(seed=0)
    near = np.array([False, True, False])
    env.reset(options={"reset_mask": near, "parameters": {"cliff": 2.0}})
    ended = np.zeros(3, dtype=bool)
    for _ in range(10):
        observation, reward, terminated, _, info = env.step(np.zeros((3, 2)))
        assert np.isfinite(observation).all()
        ended |= terminated
        if terminated.any():
            assert "not finite" in info["failure"][1]
            assert reward[1] == -env.task.failure
            break
    np.testing.assert_array_equal(ended, near)
    env.step(np.zeros((3, 2)))  # it begins anew
    assert not env.fleet.failures
    alone = VehicleEnv("path-following", free)
    alone.reset(seed=0, options={"parameters": {"cliff": 2.0}})
    for _ in range(10):
        _, worth, over, _, info = alone.step(np.zeros(2))
        if over:
            break
    assert "not finite" in info["failure"]
    assert worth == -alone.task.failure
    with pytest.raises(ModelError, match="over"):
        alone.step(np.zeros(2))


def test_actions_reach_a_steering_wheel_angle() -> None:
    """An action is a part of full lock in the data: 90 degrees of the sedan's steering wheel."""
    setup = setup_of("sedan", overrides=["steering.ratio=16"])
    vehicle = prepare_vehicle(setup, "straight", None, steering="90 deg")
    given = VehicleEnv("path-following", vehicle).task.command(np.array([[-1.0, 0.0]]))
    assert given["steering"][0] * steering_wheel_lock(setup.data) == pytest.approx(-math.pi / 2)
    with pytest.raises(DataError, match=r"environments: steering .* at most 1"):
        prepare_vehicle(setup, "straight", None, steering="900 deg")


def test_wrong_arguments_are_named(vehicles: dict[str, DrivenVehicle], free: DrivenVehicle) -> None:
    path = vehicles["path-following"]
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"task": "drifting"}, "drifting"), ({"randomise": {"mas": (1.0, 2.0)}}, "mas"),
        ({"randomise": {"mass": (2.0, 1.0)}, "vehicle": free}, "above"),
        ({"options": {"wide": 3.0}}, "wide"), ({"speed": 3.0}, "those of the vehicle"),
        ({"steering": 0.5}, "those of the vehicle"), ({"render_mode": "human"}, "rgb_array"),
        ({"dt": 0.0}, "dt"), ({"task": "lane-change"}, "not prepared"),
        ({"task": "parking", "options": {"reverse": True}}, "selector"),
    )  # fmt: skip
    for arguments, said in cases:
        given: dict[str, Any] = {"task": "path-following", "vehicle": path} | arguments
        with pytest.raises(ce.CeDynamicsError, match=said):
            VehicleEnv(**given)
    env = VehicleEnv("path-following", path)
    env.reset()
    for action, said in (
        (np.zeros(3), "shape"),
        (np.array([2.0, 0.0]), "between"),
        (np.array([np.nan, 0.0]), "nan"),
    ):
        with pytest.raises(ModelError, match=said):
            env.step(action)
    with pytest.raises(ModelError, match="unknown options"):
        env.reset(options={"goals": 1})
    with pytest.raises(ModelError, match="autoreset_mode"):
        VehicleVectorEnv("path-following", path, 2, autoreset_mode="Never")
