"""RK45 without SciPy: every bit as by SciPy, in every step and at every stored instant."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation import rk45


def orbit(t: float, y: Floats) -> Floats:
    """A planet on an ellipse of eccentricity 0.9: steps of very different lengths, some refused."""
    return np.concatenate((y[2:], -y[:2] / np.hypot(*y[:2]) ** 3))


def blows_up(t: float, y: Floats) -> Floats:
    """1/(1 - t), which no step reaches the end of."""
    return y**2


def stops_being_a_number(t: float, y: Floats) -> Floats:
    """Beyond t = 0.5."""
    return y * (1.0 if t < 0.5 else np.nan)


def rests(t: float, y: Floats) -> Floats:
    """Without error, so that steps grow as fast as they may."""
    return np.zeros_like(y)


STARTS: dict[Callable[..., Floats], tuple[float, ...]] = {
    orbit: (0.1, 0.0, 0.0, 19.0**0.5),
    blows_up: (1.0,),
    stops_being_a_number: (1.0, 2.0),
    rests: (1.0,),
}


@pytest.mark.filterwarnings(
    "ignore:overflow encountered:RuntimeWarning", "ignore:invalid value:RuntimeWarning"
)
@pytest.mark.parametrize("max_step", [np.inf, 0.03])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("f", STARTS)
def test_the_bits_are_scipys(f: Callable[..., Floats], tolerance: float, max_step: float) -> None:
    y0, t_eval = np.array(STARTS[f]), np.append(0.07 * np.arange(40), 2.8)
    seen: list[list[tuple[float, bytes]]] = []
    solutions: list[Any] = []
    both: tuple[Any, ...] = rk45.solve, partial(solve_ivp, method="RK45")
    for solve in both:
        steps: list[tuple[float, bytes]] = []

        def after_step(t: float, y: Floats, steps: list[tuple[float, bytes]] = steps) -> float:
            steps.append((float(t), y.tobytes()))
            return 1.0

        settings = {"rtol": tolerance, "atol": 1e-2 * tolerance, "max_step": max_step}
        solutions.append(solve(f, (0.0, 2.8), y0, t_eval=t_eval, events=after_step, **settings))
        seen.append(steps)
    ours, scipys = solutions
    assert seen[0] == seen[1]
    assert len(seen[0]) > (1 if f is rests else 10)
    assert ours.success == scipys.success == (f in (orbit, rests))
    assert ours.success or ours.message == scipys.message
    assert ours.t.tobytes() == scipys.t.tobytes()
    assert ours.y.tobytes() == np.ascontiguousarray(scipys.y).tobytes()


def test_what_is_interpolated_is_hairers_dense_output() -> None:
    """Σ P_ij θʲ⁺¹ is b_i θ plus terms that vanish at both ends; the last power's are d_i (II, (6.20))."""
    ends = np.append(rk45.B, 0.0)
    assert rk45.P.sum(axis=1) == pytest.approx(ends, abs=1e-14)  # coefficients up to 14, rounded
    slope = rk45.P @ np.arange(1.0, 5.0)  # at θ = 1, where only the last stage's rate is the state's
    assert slope == pytest.approx(np.eye(7)[6], abs=1e-13)


def test_a_state_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        rk45.solve(
            rests, (0.0, 1.0), np.array([np.nan]), t_eval=np.ones(1), events=lambda t, y: 1.0,
            rtol=1e-3, atol=1e-6, max_step=np.inf,
        )  # fmt: skip


def test_scipy_is_not_loaded() -> None:
    code = (
        "import sys; import ce_dynamics as ce\n"
        "s = ce.System(gravity=(0, 0, -9.81))\n"
        "hinge = ce.Revolute((0, 1, 0))\n"
        "s.add_body('arm', mass=1.0, com=(1, 0, 0), inertia=(0, 1, 1), parent=s.ground, hinge=hinge)\n"
        "from ce_dynamics.simulation.simulate import RunOptions, simulate_to_record\n"
        "simulate_to_record(ce.compile(s), None, RunOptions(duration=1.0))\n"
        "print(sorted({'scipy', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
