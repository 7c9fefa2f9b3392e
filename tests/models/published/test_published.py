"""Mechanisms with published figures, and the same against the augmented models integrated as a DAE."""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import (
    Augmented,
    FullyAugmented,
    Preparation,
    TreeAugmented,
    compute_accelerations,
    simulate_dae,
)
from ce_dynamics.compiled.model import Model
from ce_dynamics.dynamics.energy import kinetic_energy
from ce_dynamics.models import published
from ce_dynamics.models.published import MECHANISMS, PublishedFigure, PublishedMechanism
from ce_dynamics.models.published.a03_squeezer import START
from ce_dynamics.simulation.right_hand_side import RightHandSide
from tests.campaigns.published import four_bars
from tests.campaigns.published.__main__ import DOCS, PICTURE, main
from tests.campaigns.published.show import PARTS
from tests.models.published.squeezer_equations import integrated

FIRST_SECOND = "A05 flyball governor"
"""Its figures are of the first second of ten."""
IN_LINE = 0.6
"""The bars of A02 come into line at 0.7 s, where the constraints of the augmented models lose rank [s]."""


def duration(name: str) -> float:
    return 1.0 if name == FIRST_SECOND else MECHANISMS[name].duration


@cache
def model_of(name: str) -> Model:
    return ce.compile(MECHANISMS[name].build())


@cache
def embedded_run(name: str, end: float) -> tuple[Array, Array]:
    """Instants and states at rtol = 1e-13: good to 1e-11 where the motion does not amplify errors."""
    mechanism = MECHANISMS[name]
    times = np.unique([*np.linspace(0.0, end, 11), *(f.time for f in mechanism.figures if f.time <= end)])
    method: Any = "Radau" if mechanism.stiff else "DOP853"
    rhs = RightHandSide(model_of(name), mechanism.inputs)
    jacobian = {"jac": rhs_jacobian(model_of(name))} if mechanism.stiff else {}
    # Radau's error of order 3 makes a smaller tolerance costly
    rtol = 1e-12 if mechanism.stiff else 1e-13
    span = 0.0, end
    run = solve_ivp(rhs, span, model_of(name).y0, method, times, rtol=rtol, atol=0.1 * rtol, **jacobian)
    assert run.success
    return times, np.asarray(run.y.T)


def rhs_jacobian(model: Model) -> Any:
    return lambda t, y: model.linearize(y, u=model.u0).A


def inputs_at(mechanism: PublishedMechanism, t: float) -> Mapping[str, float]:
    return (
        {} if mechanism.inputs is None else {k: float(x) for k, x in mechanism.inputs.inputs(t, {}).items()}
    )


def u_at(name: str, t: float) -> Array:
    return model_of(name).inputs_with(inputs=inputs_at(MECHANISMS[name], t))


# Published figures


@pytest.mark.parametrize("name", MECHANISMS)
def test_published_figures(name: str) -> None:
    """Every figure within its precision."""
    times, states = embedded_run(name, duration(name))
    model = model_of(name)
    for figure in MECHANISMS[name].figures:
        (k,) = np.flatnonzero(times == figure.time)
        seen = model.sense(model.instant(states[k], u_at(name, figure.time)))
        assert abs(figure.error(float(seen[figure.output]))) < figure.precision, figure


def test_period_of_the_pendulum() -> None:
    """A01: 2.3678419476 s, four times the time to the lowest point; its exact value is 4 √(L/g) K(1/2)."""
    model = model_of("A01 pendulum")

    def lowest(t: float, y: Array) -> float:
        return float(y[0] - 0.5 * math.pi)

    lowest.terminal = True  # type: ignore[attr-defined]
    rhs = RightHandSide(model, None)
    run = solve_ivp(rhs, (0.0, 1.0), model.y0, "DOP853", events=lowest, rtol=1e-12, atol=1e-13)
    assert run.t_events is not None
    period = 4.0 * run.t_events[0][0]
    assert abs(period - 2.3678419476) < 1e-10
    assert abs(period - 4.0 / math.sqrt(9.81) * ellipk(0.5)) < 1e-11


def test_initial_accelerations_of_the_squeezer() -> None:
    """β̈ and Θ̈ of the IVP test set, printed to 10 decimals: 1e-14 of their size."""
    model = model_of("A03 Andrews' squeezer")
    nothing = np.zeros(0)
    by_body = compute_accelerations(model.embedding, np.zeros(1), np.zeros(1), nothing, nothing)
    beta, beta_and_theta = by_body["K1"][2], by_body["K2"][2]
    np.testing.assert_allclose(beta, 14222.4439199541, rtol=1e-13)
    np.testing.assert_allclose(beta_and_theta - beta, -10666.8329399656, rtol=1e-13)


