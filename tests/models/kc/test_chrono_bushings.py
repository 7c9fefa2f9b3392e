"""``Bushing Data`` of Chrono's files on the rig, without a word: arms and tie rods against SciPy's statics.

Balances of both are found to 1e-9 of a newton over stiffness of 1e6 N/m and lengths of a decimetre: 1e-11 is
left of displacements and angles, 1e-6 of forces of kilonewtons.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from ce_dynamics.models import kc
from ce_dynamics.models.kc.force_sweeps import force_sweep_of
from tests.models.kc.bushed_wishbones import BushedWishbones
from tests.models.vehicles.chrono.small_car import files, written


def bushing(along: float, about: float, free: float) -> dict[str, Any]:
    names = ("Stiffness", about), ("Damping", 0.01 * about)
    data: dict[str, Any] = {f"{name} Rotational": value for name, value in names}
    data |= {"Stiffness Linear": along, "Damping Linear": 0.01 * along}
    return data | {"DOF": {"Stiffness Rotational": free, "Damping Rotational": 0.1}}


@cache
def soft_car() -> dict[str, dict[str, Any]]:
    """The small car with bushings in its rear axle."""
    content = files()
    rear = content["car/Suspension.json"]
    content["car/Front.json"] = files()["car/Suspension.json"]
    content["car/Vehicle.json"]["Axles"][0]["Suspension Input File"] = "car/Front.json"
    rear["Lower Control Arm"]["Bushing Data"] = bushing(2e6, 3e3, 60.0)
    rear["Upper Control Arm"]["Bushing Data"] = bushing(1e6, 2e3, 30.0)
    rear["Tierod"] |= {"Mass": 1.0, "Radius": 0.01, "Bushing Data": bushing(3e6, 40.0, 20.0)}
    return content


@pytest.fixture(scope="module")
def elastic(tmp_path_factory: pytest.TempPathFactory) -> kc.Compliance:
    path = written(tmp_path_factory.mktemp("car"), soft_car())
    return kc.compliance_of(path, "rear")


@pytest.mark.parametrize(
    ("kind", "axis", "size", "travel"),
    [("lateral", 1, 3e3, 0.0), ("longitudinal", 0, -2e3, 0.02), ("aligning", 2, 120.0, -0.03)],
)
def test_against_scipy(elastic: kc.Compliance, kind: str, axis: int, size: float, travel: float) -> None:
    by_hand = BushedWishbones(soft_car()["car/Suspension.json"], np.array([-1.2, 0.0, 0.0]))
    load = size * np.eye(3)[axis]
    force, torque = (np.zeros(3), load) if kind == "aligning" else (load, np.zeros(3))
    place = {} if kind == "aligning" else {"place": "centre"}
    sweep = force_sweep_of(kind, [size], travel=(travel, travel), **place)
    found = kc.forced(elastic, sweep).isel(pose=0).sel(side="left")
    W, e, vertical = by_hand.solved(travel, force, torque)
    for k, name in enumerate("xyz"):
        assert float(found[f"wheel_centre_{name}"]) == pytest.approx(W[k], abs=1e-10), name
    assert float(found["toe_angle"]) == pytest.approx(np.arctan2(e[0], e[1]), abs=1e-10)
    assert float(found["camber_angle"]) == pytest.approx(-np.arcsin(e[2]), abs=1e-10)
    assert float(found["vertical_force"]) == pytest.approx(vertical, abs=1e-5)
    assert abs(float(found["toe_angle"])) > 1e-4  # it does yield
