"""FMUs as FMPy sees them: valid, with the library's numbers, their states saved, two at a time."""

import ctypes
import importlib.util
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.export import cross_compiler
from ce_dynamics.compiled.export.fmu_description import base_unit

fmpy = pytest.importorskip("fmpy", reason="the extra fmi is not installed")
pytest.importorskip("ziglang", reason="the extra fmi is not installed")

from tests.campaigns import emulated  # noqa: E402  # which needs FMPy
from tests.support import sampled  # noqa: E402
from tests.support.on_charts import five_bars  # noqa: E402

ARM = emulated.EMULATORS["aarch64-linux"]

HOST = fmpy.platform_tuple
KINDS = ("2.0", "3.0")


def pendulum() -> ce.System:
    """A slider-crank with a free mass and a driving torque."""
    system = ce.System(name="slider crank", gravity=(0, 0, -9.81))
    y = (0, 1, 0)
    mass = system.add_parameter(ce.Parameter("piston mass", 1.5, "kg"))
    solid = (0.01, 0.01, 0.01)
    crank = system.add_body(
        "crank", mass=1.0, com=(0.05, 0, 0), inertia=solid, parent=system.ground, hinge=ce.Revolute(y)
    )
    rod_pin = ce.Revolute(y, at=(0.1, 0, 0.05))
    rod = system.add_body("rod", mass=0.5, com=(0.2, 0, 0), inertia=solid, parent=crank, hinge=rod_pin)
    slide = ce.Prismatic((1, 0, 0))
    piston = system.add_body(
        "piston", mass=mass, com=(0.5, 0, 0), inertia=solid, parent=system.ground, hinge=slide
    )
    system.close_loop("pin", rod, piston, ce.Revolute(y, at=(0.5, 0, 0)), independent=[crank])
    system.add_input("torque", "N m")
    system.add_force(ce.Actuator("motor", crank, command="torque"))
    system.add_output("stroke", "m", lambda o: o.point(piston, piston.com, system.ground).r[0])
    return system


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(pendulum())


@pytest.fixture(scope="module")
def fmus(model: ce.Model, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    where = tmp_path_factory.mktemp("fmu")
    return {
        fmi: ce.export_fmu(model, where / f"crank{fmi}.fmu", fmi=fmi, platforms=[HOST], sources=True)
        for fmi in KINDS
    }


@pytest.mark.parametrize("fmi", KINDS)
def test_it_is_valid(fmus: dict[str, Path], fmi: str) -> None:
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(fmus[fmi])) == []


@pytest.mark.parametrize("fmi", KINDS)
def test_names_units_and_values_are_those_of_model(model: ce.Model, fmus: dict[str, Path], fmi: str) -> None:
    described = fmpy.read_model_description(str(fmus[fmi]))
    found = {v.name: v for v in described.modelVariables}
    for entry in model.entries:
        assert found[entry.name].unit == entry.unit
    assert float(found["piston mass"].start) == 1.5
    assert (found["piston mass"].causality, found["piston mass"].variability) == ("parameter", "tunable")
    assert found["torque"].causality == "input"
    assert found["der(crank)"].derivative.name == "crank"


@pytest.mark.parametrize("fmi", KINDS)
def test_units_are_written_in_base_units(fmus: dict[str, Path], fmi: str) -> None:
    described = fmpy.read_model_description(str(fmus[fmi]))
    bases = {unit.name: unit.baseUnit for unit in described.unitDefinitions}
    names = ("kg", "m", "s", "rad", "A")
    found = {name: tuple(getattr(base, part) for part in names) for name, base in bases.items()}
    assert found == {
        "s": (0, 0, 1, 0, 0),
        "m": (0, 1, 0, 0, 0),
        "kg": (1, 0, 0, 0, 0),
        "rad": (0, 0, 0, 1, 0),
        "rad/s": (0, 0, -1, 1, 0),
        "rad/s²": (0, 0, -2, 1, 0),
        "N m": (1, 2, -2, 0, 0),
        "N*m": (1, 2, -2, 0, 0),
        "J": (1, 2, -2, 0, 0),
    }
    assert all(base.factor == 1.0 and base.offset == 0.0 for base in bases.values())


