"""The Jacobians of the vehicle: by themselves, and with a driver's law in them, as SciPy gets them."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.models import hmmwv
from ce_dynamics.simulation.integrators import scipy_jacobian
from ce_dynamics.simulation.integrators.scipy_jacobian import DenseJacobian, sparse_jacobian_of
from ce_dynamics.simulation.right_hand_side import RightHandSide


@cache
def vehicle() -> tuple[Model, Floats]:
    model = Model(hmmwv.build(speed=12.0))
    return model, hmmwv.settle(model)


def test_the_vehicles_jacobian_is_its_derivative(rng: np.random.Generator) -> None:
    model, settled = vehicle()
    y, u = (
        settled + 1e-4 * rng.standard_normal(len(settled)),
        model.inputs_with(inputs={"steering": 0.1, "throttle": 0.3}),
    )
    J = model.jacobian(y, u)
    h = 1e-6
    f = model.dynamics
    columns = [(f(y + e, u)[0] - f(y - e, u)[0]) / (2.0 * h) for e in h * np.eye(len(y))]
    # rounding of the accelerations over h, and h² times third derivatives: relative to the largest of a row
    error = np.abs(J - np.array(columns).T) / np.maximum(1.0, np.abs(J).max(axis=1, keepdims=True))
    assert np.max(error) < 1e-6
    assert np.max(np.abs(J)) > 1e3


class Listening:
    def inputs(self, t: Any, sensors: Any) -> Any:
        return {
            "steering": -0.3 * sensors["y"] - 0.1 * sensors["yaw_rate"] * t,
            "throttle": 0.1 * sensors["vx"],
        }


def test_scipy_gets_derivative_with_law_in_it(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, settled = vehicle()
    y = settled + 1e-4 * rng.standard_normal(len(settled))
    rhs = RightHandSide(model, Listening(), audit=True)
    J = sparse_jacobian_of(rhs)(0.7, np.append(y, 5.0)).toarray()
    # the same products, summed in another order
    np.testing.assert_allclose(
        DenseJacobian(rhs)(0.7, np.append(y, 5.0)), J, rtol=1e-12, atol=1e-14 * np.abs(J).max()
    )
    monkeypatch.setattr(scipy_jacobian, "LARGE", 0)  # column by column
    columnwise = sparse_jacobian_of(rhs)(0.7, np.append(y, 5.0)).toarray()
    np.testing.assert_allclose(columnwise, J, rtol=1e-12, atol=1e-12 * np.abs(J).max())
    assert J.shape == (len(y) + 1, len(y) + 1)
    assert not np.any(J[-1])
    assert not np.any(J[:, -1])
    h = 1e-6
    columns = [(rhs(0.7, y + e) - rhs(0.7, y - e))[:-1] / (2.0 * h) for e in h * np.eye(len(y))]
    J = J[:-1, :-1]
    error = np.abs(J - np.array(columns).T) / np.maximum(1.0, np.abs(J).max(axis=1, keepdims=True))
    assert np.max(error) < 1e-6
