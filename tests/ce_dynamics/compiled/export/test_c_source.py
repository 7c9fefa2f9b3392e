"""C gives the bits of evaluations without fused multiply-adds, and what the library integrates."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.compiler import llvm, machine, trace
from ce_dynamics.compiler.code_levels import FULL
from ce_dynamics.compiler.codegen.c import c_function
from ce_dynamics.compiler.codegen.emit import emit_llvm
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.dynamics.energy import ENERGIES
from ce_dynamics.models import hmmwv
from tests.support.on_charts import five_bars
from tests.support.sampled import PERIOD, cart

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler cc")

FLAGS = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off"]


def shared(source: Path) -> ctypes.CDLL:
    """A file of C as a library of this process; warnings are errors."""
    library = source.with_suffix(".so")
    command = ["cc", *FLAGS, "-fPIC", "-shared", str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def called(function: Any, *arguments: Any) -> Any:
    """Call a function of C with arrays, and with objects of ctypes."""
    given = (x.ctypes.data_as(ctypes.c_void_p) if isinstance(x, np.ndarray) else x for x in arguments)
    return function(*given)


def unfused(traced: TracedFunction, *inputs: np.ndarray) -> list[np.ndarray]:
    """Evaluated by machine code that rounds after every operation."""
    module = llvm.binding().parse_assembly(emit_llvm(traced, fuse=False))
    target = llvm.target_machine(FULL)
    module.triple, module.data_layout = llvm.host_cpu()[0], str(target.target_data)
    return list(machine.link(bytes(target.emit_object(module)), traced)(*inputs))


def four_bar() -> ce.System:
    """A loop that a numeric linkage closes, with a free length, an input and an output."""
    system = ce.System(name="four-bar", gravity=(0, 0, -9.81))
    y = (0, 1, 0)
    mass = system.add_parameter(ce.Parameter("coupler mass", 1.5, "kg"))
    crank = system.add_body(
        "crank",
        mass=1.0,
        com=(0.1, 0, 0),
        inertia=(0.01, 0.01, 0.01),
        parent=system.ground,
        hinge=ce.Revolute(y),
    )
    coupler = system.add_body(
        "coupler",
        mass=mass,
        com=(0.4, 0, 0.2),
        inertia=(0.1, 0.1, 0.1),
        parent=crank,
        hinge=ce.Revolute(y, at=(0.2, 0, 0.1)),
    )
    rocker = system.add_body(
        "rocker",
        mass=1.0,
        com=(0.7, 0, 0.2),
        inertia=(0.05, 0.05, 0.05),
        parent=system.ground,
        hinge=ce.Revolute(y, at=(0.7, 0, 0)),
    )
    system.close_loop("pin", coupler, rocker, ce.Revolute(y, at=(0.7, 0, 0.5)), independent=[crank])
    system.add_input("torque", "N m")
    system.add_output("height", "m", lambda o: o.point(coupler, coupler.com, system.ground).r[2])
    return system


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(four_bar())


@pytest.fixture(scope="module")
def folder(model: ce.Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("c")
    ce.export_c(model, where, derivatives=True)
    return where


@pytest.fixture(scope="module")
def library(folder: Path) -> ctypes.CDLL:
    return shared(folder / "four_bar.c")


def test_every_operation_has_the_bits_of_machine_code(tmp_path: Path) -> None:
    from ce_dynamics.algebra import arrays

    def function(x: np.ndarray) -> dict[str, Any]:
        a, b, c = x
        ops: list[Callable[[Any], Any]] = [arrays.sin, arrays.cos, arrays.tan, arrays.arctan, arrays.exp]
        values = [op(a) for op in ops]
        values += [a + b, a - b, a * b, a / b, -a, a * b + c, a - b * c, abs(b), arrays.sqrt(abs(c))]
        values += [arrays.arctan2(a, b), abs(a) ** c, arrays.where((a < b) & ~(c <= b), a, c)]
        values += [arrays.where((a < b) | (c != b), 1e-300, float("nan")), float("inf") * arrays.sqrt(abs(a))]
        return {"y": arrays.array(values)}

    traced = trace("operations", function, {"x": 3})
    (tmp_path / "whole.c").write_text("#include <math.h>\n" + c_function(traced, "f"))
    (tmp_path / "pieces.c").write_text("#include <math.h>\n" + c_function(traced, "f", piece=5))
    assert "f_3" in (tmp_path / "pieces.c").read_text()
    rng = np.random.default_rng(0)
    # -Wmissing-prototypes is not among the warnings: f has none here
    libraries = [shared(tmp_path / "whole.c"), shared(tmp_path / "pieces.c")]
    for x in (*rng.normal(scale=3, size=(20, 3)), np.array([np.nan, 1.0, 0.0]), np.array([0.0, -0.0, 2.0])):
        (wanted,) = unfused(traced, x)
        for library in libraries:
            found = np.empty_like(wanted)
            called(library.f, x, found)
            np.testing.assert_array_equal(found, wanted)


def test_rates_and_outputs_have_bits_of_unfused_evaluations(model: ce.Model, library: ctypes.CDLL) -> None:
    interface = Interface(model)
    rng = np.random.default_rng(1)
    for _ in range(10):
        y = model.y0 + rng.uniform(-0.2, 0.2, len(model.y0))
        u = np.array([rng.normal(), rng.uniform(1, 2)])
        for name, traced in (("rate", interface.rate), ("observe", interface.observe)):
            wanted = unfused(traced, y, u)
            found = [np.empty_like(w) for w in wanted]
            called(getattr(library, f"four_bar_{name}"), y, u, *found)
            for f, w in zip(found, wanted, strict=True):
                assert np.all(np.isfinite(w))
                assert f.tobytes() == w.tobytes()


def test_steps_are_those_of_rk4(model: ce.Model, library: ctypes.CDLL) -> None:
    """Apart from fused multiply-adds: some 1e-16 in each of 200 steps of a motion that does not amplify."""
    run = ce.simulate(model, duration=0.2, method="rk4", step=1e-3)
    y, u = model.y0, model.u0
    for _ in range(200):
        assert called(library.four_bar_step, y, u, ctypes.c_double(1e-3)) == 0
    assert y[0] == pytest.approx(float(run["crank"][-1]), abs=1e-12)
    assert y[1] == pytest.approx(float(run["crank_rate"][-1]), abs=1e-11)


def test_directional_derivatives_are_the_limit_of_differences(model: ce.Model, library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(2)
    y, u = model.y0 + [0.1, 0.5], model.u0
    y_direction, u_direction = rng.normal(size=len(y)), rng.normal(size=len(u))
    rate_direction, outputs_direction = np.empty(len(y)), np.empty(len(model.output_entries))
    called(library.four_bar_direction, y, u, y_direction, u_direction, rate_direction, outputs_direction)
    h = 1e-5  # error of central differences: h² of third derivatives, and rounding 1e-16 / h

    def at(sign: int) -> tuple[np.ndarray, np.ndarray]:
        moved = y + sign * h * y_direction, u + sign * h * u_direction
        return model.dynamics(*moved)[0], model.observation(*moved)[0]

    ahead, behind = at(1), at(-1)
    for found, a, b in zip((rate_direction, outputs_direction), ahead, behind, strict=True):
        np.testing.assert_allclose(found, (a - b) / (2 * h), rtol=1e-7, atol=1e-7)


def test_step_that_cannot_be_assembled_leaves_the_state(model: ce.Model, library: ctypes.CDLL) -> None:
    y = model.y0
    y[1] = 1e200  # its square is no number
    before = y.copy()
    assert called(library.four_bar_step, y, model.u0, ctypes.c_double(1e-3)) == -1
    np.testing.assert_array_equal(y, before)


def test_values_of_parameters_that_model_refuses_are_refused(model: ce.Model, library: ctypes.CDLL) -> None:
    refused = library.four_bar_refused
    refused.restype = ctypes.c_char_p
    assert called(refused, model.u0) is None
    for bad, word in ((-1.0, "mass"), (np.nan, "finite")):
        u = np.array([0.0, bad])
        assert word in called(refused, u).decode()


def test_the_example_builds_and_runs(model: ce.Model, folder: Path) -> None:
    command = ["cc", *FLAGS, "four_bar.c", "example.c", "-o", "example", "-lm"]
    subprocess.run(command, check=True, cwd=folder)
    text = subprocess.run(["./example"], check=True, cwd=folder, capture_output=True, text=True).stdout
    lines = {line[:40].strip(): line[40:].split() for line in text.splitlines()}
    run = ce.simulate(model, duration=1.0, method="rk4", step=1e-3)
    assert set(lines) == {"crank", "crank_rate", "height", *ENERGIES}
    assert float(lines["height"][0]) == pytest.approx(float(run["height"][-1]), abs=1e-11)
    assert lines["height"][1] == "m"


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[ce.Model, ctypes.CDLL]:
    where, model = tmp_path_factory.mktemp("held"), ce.compile(cart())
    ce.export_c(model, where)
    return model, shared(where / "held_cart.c")


def advanced(library: ctypes.CDLL, y: np.ndarray, u: np.ndarray, t: np.ndarray, *lengths: float) -> int:
    """Go on by a length, in steps not longer than another."""
    answer: int = called(library.held_cart_advance, y, u, t, *map(ctypes.c_double, lengths))
    return answer


def test_samples_have_the_bits_of_unfused_evaluations(held: tuple[ce.Model, ctypes.CDLL]) -> None:
    model, library = held
    assert ctypes.c_double.in_dll(library, "held_cart_period").value == PERIOD
    rng = np.random.default_rng(5)
    for _ in range(5):
        y, u = rng.normal(size=len(model.y0)), np.array([rng.normal(), 2.0])
        (wanted,) = unfused(Interface(model).sample, y, u)
        found = np.empty_like(wanted)
        called(library.held_cart_sample, y, u, found)
        assert found.tobytes() == wanted.tobytes()
        assert not np.array_equal(found, y)


@pytest.mark.parametrize("length", [0.001, 0.003, 0.007, 0.01, 0.05])
def test_controllers_look_when_the_library_lets_them(
    held: tuple[ce.Model, ctypes.CDLL], length: float
) -> None:
    """Wherever calls begin and end, each sample is made once, before the step that begins there.

    Apart from fused multiply-adds.  Steps end at samples, so that some of 3 and 7 ms are shorter: these
    differ by RK4's own error at 1 ms, h⁴ ‖y⁽⁵⁾‖ / 120 with |λ| ≤ 20/s and forces of 10 N on 2 kg: 20⁴ · 5
    · 1e-12 / 120 = 7e-9 for one second.
    """
    model, library = held
    run = ce.simulate(model, {"force": 1.0}, duration=1.0, method="rk4", step=1e-3)
    y, u, t = model.y0, model.inputs_with(inputs={"force": 1.0}), np.zeros(1)
    while t[0] < 1.0 - 1e-9:
        assert advanced(library, y, u, t, min(length, 1.0 - t[0]), 1e-3) == 0
    for k, entry in enumerate(model.entries[: len(y)]):
        wanted = float(run[entry.name.replace(".", "_")][-1])
        assert y[k] == pytest.approx(wanted, abs=1e-12 if 0.01 % length < 1e-9 else 1e-8), entry.name
    assert float(run["governor_looks"][-1]) == 50.0
    assert float(run["latch_pushes"][-1]) == 1.0


def test_what_fails_after_sample_can_be_asked_again(held: tuple[ce.Model, ctypes.CDLL]) -> None:
    """The sample belongs to the step that begins with it: neither is made, or both are."""
    model, library = held
    y, u, t = model.y0, model.inputs_with(inputs={"force": 1.0}), np.zeros(1)
    assert advanced(library, y, u, t, 0.06, 1e-3) == 0
    before = y.copy()
    assert advanced(library, y, u * [1e308, 1e-300], t, 0.01, 1e-3) == -1
    assert y.tobytes() == before.tobytes()
    assert t[0] == 0.06
    for lengths in ((-0.01, 1e-3), (0.01, 0.0), (np.nan, 1e-3), (0.01, np.nan), (np.inf, 1e-3)):
        assert advanced(library, y, u, t, *lengths) == -1
    assert advanced(library, y, u, t, 0.0, 1e-3) == 0
    assert y.tobytes() == before.tobytes()


def test_the_vehicle_in_pieces_has_the_same_bits(tmp_path: Path) -> None:
    model = ce.compile(hmmwv.build_ride())
    traced = model.trace_dynamics()
    (tmp_path / "ride.c").write_text("#include <math.h>\n" + c_function(traced, "ride", piece=1500))
    library = shared(tmp_path / "ride.c")
    rng = np.random.default_rng(3)
    y = model.y0 + 1e-3 * rng.normal(size=len(model.y0))
    (wanted,) = unfused(traced, y, model.u0)
    found = np.empty_like(wanted)
    called(library.ride, y, np.zeros(1), found)
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", ["", "1st", "while", "a-b", "x" * 64, 3])
def test_names_invalid_in_c_are_refused(model: ce.Model, name: Any, tmp_path: Path) -> None:
    with pytest.raises(ce.ModelError, match="identifier"):
        ce.export_c(model, tmp_path, name=name)


def test_a_folder_that_cannot_be_is_named(model: ce.Model, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ce.ModelError, match="choose another folder"):
        ce.export_c(model, tmp_path / "file")


def test_loops_on_charts_change_them_on_the_way(tmp_path: Path) -> None:
    """Five bars fall through their dead centres: runs of the library change charts, C too, perhaps sooner.

    What other charts change is the error of the steps, 1e-10 a step at most for rates of 10 1/s: (h ω)⁵.
    """
    model, step = ce.compile(five_bars()), 1e-3
    run = ce.simulate(model, duration=1.0, method="rk4", step=step, interval=1.0)
    ce.export_c(model, tmp_path)
    library = shared(tmp_path / "five_bars.c")
    names = [entry.name for entry in Interface(model).outputs]
    y, u, outputs, closure = np.array(model.y0), np.array(model.u0), np.empty(len(names)), np.empty(1)
    t, charts = ctypes.c_double(0.0), 0
    for _ in range(10):
        before = y.copy()
        given = (y, u, ctypes.byref(t), ctypes.c_double(0.1), ctypes.c_double(step))
        assert called(library.five_bars_advance, *given) == 0
        charts += bool(np.any(before[2:6] != y[2:6]))
    called(library.five_bars_observe, y, u, outputs, closure)
    assert closure[0] < 1e-12
    assert charts >= 3
    for name in ("x", "z"):
        assert outputs[names.index(name)] == pytest.approx(float(run[name][-1]), abs=1e-9)