def test_units_of_other_sizes_have_a_factor() -> None:
    assert base_unit("kN/mm") == {"kg": "1", "s": "-2", "factor": "1000000.0"}
    assert base_unit("1") == {}
    assert base_unit("furlong") is None


@pytest.mark.parametrize("fmi", KINDS)
def test_co_simulation_is_rk4(model: ce.Model, fmus: dict[str, Path], fmi: str) -> None:
    """The same steps, but for fused multiply-adds: a few rounding errors per step."""
    given = {"piston mass": 1.8, "torque": 2.0}
    found = fmpy.simulate_fmu(
        str(fmus[fmi]),
        fmi_type="CoSimulation",
        stop_time=1.0,
        output_interval=0.01,
        start_values=given,
        output=["crank", "stroke", "closure_error"],
    )
    run = ce.simulate(
        model, {"torque": 2.0}, duration=1.0, method="rk4", step=1e-3, parameters={"piston mass": 1.8}
    )
    np.testing.assert_allclose(found["crank"], run["crank"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found["stroke"], run["stroke"], rtol=0, atol=1e-11)
    assert found["closure_error"].max() < 1e-12
    assert np.ptp(found["stroke"]) > 0.1


@pytest.mark.parametrize("fmi", KINDS)
def test_model_exchange_agrees_within_the_importers_tolerance(
    model: ce.Model, fmus: dict[str, Path], fmi: str
) -> None:
    found = fmpy.simulate_fmu(
        str(fmus[fmi]),
        fmi_type="ModelExchange",
        stop_time=1.0,
        output_interval=0.01,
        solver="CVode",
        relative_tolerance=1e-12,
        start_values={"torque": 2.0},
        output=["stroke"],
    )
    run = ce.simulate(model, {"torque": 2.0}, duration=1.0, method="DOP853", rtol=1e-12, atol=1e-13)
    # 1e-12 per step in some thousand steps of either method
    np.testing.assert_allclose(found["stroke"], run["stroke"], rtol=0, atol=5e-9)


def dependencies(path: Path, fmi: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return the dependencies of outputs, rates and initial unknowns by name, with their kinds."""
    described = fmpy.read_model_description(str(path))
    groups = {
        "outputs": described.outputs,
        "rates": described.derivatives,
        "initially": described.initialUnknowns,
    }
    return {
        group: {
            unknown.variable.name: {
                known.name: kind
                for known, kind in zip(unknown.dependencies, unknown.dependenciesKind, strict=True)
            }
            for unknown in unknowns
        }
        for group, unknowns in groups.items()
    }


@pytest.mark.parametrize("fmi", KINDS)
def test_what_depends_on_what(fmus: dict[str, Path], fmi: str) -> None:
    """By hand: the crank's place determines the piston's, all but that how it is accelerated."""
    found = dependencies(fmus[fmi], fmi)
    assert found["rates"]["der(crank)"] == {"crank_rate": "constant"}
    moving = {"crank": "dependent", "crank_rate": "dependent", "torque": "dependent"}
    assert found["rates"]["der(crank_rate)"] == moving
    assert found["initially"]["der(crank_rate)"] == {**moving, "piston mass": "dependent"}
    assert found["outputs"]["stroke"] == {"crank": "dependent"}
    assert found["initially"]["stroke"] == {"crank": "dependent"}
    assert set(found["outputs"]["closure_error"]) == {"crank"}


class Instances:
    """Instances of one FMU, by whichever version of FMI."""

    def __init__(self, path: Path, fmi: str, folder: Path) -> None:
        self.described = fmpy.read_model_description(str(path))
        self.folder = fmpy.extract(str(path), unzipdir=str(folder))
        self.fmi = fmi
        self.references = {v.name: v.valueReference for v in self.described.modelVariables}
        self.open: list[Any] = []

    def new(self, **start: float) -> Any:
        kind = fmpy.fmi2.FMU2Slave if self.fmi == "2.0" else fmpy.fmi3.FMU3Slave
        token = self.described.guid or self.described.instantiationToken
        identifier = self.described.coSimulation.modelIdentifier
        instance = kind(
            guid=token, instanceName="one", modelIdentifier=identifier, unzipDirectory=self.folder
        )
        instance.instantiate()
        self.initialise(instance, **start)
        self.open.append(instance)
        return instance

    def initialise(self, instance: Any, **start: float) -> None:
        if self.fmi == "2.0":
            instance.setupExperiment(startTime=0.0)
        for name, value in start.items():
            self.set(instance, name, value)
        instance.enterInitializationMode()
        instance.exitInitializationMode()

    def set(self, instance: Any, name: str, value: float) -> None:
        setter = instance.setReal if self.fmi == "2.0" else instance.setFloat64
        setter([self.references[name]], [value])

    def get(self, instance: Any, name: str) -> float:
        getter = instance.getReal if self.fmi == "2.0" else instance.getFloat64
        return float(getter([self.references[name]])[0])

    def step(self, instance: Any, t: float, h: float) -> None:
        instance.doStep(currentCommunicationPoint=t, communicationStepSize=h)


@pytest.fixture(params=KINDS)
def instances(request: pytest.FixtureRequest, fmus: dict[str, Path], tmp_path: Path) -> Iterator[Instances]:
    made = Instances(fmus[request.param], request.param, tmp_path)
    yield made
    for instance in made.open:
        instance.terminate()
        instance.freeInstance()


def test_two_instances_do_not_meet(instances: Instances) -> None:
    one, other = instances.new(torque=1.0), instances.new(torque=-3.0)
    alone = instances.new(torque=1.0)
    for k in range(20):
        instances.step(one, 0.01 * k, 0.01)
        instances.step(other, 0.01 * k, 0.01)
    for k in range(20):
        instances.step(alone, 0.01 * k, 0.01)
    assert instances.get(one, "crank") == instances.get(alone, "crank")
    assert instances.get(one, "crank") != instances.get(other, "crank")


def test_states_are_saved_serialised_and_restored(instances: Instances) -> None:
    instance = instances.new(torque=1.0)
    instances.step(instance, 0.0, 0.1)
    saved = instance.getFMUState()
    data = instance.serializeFMUState(saved)
    instances.step(instance, 0.1, 0.1)
    wanted = instances.get(instance, "crank"), instances.get(instance, "crank_rate")
    instance.setFMUState(saved)
    instances.step(instance, 0.1, 0.1)
    assert (instances.get(instance, "crank"), instances.get(instance, "crank_rate")) == wanted
    other = instances.new()
    copied = other.deserializeFMUState(data)
    other.setFMUState(copied)
    instances.step(other, 0.1, 0.1)
    assert (instances.get(other, "crank"), instances.get(other, "crank_rate")) == wanted
    instance.freeFMUState(saved)
    other.freeFMUState(copied)


def test_a_reset_begins_anew(instances: Instances) -> None:
    instance = instances.new()
    start = instances.get(instance, "stroke")
    instances.set(instance, "torque", 5.0)
    instances.step(instance, 0.0, 0.3)
    assert instances.get(instance, "stroke") != start
    instance.reset()
    instances.initialise(instance)
    assert instances.get(instance, "stroke") == start
    assert instances.get(instance, "torque") == 0.0


@pytest.fixture(scope="module")
def held() -> ce.Model:
    return ce.compile(sampled.cart())


@pytest.fixture(scope="module")
def held_fmus(held: ce.Model, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    where = tmp_path_factory.mktemp("held")
    return {fmi: ce.export_fmu(held, where / f"cart{fmi}.fmu", fmi=fmi, platforms=[HOST]) for fmi in KINDS}


REMEMBERED = ("governor.held", "governor.looks", "governor.samples", "latch.pushes", "latch.samples")
PUSHED = {"force": 1.0}


@pytest.mark.parametrize("fmi", KINDS)
def test_what_is_sampled_is_discrete(held: ce.Model, held_fmus: dict[str, Path], fmi: str) -> None:
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(held_fmus[fmi])) == []
    described = fmpy.read_model_description(str(held_fmus[fmi]))
    found = {v.name: v for v in described.modelVariables}
    states = [entry.name for entry in held.entries[: len(held.y0)]]
    discrete = [name for name in states if found[name].variability == "discrete"]
    assert tuple(discrete) == REMEMBERED
    rates = [unknown.variable.name for unknown in described.derivatives]
    assert rates == [f"der({name})" for name in states if name not in REMEMBERED]
    on = dependencies(held_fmus[fmi], fmi)
    assert set(on["rates"]["der(cart_rate)"]) == {"governor.filtered", "force"}
    linear = {"cart_rate": "constant", "governor.filtered": "constant"}
    assert on["rates"]["der(governor.filtered)"] == linear
    known = {"governor.filtered", "governor.held", "latch.pushes", "force", "mass"}
    assert set(on["initially"]["der(cart_rate)"]) == known


@pytest.mark.parametrize("interval", [0.007, 0.05])
@pytest.mark.parametrize("fmi", KINDS)
def test_controllers_look_inside_steps_of_co_simulation(
    held: ce.Model, held_fmus: dict[str, Path], fmi: str, interval: float
) -> None:
    """States equal the library's at 1 ms: rounding apart, and RK4's own error where steps differ (see C)."""
    names = ("cart", "cart_rate", *REMEMBERED)
    found = fmpy.simulate_fmu(
        str(held_fmus[fmi]),
        fmi_type="CoSimulation",
        stop_time=0.7,
        output_interval=interval,
        start_values=PUSHED,
        output=list(names),
    )
    run = ce.simulate(held, PUSHED, duration=0.7, method="rk4", step=1e-3, interval=interval)
    for name in names:
        wanted = run[name.replace(".", "_")].values
        np.testing.assert_allclose(found[name], wanted, rtol=0, atol=1e-8, err_msg=name)
    assert found["governor.looks"][-1] == 35.0
    assert found["latch.pushes"][-1] == 1.0


@pytest.mark.parametrize("fmi", KINDS)
def test_controllers_look_at_events_of_model_exchange(
    held: ce.Model, held_fmus: dict[str, Path], fmi: str
) -> None:
    found = fmpy.simulate_fmu(
        str(held_fmus[fmi]),
        fmi_type="ModelExchange",
        stop_time=0.695,
        output_interval=0.005,
        solver="CVode",
        relative_tolerance=1e-12,
        start_values=PUSHED,
        output=["cart", "governor.looks", "latch.pushes"],
    )
    run = ce.simulate(held, PUSHED, duration=0.695, method="DOP853", rtol=1e-12, atol=1e-13, interval=0.005)
    before = np.searchsorted(found["time"], run["time"].values - 1e-9)  # of two at an event the first
    assert len(found) - len(run["time"]) >= 69  # an event each 10 ms
    # 1e-12 per step in some thousand steps of either method
    np.testing.assert_allclose(found["cart"][before], run["cart"], rtol=0, atol=5e-9)
    for name in ("governor.looks", "latch.pushes"):
        wanted = run[name.replace(".", "_")].values[1:]  # the first sample is part of the initialisation
        np.testing.assert_array_equal(found[name][before[1:]], wanted, err_msg=name)
    assert found["governor.looks"][-1] == 35.0


@pytest.mark.parametrize("fmi", KINDS)
def test_what_is_sampled_is_saved_and_restored(held_fmus: dict[str, Path], fmi: str, tmp_path: Path) -> None:
    """At a sample, between two, by another instance; beside one driven otherwise, and after a reset."""
    fmu = Instances(held_fmus[fmi], fmi, tmp_path)
    names = ("cart", "cart_rate", *REMEMBERED)
    times = [*np.arange(0.0, 0.2, 0.02), *np.arange(0.2, 0.5, 0.007)]

    def gone(instance: Any, first: int) -> list[float]:
        for t, end in pairwise(times[first:]):
            fmu.step(instance, t, end - t)
        return [fmu.get(instance, name) for name in names]

    one, other = fmu.new(**PUSHED), fmu.new(force=-9.0)
    end = gone(one, 0)
    assert gone(other, 0) != end
    for k in (3, 10, 23):  # 0.06 s, where both look; 0.2 s, where one does; 0.291 s
        fresh = fmu.new(**PUSHED)
        for t, t_end in pairwise(times[: k + 1]):
            fmu.step(fresh, t, t_end - t)
        saved = fresh.serializeFMUState(fresh.getFMUState())
        assert gone(fresh, k) == end
        other.setFMUState(other.deserializeFMUState(saved))
        assert gone(other, k) == end
    one.reset()
    fmu.initialise(one, **PUSHED)
    assert gone(one, 0) == end
    for instance in fmu.open:
        instance.terminate()
        instance.freeInstance()


@pytest.mark.parametrize("fmi", KINDS)
def test_limits_of_force_elements_end_steps_and_runs(
    held: ce.Model, held_fmus: dict[str, Path], fmi: str, tmp_path: Path
) -> None:
    """The end is that of the library's runs: the last step is not made, and the importer gets the reason."""
    far = {"force": 100.0}
    with pytest.raises(ce.SimulationError, match=r"'rail' has passed the end at t = 0\.32 s") as ended:
        ce.simulate(held, far, duration=2.0, method="rk4", step=1e-3, interval=0.01)
    last: Any = ended.value.partial
    fmu = Instances(held_fmus[fmi], fmi, tmp_path)
    instance = fmu.new(**far)
    for k in range(31):
        fmu.step(instance, 0.01 * k, 0.01)
    place = fmu.get(instance, "cart")
    assert place == pytest.approx(float(last["cart"][31]), abs=1e-12)
    with pytest.raises(Exception, match=r"status 2"):
        fmu.step(instance, 0.31, 0.01)
    assert fmu.get(instance, "cart") == place
    fmu.set(instance, "cart_rate", -20.0)  # and less than 1 m/s by forces in a hundredth of a second
    fmu.step(instance, 0.31, 0.01)
    assert place - 0.21 < fmu.get(instance, "cart") < place - 0.19
    instance.terminate()
    instance.freeInstance()
    given: dict[str, Any] = {"solver": "Euler", "step_size": 1e-3, "output_interval": 1e-3}
    kind = "ModelExchange"
    found = fmpy.simulate_fmu(
        str(held_fmus[fmi]), fmi_type=kind, stop_time=2.0, start_values=far, output=["rail.room"], **given
    )
    assert 0.31 < found["time"][-1] < 0.33
    assert found["rail.room"][:-1].min() >= 0.0


@pytest.mark.parametrize("fmi", KINDS)
def test_loops_on_charts_change_them_on_the_way(fmi: str, tmp_path: Path) -> None:
    """Five bars through dead centres: in steps of co-simulation, at state events of model exchange."""
    from fmpy.validation import validate_fmu

    model = ce.compile(five_bars())
    path = str(ce.export_fmu(model, tmp_path / "five.fmu", fmi=fmi, platforms=[HOST]))
    assert validate_fmu(path) == []
    run = ce.simulate(model, duration=0.6, method="rk4", step=1e-3, interval=0.2)
    options: dict[str, Any] = {"stop_time": 0.6, "output_interval": 0.2, "output": ["x", "chart_margin"]}
    found = fmpy.simulate_fmu(path, fmi_type="CoSimulation", step_size=0.2, **options)
    np.testing.assert_allclose(found["x"], run["x"], rtol=0, atol=1e-9)  # see C
    options |= {"solver": "CVode", "relative_tolerance": 1e-10}
    found = fmpy.simulate_fmu(path, fmi_type="ModelExchange", **options)
    last = np.searchsorted(found["time"], run["time"].values + 1e-9) - 1
    np.testing.assert_allclose(found["x"][last], run["x"], rtol=0, atol=1e-7)  # 1e-10 a step, some 1,000
    assert np.sum(found["chart_margin"] < 1e-3) >= 3  # events, where charts are used up
    assert found["chart_margin"].min() > -1e-3


def test_directional_derivatives_are_exact(model: ce.Model, instances: Instances) -> None:
    instance = instances.new(crank=0.3, crank_rate=2.0)
    names = ["crank", "crank_rate", "torque", "piston mass"]
    knowns = [instances.references[name] for name in names]
    unknowns = [instances.references[name] for name in ("der(crank_rate)", "stroke")]
    seed = [0.3, -0.2, 0.5, 0.7]
    found = instance.getDirectionalDerivative(unknowns, knowns, seed)
    y, u, h = np.array([0.3, 2.0]), model.u0, 1e-5

    def at(s: float) -> np.ndarray:
        moved = y + s * np.array(seed[:2]), u + s * np.array(seed[2:])
        return np.array([model.dynamics(*moved)[0][1], model.observation(*moved)[0][0]])

    np.testing.assert_allclose(found, (at(h) - at(-h)) / (2 * h), rtol=1e-7)


def test_values_that_the_model_refuses_end_the_initialisation(instances: Instances) -> None:
    with pytest.raises(Exception, match="ExitInitializationMode"):
        instances.new(**{"piston mass": -1.0})


def test_the_sources_inside_are_whole(fmus: dict[str, Path], tmp_path: Path) -> None:
    for fmi, path in fmus.items():
        with zipfile.ZipFile(path) as archive:
            names = {Path(name).name for name in archive.namelist() if name.startswith("sources/")}
            assert {"slider_crank.c", "instance.c", f"fmi{fmi[0]}.c", f"fmi{fmi[0]}Functions.h"} <= names
            archive.extractall(tmp_path / fmi)
        folder = tmp_path / fmi / "sources"
        with cross_compiler.Compilers() as compilers:
            cross_compiler.build_library(
                compilers, sorted(folder.glob("*.c")), [folder], HOST, tmp_path / f"again{fmi[0]}.so"
            )
        assert hasattr(ctypes.CDLL(str(tmp_path / f"again{fmi[0]}.so")), f"fmi{fmi[0]}DoStep")


MAGIC = {
    "x86_64-linux": (b"\x7fELF", 18, b"\x3e\x00"),
    "aarch64-linux": (b"\x7fELF", 18, b"\xb7\x00"),
    "x86_64-windows": (b"MZ", None, b""),
    "x86_64-darwin": (b"\xcf\xfa\xed\xfe", 4, b"\x07\x00\x00\x01"),
    "aarch64-darwin": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\x00\x00\x01"),
}
"""First bytes of a library, and where which bytes name the processor."""


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    system = ce.System(name="bob", gravity=(0, 0, -9.81))
    system.add_body("bob", mass=1.0, com=(0, 0, -1), parent=system.ground, hinge=ce.Revolute((0, 1, 0)))
    return ce.export_fmu(ce.compile(system), tmp_path_factory.mktemp("everywhere") / "bob.fmu")


@pytest.mark.skipif(bool(ARM.missing()), reason=ARM.missing())
def test_the_library_for_arm_gives_the_same_bits(everywhere: Path, tmp_path: Path) -> None:
    """Under qemu; that for Windows, under Wine, is run by ``python -m tests.campaign emulated``."""
    found = emulated.run(everywhere, "aarch64-linux", tmp_path / "arm", {"bob": 1.0}, ["bob", "bob_rate"])
    here = Instances(everywhere, "3.0", tmp_path / "here")
    instance = here.new(bob=1.0)
    for k in range(emulated.STEPS):
        here.step(instance, k * emulated.STEP, emulated.STEP)
    assert found == [here.get(instance, name) for name in ("bob", "bob_rate")]
    assert abs(found[0] - 1.0) > 0.1


def test_one_file_serves_five_platforms(everywhere: Path) -> None:
    """Formats and processors."""
    with zipfile.ZipFile(everywhere) as archive:
        libraries = {
            name.split("/")[1]: archive.read(name) for name in archive.namelist() if "binaries" in name
        }
    assert set(libraries) == set(MAGIC)
    for platform, (magic, place, processor) in MAGIC.items():
        code = libraries[platform]
        assert code.startswith(magic)
        assert place is None or code[place : place + len(processor)] == processor
        assert b"fmi3DoStep" in code
    windows = libraries["x86_64-windows"]
    header = int.from_bytes(windows[0x3C:0x40], "little")
    assert windows[header : header + 6] == b"PE\0\0\x64\x86"
    assert int.from_bytes(windows[header + 40 : header + 44], "little") > 0  # the entry point
    needed = set(re.findall(rb"[\w.-]+\.dll", windows)) - {b"bob.dll", b"bob-x86_64-windows.dll"}
    assert needed
    assert all(name.startswith(b"api-ms-win-crt-") for name in needed), needed  # every Windows has these
    both = cross_compiler.universal([libraries["x86_64-darwin"], libraries["aarch64-darwin"]])
    assert both[:8] == b"\xca\xfe\xba\xbe\0\0\0\x02"
    for k, name in enumerate(("x86_64-darwin", "aarch64-darwin")):
        entry = both[8 + 20 * k : 28 + 20 * k]
        start, size = int.from_bytes(entry[8:12], "big"), int.from_bytes(entry[12:16], "big")
        assert start % 2**14 == 0
        assert both[start : start + size] == libraries[name]


PROBE = """
{source}
#include <stdio.h>
int main(void)
{{
    unsigned long sizes[] = {{ 0, 8, 4096, 4104, 500000 }};
    for (int k = 0; k < 5; ++k) {{
        unsigned long size = sizes[k], kept = 1234, before, after;
        __asm__ volatile(
            "movq %%rsp, %2; subq $128, %%rsp; call ___chkstk_ms; addq $128, %%rsp; movq %%rsp, %3"
            : "+a"(size), "+c"(kept), "=&r"(before), "=&r"(after) : : "memory", "cc");
        printf("%d", size == sizes[k] && kept == 1234 && before == after);
    }}
    return 0;
}}
"""


@pytest.mark.skipif(HOST != "x86_64-linux" or shutil.which("cc") is None, reason="wants cc on x86-64 Linux")
def test_what_windows_calls_before_large_frames_keeps_registers(tmp_path: Path) -> None:
    """It touches the stack below, in any system, and leaves no trace: at 0, 1 and many pages."""
    source = (cross_compiler.SOURCES / "windows.c").read_text("utf-8")
    (tmp_path / "probe.c").write_text(PROBE.format(source=source))
    subprocess.run(["cc", "-O1", "probe.c", "-o", "probe"], cwd=tmp_path, check=True)
    done = subprocess.run(["./probe"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "11111"


def test_without_the_extra_the_remedy_is_named(
    model: ce.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ce.ModelError, match=r"no package ziglang.*pip install 'ce-dynamics\[fmi\]'"):
        ce.export_fmu(model, tmp_path / "no.fmu")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fmi": "1.0"}, "fmi"),
        ({"step": 0.0}, "step"),
        ({"step": float("nan")}, "step"),
        ({"platforms": ["amiga"]}, "amiga"),
        ({"platforms": []}, "platforms"),
        ({"platforms": "x86_64-linux"}, "list"),
        ({"name": "while"}, "identifier"),
    ],
)
def test_wrong_arguments_are_named(
    model: ce.Model, tmp_path: Path, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(ce.ModelError, match=message):
        ce.export_fmu(model, tmp_path / "no.fmu", **given)
    assert not list(tmp_path.iterdir())
