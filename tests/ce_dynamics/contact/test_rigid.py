"""Kernels of plain bodies: what impulses do to velocities, by dense algebra."""

from typing import Any

import numpy as np

from ce_dynamics.contact.rigid import responses


def test_responses_are_inverse_mass_matrix_times_the_rows(rng: np.random.Generator) -> None:
    """M = diag(m 1, R I Rᵀ) of every body, inverted by NumPy; rows of no body stay as they are."""
    bodies, per = np.array((1, -1, 0)), 3
    J = rng.normal(size=(len(bodies) * per, 6))
    L = rng.normal(size=(2, 3, 3))
    inertia = L @ L.transpose(0, 2, 1) + np.eye(3)
    mass = np.array((2.0, 5.0))
    out = np.zeros_like(J)
    responses(bodies, per, J, mass, np.linalg.inv(inertia), out)
    for k, b in enumerate(bodies):
        rows = slice(per * k, per * k + per)
        expected: Any = np.zeros((per, 6))
        if b >= 0:
            M = np.zeros((6, 6))
            M[:3, :3], M[3:, 3:] = mass[b] * np.eye(3), inertia[b]
            expected = np.linalg.solve(M, J[rows].T).T
        np.testing.assert_allclose(out[rows], expected, rtol=1e-11, atol=1e-13)
