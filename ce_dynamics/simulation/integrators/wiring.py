"""A model's compiled functions on common buffers, as the kernels see them."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian, Integers, JacobianCall
from ce_dynamics.simulation.integrators.blocks import block_of


class Wiring:
    """Buffers of one run.

    Parameters
    ----------
    dynamics : CompiledFunction
        ẏ (or [ẏ; Ẇ]) of y and u.
    control : CompiledFunction or None
        u of t and y; None if the inputs are held.
    u : array
        The inputs to begin with (copied).
    jacobian : CompiledJacobian or None
        For the implicit methods.  Rows of ẏ beyond it (the work of an audited run) count as zero, which costs
        none of the methods its order.
    sample : CompiledFunction or None
        The state after sampled controllers have looked, of y and u; None if there are none.
    period : float
        Time between samples [s], 0 if there are none.

    Attributes
    ----------
    calls : array of int
        Addresses, see `ce_dynamics.simulation.integrators.kernels`.
    time, state, u, rate, entries : arrays
        The buffers behind them.
    rows, columns : int arrays
        Positions of `entries`.
    sampled, period, made : arrays
        The state after a sample, the time between samples, how many were made.
    block : array of int
        Of the `Buffers` of the kernels.
    """

    def __init__(
        self,
        dynamics: CompiledFunction,
        control: CompiledFunction | None,
        u: Floats,
        jacobian: CompiledJacobian | None = None,
        sample: CompiledFunction | None = None,
        period: float = 0.0,
    ) -> None:
        self.n = dynamics.output_shapes["y_dot"][0]
        self.time = np.zeros(1)
        self.state, self.rate = np.zeros(self.n), np.zeros(self.n)
        self.u = np.array(u, dtype=float)
        self._alive = (dynamics, control, jacobian, sample)
        size = 0 if sample is None else sample.output_shapes["y_sampled"][0]
        self.sampled, self.period = np.zeros(size), np.array([period])
        self.made = np.zeros(1, dtype=np.int64)
        t, y, given, y_dot = (a.ctypes.data for a in (self.time, self.state, self.u, self.rate))
        after = self.sampled.ctypes.data
        self._tables = np.array([[y, given, y_dot], [t, y, given], [y, given, after]], dtype=np.int64)
        calls = [dynamics.table_address, self._tables[0].ctypes.data]
        calls += [0, 0] if control is None else [control.table_address, self._tables[1].ctypes.data]
        self._jacobian = None if jacobian is None else JacobianCall(jacobian, (self.state, self.u))
        self.entries = np.zeros(1)
        self.rows = self.columns = np.zeros(0, dtype=np.int64)
        addresses = [0, 0]
        if self._jacobian is not None and jacobian is not None:
            self.entries, addresses = self._jacobian.entries, self._jacobian.addresses
            self.rows, self.columns = jacobian.rows, jacobian.columns
        looking = [0, 0] if sample is None else [sample.table_address, self._tables[2].ctypes.data]
        self.calls: Integers = np.array([*calls, *addresses, *looking], dtype=np.int64)
        buffers = self.time, self.state, self.rate, self.sampled, self.period
        self.block = block_of((self.calls, *buffers, self.made))
