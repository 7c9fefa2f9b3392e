"""Integrators of the augmented equations (8): index 1 with stabilisation, and IDA on the index 2 form.

The Jacobians are sparse and exact, by CasADi.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from ce_dynamics.algebra.arrays import Array, concatenate, zeros
from ce_dynamics.augmented.augmented import Augmented
from ce_dynamics.augmented.observer import FeedbackLaw, apply_law
from ce_dynamics.compiler import to_casadi, trace
from ce_dynamics.compiler.casadi import ca
from ce_dynamics.errors import ModelError


def symbolic(
    name: str, function: Callable[..., Mapping[str, Any]], inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """Trace a function of vectors and apply it to CasADi columns, known zeros left out of the results."""
    traced = trace(name, function, {key: column.numel() for key, column in inputs.items()})
    results = to_casadi(traced)(*inputs.values())
    if not isinstance(results, tuple):
        results = (results,)
    return {key: ca.sparsify(value) for key, value in zip(traced.output_shapes, results, strict=True)}


class Evaluation:
    """A CasADi function of columns with buffers of its own.

    Parameters
    ----------
    name : str
    inputs, outputs : sequences of casadi.SX
        Of an output only the entries that are not known zeros are stored, column by column.
    """

    def __init__(self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        columns = [ca.vertcat(*output.nonzeros()) if output.nnz() else ca.SX(0, 1) for output in outputs]
        self.function = ca.Function(name, list(inputs), [ca.densify(column) for column in columns])
        self.inputs: list[Any] = [np.zeros(column.numel()) for column in inputs]
        self.outputs: list[Any] = [np.zeros(output.nnz()) for output in outputs]
        buffer: Any
        buffer, self._run = self.function.buffer()
        self._buffer = buffer  # keeps the memory that `_run` works on
        for k, values in enumerate(self.inputs):
            if values.size:
                buffer.set_arg(k, memoryview(values))
        for k, values in enumerate(self.outputs):
            if values.size:
                buffer.set_res(k, memoryview(values))

    def __call__(self, *values: Any) -> list[Array]:
        """Evaluate; the results are overwritten by the next call."""
        for store, given in zip(self.inputs, values, strict=True):
            store[:] = given
        self._run()
        return self.outputs

    @property
    def n_instructions(self) -> int:
        """Length of the program."""
        return int(self.function.n_instructions())


def pattern_of(matrix: Any) -> csc_matrix:
    """The sparsity of a CasADi matrix, with ones, in the order in which `Evaluation` stores it."""
    columns, rows = matrix.sparsity().get_ccs()
    return csc_matrix((np.ones(len(rows)), rows, columns), shape=matrix.shape)


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
    which converges to V̇ of (8) and, of all λ, to one of least norm.

    Parameters
    ----------
    model : Augmented
    softness : (n_g,) array
        Compliance G M⁻¹ Gᵀ of the rows that take part in a redundancy, zero for all others.
    law : FeedbackLaw, optional
        Inputs as a function of time and the system's outputs.

    Attributes
    ----------
    pattern : sparse matrix
        Of the saddle-point system, with the values of the last evaluation.
    """

    def __init__(self, model: Augmented, softness: Array, law: FeedbackLaw | None = None) -> None:
        self.model, self.law = model, law
        self._compliance = COMPLIANCE * softness
        n_y = model.n_p + model.n_V + model.n_x
        y, t, u = ca.SX.sym("y", n_y), ca.SX.sym("t"), ca.SX.sym("u", len(model.u0))
        parts = symbolic("index1", self._parts, {"y": y, "t": t, "u": u})
        n = model.n_g
        G, columns = (parts["G"], parts["columns"]) if n else (ca.SX(0, model.n_V), ca.SX(model.n_V, 0))
        E = ca.sparsify(ca.diag(ca.SX(self._compliance))) if n else ca.SX(0, 0)
        saddle = ca.vertcat(ca.horzcat(parts["inertia"], -columns), ca.horzcat(G, E))
        self.pattern = pattern_of(saddle)
        names = ("force", "gamma", "g", "rate", "p_dot", "x_dot")
        dense = tuple(ca.densify(parts[name]) for name in names)
        self._evaluate = Evaluation("index1", (y, t, u), (saddle, *dense))

    def _parts(self, y: Array, t: Array, u: Array) -> dict[str, Any]:
        model = self.model
        p, V, x = model.split(y)
        instant = model.instant(p, V, x, apply_law(model, self.law, t[0], p, V, x, u))
        rows = instant.constraints
        parts = {
            "inertia": instant.inertia,
            "force": instant.force,
            "gamma": rows.gamma,
            "g": rows.g,
            "rate": rows.rate,
            "p_dot": instant.position_rate(V),
            "x_dot": concatenate([instant.x_dot]) if model.n_x else np.zeros(0),
        }
        return parts | ({"G": rows.G, "columns": instant.columns} if model.n_g else {})

    def __call__(self, t: float, y: Array, u: Array, alpha: float = 0.0, beta: float = 0.0) -> Index1Answer:
        """Evaluate; NaN where the equations are singular."""
        values = self._evaluate(y, t, u)
        self.pattern.data[:] = values[0]
        force, gamma, g, rate, p_dot, x_dot = values[1:]
        wanted = -gamma - 2.0 * alpha * rate - beta**2 * g
        n_V = self.model.n_V
        try:
            factors = splu(self.pattern)
        except RuntimeError:  # exactly singular
            solution = np.full(n_V + len(g), np.nan)
        else:
            solution = factors.solve(np.concatenate((force, wanted)))
            for _ in range(REFINEMENTS if self._compliance.any() else 0):
                solution = factors.solve(np.concatenate((force, wanted + self._compliance * solution[n_V:])))
        y_dot = np.concatenate((p_dot, solution[:n_V], x_dot))
        return Index1Answer(y_dot, solution[n_V:], np.array(g), np.array(rate))


