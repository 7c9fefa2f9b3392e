"""Derivatives of curves: against differences of the rig, and of SciPy's constraint solves."""

import numpy as np
import pytest

from ce_dynamics.errors import AssemblyError, CeDynamicsError, DataError, SingularityWarning
from ce_dynamics.models import kc
from ce_dynamics.models.kc.sensitivities import Sensitivities
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.kc.rods import Floats
from tests.models.kc.test_against_constraints import carriers

FREE = ["front.L.z", "front.D.y", "front.upper_arm.front_pivot.x", "front.spring.linear", "front_left.W.x"]
TRAVEL = np.array([(-0.07, -0.07), (-0.02, 0.06), (0.05, 0.05)])
LOCK = np.array([0.0, 0.5, -0.2])


@pytest.fixture(scope="module")
def rig() -> kc.KCRig:
    return kc.rig_of("sedan", "front", free=FREE)


def test_every_figure_by_parameters_of_every_kind(rig: kc.KCRig) -> None:
    """Central differences of order four, h = 0.1 mm or 1e-4 of the value: h⁴ f⁽⁵⁾/30 < 1e-8 and rounding of
    1e-12 over h where figures divide by what is small; so 1e-6 of the largest derivative of a figure."""
    names = [quantity.name for quantity in rig.quantities]
    figures = Sensitivities(rig, names)
    found = figures.at(rig.solve_poses(TRAVEL, LOCK))
    read = rig.read(rig.solve_poses(TRAVEL, LOCK))
    for name, place in figures.places.items():
        np.testing.assert_allclose(
            np.squeeze(found.values[:, place]), read[name], rtol=1e-10, atol=1e-10, equal_nan=True
        )
    for column, name in enumerate(rig.parameters):
        h = 1e-4 * max(1.0, abs(rig.nominal[name]))
        a, b, c, d = (
            figures.at(rig.solve_poses(TRAVEL, LOCK, {name: rig.nominal[name] + k * h})).values
            for k in (-2, -1, 1, 2)
        )
        slopes = (a - 8.0 * b + 8.0 * c - d) / (12.0 * h)
        for figure, place in figures.places.items():
            ours, theirs = found.by_parameters[:, place, column], slopes[:, place]
            finite = np.isfinite(theirs)
            size = np.max(
                np.abs(theirs[finite]),
                initial=1e-3 * np.max(np.abs(found.values[:, place][finite]), initial=1.0),
            )
            assert np.all(np.abs(ours - theirs)[finite] < 1e-6 * size), (figure, name)
            if figure not in (
                "ackermann_percentage",
                "ackermann_error",
                "ideal_outer_angle",
                "turning_diameter",
            ):
                assert np.all(finite), figure


def test_bump_steer_by_a_hardpoint_against_scipy(rig: kc.KCRig) -> None:
    """The tie rod's inner end raised by ± h, solved from hardpoints alone: 1e-13/h + h² f‴/6."""
    data = VehicleParameters.load("sedan")
    travel = np.array([-0.05, 0.04])
    found = kc.sensitivities(rig, "parallel", travel, quantities=["toe_angle"])["toe_angle"]
    h = 1e-4

    def toe(dz: float) -> Floats:
        carrier = carriers(data, "front")[0]
        carrier.anchors = carrier.anchors + np.outer((0, 0, 0, 0, 1), (0, 0, dz))
        carrier.now = carrier.anchors
        turned = [carrier.solved(z).R @ carrier.wheels[0].e for z in travel]
        return np.array([np.arctan2(e[0], e[1]) for e in turned])

    slopes = (toe(-2 * h) - 8 * toe(-h) + 8 * toe(h) - toe(2 * h)) / (12 * h)
    np.testing.assert_allclose(found.sel(side="left", parameter="front.L.z"), slopes, atol=1e-8)


def test_end_of_travel_is_reported_with_its_place(rig: kc.KCRig) -> None:
    """Derivatives by z of a pose before a fold go with 1/√(z_e − z): two of them tell z_e.

    z_e − z is 0.05 and 0.1 mm of 300: what is left of the root's series, 3e-4 in 1e-2, is 1e-5 m of it."""
    end = kc.ends_of_travel(rig)[1]
    assert end is not None
    travel = end.value - np.array([1e-4, 5e-5])
    with pytest.warns(SingularityWarning, match=rf"travel ends at {str(1e3 * end.value)[:6]}.* no higher"):
        found = kc.sensitivities(rig, "parallel", travel, quantities=["camber_angle"])
    assert np.all(found["condition"] > 10.0)
    slope = found["camber_angle"].sel(side="left", parameter="front.D.y").values
    ratio = (slope[1] / slope[0]) ** 2
    assert (ratio * travel[1] - travel[0]) / (ratio - 1.0) == pytest.approx(end.value, abs=1e-5)
    with pytest.raises(AssemblyError, match=r"no higher"):
        kc.sensitivities(rig, "parallel", [end.value + 1e-6], quantities=["camber_angle"])


def test_only_the_own_side_feels_its_hardpoint(rig: kc.KCRig) -> None:
    found = kc.sensitivities(rig, "left", [0.03], quantities=["toe_angle", "track"])
    by = found["toe_angle"].sel(parameter="front_left.W.x").values[0]
    assert by[0] != 0.0
    assert by[1] == 0.0
    assert found["track"].dims == ("pose", "parameter")


def test_mistakes_are_named(rig: kc.KCRig) -> None:
    with pytest.raises(DataError, match="no free parameters"):
        kc.sensitivities(kc.rig_of("sedan", "rear"), "parallel", quantities=["toe_angle"])
    with pytest.raises(DataError, match="nothing"):
        kc.sensitivities(rig, "parallel", quantities=["nothing"])
    with pytest.raises(DataError, match=r"quantities is empty; give at least one of \['toe_angle'"):
        kc.sensitivities(rig, "parallel", quantities=[])
    with pytest.raises(CeDynamicsError, match="no parameter"):
        rig.solve_poses(TRAVEL, LOCK, {"rear.D.x": 0.0})
    with pytest.raises(CeDynamicsError, match=r"front\.D\.y"):
        rig.solve_poses(TRAVEL, LOCK, {"front.D.y": float("nan")})
