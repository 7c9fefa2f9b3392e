"""SUNDIALS IDA, through scikit-sundae, for the stabilised index-2 form.

scikit-sundae offers no way to leave variables out of the error test, so the multipliers get an absolute
tolerance that no error of theirs can reach: their weight in IDA's norms is zero to rounding.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented.ggl import StabilisedIndex2
from ce_dynamics.errors import ModelError

UNTESTED = 1e20
"""Absolute tolerance of the multipliers."""

OUTSIDE = 1e30
"""Residual where the model has no value: Newton fails and IDA tries a shorter step."""

DENSE_UP_TO = 150
"""Systems of at most this size are solved with dense matrices, which is about as fast and simpler."""


def load_ida() -> Any:
    """The class ``sksundae.ida.IDA``.

    Raises
    ------
    ModelError
        If scikit-sundae is not installed.
    """
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
    """Whether to solve with sparse matrices."""
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
