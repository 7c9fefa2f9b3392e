"""The exact linearisation against differences of the right-hand side."""

from __future__ import annotations

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.models import hmmwv


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
