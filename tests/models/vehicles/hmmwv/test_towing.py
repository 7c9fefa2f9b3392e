"""The HMMWV on a hard, unilateral ground and towing a sledge: loads, accelerations, energy."""

import math

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import ContactRun, Exact, GaussSeidel, simulate_unilateral, uniqueness
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.models.vehicles.towing import SledgeParameters, TowingCase, on_hard_ground, tow

G = 9.81
FAST = GaussSeidel(1e-8)


@pytest.fixture(scope="module")
def alone() -> TowingCase:
    return on_hard_ground()


@pytest.fixture(scope="module")
def towing() -> TowingCase:
    return tow()


def weight_of(case: TowingCase) -> float:
    """Mass of all bodies [kg]."""
    return sum(body.mass for body in case.unilateral.model.system.bodies)


def forces(run: ContactRun, pattern: str) -> Floats:
    """Multipliers of all rows whose name ends so, over time."""
    rows = [name for name in run.results.row.values if str(name).endswith(pattern)]
    return np.asarray(run.results["multiplier"].sel(row=rows).values)


def balance(run: ContactRun) -> float:
    """Change of energy that neither loads nor rows account for, relative to their work."""
    results = run.results
    gain = results["energy"].values - results["energy"].values[0]
    done = results["work"].values + results["contact_work"].values
    scale = np.max(np.abs(results["work"].values)) + np.max(np.abs(results["contact_work"].values))
    return float(np.max(np.abs(gain - done)) / scale)


def test_rows_of_vehicle_agree_with_its_mass_matrix(alone: TowingCase, rng: np.random.Generator) -> None:
    unilateral = alone.unilateral
    model = unilateral.model
    y = alone.y0.copy()
    n_q = len(model.layout.q)
    y[:n_q] += 0.02 * rng.normal(size=n_q)
    y[n_q:] = rng.normal(size=len(y) - n_q)
    y = model.with_unit_quaternions(y)
    stage = unilateral.stage(0.0, y, model.u0)
    q, v, _ = model.layout.split(y)
    # rates that the observer sees are Gᵀ v: two ways through the kinematics
    np.testing.assert_allclose(stage.rate, stage.GT @ v, atol=1e-11)
    dense = np.linalg.solve(model.mass_matrix(q), stage.GT.T).T
    respond = unilateral.compiled.responses(1)
    found = [respond(y, model.u0, row)[0] for row in stage.GT]
    np.testing.assert_allclose(found, dense, rtol=1e-8, atol=1e-12)
    h = 1e-6
    psi = [
        unilateral.stage(
            0.0,
            model.with_unit_quaternions(np.concatenate((q + s * h * unilateral.compiled.rates(q, v)[0], v))),
            model.u0,
        ).psi
        for s in (1.0, -1.0)
    ]
    gaps = unilateral.unilateral
    np.testing.assert_allclose(stage.rate[gaps], ((psi[0] - psi[1]) / (2.0 * h))[gaps], atol=1e-7)


def test_standing_vehicle_carries_its_weight_on_four_wheels(alone: TowingCase) -> None:
    run = simulate_unilateral(alone.unilateral, duration=0.3, y0=alone.y0, solver=FAST)
    loads = forces(run, "normal")[-1]
    np.testing.assert_allclose(np.sum(loads), weight_of(alone) * G, rtol=1e-3)
    np.testing.assert_allclose(loads[0], loads[1], rtol=1e-6)  # left and right
    assert np.all(loads > 4e3)
    assert float(np.max(np.abs(run.results["chassis_z"] - run.results["chassis_z"][0]))) < 1e-3
    assert abs(float(run.results["chassis_x"][-1])) < 1e-3


def test_dropped_vehicle_flies_lands_and_loses_energy(alone: TowingCase) -> None:
    case = on_hard_ground(drop=0.2, restitution=0.2)
    run = simulate_unilateral(case.unilateral, duration=0.9, y0=case.y0, solver=FAST, interval=2e-3)
    flight = math.sqrt(2.0 * 0.2 / G)
    landed = [event.time for event in run.events if event.active][:4]
    np.testing.assert_allclose(landed, flight, atol=0.03)  # springs spread the wheels in flight
    before = run.results["time"].values < min(landed) - 2e-3
    assert np.all(run.results["multiplier"].values[before] == 0.0)
    model = case.unilateral.model
    energy = []
    for k in (0, -1):
        y = state(model_names(case), run, k)
        instant = model.instant(y, model.u0)
        energy.append(float(instant.energy))
    np.testing.assert_allclose(
        energy[0] - energy[1], weight_of(case) * G * 0.2, rtol=0.1
    )  # all of it, nearly
    assert balance(run) < 0.03
    assert float(run.results["gap"].sel(row=[f"{c}.ground.normal" for c in CORNERS]).min()) > -1e-4