VELOCITY_COMPLIANCE = 1e-12
"""Per unit of softness [s]: redundant rows yield by this times the acceleration their reaction causes."""

POSITION_COMPLIANCE = 1e-9
"""The same for μ, which is tiny itself [s, per unit of softness]."""


class StabilisedIndex2:
    """Residual F(t, Y, Ẏ, u) and Jacobian ∂F/∂Y + c_j ∂F/∂Ẏ of an augmented system.

    Parameters
    ----------
    model : Augmented
    softness : (n_g,) array
        Compliance G M⁻¹ Gᵀ of the rows that take part in a redundancy, zero for all others.
    law : FeedbackLaw, optional
        Inputs as a function of time and the system's outputs; differentiated with the rest.

    Attributes
    ----------
    size : int
        Length of Y.
    pattern : sparse matrix
        Of the Jacobian, whose nonzeros `jacobian` returns in the same order.
    timing : dict of str to float
        Seconds for tracing and for the Jacobian.
    """

    def __init__(self, model: Augmented, softness: Array, law: FeedbackLaw | None = None) -> None:
        self.model, self.softness, self.law = model, softness, law
        self.n_y = model.n_p + model.n_V + model.n_x
        self.size = self.n_y + 2 * model.n_g
        Y, Y_dot = ca.SX.sym("Y", self.size), ca.SX.sym("Y_dot", self.size)
        t, u, c_j = ca.SX.sym("t"), ca.SX.sym("u", len(model.u0)), ca.SX.sym("c_j")
        start = time.perf_counter()
        F = symbolic("ggl", self._residual, {"Y": Y, "Y_dot": Y_dot, "t": t, "u": u})["F"]
        traced = time.perf_counter()
        jacobian = ca.jacobian(F, Y) + c_j * ca.jacobian(F, Y_dot)
        self.pattern = pattern_of(jacobian)
        self.residual = Evaluation("residual", (Y, Y_dot, t, u), (ca.densify(F),))
        self.jacobian = Evaluation("jacobian", (Y, Y_dot, t, u, c_j), (jacobian,))
        self.timing = {"trace": traced - start, "jacobian": time.perf_counter() - traced}

    @property
    def algebraic(self) -> Array:
        """Indices of λ and μ."""
        return np.arange(self.n_y, self.size)

    def _residual(self, Y: Array, Y_dot: Array, t: Array, u: Array) -> dict[str, Any]:
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
    """The class ``sksundae.ida.IDA``."""
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
    *,
    rtol: float,
    atol: float | Array,
    max_step: float,
    linear_solver: str,
) -> Any:
    """An IDA solver with the exact Jacobian."""
    IDA = load_ida()
    sparse = choose_sparse(linear_solver, problem.size)
    rows, columns = coordinates(problem)

    def residual(t: float, Y: Array, Y_dot: Array, F: Array) -> None:
        (values,) = problem.residual(Y, Y_dot, t, signal(t))
        F[:] = values if np.isfinite(values).all() else OUTSIDE

    def jacobian(t: float, Y: Array, Y_dot: Array, F: Array, c_j: float, J: Array) -> None:
        (values,) = problem.jacobian(Y, Y_dot, t, signal(t), c_j)
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
    """Rows and columns of the Jacobian's nonzeros in the order in which they are stored."""
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
