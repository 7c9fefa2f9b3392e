"""``Bushing Data`` of Chrono's files on the rig, without a word: arms and tie rods against SciPy's statics.

Balances of both are found to 1e-9 of a newton over stiffness of 1e6 N/m and lengths of a decimetre: 1e-11 is
left of displacements and angles, 1e-6 of forces of kilonewtons.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models import kc
from ce_dynamics.models.kc.force_sweeps import force_sweep_of
from tests.models.kc.bushed_wishbones import BushedWishbones
from tests.models.kc.rods import Floats
from tests.models.vehicles.chrono.small_car import files, written
from tests.support.differences import compared

FREE = [*(f"rear.lower_arm_bushing.{axis}.stiffness" for axis in "xyz"), "rear.K.z", "rear.spring.linear"]
ORIGIN = np.array([-1.2, 0.0, 0.0])


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
    return kc.compliance_of(path, "rear", free=FREE)


@pytest.mark.parametrize(
    ("kind", "axis", "size", "travel"),
    [("lateral", 1, 3e3, 0.0), ("longitudinal", 0, -2e3, 0.02), ("aligning", 2, 120.0, -0.03)],
)
def test_against_scipy(elastic: kc.Compliance, kind: str, axis: int, size: float, travel: float) -> None:
    by_hand = BushedWishbones(soft_car()["car/Suspension.json"], ORIGIN)
    load = size * np.eye(3)[axis]
    force, torque = (np.zeros(3), load) if kind == "aligning" else (load, np.zeros(3))
    place = {} if kind == "aligning" else {"place": "centre"}
    sweep = force_sweep_of(kind, [size], travel=(travel, travel), **place)
    found = kc.force_sweep(elastic, sweep).isel(pose=0).sel(side="left")
    W, e, vertical = by_hand.solved(travel, force, torque)
    for k, name in enumerate("xyz"):
        assert float(found[f"wheel_centre_{name}"]) == pytest.approx(W[k], abs=1e-10), name
    assert float(found["toe_angle"]) == pytest.approx(np.arctan2(e[0], e[1]), abs=1e-10)
    assert float(found["camber_angle"]) == pytest.approx(-np.arcsin(e[2]), abs=1e-10)
    assert float(found["vertical_force"]) == pytest.approx(vertical, abs=1e-5)
    assert abs(float(found["toe_angle"])) > 1e-4  # it does yield


@pytest.mark.parametrize(("free", "part", "step"), [(FREE[:3], "k", 2e4), (FREE[3:4], "K", 1e-4)])
def test_derivatives_against_scipy(elastic: kc.Compliance, free: list[str], part: str, step: float) -> None:
    """Derivatives of the balance by all three stiffnesses of a bushing together, and by a hardpoint.

    Solutions are right to 1e-12 m, over 2e4 N/m or 1e-4 m; steps of a hundredth leave 1e-8 in order four.
    The axis of the bushing inside, which the file writes in numbers, stays where it is.
    """
    load, sizes = np.array([500.0, 2e3, 0.0]), (1e-16, 1e-8)
    words = soft_car()["car/Suspension.json"]

    one = BushedWishbones(words, ORIGIN)
    K, data = one.K, list(one.data)

    def by_hand(x: float) -> Floats:
        one.K, one.data = K, [*data]
        if part == "k":
            soft = words["Lower Control Arm"]["Bushing Data"]
            one.data[0] = soft | {"Stiffness Linear": soft["Stiffness Linear"] + x}
        else:
            one.K = K + (0.0, 0.0, x)
        W, e, _ = one.solved(0.01, load, np.zeros(3))
        return np.array([*W, np.arctan2(e[0], e[1])])

    by = [(by_hand(n * step) - by_hand(-n * step)) / (2.0 * n * step) for n in (1.0, 2.0)]
    wheels = np.zeros((2, 9))
    wheels[0, :3] = load
    changes = kc.ComplianceSensitivities(elastic)
    found = changes.at(elastic.rig.solve_poses([[0.01, 0.0]])[0], wheels)
    names = [*(f"wheel_centre_{axis}" for axis in "xyz"), "toe_angle"]
    left = [2 * changes.names.index(name) for name in names]
    columns = [elastic.rig.parameters.index(name) for name in free]
    expected = (4.0 * by[0] - by[1]) / 3.0
    np.testing.assert_allclose(
        found.figures[left][:, columns].sum(axis=1), expected, rtol=1e-6, atol=sizes[part == "K"]
    )


@pytest.mark.parametrize("hold", ["height", "load"])
def test_the_matrix_and_the_loads_by_parameters(elastic: kc.Compliance, hold: str) -> None:
    """Against differences that know how far they can be trusted, of the matrix and of the vertical forces."""
    changes, wheels = kc.ComplianceSensitivities(elastic), np.zeros((2, 9))
    wheels[:, 3:5] = (800.0, -1500.0), (800.0, 1000.0)

    def pose(**parameters: float) -> Floats:
        found: Floats = elastic.rig.solve_poses([[0.01, -0.02]], parameters=parameters)[0]
        return found

    found = changes.at(pose(), wheels, vertical=hold)
    for k, name in enumerate(elastic.rig.parameters[-2:], len(elastic.rig.parameters) - 2):
        value = elastic.rig.nominal[name]

        def values(x: float, name: str = name, value: float = value) -> Floats:
            c = pose(**{name: value + x})
            now = elastic.at(c, wheels, elastic.at(c).preload if hold == "load" else None)
            return np.concatenate((now.C.ravel(), now.preload))

        exact = np.concatenate((found.C[k].ravel(), found.vertical[:, k]))
        sizes = np.concatenate((np.full(144, np.max(np.abs(found.now.C))), np.full(2, 1e4)))
        parts = exact[:144], exact[144:]
        least = 1e-4 * np.concatenate([np.full(len(x), np.max(np.abs(x))) for x in parts])
        verdict = compared([str(j) for j in range(146)], exact, values, 1e-3 * abs(value), least, sizes)
        assert not verdict.wrong
        assert verdict.compared > 20


def test_without_free_parameters_there_are_no_derivatives() -> None:
    none: Any = object.__new__(kc.Compliance)
    none.rig = SimpleNamespace(parameters=())
    with pytest.raises(DataError, match="name some by compliance_of"):
        kc.ComplianceSensitivities(none)
