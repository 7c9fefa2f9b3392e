"""Displacements of coordinates against differences, linearised motion against the exact linearisation."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.compiled.analysis.small_motion import Freedom
from ce_dynamics.compiled.tangent import Tangent
from tests.ce_dynamics.recursion_systems import make_case


def normalised(tangent: Tangent, q: np.ndarray) -> np.ndarray:
    return tangent.normalise(np.asarray(q, dtype=float))


def test_displacements_follow_velocities_for_every_holonomic_hinge() -> None:
    case = make_case("tree")
    tangent = Tangent(case.embedding)
    case.q = normalised(tangent, case.q)
    q_dot = case.instant().q_dot
    np.testing.assert_allclose(tangent.columns(case.q) @ case.v, q_dot, atol=1e-14)
    np.testing.assert_allclose(tangent.rows(case.q) @ q_dot, case.v, atol=1e-14)
    assert tangent.velocity == tuple(range(case.n_v))


def test_finite_displacements_have_the_tangent_as_their_derivative() -> None:
    case = make_case("tree")
    tangent = Tangent(case.embedding)
    q, step = normalised(tangent, case.q), np.random.default_rng(0).normal(size=len(tangent))
    h = 1e-5  # central difference: h² of third derivatives (of order 1), rounding 1e-16/h
    difference = (tangent.displace(q, h * step) - tangent.displace(q, -h * step)) / (2.0 * h)
    np.testing.assert_allclose(difference, tangent.columns(q) @ step, atol=1e-9)


def test_rotations_of_any_size_are_exact() -> None:
    system = ce.System()
    system.add_body("box", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Free())
    tangent = ce.Model(system).tangent
    rng = np.random.default_rng(1)
    q = normalised(tangent, rng.normal(size=7))
    for size in (0.0, 1e-9, 1.0, 3.0, 7.0):
        step = size * rng.normal(size=6)
        moved = tangent.displace(q, step)
        expected = Rotation.from_rotvec(step[:3]) * Rotation.from_quat(q[3:], scalar_first=True)
        found = Rotation.from_quat(moved[3:], scalar_first=True)
        np.testing.assert_allclose(found.as_matrix(), expected.as_matrix(), atol=1e-14)
        np.testing.assert_allclose(np.linalg.norm(moved[3:]), 1.0, atol=1e-14)
        np.testing.assert_allclose(moved[:3], q[:3] + step[3:], atol=1e-15)


def test_a_rolling_ball_has_more_displacements_than_velocities() -> None:
    system = ce.System()
    hinge = ce.RollingOnPlane((0, 0, 1), (0, 0, 0.2), 0.2)
    system.add_body("ball", mass=1.0, com=(0, 0, 0.2), inertia=(0.1, 0.1, 0.1), parent="ground", hinge=hinge)
    model = ce.Model(system)
    names = [entry.name for entry in model.tangent.entries]
    assert names == ["ball.rx", "ball.ry", "ball.rz", "ball.x", "ball.y"]
    assert model.tangent.velocity == (0, 1, 2, None, None)
    near = model.small_motion(model.y0, model.u0, Freedom(model, ()))
    v = np.array((0.3, -0.2, 0.5))
    np.testing.assert_allclose(near.Q @ v, (*v, *(np.cross(v, (0, 0, 0.2))[:2])), atol=1e-15)


def model_and_state(name: str) -> tuple[ce.Model, np.ndarray, np.ndarray]:
    case = make_case(name)
    model = ce.Model(case.system)
    return model, model.with_unit_quaternions(np.concatenate((case.q, case.v, case.x))), case.u


@pytest.mark.parametrize("name", ["chain", "four_bar"])
def test_it_is_the_exact_linearisation_in_fewer_numbers(name: str) -> None:
    """At any state, moving and accelerating: the derivatives of inverse and of forward dynamics agree."""
    model, y, u = model_and_state(name)
    near = model.small_motion(y, u, Freedom(model, ()))
    linear = model.linearize(y, u=u)
    q, v, x = model.layout.split(y)
    np.testing.assert_allclose(near.v_dot, model.layout.split(linear.y_dot)[1], rtol=1e-9)
    wide, narrow = (np.eye(len(y)) for _ in range(2))
    T, rows = model.tangent.columns(q), model.tangent.rows(q)
    n = len(model.tangent)
    wide = np.zeros((len(y), n + len(v) + len(x)))
    wide[: len(q), :n], wide[len(q) :, n:] = T, np.eye(len(v) + len(x))
    narrow = np.zeros((n + len(v) + len(x), len(y)))
    narrow[:n, : len(q)], narrow[n:, len(q) :] = rows, np.eye(len(v) + len(x))
    expected = narrow @ linear.A @ wide
    found = near.matrix(Freedom(model, ()))
    # Both are exact but for rounding, which conditions of M of up to 1e4 amplify.
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


def actuated() -> ce.Model:
    """An arm on a base that an actuator turns."""
    system = ce.System(gravity=(0, 0, -9.81))
    system.add_input("angle", "rad", default=0.4)
    system.add_body("base", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((1, 0, 0)))
    system.prescribe("base", ce.SecondOrderActuator("angle", 1.0, 5.0))
    arm = system.add_body(
        "arm", mass=2.0, com=(0.5, 0.2, 0), inertia=(0.1, 0.1, 0.1), parent="base", hinge=ce.Spherical()
    )
    system.add_force(
        ce.SpringDamper("spring", system.ground, (0.5, 0, 1), arm, (0.5, 0.2, 0), spring=80.0, damper=2.0)
    )
    return ce.Model(system)


def test_first_order_states_take_part() -> None:
    model = actuated()
    y = model.with_unit_quaternions(model.y0 + 0.1 * np.arange(len(model.y0)))
    q, _, _ = model.layout.split(y)
    found = model.small_motion(y, model.u0, Freedom(model, ())).matrix(Freedom(model, ()))
    A = model.linearize(y).A
    T, rows = model.tangent.columns(q), model.tangent.rows(q)
    np.testing.assert_allclose(found[3:, 3:], A[4:, 4:], atol=1e-11)
    np.testing.assert_allclose(found[3:, :3], A[4:, :4] @ T, atol=1e-11)
    np.testing.assert_allclose(found[:3, 3:], rows @ A[:4, 4:], atol=1e-11)


def test_what_is_held_stays() -> None:
    """Holding a hinge gives the matrix of the system in which it is fixed."""
    model = actuated()
    held = Freedom(model, ["arm.rx", "base.motion.rate"])
    assert held.names == ["arm.ry", "arm.rz", "base.motion.position"]
    assert held.moving == [1, 2]
    y = model.y0
    near = model.small_motion(y, model.u0, held)
    assert near.v_dot[0] == 0.0
    # Newton with a reaction R at the held velocity: M v̇ + T = (R, 0, 0).
    balance = near.M @ near.v_dot + near.T
    np.testing.assert_allclose(balance[1:], 0.0, atol=1e-13)
    assert near.matrix(held).shape == (5, 5)


def test_names_are_checked() -> None:
    model = actuated()
    assert Freedom(model, "arm").free == []  # a name alone, of a whole hinge
    with pytest.raises(
        ce.ModelError, match=r"no displacement 'arm.qw'; known are \['arm.rx', 'arm.ry', 'arm.rz', "
    ):
        Freedom(model, ["arm.qw"])
