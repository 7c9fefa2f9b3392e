"""The loop over operating points, compiled by numba."""

from __future__ import annotations

from ce_dynamics.compiler.loops import kernel
from ce_dynamics.simulation.integrators.kernels import call


@kernel
def run(address, x, y, table):  # type: ignore[no-untyped-def]
    """Call ``void f(double** table)`` for each row of x and y, in place."""
    for k in range(x.shape[0]):
        table[0] = x.ctypes.data + k * x.shape[1] * 8
        table[1] = y.ctypes.data + k * y.shape[1] * 8
        call(address, table.ctypes.data)
