"""Steps of embedded pairs: the first one is SciPy's, and short calls leave the next one as long as it was."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import RK45

from ce_dynamics.compiled.integration_methods import EMBEDDED
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.native_run import make_stepper
from ce_dynamics.simulation.right_hand_side import RightHandSide
from tests.ce_dynamics.simulation.integrators.systems import pendulum


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
@pytest.mark.parametrize("method", EMBEDDED)
def test_the_first_step_is_that_of_scipy(method: str, tolerance: float) -> None:
    """Both choose it as Hairer, Nørsett and Wanner (II.4) do, with the error estimate's order plus one."""
    model, y0 = pendulum(), np.array((1.0, -0.4, 3.0, -5.0))
    rhs = RightHandSide(model, {})
    settings = Settings(method, 1e-3, tolerance, 1e-2 * tolerance, np.inf)
    stepper = make_stepper(settings, model.dynamics, None, model.u0, y0, model)
    stepper.march(np.array((0.0, 100.0)), 1, np.empty((1, 2, 4)))  # type: ignore[union-attr]
    first = RK45(rhs, 0.0, y0, 100.0, rtol=tolerance, atol=1e-2 * tolerance).h_abs
    assert stepper.steps == 1
    assert stepper.t == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize("method", EMBEDDED)
def test_short_calls_leave_length_of_next_step(method: Any) -> None:
    """A step cut short at the end of a call does not change the one that was wanted."""
    once, often = (Simulator(pendulum(), method=method, y0=(0.3, 0.2, 0.0, 0.0)) for _ in range(2))
    once.step(1.0)
    often.step(1.0)
    before = often._stepper.steps
    for _ in range(5):
        often.step(1e-7)
    assert often._stepper.steps == before + 5
    once.step(0.5)
    often.step(0.5)
    # after a step of 1e-7 s steps grow tenfold at most: it would take six to be where they were
    assert often._stepper.steps - before - 5 <= once._stepper.steps - before + 1
