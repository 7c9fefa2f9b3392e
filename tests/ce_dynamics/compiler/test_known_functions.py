"""Compiled functions found again by what they are traced from: the same numbers; traced where in doubt."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction, disk_cache, llvm
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.parameters import Parameter
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.hmmwv import build_ride
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.driving import make_manoeuvre

Y = np.array([0.3, 0.4])
U = np.zeros(0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "code"))
    return tmp_path / "code"


def pendulum(length: float = 0.5) -> System:
    system = System(gravity=(0.0, 0.0, -9.81))
    system.add_body(
        "arm", mass=2.0, com=(length, 0.0, 0.0), inertia=(0.0, 0.1, 0.1), parent=system.ground,
        hinge=Revolute(axis=(0.0, 1.0, 0.0)),
    )  # fmt: skip
    return system


def check(model: Model, length: float = 0.5) -> None:
    """θ̈ = m g l cos θ / (J + m l²) of a pendulum that hangs along +x, turning about y."""
    expected = 2.0 * 9.81 * length * np.cos(Y[0]) / (0.1 + 2.0 * length * length)
    np.testing.assert_allclose(model.dynamics(Y, U)[0], [Y[1], expected], rtol=1e-14)


def constant(value: float, observer: object) -> float:
    return value


def refuse(*_: Any) -> NoReturn:
    raise AssertionError("traced again")


@pytest.fixture
def no_tracing(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """From here on, what is traced fails."""
    monkeypatch.setattr(Model, "trace", refuse)
    return monkeypatch


@pytest.fixture
def known(folder: Path) -> Path:
    check(Model(pendulum()))
    return folder


def note_of(folder: Path) -> Path:
    """The file of the only note: the others hold machine code."""
    (note,) = (path for path in folder.iterdir() if b'"input_shapes"' in path.read_bytes())
    return note


@pytest.mark.usefixtures("known", "no_tracing")
def test_second_time_nothing_is_traced() -> None:
    check(Model(pendulum()))
    with pytest.raises(AssertionError, match="traced again"):
        check(Model(pendulum(length=0.6)), length=0.6)


@pytest.mark.usefixtures("known")
def test_another_system_gets_its_own_numbers() -> None:
    check(Model(pendulum(length=0.6)), length=0.6)
    check(Model(pendulum()))


@pytest.mark.usefixtures("known")
def test_system_changed_after_its_model_is_traced(no_tracing: pytest.MonkeyPatch) -> None:
    model = Model(pendulum())
    model.system.add_output("one", "1", lambda observer: 1.0)
    with pytest.raises(AssertionError, match="traced again"):
        _ = model.dynamics


@pytest.mark.usefixtures("known")
def test_functions_of_a_user_are_traced_every_time() -> None:
    for height in (1.0, 2.0):
        system = pendulum()
        system.add_output("height", "m", partial(constant, height))
        model = Model(system)
        assert model.observation(Y, U)[0][0] == height


@pytest.mark.usefixtures("known")
def test_instructions_are_traced_when_they_are_asked_for() -> None:
    model = Model(pendulum())
    assert not isinstance(model.dynamics._traced, TracedFunction)
    assert model.dynamics.traced.digest() == model.dynamics.signature.digest
    assert model.dynamics.traced is model.dynamics.traced
    slope = -2.0 * 9.81 * 0.5 * np.sin(Y[0]) / 0.6
    # the centripetal term, which cancels but for rounding, depends on the rate
    np.testing.assert_allclose(model.jacobian(Y, U), [[0.0, 1.0], [slope, 0.0]], rtol=1e-14, atol=1e-16)


@pytest.mark.usefixtures("known")
def test_instructions_of_system_that_has_changed_are_refused() -> None:
    model = Model(pendulum())
    check(model)
    model.system.gravity = np.array((0.0, 0.0, -1.62))
    check(model)  # what is compiled stays
    with pytest.raises(ModelError, match="changed since"):
        _ = model.dynamics.traced


def test_free_parameters_are_traced_for_decisions_this_leaves(folder: Path) -> None:
    for _ in range(2):
        system = System(gravity=(0.0, 0.0, -9.81))
        mass = system.add_parameter(Parameter("mass", 2.0, "kg"))
        system.add_body(
            "arm", mass=mass, com=(0.5, 0.0, 0.0), inertia=(0.0, 0.1, 0.1), parent=system.ground,
            hinge=Revolute(axis=(0.0, 1.0, 0.0)),
        )  # fmt: skip
        model = Model(system)
        assert isinstance(model.dynamics._traced, TracedFunction)
        with pytest.raises(ModelError):
            model.inputs_with({"mass": -1.0})


def flipped(entry: bytes) -> bytes:
    return entry[:-5] + bytes([entry[-5] ^ 1]) + entry[-4:]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "flipped": flipped,
    "cut": lambda entry: entry[:-7],
    "empty": lambda entry: b"",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_notes_are_written_anew(damage: str, known: Path) -> None:
    note = note_of(known)
    whole = note.read_bytes()
    note.write_bytes(DAMAGES[damage](whole))
    check(Model(pendulum()))
    assert note.read_bytes() == whole


@pytest.mark.parametrize("text", [b"{}", b"[]", b"no JSON", b'{"name": 1}', b"\xff"])
def test_notes_of_another_form_are_written_anew(text: bytes, known: Path) -> None:
    note = note_of(known)
    whole = note.read_bytes()
    disk_cache.store(note.name.split(".")[0], text)
    assert note.read_bytes() != whole
    check(Model(pendulum()))
    assert note.read_bytes() == whole


def test_code_that_is_gone_is_compiled_anew(known: Path) -> None:
    for path in known.iterdir():
        if path != note_of(known):
            path.unlink()
    check(Model(pendulum()))
    assert len(list(known.iterdir())) == 2


def test_notes_are_not_counted_as_functions(known: Path) -> None:
    files = list(known.iterdir())
    assert (len(files), disk_cache.measure_contents()) == (2, (1, sum(path.stat().st_size for path in files)))
    assert disk_cache.clear() == 1
    assert list(known.iterdir()) == []


@pytest.mark.usefixtures("known", "no_tracing")
def test_another_cpu_does_not_get_this_ones_code(monkeypatch: pytest.MonkeyPatch) -> None:
    triple, _, features = llvm.host_cpu()
    monkeypatch.setattr(llvm, "host_cpu", lambda: (triple, "other", features))
    with pytest.raises(AssertionError, match="traced again"):
        _ = Model(pendulum()).dynamics


def test_nothing_is_kept_without_a_usable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    for where in ("off", str(tmp_path / "file" / "code")):
        monkeypatch.setenv(disk_cache.VARIABLE, where)
        for _ in range(2):
            model = Model(pendulum())
            check(model)
            assert isinstance(model.dynamics._traced, TracedFunction)


def test_vehicle_in_motion_has_the_same_bits_again(folder: Path) -> None:
    answers = []
    for traced in (True, False):
        model = Model(build_ride())
        u = model.u0
        functions = (model.dynamics, model.assembly)
        answers.append([part.tobytes() for f in functions for part in f(model.y0, u)])
        assert [isinstance(f._traced, TracedFunction) for f in functions] == [traced, traced]
    assert answers[0] == answers[1]


def test_laws_and_held_inputs_belong_to_the_key(folder: Path) -> None:
    tasks = [make_manoeuvre("step-steer", {"speed": speed}) for speed in (10.0, 12.0)]
    for traced in (True, False):
        model = Model(build(road=tasks[0].road, speed=10.0))  # which keeps the laws that it has been given
        for task, given in [(tasks[0], None), (tasks[1], None), (tasks[0], model.u0 + 0.125)]:
            assert isinstance(model.control(task, given)._traced, TracedFunction) is traced


PROGRAM = """
import sys
import numpy as np
from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.case import build_ride
model = Model(build_ride())
(y_dot,) = model.dynamics(model.y0, model.u0)
sys.stdout.write(y_dot.tobytes().hex())
"""


def test_processes_that_begin_at_once_share_instructions(folder: Path) -> None:
    command = [sys.executable, "-c", PROGRAM]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = {process.communicate(timeout=60)[0] for process in running}
    answers.add(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    assert all(process.returncode == 0 for process in running)
    assert len(answers) == 1
    assert len(answers.pop()) > 100
    assert sorted(path.suffix for path in folder.iterdir()) == [".code", ".code"]
