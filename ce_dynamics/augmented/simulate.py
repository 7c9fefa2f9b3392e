"""Integrate the augmented models: the GGL form by SUNDIALS IDA, Baumgarte's form by SciPy."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented.augmented import Augmented, AugmentedInstant, redundant_rows
from ce_dynamics.augmented.fully_augmented import FullyAugmented
from ce_dynamics.augmented.integrators import Index1, StabilisedIndex2, advance, make_solver
from ce_dynamics.augmented.observer import apply_law
from ce_dynamics.augmented.states import BodyState
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.mechanism.system import System
from ce_dynamics.simulation.options import lists_options


class StoredPoses(NamedTuple):
    """A body's motion at all stored instants.

    Attributes
    ----------
    r, v : (n, 3) arrays
        Centre of mass in the world [m] and its velocity [m/s].
    R : (n, 3, 3) array
        Body axes to world axes.
    w : (n, 3) array
        Angular velocity in world axes [rad/s].
    """

    r: Array
    R: Array
    v: Array
    w: Array


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A stored motion of an augmented model.

    Attributes
    ----------
    model : Augmented
    t : (n,) array
    y : (n, n_y) array
        States [p; V; x] in rows.
    u : (n, n_u) array
        Inputs.
    g, rate : (n, n_g) arrays
        Position and velocity errors of all constraint rows, redundant ones included.
    multipliers : (n, n_g) array
        λ of (8) at the stored states; of redundant rows, one of least norm.
    statistics : mapping
        Counts and seconds.
    """

    model: Augmented
    t: Array
    y: Array
    u: Array
    g: Array
    rate: Array
    multipliers: Array
    statistics: Mapping[str, float]

    @property
    def constraint_error(self) -> Array:
        """Largest position error of all rows at every instant, (n,)."""
        return largest_per_row(self.g)

    @property
    def closure_error(self) -> Array:
        """Largest position error of the loop closures at every instant, (n,)."""
        return largest_per_row(self.g[:, self.model.closure_rows])

    @property
    def rate_error(self) -> Array:
        """Largest velocity error of all rows at every instant, (n,)."""
        return largest_per_row(self.rate)

    @cached_property
    def states(self) -> list[dict[str, BodyState]]:
        """States of all bodies at every instant."""
        return [self.model.at(y, u).states for y, u in zip(self.y, self.u, strict=True)]

    def body(self, name: str) -> StoredPoses:
        """Return the motion of a body."""
        self.model.system.find(name)
        chosen = [states[name] for states in self.states]
        return StoredPoses(
            *(np.array([getattr(s, key) for s in chosen], dtype=float) for key in ("r", "R", "v", "w"))
        )

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy at every instant, (n,) [J]."""
        pairs = zip(self.y, self.u, strict=True)
        return np.array([self.model.at(y, u).energy for y, u in pairs], dtype=float)


def largest_per_row(errors: Array) -> Array:
    """Return the largest absolute value in every row; zero where there are no columns."""
    return np.asarray(np.max(np.abs(errors), axis=1, initial=0.0))


class Preparation:
    """An augmented model ready to be integrated: redundant rows found, functions traced and differentiated.

    Both integrations use it; prepare once to run several times.

    Parameters
    ----------
    model : Augmented or System
        A System stands for its fully augmented model.
    y0 : array
        Initial state; constraint errors are projected away.
    inputs : optional
        Constant inputs (mapping or array), a function of time that returns them, or an `InputLaw`.
    t0 : float
        Initial time.
    """

    def __init__(self, model: Augmented | System, y0: Array, inputs: Any = None, t0: float = 0.0) -> None:
        what = "an augmented model, or a System"
        checks.instance("model", model, (Augmented, System), what)
        self.model = FullyAugmented(model) if isinstance(model, System) else model
        y0 = self.model.check_state("y0", y0)
        t0 = checks.number("t0", t0)
        self.law: InputLaw | None = inputs if hasattr(inputs, "inputs") else None
        self.signal = self.model.signal(None if self.law else inputs)
        self.y0 = self.model.assemble(y0, self.inputs_at(t0, y0))
        u0 = self.inputs_at(t0, self.y0)
        self.softness = softness(self.model.at(self.y0, u0))
        self.index1 = Index1(self.model, self.softness, self.law)

    @cached_property
    def ggl(self) -> StabilisedIndex2:
        """The stabilised index-2 form, built when first needed."""
        return StabilisedIndex2(self.model, self.softness, self.law)

    def inputs_at(self, t: float, y: Array) -> Array:
        """Return inputs at a state."""
        if self.law is None:
            return self.signal(t)
        p, V, x = self.model.split(y)
        return np.asarray(apply_law(self.model, self.law, t, p, V, x, self.model.u0), dtype=float)

    def trajectory(self, t: Array, y: Array, statistics: dict[str, float]) -> Trajectory:
        """Return stored states with everything that follows from them."""
        g, rate = np.zeros((len(t), self.model.n_g)), np.zeros((len(t), self.model.n_g))
        multipliers = np.zeros((len(t), self.model.n_g))
        for k in range(len(t)):
            answer = self.index1(t[k], y[k], self.signal(t[k]))
            g[k], rate[k] = answer.g, answer.rate
            multipliers[k] = answer.multipliers
        u = np.array([self.inputs_at(t[k], y[k]) for k in range(len(t))]).reshape(len(t), len(self.model.u0))
        return Trajectory(self.model, np.asarray(t), y, u, g, rate, multipliers, statistics)


def softness(instant: AugmentedInstant) -> Array:
    """Return the compliance (G M⁻¹ Gᵀ)_kk of rows that take part in a redundancy, else zero; (n_g,)."""
    G = np.asarray(instant.constraints.G, dtype=float)
    redundant = redundant_rows(G)
    if not redundant.any():
        return np.zeros(len(G))
    inertia = np.asarray(instant.inertia, dtype=float)
    compliance = np.einsum("ij,ji->i", G, np.linalg.pinv(inertia) @ G.T)
    return np.where(redundant, np.where(compliance > 0.0, compliance, 1.0), 0.0)


def prepare_run(
    model: Augmented | System | Preparation, y0: Array | None, inputs: Any, t0: float
) -> Preparation:
    """Return a preparation as it is, or a new one."""
    if isinstance(model, Preparation):
        if y0 is not None or inputs is not None:
            raise ModelError("a Preparation has its own initial state and inputs; leave y0 and inputs out")
        return model
    if y0 is None:
        raise ModelError("an initial state y0 is needed; e.g. from state_from_embedded or design_state")
    return Preparation(model, y0, inputs, t0)


def check_times(t_eval: Any) -> Array:
    """Check that output times increase; the first one is the start."""
    times = checks.numbers("t_eval", t_eval)
    if (
        times.ndim != 1
        or len(times) < 2
        or not np.all(np.diff(times) > 0.0)
        or not np.all(np.isfinite(times))
    ):
        raise ModelError("t_eval must be at least two finite, increasing times; the first is the start")
    return times


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """Tolerances of an integration, and the inputs of its system.

    Parameters
    ----------
    rtol, atol : float
        Tolerances of [p; V; x], ``atol`` also one per entry; multipliers take no part in error control.
    inputs : optional
        Constant inputs (mapping or array), a function of time that returns them, or an `InputLaw`.
    """

    rtol: float = 1e-8
    atol: float | Array = 1e-8
    inputs: Any = None

    def check(self, model: Augmented) -> None:
        """Refuse tolerances that are not positive."""
        checks.number("rtol", self.rtol, above=0.0)
        size = model.n_p + model.n_V + model.n_x
        for entry in [self.atol] if np.ndim(self.atol) == 0 else checks.vector("atol", self.atol, size):
            checks.number("atol", entry, above=0.0)


@lists_options(Accuracy)
def simulate_dae(
    model: Augmented | System | Preparation,
    y0: Array | None,
    t_eval: Any,
    *,
    max_step: float = 0.0,
    linear_solver: str = "auto",
    **options: Any,
) -> Trajectory:
    """Integrate the stabilised index-2 form by SUNDIALS IDA with the exact Jacobian.

    Parameters
    ----------
    model : Augmented, System or Preparation
        A System stands for its fully augmented model; a Preparation brings its own y0 and inputs.
    y0 : (n_y,) array
        Initial state [p; V; x]; constraint errors are projected away.
    t_eval : (n,) array
        Output times, the first of which is the start.  Every one ends a step: nothing is interpolated.
    max_step : float
        Largest step [s]; 0 for no limit.
    linear_solver : {"auto", "sparse", "dense"}
    **options
        Fields of `Accuracy`: ``rtol``, ``atol``, ``inputs``.

    Raises
    ------
    ModelError
        If scikit-sundae is not installed, or an argument is wrong.
    SimulationError
        If IDA gives up; ``partial`` holds the trajectory so far.
    """
    times = check_times(t_eval)
    checks.number("max_step", max_step, at_least=0.0)
    accuracy = Accuracy(**options)
    ready = prepare_run(model, y0, accuracy.inputs, times[0])
    accuracy.check(ready.model)
    problem = ready.ggl
    solver = make_solver(problem, ready.signal, accuracy.rtol, accuracy.atol, max_step, linear_solver)
    start = time.perf_counter()
    answer = ready.index1(times[0], ready.y0, ready.signal(times[0]))
    Y = np.concatenate((ready.y0, answer.multipliers, np.zeros(ready.model.n_g)))
    Y_dot = np.concatenate((answer.y_dot, np.zeros(2 * ready.model.n_g)))
    stored, counts, trouble = advance(solver, times, Y, Y_dot)
    statistics = {**counts, **problem.timing, "integration": time.perf_counter() - start}
    result = ready.trajectory(times[: len(stored)], np.array(stored)[:, : problem.n_y], statistics)
    if trouble:
        raise SimulationError(f"IDA stopped after t = {result.t[-1]:g} s: {trouble}", result)
    return result


@lists_options(Accuracy)
def simulate_baumgarte(
    model: Augmented | System | Preparation,
    y0: Array | None,
    t_eval: Any,
    *,
    alpha: float = 10.0,
    beta: float = 10.0,
    max_step: float = np.inf,
    method: str = "DOP853",
    **options: Any,
) -> Trajectory:
    """Integrate (8) with Baumgarte's stabilisation g̈ + 2α ġ + β² g = 0 as an ordinary differential equation.

    Parameters
    ----------
    model, y0, t_eval, **options
        As in `simulate_dae`; outputs are interpolated by SciPy's dense output.
    alpha, beta : float
        Stabilisation [1/s]; both zero leaves the constraints to drift.
    max_step : float
        Largest step [s].
    method : str
        Of `scipy.integrate.solve_ivp`.

    Raises
    ------
    ModelError
        If an argument is wrong.
    SimulationError
        If the integration fails; ``partial`` holds the trajectory so far.
    """
    times = check_times(t_eval)
    for name, value in (("alpha", alpha), ("beta", beta)):
        checks.number(name, value, at_least=0.0)
    checks.number("max_step", max_step, above=0.0, infinite=True)
    checks.choice("method", method, ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"))
    accuracy = Accuracy(**options)
    ready = prepare_run(model, y0, accuracy.inputs, times[0])
    accuracy.check(ready.model)
    start = time.perf_counter()
    integrate: Any = solve_ivp
    solution = integrate(
        lambda t, y: ready.index1(t, y, ready.signal(t), alpha, beta).y_dot,
        (times[0], times[-1]),
        ready.y0,
        method=method,
        t_eval=times,
        rtol=accuracy.rtol,
        atol=accuracy.atol,
        max_step=max_step,
    )
    statistics = {"evaluations": float(solution.nfev), "integration": time.perf_counter() - start}
    result = ready.trajectory(solution.t, solution.y.T, statistics)
    if solution.status < 0:
        raise SimulationError(f"{method} stopped after t = {result.t[-1]:g} s: {solution.message}", result)
    return result