def model_names(case: TowingCase) -> list[str]:
    layout = case.unilateral.model.layout
    return [entry.name for entry in (*layout.q, *layout.v)]


def state(names: list[str], run: ContactRun, k: int) -> Floats:
    values = []
    for name in names:
        corner, _, rest = name.partition(".")
        if corner in CORNERS:
            values.append(float(run.results[rest].sel(corner=corner)[k]))
        else:
            values.append(float(run.results[name.replace(".", "_")][k]))
    return np.array(values)


def test_towed_sledge_accelerates_as_the_forces_say(towing: TowingCase) -> None:
    run = simulate_unilateral(towing.unilateral, {"drive": 900.0}, duration=1.0, y0=towing.y0, solver=FAST)
    taut = [event for event in run.events if event.row.startswith("cable")]
    assert {event.row for event in taut} == {"cable.left.tension", "cable.right.tension"}
    assert all(event.active for event in taut[:2])
    late = run.results.isel(time=slice(-40, None))
    speed = late["chassis_vx"].values
    a = (speed[-1] - speed[0]) / float(late.time[-1] - late.time[0])
    total = weight_of(towing)
    along = float(np.mean(np.sum(forces(run, "friction_1")[-40:], axis=1)))
    np.testing.assert_allclose(along, total * a, rtol=1e-2)  # Newton for all of it; the body still sways
    tension = float(np.mean(np.sum(forces(run, "tension")[-40:], axis=1)))
    sledge = SledgeParameters()
    # the cables are not level: friction of the sledge and its load follow from their own balance
    cables = np.arctan2(*reach(towing, late))
    horizontal, vertical = tension * math.cos(cables), tension * math.sin(cables)
    push = sledge.friction * (sledge.mass * G - vertical)
    np.testing.assert_allclose(horizontal - push, sledge.mass * a, rtol=2e-2)
    np.testing.assert_allclose(late["sledge_vx"], late["chassis_vx"], atol=5e-3)
    assert balance(run) < 0.03
    dissipated = run.results["contact_work"].values
    assert np.all(np.diff(dissipated) < 1.0)  # never gains but for errors of first order [J]
    assert float(run.results["gap"].min()) > -1e-4


def reach(case: TowingCase, late: object) -> tuple[float, float]:
    """Height and distance between the ends of a cable, at the end of a run."""
    y = state(model_names(case), type("R", (), {"results": late})(), -1)
    outward = case.unilateral.model.instant(y, case.unilateral.model.u0).outward
    cable = case.unilateral.elements[-1]
    ground = case.unilateral.model.system.ground
    (body, at), (other, other_at) = cable.attachments
    d = outward.point(other, other_at, ground).r - outward.point(body, at, ground).r
    return float(d[2]), float(d[0])


def test_gauss_seidel_agrees_with_exact_solver_on_vehicle() -> None:
    case = tow(friction_kind="box", slack=0.0)
    y, u = case.y0, np.array([900.0])
    for _ in range(2):
        problem = case.unilateral.problem(0.0, y, u, 1e-3)
        swept = GaussSeidel(1e-12, 500_000).solve(problem).require()
        exact = Exact().solve(problem).require()
        np.testing.assert_allclose(swept.w, exact.w, rtol=0.0, atol=1e-8)
        assert not uniqueness(problem, swept).w_unique  # friction: not claimed
        y = case.unilateral.step(0.0, y, u, 1e-3, GaussSeidel(1e-12, 500_000)).y


def test_impossible_data_are_refused() -> None:
    for changes in ({"mass": 0.0}, {"mass": math.nan}, {"friction": -1.0}, {"edges": (1.0, 0.0, 1.0)}):
        with pytest.raises(DataError, match="sledge"):
            SledgeParameters(**changes)
    with pytest.raises(DataError, match="cable_length"):
        tow(cable_length=-1.0)
    with pytest.raises(DataError, match="slack"):
        tow(slack=-0.1)
    with pytest.raises(DataError, match="drop"):
        on_hard_ground(drop=-1.0)
