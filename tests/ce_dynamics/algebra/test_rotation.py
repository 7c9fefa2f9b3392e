"""Rotations against SciPy's and against what defines them."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import (
    normalise,
    quaternion_rate,
    rotate_about,
    rotation_about,
    rotation_from_quaternion,
    rotation_vector_of,
)
from tests.ce_dynamics.opaque import opaque, reveal

ANGLES = [0.0, 1e-12, 0.3, math.pi / 2.0, math.pi - 1e-12, math.pi, -2.0, 5.0]


def unit(rng: np.random.Generator, n: int) -> Array:
    vector = rng.normal(size=n)
    return np.asarray(vector / np.linalg.norm(vector))


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_about_an_axis_agrees_with_scipy(angle: float, rng: np.random.Generator) -> None:
    axis = unit(rng, 3)
    R = rotation_about(axis, math.cos(angle), math.sin(angle))
    # entries up to 1 out of a handful of products
    np.testing.assert_allclose(R, Rotation.from_rotvec(angle * axis).as_matrix(), rtol=0.0, atol=2e-15)


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_is_proper_and_leaves_its_axis(angle: float, rng: np.random.Generator) -> None:
    axis = unit(rng, 3)
    R = rotation_about(axis, math.cos(angle), math.sin(angle))
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=2e-15)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=2e-15)
    np.testing.assert_allclose(R @ axis, axis, atol=1e-15)


def test_no_rotation_is_exactly_the_identity(rng: np.random.Generator) -> None:
    np.testing.assert_array_equal(rotation_about(np.array((0.0, 1.0, 0.0)), 1.0, 0.0), np.eye(3))
    np.testing.assert_array_equal(rotation_from_quaternion(np.array((1.0, 0.0, 0.0, 0.0))), np.eye(3))


def test_positive_angles_turn_x_towards_y_about_z() -> None:
    z = np.array((0.0, 0.0, 1.0))
    x = np.array((1.0, 0.0, 0.0))
    np.testing.assert_array_equal(rotation_about(z, 0.0, 1.0) @ x, (0.0, 1.0, 0.0))
    np.testing.assert_array_equal(rotate_about(z, 0.0, 1.0, x), (0.0, 1.0, 0.0))
    half = math.sqrt(0.5)
    turned = rotation_from_quaternion(np.array((half, 0.0, 0.0, half))) @ x
    np.testing.assert_allclose(turned, (0.0, 1.0, 0.0), atol=1e-15)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
def test_a_vector_turns_as_by_the_matrix(angle: float, size: float, rng: np.random.Generator) -> None:
    axis, vector = unit(rng, 3), size * unit(rng, 3)
    turned = rotate_about(axis, math.cos(angle), math.sin(angle), vector)
    expected = Rotation.from_rotvec(angle * axis).apply(vector)
    np.testing.assert_allclose(turned, expected, rtol=0.0, atol=2e-15 * size)


def test_quaternions_agree_with_scipy(rng: np.random.Generator) -> None:
    for _ in range(20):
        q = unit(rng, 4)
        expected = Rotation.from_quat(np.roll(q, -1)).as_matrix()  # SciPy: scalar last
        np.testing.assert_allclose(rotation_from_quaternion(q), expected, rtol=0.0, atol=2e-15)
        np.testing.assert_array_equal(rotation_from_quaternion(-q), rotation_from_quaternion(q))


@pytest.mark.parametrize("length", [1e-100, 1e-3, 1.0, 1e100])
def test_normalised_keeps_direction_and_sign(length: float, rng: np.random.Generator) -> None:
    q = unit(rng, 4)
    np.testing.assert_allclose(normalise(length * q), q, rtol=1e-15, atol=1e-15)


def test_quaternion_rate_follows_angular_velocity_in_parent_axes(rng: np.random.Generator) -> None:
    """At constant ω the exact solution is the rotation vector ω t applied from the left."""
    q, omega = unit(rng, 4), rng.normal(size=3)
    start = Rotation.from_quat(np.roll(q, -1))

    def at(t: float) -> Array:
        moved = np.roll((Rotation.from_rotvec(omega * t) * start).as_quat(), 1)
        return np.asarray(moved * np.sign(moved @ q))

    h = 1e-3
    five_point = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    # h⁴ |ω/2|⁵ / 30 + 1.5 ε / h, with |ω| < 4
    np.testing.assert_allclose(quaternion_rate(q, omega), five_point, rtol=0.0, atol=3e-12)


def test_quaternion_rate_keeps_the_length(rng: np.random.Generator) -> None:
    for length in (1e-3, 1.0, 1e3):
        q, omega = length * unit(rng, 4), rng.normal(size=3)
        assert q @ quaternion_rate(q, omega) == pytest.approx(0.0, abs=4e-15 * length**2)


def test_quaternion_rate_is_linear_in_both(rng: np.random.Generator) -> None:
    q, omega = unit(rng, 4), rng.normal(size=3)
    # powers of two: exact
    np.testing.assert_array_equal(quaternion_rate(2.0 * q, 4.0 * omega), 8.0 * quaternion_rate(q, omega))


def test_rotations_do_not_look_at_values(rng: np.random.Generator) -> None:
    axis, q, omega = unit(rng, 3), unit(rng, 4), rng.normal(size=3)
    c, s = opaque(np.array((0.6, 0.8)))
    for plain, traced in (
        (rotation_about(axis, 0.6, 0.8), rotation_about(axis, c, s)),
        (rotation_about(axis, 0.6, 0.8), rotation_about(opaque(axis), c, s)),
        (rotate_about(axis, 0.6, 0.8, omega), rotate_about(axis, c, s, opaque(omega))),
        (normalise(q), normalise(opaque(q))),
        (rotation_from_quaternion(q), rotation_from_quaternion(opaque(q))),
        (quaternion_rate(q, omega), quaternion_rate(opaque(q), omega)),
    ):
        assert plain.dtype == np.float64
        np.testing.assert_allclose(reveal(traced), plain, rtol=0.0, atol=1e-15)


def test_rotation_vectors_of_any_angle_are_scipys() -> None:
    """Random rotations, half turns about any axis, whose sign is open, and rotations near none."""
    rng = np.random.default_rng(2)
    for angle in (0.0, 1e-9, 0.3, 2.9, math.pi - 1e-9, math.pi):
        for axis in (*np.eye(3), *rng.standard_normal((4, 3))):
            R = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
            found, expected = rotation_vector_of(R), Rotation.from_matrix(R).as_rotvec()
            if angle == math.pi and found @ expected < 0.0:
                found = -found
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=4e-15)
    assert np.isnan(rotation_vector_of(np.full((3, 3), np.nan))).all()
