"""Energy and momentum of a whole vehicle over a run, powertrain included."""

import numpy as np
import pytest
import xarray as xr

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError
from ce_dynamics.models.vehicles.accounts import EnergyAccount, energy_account, momentum_account
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.campaigns.performance.accounts import SPEED, drive

DURATION = 0.3


@pytest.fixture(scope="module")
def sedan() -> Model:
    return Model(build(VehicleParameters.load("sedan"), speed=SPEED))


@pytest.fixture(scope="module")
def run(sedan: Model) -> xr.Dataset:
    return drive(sedan, 1e-3, DURATION)


@pytest.fixture(scope="module")
def account(sedan: Model, run: xr.Dataset) -> EnergyAccount:
    return energy_account(sedan, run)


def test_all_energy_is_accounted_for(account: EnergyAccount) -> None:
    """RK4 and Simpson's rule at 1 ms: (h ω)⁴/100 of tyres that answer with some 100 rad/s, 1e-6 of turnover.

    Of this the driveline's own remainder is a part: what it delivers is engine less losses.
    """
    assert account.turnover > 2e4
    assert abs(account.residual) < 1e-6 * account.turnover
    assert abs(account.supplied["driveline"]) < 1e-6 * account.turnover
    for loss in ("brake", "tyre", "damper", "converter loss", "shaft loss"):
        assert account.supplied[loss] < 0.0, loss
    assert account.supplied["engine"] > 0.0
    assert abs(account.supplied["spring"]) < 1e-4  # they give back what they take


def test_entries_by_hand(account: EnergyAccount, run: xr.Dataset, sedan: Model) -> None:
    """Brakes take torque times speed of their wheels; motion stores ½ (m v² + Σ J ω²).

    But for pitching: 0.03 rad/s on 0.6 m is 0.02 m/s at the chassis, 3 % of what the vehicle gains.
    """
    t = run["time"].values
    power = (run["brake_torque"] * run["wheel_rate"]).sum("corner").values
    assert account.supplied["brake"] - account.stored["brake"] == pytest.approx(
        -np.trapezoid(power, t), rel=1e-3
    )
    data = VehicleParameters.load("sedan")
    wheels = [float(c.wheel.axis @ c.wheel.inertia @ c.wheel.axis) + 0.4 for c in data.corners.values()]
    v, w = run["speed"].values[[0, -1]], run["wheel_rate"].values[[0, -1]]
    moving = 0.5 * data.mass * v**2 + 0.5 * (w**2 @ np.array(wheels))
    assert account.stored["kinetic"] == pytest.approx(moving[1] - moving[0], rel=0.03)


def test_momentum_is_what_tyres_and_weight_give(sedan: Model, run: xr.Dataset) -> None:
    """The same order; springs, brakes, bars and driveline give nothing, spinning shafts counted."""
    found = momentum_account(sedan, run)
    scale = sum((np.abs(given) for given in found.given.values()), start=np.zeros(6))
    for part in (slice(3), slice(3, 6)):
        assert np.linalg.norm(found.residual[part]) < 1e-6 * np.linalg.norm(scale[part])
    inside = [given for group, given in found.given.items() if group not in ("tyre", "weight", "air")]
    assert len(inside) == 5
    assert max(float(np.abs(given).max()) for given in inside) < 1e-6 * float(np.linalg.norm(scale[:3]))
    assert abs(found.given["tyre"][2]) > 100.0  # it is steered


def test_a_run_of_two_instants_tells_nothing(sedan: Model, run: xr.Dataset) -> None:
    with pytest.raises(ModelError, match="2 instants; it needs three"):
        energy_account(sedan, run.isel(time=[0, 1]))
