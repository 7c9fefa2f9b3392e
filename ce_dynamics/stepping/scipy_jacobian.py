"""The exact sparse Jacobian in the form SciPy's implicit methods call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.checks import Floats
from ce_dynamics.stepping.jacobian import JacobianCall, jacobian_of

if TYPE_CHECKING:
    from ce_dynamics.simulation import RightHandSide


def sparse_jacobian_of(rhs: RightHandSide) -> Callable[[float, Floats], Any]:
    """∂ẏ/∂y with the inputs held, as a function of t and y.

    What an input law makes of the state is not in it, nor is the row of the work of an audited run: for
    Newton's iteration, which converges to the same solution, both are slow or have no effect on others.
    The function raises ValueError where the Jacobian is not finite.
    """
    from scipy.sparse import csc_matrix

    n = rhs.dynamics.output_shapes["y_dot"][0]
    jacobian = jacobian_of(rhs.model)
    call = JacobianCall(jacobian, np.zeros(n), np.zeros(len(rhs.model.layout.u)))
    order = np.lexsort((jacobian.rows, jacobian.columns))
    rows = jacobian.rows[order].astype(np.int32)
    starts = np.searchsorted(jacobian.columns[order], np.arange(n + 1)).astype(np.int32)

    def exact(t: float, y: Floats) -> Any:
        call.y[:] = y
        call.u[:] = rhs.inputs_at(t, y)
        entries = call.run()[order]
        if not np.all(np.isfinite(entries)):  # an infinite entry would freeze a state in Newton's iteration
            raise ValueError("the Jacobian is not finite")
        return csc_matrix((entries, rows, starts), shape=(n, n))

    return exact
