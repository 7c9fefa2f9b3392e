"""The exact sparse Jacobian in the form SciPy's implicit methods call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.checks import Floats
from ce_dynamics.stepping.jacobian import CompiledJacobian, JacobianCall, compile_jacobian, jacobian_of

if TYPE_CHECKING:
    from ce_dynamics.simulation import RightHandSide


def sparse_jacobian_of(rhs: RightHandSide) -> Callable[[float, Floats], Any]:
    """dẏ/dy as a function of t and y: ∂ẏ/∂y + ∂ẏ/∂u ∂u/∂y where an input law listens to the state.

    The row of the work of an audited run is left empty: nothing depends on the work, so that Newton's
    iteration finds the same solution.
    """
    from scipy.sparse import csc_matrix

    n = rhs.dynamics.output_shapes["y_dot"][0]
    time, y, u = np.zeros(1), np.zeros(n), np.zeros(len(rhs.model.layout.u))
    by_state = SparseCall(jacobian_of(rhs.model), (y, u), (n, n))
    feedback = None
    if rhs.control is not None:
        by_input = compile_jacobian(rhs.model.dynamics.traced, "y_dot", "u")
        law = compile_jacobian(rhs.control.traced, "u", "y")
        feedback = SparseCall(by_input, (y, u), (n, len(u))), SparseCall(law, (time, y), (len(u), n))

    def exact(t: float, state: Floats) -> Any:
        time[0] = t
        y[:] = state
        u[:] = rhs.inputs_at(t, state)
        result = by_state.matrix()
        if feedback is not None:
            by_u, u_by_y = feedback
            result = result + by_u.matrix() @ u_by_y.matrix()
        if not np.all(np.isfinite(result.data)):  # SciPy would take an infinite slope for a state at rest
            raise ValueError("the derivatives of the accelerations are not finite")
        return csc_matrix(result)

    return exact


class SparseCall:
    """A compiled Jacobian as a sparse matrix.

    Parameters
    ----------
    jacobian : CompiledJacobian
        What is called.
    inputs : tuple of arrays
        Where its inputs are.
    shape : (int, int)
        Of the matrix: rows and columns beyond those of the Jacobian are empty.
    """

    def __init__(
        self, jacobian: CompiledJacobian, inputs: tuple[Floats, ...], shape: tuple[int, int]
    ) -> None:
        self._call = JacobianCall(jacobian, inputs)
        self._shape = shape
        self._order = np.lexsort((jacobian.rows, jacobian.columns))
        self._rows = jacobian.rows[self._order].astype(np.int32)
        columns = jacobian.columns[self._order]
        self._starts = np.searchsorted(columns, np.arange(shape[1] + 1)).astype(np.int32)

    def matrix(self) -> Any:
        """Evaluate at what is in the inputs."""
        from scipy.sparse import csc_matrix

        return csc_matrix((self._call.run()[self._order], self._rows, self._starts), shape=self._shape)
