"""The loop over operating points, compiled by numba."""

from __future__ import annotations

from ce_dynamics.simulation.integrators.kernels import call, kernel


@kernel
def run(address, x, y, x_lanes, y_lanes, table):  # type: ignore[no-untyped-def]
    """Call ``void f(double** table)`` for all rows of x, as many at once as the buffers have lanes.

    The last lanes of the last call repeat the last row.
    """
    rows, lanes = x.shape[0], x_lanes.shape[1]
    table[0], table[1] = x_lanes.ctypes.data, y_lanes.ctypes.data
    for first in range(0, rows, lanes):
        for lane in range(lanes):
            row = min(first + lane, rows - 1)
            for k in range(x.shape[1]):
                x_lanes[k, lane] = x[row, k]
        call(address, table.ctypes.data)
        for lane in range(min(lanes, rows - first)):
            for k in range(y.shape[1]):
                y[first + lane, k] = y_lanes[k, lane]
