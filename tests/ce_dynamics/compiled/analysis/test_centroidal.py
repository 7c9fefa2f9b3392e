"""Centroidal momentum of a closed chain against sums over its bodies and differences of positions."""

import numpy as np

from ce_dynamics.compiled.model import Model
from tests.support import systems as mechanisms

Q, V = np.array((0.2, -0.1)), np.array((0.7, -1.1))


def test_a_five_bar() -> None:
    """Differences over 2e-5 s lose 1e-10 of second derivatives and 1e-16 / 1e-5 of rounding."""
    model = Model(mechanisms.five_bar())
    found = model.centroidal(Q, V)
    masses = np.array([body.mass for body in model.system.bodies], dtype=float)
    h = 1e-5
    ahead, behind = (model.poses(np.concatenate((Q + s * h * V, V))).positions for s in (1.0, -1.0))
    here = model.poses(np.concatenate((Q, V))).positions
    np.testing.assert_allclose(found.com, masses @ here / masses.sum(), atol=1e-15)
    velocities = (ahead - behind) / (2.0 * h)
    np.testing.assert_allclose(found.h[3:], masses @ velocities, atol=1e-8)
    np.testing.assert_allclose(found.com_velocity, found.h[3:] / masses.sum(), rtol=1e-15)
    linear, angular = model.momentum(Q, V)
    np.testing.assert_allclose(found.h[:3], angular - np.cross(found.com, linear), atol=1e-13)
    np.testing.assert_allclose(found.A @ V + found.drift, found.h, atol=1e-13)
    np.testing.assert_array_equal(found.drift, np.zeros(6))