def test_squeezer_against_the_equations_of_the_test_set() -> None:
    """They and the embedded model agree a hundred times better than either does with the printed figures.

    Both are integrated at tolerances of 1e-12 and 1e-13; the motion amplifies errors of β fortyfold.
    """
    name = "A03 Andrews' squeezer"
    model = model_of(name)
    _, states = embedded_run(name, duration(name))
    y = integrated(0.03, intervals=60, rtol=1e-12)
    seen = model.sense(model.instant(states[-1], model.u0))
    names = [f.output for f in MECHANISMS[name].figures if f.output in START]
    ours = {name: PublishedFigure(name, 0.03, y[list(START).index(name)], 0.0, True) for name in names}
    difference = max(abs(ours[name].error(float(seen[name]))) for name in names)
    printed = MECHANISMS[name].figures[0].error(float(seen["beta"]))
    print(f"measured: {difference:.1e} rad from the equations, {printed:.2e} rad from the printed beta")
    assert difference < 1.2e-11
    assert abs(float(seen["beta_rate"]) - y[7]) < 1e-9 * abs(y[7])
    assert abs(printed) > 100.0 * difference


@pytest.mark.parametrize("number", [1, 2, 5])
def test_four_bars_through_poses_in_line(number: int) -> None:
    """A02 against θ̈ = −g cos θ ((N + 1)/2 + N)/((N + 1)/3 + N), which the bars' symmetry leaves."""
    name = f"A02 {number} four-bars"
    model = model_of(name)
    times, states = embedded_run(name, duration(name))
    lever = ((number + 1) / 2 + number) / ((number + 1) / 3 + number)
    exact = solve_ivp(
        lambda t, y: (y[1], -9.81 * math.cos(y[0]) * lever),
        (0.0, times[-1]),
        (0.5 * math.pi, -1.0),
        "DOP853",
        times,
        rtol=1e-13,
        atol=1e-14,
        dense_output=True,
    )
    seen = [model.sense(model.instant(y, model.u0)) for y in states]
    tops = np.array([[float(s["x"]), float(s["y"])] for s in seen])
    angle = exact.y[0]
    np.testing.assert_allclose(tops, np.stack((np.cos(angle), np.sin(angle)), axis=1), rtol=0.0, atol=1e-10)
    assert exact.sol is not None
    crossings = np.diff(np.floor(exact.sol(np.linspace(0.0, times[-1], 2000))[0] / math.pi))
    assert np.count_nonzero(crossings) == 10  # θ = 0 and π (mod 2π)


def test_more_four_bars_in_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """Eight, through the first pose in line; the command is for the benchmark's own forty."""
    assert four_bars.main(["8", "--duration", "1"]) == 0
    assert "8 four-bars" in capsys.readouterr().out


def test_solver_errors_explain_the_modelica_figures() -> None:
    """At the tolerance Modelica tools use, a BDF code is off by as much as the figures are."""
    name = "Modelica four-bar"
    model, mechanism = model_of(name), MECHANISMS[name]
    full = FullyAugmented(model.system)
    start = full.state_from_embedded(model.embedding, *model.layout.split(model.y0))
    times, states = embedded_run(name, duration(name))
    run = simulate_dae(full, start, times, rtol=1e-6, atol=1e-6)
    crank = model.system.find("crank")
    arm = np.array((0.0, 0.5, 0.1))
    angles = []
    for R in run.body("crank").R:
        turned = R @ arm
        angles.append(math.atan2(np.cross(arm, turned)[0], arm @ turned))
    assert crank.inboard.n_v == 1
    of_ida = np.abs(np.array(angles) - states[:, 0])
    of_figures = [abs(f.error(float(states[times == f.time][0, 0]))) for f in mechanism.figures]
    print(f"measured: {max(of_figures):.1e} rad from the figures, {of_ida.max():.1e} rad of a BDF code")
    assert max(of_figures) < 10.0 * of_ida.max()
    assert max(of_figures) > 0.1 * of_ida.max()
    # another gravity would be noticed: 9.81 instead of 9.80665 is off by 2.9e-4
    system = published.modelica_four_bar()
    system.gravity = np.array((0.0, -9.81, 0.0))
    other = ce.compile(system)
    end = solve_ivp(RightHandSide(other, None), (0.0, 0.3), other.y0, "DOP853", rtol=1e-10, atol=1e-12)
    print(f"measured: {abs(end.y[0, -1] - states[-1, 0]):.1e} rad by another gravity")
    assert abs(end.y[0, -1] - states[-1, 0]) > 20.0 * max(of_figures)


# The augmented models


