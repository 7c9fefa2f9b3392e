"""Held contacts against dense algebra: the augmented equations of M, J and the biases of points."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError


def walker() -> ce.System:
    """A hull with two legs, each a four-bar with a foot."""
    s = ce.System(gravity=(0, 0, -9.81))
    hull = s.add_body(
        "hull", mass=8.0, com=(0, 0, 1), inertia=(0.3, 0.2, 0.25), parent="ground", hinge=ce.Free()
    )
    for side, y in (("left", 0.2), ("right", -0.2)):
        leg(s, hull, side, y)
    return s


def leg(s: ce.System, hull: ce.Body, side: str, y: float) -> None:
    """A hip, a thigh and a bar beside it, and the shin on both."""
    swing = ce.Revolute((1, 0, 0), (0, y, 0.95))
    hip = s.add_body(f"{side} hip", mass=0.5, com=(0, y, 0.9), inertia=(0.01,) * 3, parent=hull, hinge=swing)

    def add(name: str, parent: ce.Body, at: tuple[float, ...], com: tuple[float, ...]) -> ce.Body:
        hinge = ce.Revolute((0, 1, 0), at)
        inertia = (0.02, 0.02, 0.01)
        return s.add_body(f"{side} {name}", mass=1.0, com=com, inertia=inertia, parent=parent, hinge=hinge)

    thigh = add("thigh", hip, (0, y, 0.9), (0.05, y, 0.7))
    bar = add("bar", hip, (0.15, y, 0.9), (0.2, y, 0.7))
    shin = add("shin", thigh, (0.1, y, 0.5), (0.1, y, 0.3))
    s.close_loop(f"{side} knee", shin, bar, ce.Revolute((0, 1, 0), (0.22, y, 0.52)), independent=[thigh])


FEET = [("left shin", (0.1, 0.2, 0.0)), ("right shin", (0.1, -0.2, 0.0))]


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(walker())


@pytest.fixture(scope="module")
def state(model: Model) -> Array:
    y = model.y0 + 0.1 * np.random.default_rng(5).uniform(-1, 1, len(model.y0))
    n = model.embedding.n_q
    y[n:] = np.random.default_rng(6).uniform(-1, 1, model.embedding.n_v)
    return np.asarray(model.with_unit_quaternions(y))


def dense(model: Model, y: Array, J: Array, bias: Array) -> tuple[Array, Array]:
    """v̇ and λ of [M −Jᵀ; J 0] [v̇; λ] = [M v̇_free; −bias], the shortest where there are several."""
    q, v, _ = model.layout.split(y)
    M = model.mass_matrix(q)
    zero = np.zeros((len(J), len(J)))
    right = np.concatenate((M @ model.accelerations(q, v), -bias))
    found = np.linalg.lstsq(np.block([[M, -J.T], [J, zero]]), right, rcond=1e-11)[0]
    return found[: len(M)], found[len(M) :]


def test_two_feet_on_the_ground(model: Model, state: Array) -> None:
    """Condition of the augmented matrix some 1e3: 1e-12 with room for sums."""
    feet = [model.point(body, at) for body, at in FEET]
    chest = model.frame("hull", (0, 0, 1.2))
    q, _, _ = model.layout.split(state)
    found = model.contact_space(feet, chest, state, directions=np.eye(6)[[1, 5]])
    J = np.concatenate([point(state).J for point in feet])
    bias = np.concatenate([point(state).bias for point in feet])
    v_dot, force = dense(model, state, J, bias)
    size = np.abs(v_dot).max()
    np.testing.assert_allclose(found.v_dot, v_dot, rtol=0, atol=1e-11 * size)
    np.testing.assert_allclose(found.force, force, rtol=0, atol=1e-11 * np.abs(force).max())
    assert found.rank == 6
    # accelerations that generalised forces cause: the upper left block of the inverse
    M = model.mass_matrix(q)
    inverse = np.linalg.inv(np.block([[M, -J.T], [J, np.zeros((6, 6))]]))[: len(M), : len(M)]
    np.testing.assert_allclose(found.response, inverse, rtol=0, atol=1e-11 * np.abs(inverse).max())
    np.testing.assert_allclose(found.free @ found.free, found.free, rtol=0, atol=1e-12)
    np.testing.assert_allclose(J @ found.free, 0.0, atol=1e-12 * np.abs(J).max())
    # the task: its force, added to what acts, makes the acceleration that is wanted, and moves no foot
    wanted = np.array((0.3, 1.0))
    F = found.tasks.inertia @ (wanted - found.acceleration)
    moved = found.v_dot + found.tasks.response @ F
    task = chest(state)
    np.testing.assert_allclose((task.J @ moved + task.bias)[[1, 5]], wanted, rtol=0, atol=1e-11 * size)
    np.testing.assert_allclose(J @ moved + bias, 0.0, atol=1e-11 * size)


def test_feet_that_are_held_more_than_once(model: Model, state: Array) -> None:
    """Four points of one shin hold six ways; what they do together is unique, and so is what they leave."""
    corners = [(0.0, 0.1, 0.0), (0.2, 0.1, 0.0), (0.0, 0.3, 0.0), (0.2, 0.3, 0.1)]
    feet = [model.point("left shin", at) for at in corners]
    with pytest.raises(ModelError, match="of 12 components 6 are independent, and at these velocities"):
        model.contact_space(feet, y=state)
    n = model.embedding.n_q
    state = state.copy()
    state[n:] = 0.0
    state[n:] = model.contact_space(feet, y=state).free @ np.linspace(-1.0, 1.0, model.embedding.n_v)
    found = model.contact_space(feet, y=state)
    J = np.concatenate([point(state).J for point in feet])
    v_dot, force = dense(model, state, J, np.concatenate([point(state).bias for point in feet]))
    assert found.rank == 6
    np.testing.assert_allclose(found.v_dot, v_dot, rtol=0, atol=1e-10 * np.abs(v_dot).max())
    np.testing.assert_allclose(J.T @ found.force, J.T @ force, rtol=0, atol=1e-9 * np.abs(force).max())
    assert found.tasks.J.shape == (0, model.embedding.n_v)


def test_nothing_held_is_operational_space(model: Model, state: Array) -> None:
    chest = model.frame("hull")
    found = model.contact_space([], chest, state)
    plain = model.operational_space(chest, state)
    np.testing.assert_allclose(
        found.tasks.inertia, plain.inertia, rtol=0, atol=1e-9 * np.abs(plain.inertia).max()
    )
    assert found.rank == 0
    assert np.array_equal(found.free, np.eye(model.embedding.n_v))


def test_tasks_that_contacts_hold_are_refused(model: Model, state: Array) -> None:
    foot = model.point(*FEET[0])
    with pytest.raises(ModelError, match=r"no force causes motion in vx|can be moved in independently"):
        model.contact_space(foot, foot, state)
    with pytest.raises(ModelError, match="contacts"):
        model.contact_space("left shin", y=state)  # type: ignore[arg-type]
