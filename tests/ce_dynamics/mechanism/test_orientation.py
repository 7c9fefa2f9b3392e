"""Orientations by directions, and inertias in principal form, against plain matrices."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler import trace
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.inertia import principal_inertia
from ce_dynamics.mechanism.orientation import Directions, Orientation, from_directions

RNG = np.random.default_rng(5)
EPS = float(np.finfo(float).eps)


def a_rotation() -> Array:
    return np.asarray(Rotation.random(rng=RNG).as_matrix())


def known_by_directions() -> tuple[Array, Orientation]:
    """A rotation R, and the same by the directions of another random frame."""
    R, design = a_rotation(), a_rotation()
    return R, from_directions(Directions(R @ design, design))


def test_vectors_turn_as_the_matrix_turns_them() -> None:
    for _ in range(20):
        R, orientation = known_by_directions()
        np.testing.assert_allclose(orientation.R, R, rtol=0.0, atol=4 * EPS)
        for vector in (RNG.normal(size=3), 1e8 * RNG.normal(size=3), np.zeros(3)):
            size = max(1.0, float(np.linalg.norm(vector)))
            np.testing.assert_allclose(orientation.rotate(vector), R @ vector, rtol=0.0, atol=8 * EPS * size)
        rows = RNG.normal(size=(2, 3))
        np.testing.assert_allclose(orientation.columns(rows), R @ rows.T, rtol=0.0, atol=16 * EPS)
        assert orientation.columns(np.zeros((0, 3))).shape == (3, 0)


def test_inner_products_do_not_depend_on_axes() -> None:
    for _ in range(20):
        R, orientation = known_by_directions()
        now, fixed = RNG.normal(size=3), RNG.normal(size=3)
        for one in (orientation, Orientation(R)):
            seen, kept = one.on_body(now, fixed)
            assert seen @ kept == pytest.approx(now @ R @ fixed, abs=16 * EPS)


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_turn_about_direction_is_that_of_the_hinge(k: int, sign: float) -> None:
    R, orientation = known_by_directions()
    assert orientation.directions is not None
    hinge = Revolute(sign * orientation.directions.design[:, k])
    for q in (0.0, 0.3, -2.0, np.pi):
        c = hinge.configuration(np.array([q]))
        behind = hinge.revolve(orientation.directions, c)
        assert behind is not None
        np.testing.assert_allclose(behind.R, R @ hinge.pose(c)[0], rtol=0.0, atol=8 * EPS)


def test_turn_about_anything_else_is_left_to_matrix() -> None:
    _, orientation = known_by_directions()
    assert orientation.directions is not None
    first, second, _ = orientation.directions.design.T
    nearly = first + 1e-12 * second  # its cosine with the direction is 1 in floating point
    for axis in (first + second, nearly):
        assert Revolute(axis).revolve(orientation.directions, np.array((0.6, 0.8))) is None


def test_vector_along_direction_turns_by_three_multiplications() -> None:
    design = a_rotation()

    def along(now: Array) -> dict[str, Array]:
        return {"now": from_directions(Directions(now.reshape(3, 3), design)).rotate(0.7 * design[:, 1])}

    assert trace("along", along, {"now": 9}).n_instructions == 3


@pytest.mark.parametrize("moments", [(2.0, 2.0, 2.0), (2.0, 2.0, 3.0), (1.0, 2.0, 2.5), (0.0, 0.0, 0.0)])
def test_principal_form_is_the_inertia(moments: tuple[float, float, float]) -> None:
    E = a_rotation()
    I = E @ np.diag(moments) @ E.T  # noqa: E741
    form = principal_inertia(0.5 * (I + I.T))
    assert len(form.terms) == len(set(moments)) - 1
    R, orientation = known_by_directions()
    turned = form.rotate(orientation)
    np.testing.assert_allclose(form.matrix, I, rtol=0.0, atol=32 * EPS)
    np.testing.assert_allclose(turned.matrix, R @ I @ R.T, rtol=0.0, atol=64 * EPS)
    omega = RNG.normal(size=3)
    np.testing.assert_allclose(
        turned.gyroscopic(omega), np.cross(omega, R @ I @ R.T @ omega), rtol=0.0, atol=256 * EPS
    )


def test_what_slides_on_a_body_turns_with_it() -> None:
    """The inertia of a sleeve counts at the rod it slides on; the sums are those of the two apart."""
    s = ce.System()
    rod = s.add_body("rod", mass=1.0, inertia=(1.0, 2.0, 2.5), parent=s.ground, hinge=ce.Revolute((0, 1, 0)))
    sleeve = s.add_body(
        "sleeve", mass=2.0, com=(1, 0, 0), inertia=(0.3, 0.4, 0.5), parent=rod, hinge=ce.Prismatic((1, 0, 0))
    )
    lid = s.add_body("lid", mass=1.0, com=(2, 0, 0), inertia=(0.1,) * 3, parent=sleeve, hinge=ce.Fixed())
    s.close_loop("rail", lid, s.ground, ce.Distance((2, 0, 0), (2, 0, 1)))
    (S,) = ce.compile(s).embedding.aggregates
    np.testing.assert_allclose(S.inertia["rod"].matrix, np.diag((1.4, 2.5, 3.1)), rtol=4 * EPS)
    for name in ("sleeve", "lid"):
        np.testing.assert_array_equal(S.inertia[name].matrix, 0.0)
