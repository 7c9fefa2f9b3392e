"""Results: names, units, dimensions, and what a file keeps of them."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.augmented.fully_augmented import FullyAugmented
from ce_dynamics.compiled.variables import Variable, valid_name, variables
from ce_dynamics.contact import RigidStop, UnilateralModel, simulate_unilateral
from ce_dynamics.dynamics.energy import ENERGIES
from ce_dynamics.dynamics.state import Entry
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.forces.base import Observer
from tests.support.systems import four_bar

SIDES = ("left", "right")


def wings() -> ce.System:
    """Two flaps on a carriage, one of them with a trim tab that the other lacks."""
    system = ce.System(gravity=(0, 0, -9.81), name="wings")
    carriage = system.add_body("carriage", mass=5.0, parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    system.add_input("stick", "1", default=0.5)

    def height(body: ce.Body, seen: Observer) -> Scalar:
        return seen.point(body, body.com, system.ground).r[2]

    for side, y in zip(SIDES, (1.0, -1.0), strict=True):
        flap = system.add_body(
            f"{side}.flap", mass=1.0, com=(0, 2 * y, 0), inertia=(0.1, 0.1, 0.2), parent=carriage,
            hinge=ce.Revolute((1, 0, 0), (0, y, 0)),
        )  # fmt: skip
        system.add_force(ce.TorsionSpringDamper(f"{side}.spring", flap, spring=40.0, damper=1.0))
        system.add_output(f"{side}.height", "m", partial(height, flap))
    system.add_body(
        "left.tab", mass=0.1, com=(0, 3, 0), parent="left.flap", hinge=ce.Revolute((1, 0, 0), (0, 2.5, 0))
    )
    system.add_body("rudder", mass=0.1, inertia=(1, 1, 1), parent=carriage, hinge=ce.Revolute((0, 0, 1)))
    system.prescribe("rudder", ce.SecondOrderActuator("stick", 0.4, 6.0))
    system.add_output("top speed", "m/s", lambda seen: seen.rate(carriage))
    system.group("side", SIDES)
    system.start("left.flap", q=0.3)
    return system


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.Model(wings())


@pytest.fixture(scope="module")
def run(model: ce.Model) -> xr.Dataset:
    return ce.simulate(model, duration=1.0, interval=0.1, method="LSODA", audit=True)


def test_every_quantity_has_its_unit_and_dimensions(run: xr.Dataset) -> None:
    found = {name: (values.attrs["units"], values.dims) for name, values in run.items()}
    alone, shared = ("time",), ("time", "side")
    assert found == {
        "carriage": ("m", alone),
        "carriage_rate": ("m/s", alone),
        "flap": ("rad", shared),
        "flap_rate": ("rad/s", shared),
        "left_tab": ("rad", alone),
        "left_tab_rate": ("rad/s", alone),
        "rudder_motion_position": ("rad", alone),
        "rudder_motion_rate": ("rad/s", alone),
        "stick": ("1", alone),
        "height": ("m", shared),
        "top_speed": ("m/s", alone),
        "spring_deflection": ("rad", shared),
        "spring_rate": ("rad/s", shared),
        "spring_load": ("N*m", shared),
        **dict.fromkeys(ENERGIES, ("J", alone)),
        "work": ("J", alone),
    }
    assert run["time"].attrs == {"units": "s"}
    assert run["side"].values.tolist() == list(SIDES)
    assert "closure" not in run.coords


def test_members_of_a_group_are_not_confused(run: xr.Dataset, model: ce.Model) -> None:
    assert run["flap"].sel(side="left")[0] == 0.3
    assert run["flap"].sel(side="right")[0] == 0.0
    assert np.ptp(run["flap"].sel(side="right").values) > 1e-3
    for side in SIDES:
        here = run.sel(side=side)
        np.testing.assert_array_equal(here["spring_deflection"], here["flap"])
        load = -40.0 * here["flap"] - here["flap_rate"]
        np.testing.assert_allclose(here["spring_load"], load, rtol=1e-12, atol=1e-12)


def test_values_are_those_of_the_states_in_time(run: xr.Dataset, model: ce.Model) -> None:
    flaps, rates = run["flap"].values, run["flap_rate"].values
    for k in (0, 4, 10):
        one = run.isel(time=k)
        y = [one["carriage"], flaps[k, 0], flaps[k, 1], one["left_tab"]]
        y += [one["carriage_rate"], rates[k, 0], rates[k, 1], one["left_tab_rate"]]
        y += [one["rudder_motion_position"], one["rudder_motion_rate"]]
        names = [entry.name for entry in (*model.layout.q, *model.layout.v)]
        assert names[1:4] == ["left.flap", "right.flap", "left.tab"]
        instant = model.instant(np.array(y, dtype=float), model.u0)
        assert float(one["energy"]) == pytest.approx(float(instant.energy), rel=1e-12)
        assert float(one["top_speed"]) == float(one["carriage_rate"])
        for side in SIDES:
            flap = model.system.find(f"{side}.flap")
            expected = instant.outward.point(flap, flap.com, model.system.ground).r[2]
            assert float(one["height"].sel(side=side)) == pytest.approx(float(expected), abs=1e-13)


def test_attributes_record_the_computation(run: xr.Dataset) -> None:
    assert run.attrs["system"] == "wings"
    assert run.attrs["method"] == "LSODA"
    assert (run.attrs["rtol"], run.attrs["atol"]) == (1e-6, 1e-8)
    assert run.attrs["evaluations"] > 10
    assert run.attrs["real_time_factor"] == pytest.approx(1.0 / run.attrs["wall_time_s"])
    assert run.attrs["processor_time_s"] > 0.0


def test_a_file_keeps_everything(run: xr.Dataset, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    run.to_netcdf(path, engine="h5netcdf")
    with xr.open_dataset(path, engine="h5netcdf") as kept:
        xr.testing.assert_identical(kept.load(), run)


def test_closure_errors_are_named_by_their_closures(tmp_path: Path) -> None:
    system = four_bar((1.0, 2.0, 1.5, 2.2), 0.8)
    (name,) = [loop.name for loop in system.closures]
    run = ce.simulate(ce.Model(system), duration=0.3, interval=0.1)
    assert run["closure_error"].dims == ("time", "closure")
    assert run["closure_error"].attrs == {"units": "m", "long_name": "loop closure error"}
    assert run["closure"].values.tolist() == [name]
    assert float(run["closure_error"].max()) <= 1e-12
    assert run["closure_error"].shape == (4, 1)
    run.to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as kept:
        xr.testing.assert_identical(kept.load(), run)


def test_closure_errors_are_distances_of_the_cut_points() -> None:
    # A closed form and an iteration leave rounding only, so the reported errors before it are read.
    system = four_bar((1.0, 2.0, 1.5, 2.2), 0.8)
    model = ce.Model(system)
    (loop,) = system.closures
    assert isinstance(loop, LoopClosure)
    instant = model.instant(model.y0, model.u0)
    ends = [
        instant.outward.point(body, at, system.ground).r
        for body, at in ((loop.body_a, loop.closure.at_parent), (loop.body_b, loop.closure.at_child))
    ]
    gap = float(np.linalg.norm(ends[0] - ends[1]))
    assert model.closure_norms(instant)[0] == pytest.approx(gap, abs=1e-13)


def test_variables_keep_the_order_of_the_entries() -> None:
    entries = [Entry(name, "m") for name in ("b", "l.x", "r.x", "a.c", "l.y")]
    assert variables(entries, {"side": ("l", "r")}) == [
        Variable("x", "m", "side", ("l.x", "r.x")),
        Variable("b", "m", None, ("b",)),
        Variable("a_c", "m", None, ("a.c",)),
        Variable("l_y", "m", None, ("l.y",)),
    ]


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (("l.x", "r.x", "x"), {"side": ("l", "r")}),
        (("l.x", "r.x", "f.x", "b.x"), {"side": ("l", "r"), "end": ("f", "b")}),
        (("l.side", "r.side"), {"side": ("l", "r")}),
        (("a.b", "a_b"), {}),
        (("a/b", "a_b"), {}),
    ],
)
def test_variables_that_would_overwrite_each_other_are_refused(
    names: tuple[str, ...], groups: dict[str, tuple[str, ...]]
) -> None:
    with pytest.raises(ce.ModelError, match="results would name both"):
        variables([Entry(name, "m") for name in names], groups)


def test_plain_names() -> None:
    assert valid_name("front arm.motion.rate") == "front_arm_motion_rate"
    assert valid_name("left/arm.motion") == "left_arm_motion"  # NetCDF keeps / for groups


def test_outputs_of_simulator_and_results_share_names(model: ce.Model) -> None:
    """The same steps, so the same numbers up to the order of the last operations of the observation."""
    run = ce.simulate(model, duration=0.2, interval=0.1, method="rk4", step=1e-3)
    simulator = ce.Simulator(model, method="rk4", step=1e-3)
    for _ in range(2):
        simulator.step(0.1)
    outputs = simulator.outputs()
    assert {"left.height", "right.height", "top speed", "energy"} <= set(outputs)
    for name, value in outputs.items():
        found = ce.quantity(run, name)
        assert found.dims == ("time",)
        assert float(found[-1]) == pytest.approx(value, rel=1e-12, abs=1e-15)
    assert float(ce.quantity(run, "left.height")[-1]) != float(ce.quantity(run, "right.height")[-1])


def test_quantities_that_are_not_there_are_named(run: xr.Dataset) -> None:
    with pytest.raises(ce.ModelError, match=r"no quantity 'left\.hight' in the results"):
        ce.quantity(run, "left.hight")
    with pytest.raises(ce.ModelError, match=r"no quantity 'top sped' .* did you mean 'top_speed'"):
        ce.quantity(run, "top sped")
    with pytest.raises(ce.ModelError, match="middle"):
        ce.quantity(run, "middle.height")


# Energies

MASS, SPRING, SPEED, LIFT = 2.0, 50.0, 1.0, 0.3


def oscillator(damper: float = 0.0) -> ce.Model:
    """Return a mass on a vertical spring, whose height has ω = 5 rad/s."""
    system = ce.System(gravity=(0, 0, -9.81))
    mass = system.add_body("mass", mass=MASS, parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    system.add_force(
        ce.SpringDamper("s", system.ground, (0, 0, -3), mass, (0, 0, 0), spring=SPRING, damper=damper)
    )
    system.start(mass, q=LIFT, v=SPEED)
    return ce.compile(system)


def check(run: xr.Dataset, tolerance: float) -> None:
    """Compare with ½ m v², m g z + ½ c z², written out."""
    z, v = run["mass"].values, run["mass_rate"].values
    elastic = 0.5 * SPRING * z**2
    assert np.ptp(elastic) > 1.0
    np.testing.assert_allclose(run["kinetic_energy"].values, 0.5 * MASS * v**2, atol=1e-12)
    np.testing.assert_allclose(run["elastic_energy"].values, elastic, atol=1e-12)
    np.testing.assert_allclose(run["potential_energy"].values, MASS * 9.81 * z + elastic, atol=1e-12)
    total = run["kinetic_energy"].values + run["potential_energy"].values
    np.testing.assert_allclose(run["energy"].values, total, atol=1e-12)
    assert float(np.ptp(run["energy"].values)) < tolerance
    for name in ("kinetic_energy", "potential_energy", "elastic_energy", "energy"):
        assert run[name].attrs["units"] == "J"


@pytest.mark.parametrize("method", ["DOP853", "dopri5", "rk4"])
def test_energy_of_lossless_spring_is_constant(method: Any) -> None:
    """The bound is the accuracy of the methods: rk4 loses (ωh)⁶/72 of 10 J per step, which is 2e-14 J."""
    tight: dict[str, Any] = {"step": 1e-3} if method == "rk4" else {"rtol": 1e-10, "atol": 1e-12}
    run = ce.simulate(oscillator(), duration=2.0, method=method, audit=True, **tight)
    check(run, 1e-8)
    np.testing.assert_allclose(run["work"].values, 0.0, atol=1e-8)


def test_energy_falls_by_what_dampers_take() -> None:
    run = ce.simulate(oscillator(3.0), duration=2.0, method="rk4", step=1e-3, audit=True)
    taken = np.trapezoid(3.0 * run["mass_rate"] ** 2, run["time"])  # 1 % intervals: (ωh)²/12 = 2e-4 off
    assert float(run["energy"][0] - run["energy"][-1]) == pytest.approx(float(taken), rel=1e-3)
    change = run["energy"].values - run["energy"].values[0]
    np.testing.assert_allclose(run["work"].values, change, atol=1e-9)


def test_energies_of_ensembles_equal_single_runs() -> None:
    model = oscillator()
    runs = ce.simulate_ensemble(model, np.tile(model.y0, (2, 1)), duration=1.0, step=1e-3)
    single = ce.simulate(model, duration=1.0, method="rk4", step=1e-3)
    for name in ("kinetic_energy", "potential_energy", "elastic_energy", "energy"):
        np.testing.assert_array_equal(runs[name].isel(run=1), single[name])


def test_energies_of_contact_runs_balance() -> None:
    """Steps of second order: (ωh)² = 2.5e-5 of 10 J."""
    model = oscillator()
    stop = RigidStop("floor", model.system.find("mass"), lower=-2.0)
    unilateral = UnilateralModel(model, [stop])
    run = simulate_unilateral(unilateral, duration=1.0, step=1e-3, order=4).results
    check(run, 1e-3)
    work = run["work"].values + run["contact_work"].values
    np.testing.assert_allclose(work, run["energy"].values - run["energy"].values[0], atol=1e-3)


def test_energies_are_kept_in_files(tmp_path: Path) -> None:
    run = ce.simulate(oscillator(), duration=0.1)
    run.to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as kept:
        assert kept["potential_energy"].attrs["units"] == "J"
        np.testing.assert_array_equal(kept["energy"], run["energy"])


def test_augmented_energy_equals_embedded() -> None:
    model = oscillator()
    full = FullyAugmented(model.system)
    y = full.state_from_embedded(
        model.embedding, np.array([LIFT]), np.array([SPEED]), np.zeros(0), np.zeros(0)
    )
    assert float(full.at(y, np.zeros(0)).energy) == pytest.approx(model.outputs()["energy"], abs=1e-12)


# Dependent hinges


def parallelogram() -> ce.System:
    """A crank of 0.3 m, a rod of 1 m and a rocker that turns as the crank does; the rod turns back."""
    system = ce.System(gravity=(0, -9.81, 0), name="parallelogram")
    z = (0.0, 0.0, 1.0)
    crank = system.add_body("crank", mass=1.0, com=(0, 0.15, 0), parent="ground", hinge=ce.Revolute(z))
    rod = system.add_body("rod", mass=1.0, com=(0.5, 0.3, 0), parent=crank, hinge=ce.Revolute(z, (0, 0.3, 0)))
    rocker = system.add_body(
        "rocker", mass=1.0, com=(1, 0.15, 0), parent="ground", hinge=ce.Revolute(z, (1, 0, 0))
    )
    system.close_loop("pin", rod, rocker, ce.Revolute(z, (1, 0.3, 0)), independent=[crank])
    system.add_input("torque", "N*m", default=0.3)
    system.add_force(ce.AppliedWrench("motor", crank, crank.com, torque=(0, 0, "torque")))
    system.start(crank, v=0.5)
    return system


def check_hinges(run: xr.Dataset) -> None:
    """Compare with the crank: the rod keeps its direction, the rocker moves as the crank does."""
    for name, sign in (("rod", -1.0), ("rocker", 1.0)):
        np.testing.assert_allclose(run[name].values, sign * run["crank"].values, atol=1e-12)
        np.testing.assert_allclose(run[f"{name}_rate"].values, sign * run["crank_rate"].values, atol=1e-12)
        assert run[name].attrs == {"units": "rad"}
        assert run[f"{name}_rate"].attrs == {"units": "rad/s"}


@pytest.mark.parametrize("method", ["RK45", "rk4", "dopri5"])
def test_dependent_hinges_are_recorded_on_request(method: Any) -> None:
    model = ce.compile(parallelogram())
    check_hinges(ce.simulate(model, duration=0.3, method=method, hinges="all"))
    one = ce.simulate(model, duration=0.1, method=method, hinges=["rocker", "crank"])
    assert {"rocker", "rocker_rate"} < set(one)
    assert "rod" not in one
    assert {"rod", "rocker"}.isdisjoint(ce.simulate(model, duration=0.1, method=method))


def test_contact_runs_record_dependent_hinges() -> None:
    model = ce.compile(parallelogram())
    stop = RigidStop("stop", model.system.find("rocker"), upper=0.1)
    run = simulate_unilateral(UnilateralModel(model, [stop]), duration=0.3, hinges=["rod", "rocker"]).results
    check_hinges(run)
    assert float(run["rocker"].max()) == pytest.approx(0.1, abs=1e-4)


def test_prescribed_hinges_and_groups_are_recorded() -> None:
    """A hinge that all members of a group have is one variable over the group, as others are."""
    system = wings()
    for side in SIDES:
        tip = system.add_body(
            f"{side}.tip", mass=0.1, inertia=(1, 1, 1), parent=f"{side}.flap", hinge=ce.Revolute((0, 1, 0))
        )
        system.prescribe(tip, ce.Held(0.2))
    run = ce.simulate(ce.Model(system), duration=0.1, hinges="all")
    assert run["tip"].dims == ("time", "side")
    np.testing.assert_array_equal(run["tip"].values, 0.2)
    np.testing.assert_array_equal(run["rudder"].values, run["rudder_motion_position"].values)


def test_hinges_of_unknown_bodies_are_refused() -> None:
    model = ce.compile(parallelogram())
    with pytest.raises(ce.ModelError, match="'lever'"):
        ce.simulate(model, duration=0.1, hinges=["lever"])


def test_quantity_computes_dependent_hinges_of_a_model(tmp_path: Path) -> None:
    """From a run, a file of it, and an ensemble; torque and states are those that were recorded."""
    model = ce.compile(parallelogram())
    run = ce.simulate(model, {"torque": 1.0}, duration=0.2)
    run.to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as kept:
        for results in (run, kept):
            rate = ce.quantity(results, "rod_rate", model)
            assert (rate.name, rate.attrs, rate.dims) == ("rod_rate", {"units": "rad/s"}, ("time",))
            np.testing.assert_allclose(rate.values, -run["crank_rate"].values, atol=1e-12)
    runs = ce.simulate_ensemble(model, np.outer((1.0, 2.0), model.y0), duration=0.2)
    angle = ce.quantity(runs, "rocker", model)
    assert angle.dims == ("run", "time")
    np.testing.assert_allclose(angle.values, runs["crank"].values, atol=1e-12)
    with pytest.raises(ce.ModelError, match="no quantity 'crank' in the results"):
        ce.quantity(run[["crank_rate", "torque"]], "rod", model)


def test_quantity_names_the_remedy_for_hinges() -> None:
    run = ce.simulate(ce.compile(parallelogram()), duration=0.1)
    with pytest.raises(
        ce.ModelError, match=r"no quantity 'rocker' .*hinges=\"all\".*quantity\(results, 'rocker', model\)"
    ):
        ce.quantity(run, "rocker")