@pytest.mark.parametrize("formulation", [FullyAugmented, TreeAugmented])
@pytest.mark.parametrize("name", MECHANISMS)
def test_against_the_dae(name: str, formulation: type[Augmented]) -> None:
    """GGL by IDA comes to the embedded motion, in which its tolerance has no part.

    Each step's error is below the tolerance; some hundreds of them add up, amplified by the motion (the
    squeezer's tenfold within a turn): 1e4 tolerances of the mechanism's size are allowed.  That a hundredth
    of the tolerance leaves less than a fifth of the error shows that both solve the same equations.
    """
    mechanism, model = MECHANISMS[name], model_of(name)
    times, states = embedded_run(name, IN_LINE if name.startswith("A02") else duration(name))
    bodies, ground = model.system.bodies, model.system.ground
    expected = np.array(
        [
            [model.instant(y, u_at(name, t)).outward.placement(body, ground).r for body in bodies]
            for t, y in zip(times, states, strict=True)
        ],
        dtype=float,
    )
    size = np.max(np.abs(expected))
    augmented = formulation(model.system)
    inputs = (lambda t: inputs_at(mechanism, t)) if mechanism.inputs else None
    start = augmented.state_from_embedded(model.embedding, *model.layout.split(model.y0), u_at(name, 0.0))
    prepared = Preparation(augmented, start, inputs)
    errors = []
    for tolerance in (1e-6, 1e-8):
        run = simulate_dae(prepared, None, times, rtol=tolerance, atol=tolerance)
        found = np.stack([run.body(body.name).r for body in bodies], axis=1)
        errors.append(np.max(np.abs(found - expected)))
        assert errors[-1] < 1e4 * tolerance * size
        assert run.constraint_error.max() < tolerance
    assert errors[1] < 0.2 * errors[0]


@pytest.mark.parametrize("name", MECHANISMS)
def test_accelerations_along_the_motion(name: str) -> None:
    """The reference is the fully augmented equations, for every body, at the states of the embedded run."""
    model = model_of(name)
    augmented = FullyAugmented(model.system)
    for t, y in zip(*embedded_run(name, duration(name)), strict=True):
        u = u_at(name, t)
        q, v, x = model.layout.split(y)
        by_body = compute_accelerations(model.embedding, q, v, x, u)
        found = np.concatenate([by_body[body.name] for body in model.system.bodies])
        state = augmented.state_from_embedded(model.embedding, q, v, x, u)
        expected = augmented.accelerations(state, u).V_dot
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.max(np.abs(expected)))


# Closure and energy of the embedded runs


@pytest.mark.parametrize("name", MECHANISMS)
def test_loops_stay_closed(name: str) -> None:
    model = model_of(name)
    for t, y in zip(*embedded_run(name, duration(name)), strict=True):
        closure = model.closure_norms(model.instant(y, u_at(name, t))).astype(float)
        assert np.max(closure, initial=0.0) < 1e-14


@pytest.mark.parametrize("name", MECHANISMS)
def test_energy_is_accounted_for(name: str) -> None:
    """Energy less the work of drives, dampers and prescribed motions, with the run's rtol = 1e-10."""
    mechanism, model = MECHANISMS[name], model_of(name)
    end = duration(name)
    method: Any = "Radau" if mechanism.stiff else "DOP853"
    rhs = RightHandSide(model, mechanism.inputs, audit=True)
    start = np.append(model.y0, 0.0)
    run = solve_ivp(rhs, (0.0, end), start, method, np.linspace(0, end, 11), rtol=1e-10, atol=1e-12)
    energies = []
    for t, y in zip(run.t, run.y.T, strict=True):
        instant = model.instant(y[:-1], u_at(name, t))
        mechanical = float(instant.energy - instant.energies["elastic_energy"])
        energies.append((mechanical, float(kinetic_energy(instant.outward))))
    total = np.array(energies)[:, 0]
    amount = np.max(np.abs(np.array(energies))) + np.max(np.abs(run.y[-1]))
    np.testing.assert_allclose(total - total[0], run.y[-1], rtol=0.0, atol=1e-7 * amount)


# The comparison that the documentation shows


def test_comparison_of_the_documentation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "A02 1 four-bars", "Modelica four-bar", "--output", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "Largest error of hinges and closures" in printed
    assert "stopped" not in printed
    assert (tmp_path / PICTURE).stat().st_size > 10_000


def test_page_has_every_mechanism() -> None:
    text = (DOCS / "measured" / "verification.txt").read_text()
    block = text.partition("<!-- published -->\n")[2].partition("<!-- /published -->")[0]
    for name in MECHANISMS:
        assert block.count(f"| {name} |") == len(PARTS) + 1
