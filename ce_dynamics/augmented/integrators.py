"""Integrators of the augmented equations (8): index 1 with stabilisation, and IDA on the index 2 form.

Jacobians are sparse, exact and compiled.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from ce_dynamics.algebra.arrays import Array, concatenate, zeros
from ce_dynamics.augmented.augmented import Augmented
from ce_dynamics.augmented.observer import apply_law
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.compiler import TracedFunction, compile_function, trace
from ce_dynamics.compiler.derivatives.compiled import compile_jacobian
from ce_dynamics.errors import ModelError


class SparseMatrix:
    """The derivative of an output with respect to an input, in CSC form; ``matrix`` has the last values."""

    def __init__(self, traced: TracedFunction, output: str, input: str) -> None:
        jacobian = compile_jacobian(traced, output, input)
        self._bound = jacobian.function.bind()
        self._entries = self._bound.outputs[jacobian.entries]
        self._order = np.lexsort((jacobian.rows, jacobian.columns))
        starts = np.searchsorted(jacobian.columns[self._order], np.arange(jacobian.shape[1] + 1))
        ones = np.ones(len(self._order))
        self.matrix = csc_matrix((ones, jacobian.rows[self._order], starts), shape=jacobian.shape)

    def at(self, **inputs: Any) -> csc_matrix:
        """Evaluate; the result is overwritten by the next call."""
        for name, given in inputs.items():
            self._bound.inputs[name][:] = given
        self._bound.run()
        self.matrix.data[:] = self._entries[self._order]
        return self.matrix


COMPLIANCE = 1e-7
"""Compliance of redundant rows, relative to their own."""

REFINEMENTS = 3
"""Iterations that remove its effect: each reduces it by about that factor."""


class Index1Answer(NamedTuple):
    """Solution of the augmented equations (8) at a state."""

    y_dot: Array  # (n_y,)
    multipliers: Array  # (n_g,)
    # g, rate (n_g,): Constraint errors in position and velocity, of all rows
    g: Array
    rate: Array


class Index1:
    """(8) with Baumgarte's terms: ``[M −Gᵀ; G 0] [V̇; λ] = [f; −γ − 2α ġ − β² g]``.

    With redundant rows the matrix is [M −Gᵀ; G E] and the right-hand side has E λ of the iteration before,
    which converges to V̇ of (8) and, of all λ, to one of least norm.  ``softness`` (n_g,) is the compliance G
    M⁻¹ Gᵀ of the rows that take part in a redundancy, zero for all others.
    """

    def __init__(self, model: Augmented, softness: Array, law: InputLaw | None = None) -> None:
        self.model, self.law = model, law
        self._compliance = COMPLIANCE * softness
        n_y = model.n_p + model.n_V + model.n_x
        sizes = {"y": n_y, "t": 1, "u": len(model.u0), "z": model.n_V + model.n_g}
        traced = trace("index1", self._parts, sizes)
        self._parts_at, self._matrix = compile_function(traced), SparseMatrix(traced, "remains", "z")

    def _parts(self, y: Array, t: Array, u: Array, z: Array) -> dict[str, Any]:
        """Return the residual of (8) in z = [V̇; λ], and errors and rates at the state."""
        model = self.model
        p, V, x = model.split(y)
        V_dot, multipliers = z[: model.n_V], z[model.n_V :]
        instant = model.instant(p, V, x, apply_law(model, self.law, t[0], p, V, x, u))
        rows = instant.constraints
        reaction = rows.G.T @ multipliers if model.n_g else zeros(model.n_V)
        remains = [instant.momentum(V_dot, reaction)]
        if model.n_g:
            remains.append(rows.G @ V_dot + self._compliance * multipliers + rows.gamma)
        return {
            "remains": concatenate(remains),
            "g": rows.g,
            "rate": rows.rate,
            "p_dot": instant.position_rate(V),
            "x_dot": concatenate([instant.x_dot]) if model.n_x else np.zeros(0),
        }

    def __call__(self, t: float, y: Array, u: Array, alpha: float = 0.0, beta: float = 0.0) -> Index1Answer:
        """Evaluate; NaN where the equations are singular."""
        n_V = self.model.n_V
        given = {"y": y, "t": np.array([t]), "u": u, "z": np.zeros(n_V + self.model.n_g)}
        remains, g, rate, p_dot, x_dot = self._parts_at(*given.values())
        wanted = -remains
        wanted[n_V:] -= 2.0 * alpha * rate + beta**2 * g
        try:
            factors = splu(self._matrix.at(**given))
        except RuntimeError:  # exactly singular
            solution = np.full(len(wanted), np.nan)
        else:
            solution = factors.solve(wanted)
            for _ in range(REFINEMENTS if self._compliance.any() else 0):
                yielded = np.concatenate((np.zeros(n_V), self._compliance * solution[n_V:]))
                solution = factors.solve(wanted + yielded)
        y_dot = np.concatenate((p_dot, solution[:n_V], x_dot))
        return Index1Answer(y_dot, solution[n_V:], g, rate)


VELOCITY_COMPLIANCE = 1e-12
"""Per unit of softness [s]: redundant rows yield by this times the acceleration their reaction causes."""

POSITION_COMPLIANCE = 1e-9
"""The same for μ, which is tiny itself [s, per unit of softness]."""


class StabilisedIndex2:
    """Residual F(t, Y, Ẏ, u) and Jacobian ∂F/∂Y + c_j ∂F/∂Ẏ of an augmented system; see `Index1`."""

    def __init__(self, model: Augmented, softness: Array, law: InputLaw | None = None) -> None:
        self.model, self.softness, self.law = model, softness, law
        self.n_y = model.n_p + model.n_V + model.n_x
        self.size = self.n_y + 2 * model.n_g
        sizes = {"Y": self.size, "Y_dot": self.size, "t": 1, "u": len(model.u0)}
        start = time.perf_counter()
        self._residual = compile_function(trace("ggl", self._evaluate, sizes))
        traced = time.perf_counter()
        along = trace("ggl_along", self._evaluate_along, sizes | {"c_j": 1, "s": self.size})
        self._jacobian = SparseMatrix(along, "F", "s")
        self.timing = {"trace": traced - start, "jacobian": time.perf_counter() - traced}

    @property
    def pattern(self) -> csc_matrix:
        """Sparsity of the Jacobian."""
        return self._jacobian.matrix

    def residual(self, t: float, Y: Array, Y_dot: Array, u: Array) -> Array:
        """Return F."""
        return self._residual(Y, Y_dot, np.array([t]), u)[0]

    def jacobian(self, t: float, Y: Array, Y_dot: Array, u: Array, c_j: float) -> csc_matrix:
        """Return ∂F/∂Y + c_j ∂F/∂Ẏ; overwritten by the next call."""
        return self._jacobian.at(Y=Y, Y_dot=Y_dot, t=t, u=u, c_j=c_j)

    @property
    def algebraic(self) -> Array:
        """Indices of λ and μ."""
        return np.arange(self.n_y, self.size)

    def _evaluate_along(
        self, Y: Array, Y_dot: Array, t: Array, u: Array, c_j: Array, s: Array
    ) -> dict[str, Any]:
        """Return F of (Y + s, Ẏ + c_j s): its derivative by s is the Jacobian."""
        return self._evaluate(Y + s, Y_dot + c_j[0] * s, t, u)

    def _evaluate(self, Y: Array, Y_dot: Array, t: Array, u: Array) -> dict[str, Any]:
        model, n = self.model, self.model.n_g
        p, V, x = model.split(Y[: self.n_y])
        p_dot, V_dot, x_dot = model.split(Y_dot[: self.n_y])
        multipliers, mu = Y[self.n_y : self.n_y + n], Y[self.n_y + n :]
        instant = model.instant(p, V, x, apply_law(model, self.law, t[0], p, V, x, u))
        rows = instant.constraints
        G = rows.G
        # without constraints there is nothing to multiply
        correction, reaction = (G.T @ mu, G.T @ multipliers) if n else (zeros(model.n_V), zeros(model.n_V))
        parts = (
            p_dot - instant.position_rate(V + correction),
            instant.momentum(V_dot, reaction),
            x_dot - instant.x_dot if model.n_x else zeros(0),
            np.where(model.holonomic, rows.g + POSITION_COMPLIANCE * self.softness * mu, mu),
            rows.rate + VELOCITY_COMPLIANCE * self.softness * multipliers,
        )
        return {"F": concatenate(parts)}


UNTESTED = 1e20
"""Absolute tolerance of the multipliers."""

OUTSIDE = 1e30
"""Residual where the model has no value: Newton fails and IDA tries a shorter step."""

DENSE_UP_TO = 150
"""Systems of at most this size are solved with dense matrices, which is about as fast and simpler."""


def load_ida() -> Any:
    """Return the class ``sksundae.ida.IDA``."""
    try:
        with idle_threads_sleep():
            from sksundae.ida import IDA  # here, because an extra installs it
    except ImportError as error:
        raise ModelError(
            "the DAE reference needs scikit-sundae, which is not installed; install ce-dynamics[dae]"
        ) from error
    return IDA


@contextmanager
def idle_threads_sleep() -> Iterator[None]:
    """Let the OpenMP library that is loaded meanwhile put idle threads to sleep.

    SuperLU_MT opens a parallel region for every solution; threads that spin between them make it several
    times slower on a machine with few cores.  OpenMP reads the variable once, while it is loaded.
    """
    name = "OMP_WAIT_POLICY"
    before = os.environ.get(name)
    os.environ.setdefault(name, "passive")
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]


def make_solver(
    problem: StabilisedIndex2,
    signal: Callable[[float], Array],
    rtol: float,
    atol: float | Array,
    max_step: float,
    linear_solver: str,
) -> Any:
    """Return an IDA solver with the exact Jacobian."""
    IDA = load_ida()
    sparse = choose_sparse(linear_solver, problem.size)
    rows, columns = coordinates(problem)

    def residual(t: float, Y: Array, Y_dot: Array, F: Array) -> None:
        values = problem.residual(t, Y, Y_dot, signal(t))
        F[:] = values if np.isfinite(values).all() else OUTSIDE

    def jacobian(t: float, Y: Array, Y_dot: Array, F: Array, c_j: float, J: Array) -> None:
        values = problem.jacobian(t, Y, Y_dot, signal(t), c_j).data
        if sparse:
            J[:] = values
        else:
            J[rows, columns] = values

    tolerance = np.full(problem.size, UNTESTED)
    tolerance[: problem.n_y] = atol
    options: dict[str, Any] = {
        "jacfn": jacobian,
        "algebraic_idx": problem.algebraic,
        "rtol": rtol,
        "atol": tolerance,
        "max_step": max_step,
        "max_num_steps": 1_000_000,
        "linsolver": "sparse" if sparse else "dense",
    }
    if sparse:
        options["sparsity"] = problem.pattern
    with warnings.catch_warnings():
        # "Custom sparse Jacobian approximation will be ignored": ours is meant to be used
        warnings.simplefilter("ignore", UserWarning)
        return IDA(residual, **options)


def choose_sparse(linear_solver: str, size: int) -> bool:
    """Return True if sparse matrices are to be used."""
    if linear_solver not in ("auto", "sparse", "dense"):
        raise ModelError(f"linear_solver {linear_solver!r} is not one of 'auto', 'sparse', 'dense'")
    return linear_solver == "sparse" or (linear_solver == "auto" and size > DENSE_UP_TO)


def coordinates(problem: StabilisedIndex2) -> tuple[Array, Array]:
    """Return rows and columns of the Jacobian's nonzeros in the order in which they are stored."""
    pattern = problem.pattern
    return pattern.indices, np.repeat(np.arange(problem.size), np.diff(pattern.indptr))


def advance(
    solver: Any, times: Array, Y: Array, Y_dot: Array
) -> tuple[list[Array], dict[str, float], str | None]:
    """Step from output to output; returns what was stored, counts, and why it stopped early, if it did."""
    solver.init_step(times[0], Y, Y_dot)
    stored = [Y]
    counts = {"residuals": 0.0, "jacobians": 0.0}
    for t in times[1:]:
        try:
            step = solver.step(t, tstop=t)
        except RuntimeError as error:
            return stored, counts, str(error)
        counts = {"residuals": float(step.nfev), "jacobians": float(step.njev)}
        if not step.success or not np.isfinite(step.y).all():
            return stored, counts, str(step.message)
        stored.append(step.y)
    return stored, counts, None
