"""Every method with every option, wherever a method is chosen: taken, or refused with the remedy."""

import itertools
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ce_dynamics as ce
from ce_dynamics.cli.options import Simulate
from ce_dynamics.cli.simulation import run
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.models.vehicles.sweeps.plan import SweepPlan
from ce_dynamics.simulation.ensembles.arguments import EnsembleOptions
from ce_dynamics.simulation.options import METHODS, RunOptions

VALUES: dict[str, float] = {"step": 2e-3, "rtol": 1e-5, "atol": 1e-7, "max_step": 1e-2, "jacobian_every": 2}
STEPS, TOLERANCES = {"step"}, {"rtol", "atol", "max_step"}
# Settings of solve_ivp and of the methods' own formulas: a given step, or a bound of the error.
MEANS = {
    "rk4": STEPS,
    "rosenbrock": STEPS | {"jacobian_every"},
    "implicit-euler": STEPS | {"jacobian_every"},
    **dict.fromkeys(("dopri5", "tsit5", "RK45", "RK23", "DOP853", "LSODA", "Radau", "BDF"), TOLERANCES),
}


@cache
def model() -> ce.Model:
    system = ce.System(name="falling")
    system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    return ce.compile(system)


def request(**given: Any) -> int:
    """A command line whose manoeuvre there is not: options are looked at before that."""
    typed: dict[str, Any] = {
        name: value if isinstance(value, str) else f"{value!r}" for name, value in given.items()
    }
    return run(Simulate(manoeuvre="no manoeuvre", output=Path(), json=True, **typed))


ENTRIES: dict[str, tuple[Callable[..., object], tuple[str, ...], set[str]]] = {
    "simulate": (lambda **how: RunOptions(duration=0.1, **how), METHODS, set(VALUES)),
    "Simulator": (
        lambda **how: ce.Simulator(model(), **how),
        ("rk4", "rosenbrock", "implicit-euler", "dopri5", "tsit5"),
        {"rtol", "atol", "jacobian_every"},  # step is how far `step()` goes, with any method
    ),
    "simulate_ensemble and simulate_study": (
        lambda **how: EnsembleOptions(duration=0.1, **how),
        ("rk4", "rosenbrock", "implicit-euler", "dopri5", "tsit5"),
        set(VALUES),
    ),
    "sweep": (
        lambda **how: SweepPlan("monte-carlo", {"chassis.mass": "2 t:3 t"}, runs=2, **how),
        ("rk4", "rosenbrock", "implicit-euler", "dopri5", "tsit5"),
        {"step", "rtol", "atol"},
    ),
    "command line": (request, METHODS, {"step", "rtol", "atol"}),
}
CASES = [
    (entry, method, option)
    for entry, (_, methods, options) in ENTRIES.items()
    for method, option in itertools.product(methods, sorted(options))
]


def test_all_methods_are_in_the_table() -> None:
    assert set(MEANS) == set(METHODS)


@pytest.mark.parametrize(("entry", "method", "option"), CASES)
def test_options_are_taken_or_refused(
    entry: str, method: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, methods, _ = ENTRIES[entry]
    how = {"method": method, option: VALUES[option]}
    if option in MEANS[method]:
        if entry == "command line":
            with pytest.raises(DataError, match="no manoeuvre"):
                call(**how)
        else:
            call(**how)
        return
    dashes = "--" if entry == "command line" else ""
    with pytest.raises(
        (ModelError, DataError),
        match=f"^{dashes}{option} {VALUES[option]!r} means nothing to {method}, which",
    ) as no:
        call(**how)
    message = str(no.value)
    taken, _, others = message.partition("; leave it out")
    assert set(re.split(", | and ", taken.split("takes ")[1])) == MEANS[method]
    named = set(others.partition("takes it: ")[2].split(", ")) - {""}
    assert named == {name for name in methods if option in MEANS[name]}


@pytest.mark.parametrize("method", METHODS)
def test_defaults_hold_where_nothing_is_given(method: Any) -> None:
    """The documented defaults: 1 ms, 1e-6, 1e-8, any step, a Jacobian for every step."""
    used = RunOptions(duration=1.0, method=method).settings
    assert used[1:] == (1e-3, 1e-6, 1e-8, float("inf"), 1)


def test_what_is_taken_is_used() -> None:
    """Half the step makes twice the steps; a longest step makes at least so many more."""
    counts = [ce.simulate(model(), duration=0.1, method="rk4", step=h).attrs["steps"] for h in (2e-3, 1e-3)]
    assert counts == [50, 100]
    for method in ("dopri5", "tsit5", "RK45", "LSODA"):
        run = ce.simulate(model(), duration=0.1, method=method, max_step=1e-3)
        assert run.attrs["steps"] >= 100
