"""Vehicles on roads: rough ones, edges, banks, the end of the map, grades up to the limit of friction."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.errors import DataError, SimulationError
from ce_dynamics.models.parts.roads.surfaces import InclinedRoad
from ce_dynamics.models.vehicles import equilibrium
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.summary import summarise


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map of 30 m, uneven from 5 m on."""
    rng = np.random.default_rng(3)
    z = 0.004 * rng.normal(size=(121, 17)) * np.clip((np.arange(121) - 60.0) / 20.0, 0.0, 1.0)[:, None]
    path = tmp_path_factory.mktemp("roads") / "short.npz"
    np.savez(path, x=np.arange(121) * 0.25 - 10.0, y=np.arange(17) * 0.25 - 2.0, z=z)
    return path


def test_end_of_map_ends_the_run_by_name(short: Path) -> None:
    case = prepare("straight", model="sedan", speed=20.0, duration=3.0, road=str(short))
    where = r"\(x from -30 to 20 m, y from -2 to 2 m\)"
    with pytest.raises(
        SimulationError, match=rf"'front_\w+\.tyre' has left the road 'short.npz' {where} at t = "
    ) as found:
        case.simulate(method="dopri5", rtol=1e-5)
    kept = found.value.partial
    assert isinstance(kept, xr.Dataset)
    # the front wheels are 1.4 m ahead of the reference point; the map ends at x = 20 m
    assert 17.5 < float(kept["x"][-1]) < 19.0
    assert float(kept["tyre_road_margin"].min()) >= 0.0
    assert float(np.ptp(kept["tyre_road_height"].values)) > 0.002
    figures = {figure.key: figure.value for figure in summarise(kept).figures}
    assert 0.01 < figures["weighted_vertical_acceleration"] < 2.0
    # a vehicle that looks for its equilibrium by falling rolls off the road within 4 s: it falls at rest
    fallen = equilibrium.left_to_fall(case.model, None, case.model.y0)
    names = [entry.name for entry in (*case.model.layout.q, *case.model.layout.v, *case.model.layout.x)]
    for name in ("chassis.x", "chassis.vx"):
        assert fallen[names.index(name)] == case.model.y0[names.index(name)]
    loads = [value for name, value in case.model.outputs(fallen).items() if name.endswith("tyre.Fz")]
    at_start = [value for name, value in case.model.outputs(case.y0).items() if name.endswith("tyre.Fz")]
    assert loads == pytest.approx(at_start, rel=0.1)  # it has not quite come to rest


def test_kerbs_are_climbed() -> None:
    """Both axles go up 0.1 m; no wheel feels more than four times its load, and energy goes with work."""
    case = prepare("straight", model="sedan", speed=5.0, duration=3.0, road="kerb:height=0.1,position=4")
    run = case.simulate(method="dopri5", rtol=1e-5)
    load = run["tyre_Fz"].values
    assert load.max() < 4.0 * load[0].max()
    rise = run["tyre_road_height"].values[-1] - run["tyre_road_height"].values[0]
    np.testing.assert_allclose(rise, 0.1, atol=2e-3)
    imbalance = run["energy"] - run["energy"][0] - run["work"]
    assert float(abs(imbalance).max()) < 1e-4 * float(run["energy"][0])


def test_a_vehicle_starts_upright_on_a_bank() -> None:
    data = VehicleParameters.load("sedan")
    for grade, bank in ((0.05, 0.1), (-0.2, 0.05), (0.0, -0.3)):
        model = ce.compile(build(data, road=InclinedRoad(0.8, grade, bank), speed=10.0))
        y0 = dict(zip([entry.name for entry in (*model.layout.q, *model.layout.v)], model.y0, strict=False))
        w, x, y, z = (y0[f"chassis.q{k}"] for k in "wxyz")
        up = (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))
        n = np.asarray(InclinedRoad(0.8, grade, bank).normal(0.0, 0.0), dtype=float)
        np.testing.assert_allclose(up, n, atol=1e-15)
        v = np.array([y0[f"chassis.v{k}"] for k in "xyz"])
        assert np.linalg.norm(v) == pytest.approx(10.0, rel=1e-12)
        assert abs(v @ n) < 1e-12


def test_what_a_manoeuvre_stands_on_stays() -> None:
    case = prepare(
        "stand-still", model="sedan", duration=1.0, options={"grade": 0.1}, road="bump:position=50"
    )
    road = next(force.road for force in case.model.system.forces if hasattr(force, "road"))
    assert road.height(10.0, 0.0) == pytest.approx(1.0, rel=1e-12)
    assert road.height(51.0, 0.0) == pytest.approx(5.2, rel=1e-12)
    with pytest.raises(DataError, match="leave the road out"):
        prepare(model="ride", road="flat")
    with pytest.raises(DataError, match="no road 'moon'"):
        prepare("straight", model="sedan", road="moon")


def test_parked_on_grades_up_to_limit_of_friction() -> None:
    """A vehicle whose brakes hold swings on its tyres and stays; beyond what friction holds it slides."""
    drifts = []
    for grade in (0.3, 0.5):
        case = prepare("stand-still", model="sedan", duration=2.5, options={"grade": grade})
        run = case.simulate(method="dopri5", rtol=1e-5)
        late = run.isel(time=run["time"] > 1.8)
        assert float(abs(late["speed"]).max()) < 0.2
        assert float(abs(late["x"] - late["x"][-1]).max()) < 0.02
        imbalance = run["energy"] - run["energy"][0] - run["work"]
        assert float(abs(imbalance).max()) < 1.0
        drifts.append(abs(float(run["x"][-1] - run["x"][0])))
    assert drifts[0] < drifts[1] < 0.2
    case = prepare("stand-still", model="sedan", duration=2.0, options={"grade": 0.5, "friction": 0.3})
    lost = case.simulate(method="dopri5", rtol=1e-5)
    assert float(lost["x"][-1]) < -1.0
