"""The exact linearisation against differences of the right-hand side."""

from __future__ import annotations

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.models import hmmwv
from ce_dynamics.simulation.simulate import simulate


@pytest.fixture(scope="module")
def vehicle() -> Model:
    return Model(hmmwv.build(speed=12.0))


def test_linearisation_of_the_rolling_vehicle(vehicle: Model) -> None:
    y, u = hmmwv.settled(vehicle), vehicle.u0 + (0.02, 0.2, 0.1)
    found = vehicle.linearize(y, u)
    np.testing.assert_array_equal(found.y_dot, vehicle.dynamics(y, u)[0])
    # Central differences with step h: rounding ε/h = 2e-10 of the rates (up to 1e3) and of the entries beside
    # them in a row, truncation h² times third derivatives.
    h = 1e-6
    for k, column in enumerate(found.A.T):
        step = h * np.eye(len(y))[k]
        difference = (vehicle.dynamics(y + step, u)[0] - vehicle.dynamics(y - step, u)[0]) / (2.0 * h)
        np.testing.assert_allclose(column, difference, rtol=1e-6, atol=1e-6 * np.abs(found.A).max())
    for k, column in enumerate(found.B.T):
        step = h * np.eye(len(u))[k]
        difference = (vehicle.dynamics(y, u + step)[0] - vehicle.dynamics(y, u - step)[0]) / (2.0 * h)
        np.testing.assert_allclose(column, difference, rtol=1e-6, atol=1e-6 * np.abs(found.B).max())
    assert np.count_nonzero(found.B) > 0


def test_outputs_are_linearised_by_name(vehicle: Model) -> None:
    y, u = hmmwv.settled(vehicle), vehicle.u0 + (0.02, 0.2, 0.1)
    names = ["yaw_rate", "roll", "rear_left.tyre.Fz"]
    found = vehicle.linearize(y, u, names)
    assert found.outputs == tuple(names)
    assert found.C.shape == (3, len(y))
    at = [entry.name for entry in vehicle.output_entries]
    places = [at.index(name) for name in names]
    np.testing.assert_allclose(found.z, vehicle.observation(y, u)[0][places], rtol=1e-14)
    h = 1e-6

    def check(matrix: Array, differences: list[Array]) -> None:
        for column, difference in zip(matrix.T, differences, strict=True):
            allowed = 1e-6 * np.abs(matrix).max(initial=1.0)
            np.testing.assert_allclose(column, difference[places] / (2.0 * h), rtol=1e-6, atol=allowed)

    def z(y: Array, u: Array) -> Array:
        return vehicle.observation(y, u)[0]

    check(found.C, [z(y + step, u) - z(y - step, u) for step in h * np.eye(len(y))])
    check(found.D, [z(y, u + step) - z(y, u - step) for step in h * np.eye(len(u))])
    assert found.entry("yaw_rate", "chassis.wz") == pytest.approx(1.0)
    assert found.entry("chassis.x", "chassis.vx") == 1.0
    assert (
        found.entry("steering.pitman_arm.motion.rate", "steering")
        == found.B[found.states.index("steering.pitman_arm.motion.rate"), 0]
    )
    A, B, y_dot = found
    assert A is found.A
    assert B is found.B
    assert y_dot is found.y_dot
    with pytest.raises(ModelError, match="no output 'rol'"):
        vehicle.linearize(y, u, "rol")
    with pytest.raises(ModelError, match="no 'steer' in the linear model"):
        found.entry("roll", "steer")


def test_modes_of_states_alone_bear_their_names(vehicle: Model) -> None:
    """The wind-up of a brake that is not pressed decays by itself and moves nothing."""
    modes = vehicle.modes(hmmwv.settled(vehicle), hold=["chassis.x", "chassis.y"])
    fastest = {modes.dominant(k) for k in range(len(modes) - 4, len(modes))}
    assert fastest == {f"{corner}.brake.windup" for corner in vehicle.system.groups["corner"]}


def test_all_outputs_at_one_state_are_those_of_a_run(vehicle: Model) -> None:
    y = hmmwv.settled(vehicle)
    found = vehicle.outputs(y, vehicle.u0)
    run = simulate(vehicle, duration=0.01, interval=0.01, y0=y)
    assert found["yaw_rate"] == float(run["yaw_rate"][0])
    assert found["front_left.tyre.Fz"] == float(run["tyre_Fz"].sel(corner="front_left")[0])
    assert found["energy"] == float(run["energy"][0])
    assert list(found) == [entry.name for entry in vehicle.output_entries]
    broken = y.copy()
    broken[[entry.name for entry in vehicle.layout.q].index("front_left.lower_arm")] = 2.9
    with pytest.raises(AssemblyError, match=r"front_left\.lower_arm"):
        vehicle.outputs(broken)
