"""The exact linearisation against differences of the right-hand side."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.models import hmmwv
from ce_dynamics.simulation.simulate import simulate


@pytest.fixture(scope="module")
def vehicle() -> Model:
    return Model(hmmwv.build(speed=12.0))


def test_linearisation_of_the_rolling_vehicle(vehicle: Model) -> None:
    y, u = (
        hmmwv.settle(vehicle),
        vehicle.inputs_with(inputs={"steering": 0.02, "throttle": 0.2, "brake": 0.1}),
    )
    found = vehicle.linearize(y, u=u)
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


def test_frequency_response_of_two_masses() -> None:
    """Two masses in a row, pushed at the first: by the 2 × 2 dynamic stiffness, in closed form."""
    m, k, c = (2.0, 3.0), (500.0, 200.0), (4.0, 1.5)
    system = ce.System()
    system.add_input("push", "N")
    carrier, at = system.ground, -1.0
    bodies = []
    for j in (0, 1):
        hinge = ce.Prismatic((1, 0, 0))
        body = system.add_body(f"box {j}", mass=m[j], com=(j, 0, 0), parent=system.ground, hinge=hinge)
        spring = ce.SpringDamper(
            f"spring {j}", carrier, (at, 0, 0), body, (j, 0, 0), spring=k[j], damper=c[j]
        )
        system.add_force(spring)
        carrier, at = body, j
        bodies.append(body)
    system.add_force(ce.AppliedWrench("pushed", bodies[0], (0, 0, 0), force=("push", 0, 0)))
    names = ["spring 0.length", "spring 1.length"]
    frequencies = np.array([0.0, 0.7, 1.3, 2.9, 40.0])
    found = ce.compile(system).linearize(outputs=names).frequency_response(frequencies)
    for f, G in zip(frequencies, found[:, :, 0], strict=True):
        w = 2.0 * np.pi * f
        z = [k[j] + 1j * w * c[j] for j in (0, 1)]
        Z = np.array([[z[0] + z[1] - m[0] * w**2, -z[1]], [-z[1], z[1] - m[1] * w**2]])
        x = np.linalg.solve(Z, [1.0, 0.0])
        np.testing.assert_allclose(G, (x[0], x[1] - x[0]), rtol=1e-10, atol=1e-18)


def test_slow_steering_turns_as_the_steady_circle_does(vehicle: Model) -> None:
    """Yaw rate per steering at 1/50 Hz against a circle of 3 km radius at the same speed.

    Throttle is as on the straight in one and trimmed in the other: of second order in the steering, 1e-4 rad
    of slip.  At 1/50 Hz the response is behind by ω T ~ 0.02, which its amplitude feels squared.
    """
    straight, circle = hmmwv.steady(vehicle, 12.0), hmmwv.steady(vehicle, 12.0, 3000.0)
    linear = vehicle.linearize(straight.y, u=straight.u, outputs=["yaw_rate"])
    G = linear.frequency_response([0.02])[0, 0, linear.inputs.index("steering")]
    gain = (12.0 / 3000.0) / (circle.inputs["steering"] - straight.u[linear.inputs.index("steering")])
    assert abs(G) == pytest.approx(gain, rel=5e-3)
    assert -0.2 < np.angle(G) < 0.0


def test_frequency_response_mistakes(vehicle: Model) -> None:
    linear = vehicle.linearize(vehicle.y0)
    with pytest.raises(ModelError, match="outputs"):
        linear.frequency_response([1.0])
    linear = vehicle.linearize(vehicle.y0, outputs="yaw_rate")
    with pytest.raises(ModelError, match="frequencies"):
        linear.frequency_response([np.nan])


def test_an_undamped_resonance_is_infinite() -> None:
    system = ce.System()
    system.add_input("push", "N")
    hinge = ce.Prismatic((1, 0, 0))
    box = system.add_body("box", mass=1.0, com=(0, 0, 0), parent=system.ground, hinge=hinge)
    system.add_force(ce.AppliedWrench("pushed", box, (0, 0, 0), force=("push", 0, 0)))
    system.add_output("x", "m", lambda observer: observer.coordinate(box))
    G = ce.compile(system).linearize(outputs="x").frequency_response([0.0, 1.0])[:, 0, 0]
    assert np.isinf(G[0].real)
    assert G[1] == pytest.approx(-1.0 / (2.0 * np.pi) ** 2)


def test_outputs_are_linearised_by_name(vehicle: Model) -> None:
    y, u = (
        hmmwv.settle(vehicle),
        vehicle.inputs_with(inputs={"steering": 0.02, "throttle": 0.2, "brake": 0.1}),
    )
    names = ["yaw_rate", "roll", "rear_left.tyre.Fz"]
    found = vehicle.linearize(y, u=u, outputs=names)
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
        vehicle.linearize(y, u=u, outputs="rol")
    with pytest.raises(ModelError, match="no 'steer' in the linear model"):
        found.entry("roll", "steer")


def test_modes_of_states_alone_bear_their_names(vehicle: Model) -> None:
    """The wind-up of a brake that is not pressed decays by itself and moves nothing."""
    modes = vehicle.modes(hmmwv.settle(vehicle), hold=["chassis.x", "chassis.y"])
    fastest = {modes.dominant(k) for k in range(len(modes) - 4, len(modes))}
    assert fastest == {f"{corner}.brake.windup" for corner in vehicle.system.groups["corner"]}


def test_all_outputs_at_a_state_equal_a_run(vehicle: Model) -> None:
    y = hmmwv.settle(vehicle)
    found = vehicle.outputs(y, u=vehicle.u0)
    run = simulate(vehicle, duration=0.01, interval=0.01, y0=y)
    assert found["yaw_rate"] == float(run["yaw_rate"][0])
    assert found["front_left.tyre.Fz"] == float(run["tyre_Fz"].sel(corner="front_left")[0])
    assert found["energy"] == float(run["energy"][0])
    assert list(found) == [entry.name for entry in vehicle.output_entries]
    broken = y.copy()
    broken[[entry.name for entry in vehicle.layout.q].index("front_left.lower_arm")] = 2.9
    with pytest.raises(AssemblyError, match=r"front_left\.lower_arm"):
        vehicle.outputs(broken)
