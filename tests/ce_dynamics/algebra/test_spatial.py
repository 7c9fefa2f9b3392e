"""Spatial algebra against dense linear algebra on explicit 6×6 matrices."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.spatial import (
    IDENTITY,
    blocks,
    phi_force,
    phi_inertia,
    phi_T_motion,
    rigid_inertia,
    rotate_coupling,
    rotate_inertia,
    rotate_symmetric,
    rotate_vector,
    spatial,
    symmetric_from_upper,
    symmetric_product,
)
from tests.ce_dynamics.opaque import Opaque, opaque, reveal

EPS = np.finfo(float).eps


def rotation(rng: np.random.Generator) -> Array:
    return np.asarray(Rotation.from_quat(rng.normal(size=4)).as_matrix())


def symmetric(rng: np.random.Generator, n: int) -> Array:
    A = rng.normal(size=(n, n))
    return np.asarray(A + A.T)


def phi(r: Array) -> Array:
    """φ(p, k) = [[1, r̃], [0, 1]], written out."""
    x, y, z = r
    r_tilde = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.block([[np.eye(3), r_tilde], [np.zeros((3, 3)), np.eye(3)]])


def close(actual: Array, expected: Array, scale: float, operations: float = 40.0) -> None:
    """Equal up to the rounding of so many operations on numbers of this size."""
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=operations * EPS * scale)


def spread(rng: np.random.Generator, sizes: tuple[float, float, float]) -> Array:
    """A symmetric matrix with the given eigenvalues in general directions."""
    Q = rotation(rng)
    A = Q @ np.diag(sizes) @ Q.T
    return np.asarray((A + A.T) / 2.0)


@pytest.mark.parametrize(
    "sizes",
    [
        (1.0, 2.0, 3.0),
        (1e-8, 1.0, 1e8),
        (1e8, 1e8, 1.0),
        (-1.0, 0.0, 1.0),
        (0.0, 0.0, 0.0),
        (1e300, 1e300, 2e300),
    ],
)
def test_symmetric_matrices_rotate(sizes: tuple[float, float, float], rng: np.random.Generator) -> None:
    R, A = rotation(rng), spread(rng, sizes)
    rotated = rotate_symmetric(R, A)
    np.testing.assert_array_equal(rotated, rotated.T)
    close(rotated, R @ A @ R.T, max(map(abs, sizes)))


def test_isotropic_matrices_do_not_rotate(rng: np.random.Generator) -> None:
    np.testing.assert_array_equal(rotate_symmetric(rotation(rng), 0.1 * np.eye(3)), 0.1 * np.eye(3))


def test_couplings_rotate(rng: np.random.Generator) -> None:
    for _ in range(20):
        R, B = rotation(rng), rng.normal(size=(3, 3))
        close(rotate_coupling(R, B), R @ B @ R.T, 3.0)


def test_skew_couplings_stay_exactly_skew(rng: np.random.Generator) -> None:
    x, y, z = rng.normal(size=3)
    B = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    rotated = rotate_coupling(rotation(rng), B)
    np.testing.assert_array_equal(rotated, -rotated.T)


def test_inertias_rotate(rng: np.random.Generator) -> None:
    for _ in range(20):
        R, P = rotation(rng), symmetric(rng, 6)
        RR = block_diag(R, R)
        rotated = rotate_inertia(R, P)
        np.testing.assert_array_equal(rotated, rotated.T)
        close(rotated, RR @ P @ RR.T, 6.0)


def test_vectors_rotate(rng: np.random.Generator) -> None:
    R, f = rotation(rng), rng.normal(size=6)
    close(rotate_vector(R, f), block_diag(R, R) @ f, 3.0)


@pytest.mark.parametrize("lever", [0.0, 1e-6, 1.0, 1e6])
def test_inertias_shift(lever: float, rng: np.random.Generator) -> None:
    """Also indefinite ones: articulated inertias lose positive definiteness to rounding."""
    r, P = lever * rng.normal(size=3), symmetric(rng, 6)
    shifted = phi_inertia(r, P)
    np.testing.assert_array_equal(shifted, shifted.T)
    close(shifted, phi(r) @ P @ phi(r).T, 20.0 * (1.0 + lever) ** 2)


def test_shift_of_rigid_body_is_parallel_axis_theorem(rng: np.random.Generator) -> None:
    r, inertia, mass = rng.normal(size=3), symmetric(rng, 3), 7.0
    shifted = phi_inertia(r, rigid_inertia(mass, inertia))
    close(shifted[:3, :3], inertia + mass * ((r @ r) * np.eye(3) - np.outer(r, r)), 100.0)
    close(shifted[:3, 3:], mass * phi(r)[:3, 3:], 20.0)
    np.testing.assert_array_equal(shifted[3:, 3:], mass * np.eye(3))


def test_shifting_in_two_steps_is_shifting_once(rng: np.random.Generator) -> None:
    r, s, P = rng.normal(size=3), rng.normal(size=3), symmetric(rng, 6)
    close(phi_inertia(s, phi_inertia(r, P)), phi_inertia(r + s, P), 300.0)


def test_forces_and_motions_shift(rng: np.random.Generator) -> None:
    r, f, V = rng.normal(size=3), rng.normal(size=6), rng.normal(size=6)
    close(phi_force(r, f), phi(r) @ f, 10.0)
    close(phi_T_motion(r, V), phi(r).T @ V, 10.0)
    assert phi_force(r, f) @ V == pytest.approx(f @ phi_T_motion(r, V), abs=200.0 * EPS)  # the same power


def test_point_ahead_of_a_turning_body_moves_sideways() -> None:
    """Signs without matrices: turning about z at 1 rad/s, the point 2 m along x moves along y."""
    V = phi_T_motion(np.array((2.0, 0.0, 0.0)), spatial(np.array((0.0, 0.0, 1.0)), np.zeros(3)))
    assert V.tolist() == [0.0, 0.0, 1.0, 0.0, 2.0, 0.0]
    f = phi_force(np.array((2.0, 0.0, 0.0)), spatial(np.zeros(3), np.array((0.0, 1.0, 0.0))))
    assert f.tolist() == [0.0, 0.0, 2.0, 0.0, 1.0, 0.0]


def test_assembly_of_blocks(rng: np.random.Generator) -> None:
    A, B, C = symmetric(rng, 3), rng.normal(size=(3, 3)), symmetric(rng, 3)
    np.testing.assert_array_equal(blocks(A, B, C), np.block([[A, B], [B.T, C]]))
    np.testing.assert_array_equal(rigid_inertia(3.0, A), block_diag(A, 3.0 * np.eye(3)))
    np.testing.assert_array_equal(IDENTITY, np.eye(3))


def test_only_the_upper_triangle_is_read(rng: np.random.Generator) -> None:
    S = symmetric(rng, 4)
    damaged = np.where(np.tri(4, k=-1, dtype=bool), math.nan, S)
    np.testing.assert_array_equal(symmetric_from_upper(damaged), S)


def test_symmetric_product_of_rectangular_factors(rng: np.random.Generator) -> None:
    left = rng.normal(size=(4, 6))
    weight = symmetric(rng, 6)
    product = symmetric_product(left @ weight, left.T)
    np.testing.assert_array_equal(product, product.T)
    close(product, left @ weight @ left.T, 40.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda R, r, P, f: rotate_inertia(R, P),
        lambda R, r, P, f: rotate_vector(R, f),
        lambda R, r, P, f: phi_inertia(r, P),
        lambda R, r, P, f: phi_force(r, f),
        lambda R, r, P, f: phi_T_motion(r, f),
        lambda R, r, P, f: rigid_inertia(f[0], P[:3, :3]),
    ],
    ids=["rotate_inertia", "rotate_vector", "phi_inertia", "phi_force", "phi_T_motion", "rigid_inertia"],
)
def test_spatial_algebra_does_not_look_at_values(
    function: Callable[..., Array], rng: np.random.Generator
) -> None:
    arguments = (rotation(rng), rng.normal(size=3), symmetric(rng, 6), rng.normal(size=6))
    plain = function(*arguments)
    assert plain.dtype == np.float64
    close(reveal(function(*map(opaque, arguments))), plain, 30.0)


def test_symmetric_results_share_their_traced_entries(rng: np.random.Generator) -> None:
    """The lower triangle is the same scalar, not an equal one computed twice."""
    shifted = phi_inertia(opaque(rng.normal(size=3)), opaque(symmetric(rng, 6)))
    assert isinstance(shifted[0, 1], Opaque)
    for i in range(3):
        for j in range(3):
            assert shifted[i, j] is shifted[j, i]
            assert shifted[i, 3 + j] is shifted[3 + j, i]
