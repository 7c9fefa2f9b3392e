"""A motion that is tried, and what its exact Jacobian says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.integrators.methods import Method
from ce_dynamics.simulation.integrators.scipy_jacobian import DenseJacobian
from ce_dynamics.simulation.right_hand_side import Inputs
from ce_dynamics.simulation.simulate import simulate

STATES = 5
"""States of the motion that are looked at."""


class Trial(NamedTuple):
    """A motion that was tried: by what, instants with states, steps and evaluations per simulated second."""

    method: Method
    states: list[tuple[float, Floats]]
    steps: float
    evaluations: float

    @property
    def rejected(self) -> float:
        """Part of the steps that were made again."""
        return max(0.0, 1.0 - self.method.evaluations * self.steps / self.evaluations)


def attempt(
    method: Method,
    model: Model,
    inputs: Inputs,
    parameters: Mapping[str, float] | None,
    start: Floats,
    tolerance: float,
    horizon: float,
) -> Trial:
    """The motion, by an adaptive method.

    Raises
    ------
    SimulationError
        If it cannot be integrated, or nothing moves.
    """
    from ce_dynamics.simulation.results import quantity  # here, because simulate has loaded xarray by then

    by: Any = method.name  # the names of `simulate` are a Literal
    try:
        run = simulate(
            model, inputs, y0=start, duration=horizon, method=by, rtol=tolerance, atol=0.01 * tolerance,
            interval=horizon / (STATES - 1), parameters=parameters,
        )  # fmt: skip
    except SimulationError as error:
        raise SimulationError(
            f"no method can be recommended: the motion cannot be tried ({error})", error.partial
        ) from error
    layout = model.layout
    names = [entry.name for entry in (*layout.q, *layout.v, *layout.x)]
    Y = np.stack([quantity(run, name).values for name in names], axis=1)
    if np.all(np.abs(Y - Y[0]) <= tolerance * (1.0 + np.abs(Y[0]))):
        raise SimulationError(
            f"no method can be recommended: nothing moves within {horizon:g} s, so that accuracy limits no "
            "step; give a state of the motion that is meant"
        )
    steps, evaluations = run.attrs["steps"] / horizon, run.attrs["evaluations"] / horizon
    return Trial(method, list(zip(run["time"].values.tolist(), Y, strict=True)), steps, evaluations)


def spectrum(jacobian: DenseJacobian, t: float, y: Floats) -> NDArray[np.complex128]:
    """Eigenvalues of the exact Jacobian, the fastest first.

    Raises
    ------
    SimulationError
        If it is not finite.
    """
    try:
        found = np.linalg.eigvals(jacobian(t, y)).astype(np.complex128)
    except ValueError:
        raise SimulationError(
            f"no method can be recommended: derivatives of the accelerations are not finite at t = {t:.4g} s "
            "(a law has a vertical slope there); give a state beside it"
        ) from None
    return found[np.argsort(-np.abs(found), kind="stable")]
