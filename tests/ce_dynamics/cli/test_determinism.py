"""One drive, the same bits in every way of computing it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra import arrays
from ce_dynamics.cli import determinism
from ce_dynamics.compiler import compile_function, llvm, trace
from ce_dynamics.compiler.code_levels import VARIABLE


@pytest.fixture(scope="module")
def model() -> ce.Model:
    """Build a driven four-bar with a tanh of its speed: a loop, products in sums, elementary functions."""
    system = ce.System(name="four-bar", gravity=(0, 0, -9.81))
    rods: dict[str, Any] = {"inertia": (0.1, 0.1, 0.1)}
    hinge = ce.Revolute((0, 1, 0))
    crank = system.add_body("crank", mass=1.0, com=(0.1, 0, 0), parent=system.ground, hinge=hinge, **rods)
    hinge = ce.Revolute((0, 1, 0), at=(0.2, 0, 0.1))
    coupler = system.add_body("coupler", mass=1.5, com=(0.4, 0, 0.2), parent=crank, hinge=hinge, **rods)
    hinge = ce.Revolute((0, 1, 0), at=(0.7, 0, 0))
    rocker = system.add_body("rocker", mass=1.0, com=(0.7, 0, 0.2), parent=system.ground, hinge=hinge, **rods)
    system.close_loop("pin", coupler, rocker, ce.Revolute((0, 1, 0), at=(0.7, 0, 0.5)), independent=[crank])
    system.add_input("steering", "N m")
    system.add_force(ce.Actuator("motor", crank, command="steering"))
    friction = ce.DryFriction(0.3, rate=0.05)
    system.add_force(ce.TorsionSpringDamper("friction", rocker, damper=friction))
    return ce.compile(system)


@pytest.fixture(autouse=True)
def _portable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "portable")


@pytest.fixture(scope="module")
def wanted(model: ce.Model) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "portable")
        return determinism.run_in_simulator(ce.compile(model.system), model.y0, Path())


@pytest.mark.parametrize("way", determinism.WAYS)
def test_every_way_gives_the_same_bits(way: str, model: ce.Model, wanted: bytes, tmp_path: Path) -> None:
    drive, needed = determinism.WAYS[way]
    if not all(map(determinism.is_there, needed)):
        pytest.skip(f"needs {' and '.join(needed)}")
    again = ce.compile(model.system)
    found = drive(again, again.y0, tmp_path)
    assert len(found) == 8 * 1001 * len(again.y0)
    moved = np.frombuffer(found).reshape(1001, -1)
    assert np.ptp(moved[:, 0]) > 0.1
    assert found == wanted


@pytest.mark.parametrize("lanes", [1, 4])
def test_portable_code_rounds_every_operation(lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """(1 + e)(1 − e) rounds to 1 for e = 2⁻³⁰; a fused multiply-add keeps −e² = −2⁻⁶⁰."""

    def function(x: Any) -> dict[str, Any]:
        return {"y": arrays.array([x[0] * x[1] + x[2], arrays.sin(x[0])])}

    traced = trace("products", function, {"x": 3})
    x = np.array([1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0])
    given = x if lanes == 1 else np.repeat(x[:, np.newaxis], lanes, axis=1)
    portable = compile_function(traced, lanes)(given)[0].reshape(2, -1)[:, 0]
    assert portable[0] == 0.0
    monkeypatch.setenv(VARIABLE, "full")
    fused = compile_function(traced, lanes)(given)[0].reshape(2, -1)[:, 0]
    assert fused[0] == (-(2.0**-60) if llvm.has_fma() else 0.0)
    assert abs(fused[1] - portable[1]) <= 4 * np.spacing(fused[1])  # as promised by `elementary`
