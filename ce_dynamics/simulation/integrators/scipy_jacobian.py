"""The exact Jacobian as SciPy's methods call it: sparse for Radau and BDF, dense for LSODA."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.sparse import csc_matrix

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import compile_function
from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian, compile_jacobian
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative

if TYPE_CHECKING:
    from ce_dynamics.compiled.model import Model
    from ce_dynamics.simulation.right_hand_side import RightHandSide

LARGE = 20_000
"""Instructions of ẏ above which its Jacobian is evaluated column by column: that of a sedan with a front axle
on bushings, 26,000 instructions, takes 75 s to compile as a whole, a derivative along a direction 7 s."""
NOT_FINITE = "the derivatives of the accelerations are not finite"


def sparse_jacobian_of(rhs: RightHandSide) -> Callable[[float, Floats], Any]:
    """Return dẏ/dy as a sparse matrix, a function of t and y; see `Jacobian`."""
    jacobian = Jacobian(rhs)

    return lambda t, state: csc_matrix(jacobian.at(t, state, lambda part: part.matrix()))


class DenseJacobian:
    """dẏ/dy as an array, made when it is first called; see `Jacobian`.

    LSODA evaluates it only where it finds the equations stiff.  The time that making it takes is noted in
    `rhs.preparation`.
    """

    def __init__(self, rhs: RightHandSide) -> None:
        self._rhs = rhs
        self._made: Jacobian | None = None

    def __call__(self, t: float, state: Floats) -> Floats:
        """Evaluate; the result is a fresh array."""
        if self._made is None:
            began = time.perf_counter()
            self._made = Jacobian(self._rhs)
            self._rhs.preparation += time.perf_counter() - began
        found: Floats = self._made.at(t, state, lambda part: part.dense())
        return found

    def native(self) -> None:
        """Evaluate ∂ẏ/∂y alone where the last call was, and make no matrix of it: what native methods do."""
        assert self._made is not None, "called before"
        self._made.by_state.run()


class Jacobian:
    """The parts of dẏ/dy = ∂ẏ/∂y + ∂ẏ/∂u ∂u/∂y, the latter where an input law listens to the state.

    The row of the work of an audited run is left empty: nothing depends on the work, so that Newton's
    iteration finds the same solution.
    """

    def __init__(self, rhs: RightHandSide) -> None:
        n = rhs.dynamics.output_shapes["y_dot"][0]
        self._rhs = rhs
        self._time, self._y, self._u = np.zeros(1), np.zeros(n), np.zeros(len(rhs.model.layout.u))
        m = len(self._u)
        self.by_state = self._of_rates("y", (n, n))
        self.feedback: tuple[Matrix, JacobianMatrix] | None = None
        if rhs.control is not None:
            law = compile_jacobian(rhs.control.traced, "u", "y")
            self.feedback = (
                self._of_rates("u", (n, m)),
                JacobianMatrix(law, (self._time, self._y), (m, n)),
            )

    def _of_rates(self, by: str, shape: tuple[int, int]) -> Matrix:
        """Return ∂ẏ/∂y or ∂ẏ/∂u."""
        model = self._rhs.model
        if model.dynamics.signature.n_instructions > LARGE:
            return ColumnByColumn(model, self._y, self._u, by, shape)
        whole = model.jacobian if by == "y" else compile_jacobian(model.dynamics.traced, "y_dot", by)
        return JacobianMatrix(whole, (self._y, self._u), shape)

    def at(self, t: float, state: Floats, evaluate: Callable[[Matrix], Any]) -> Any:
        """Return dẏ/dy at a time and a state, from parts evaluated in one form."""
        self._time[0] = t
        self._y[:] = state
        self._u[:] = self._rhs.inputs_at(t, state)
        result = evaluate(self.by_state)
        if self.feedback is not None:
            by_input, law = self.feedback
            result = result + evaluate(by_input) @ evaluate(law)
        # SciPy would take an infinite slope for a state at rest
        if not np.isfinite(result if isinstance(result, np.ndarray) else result.data).all():
            raise ValueError(NOT_FINITE)
        return result


class ColumnByColumn:
    """∂ẏ/∂y or ∂ẏ/∂u from derivatives along unit directions, exact as the whole Jacobian.

    ``by`` is "y" or "u"; rows and columns of ``shape`` beyond those of the model are empty.
    """

    def __init__(self, model: Model, y: Floats, u: Floats, by: str, shape: tuple[int, int]) -> None:
        function = model.get_or_make(
            "rates along a direction",
            lambda: compile_function(directional_derivative(model.dynamics.traced)),
        )
        self._bound, self._y, self._u = function.bind(), y, u
        self._along, self._shape = f"{by}_direction", shape
        for name in ("y_direction", "u_direction"):
            self._bound.inputs[name][:] = 0.0

    def dense(self) -> Floats:
        bound, result = self._bound, np.zeros(self._shape)
        direction, rates = bound.inputs[self._along], bound.outputs["y_dot_direction"]
        bound.inputs["y"][:] = self._y[: len(bound.inputs["y"])]
        bound.inputs["u"][:] = self._u
        for k in range(len(direction)):
            direction[k] = 1.0
            bound.run()
            direction[k] = 0.0
            result[: len(rates), k] = rates
        return result

    def run(self) -> Floats:
        return self.dense()

    def matrix(self) -> Any:
        return csc_matrix(self.dense())


class JacobianMatrix:
    """A compiled Jacobian as a matrix; rows and columns of ``shape`` beyond its own are empty."""

    def __init__(
        self, jacobian: CompiledJacobian, inputs: tuple[Floats, ...], shape: tuple[int, int]
    ) -> None:
        self._bound = jacobian.bind(*inputs)
        self._entries = self._bound.outputs[jacobian.entries]
        self._shape = shape
        self._order = np.lexsort((jacobian.rows, jacobian.columns))
        self._rows = jacobian.rows[self._order].astype(np.int32)
        columns = jacobian.columns[self._order]
        self._starts = np.searchsorted(columns, np.arange(shape[1] + 1)).astype(np.int32)
        self._flat = jacobian.rows * shape[1] + jacobian.columns

    def run(self) -> Floats:
        """Evaluate at what is in the inputs, as entries."""
        self._bound.run()
        return self._entries

    def matrix(self) -> Any:
        """Evaluate at what is in the inputs, as a sparse matrix."""
        return csc_matrix((self.run()[self._order], self._rows, self._starts), shape=self._shape)

    def dense(self) -> Floats:
        """Evaluate at what is in the inputs, as a fresh array."""
        result = np.zeros(self._shape)
        result.ravel()[self._flat] = self.run()
        return result


Matrix: TypeAlias = JacobianMatrix | ColumnByColumn
"""A Jacobian at what is in its inputs: `run`, as a sparse `matrix`, or `dense`, a fresh array."""
