"""Work spaces: the compiled functions of a model on shared arrays, for runs side by side in SIMD lanes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.compiler.compiled_function import Program
from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian
from ce_dynamics.compiler.llvm import address
from ce_dynamics.errors import ModelError


class ChartRenewal(Protocol):
    """Renewal of the charts of a model, which states leave for others on the way."""

    def renew(self, y: Floats) -> bool:
        """Move a state in place from worn charts to fresh ones; return True if it was changed."""


class Code(NamedTuple):
    """Compiled functions of a model, for one lane or several."""

    dynamics: CompiledFunction | None  # ẏ (or [ẏ; Ẇ]) of y and u
    # u of t, y and, where there are any, the held inputs; None if the held inputs are all
    control: CompiledFunction | None = None
    observation: CompiledFunction | None = None  # outputs, closure errors and gearing of y and u
    # the state after sampled controllers have acted, of y and u; None if there are none
    sample: CompiledFunction | None = None
    period: float = 0.0  # time between samples [s], 0 if there are none
    # what observes in place of this, if that has other lanes or another precision
    observer: Code | None = None
    # ∂ẏ/∂y of y and u, for implicit methods.  Rows of ẏ beyond it (the work of an audited run) count as
    # zero, which costs none of the methods its order
    jacobian: CompiledJacobian | None = None
    charts: ChartRenewal | None = None  # charts that states leave for others on the way


class Workspace(Program):
    """The functions of a model on arrays of one thread, the lane being the last axis everywhere.

    ``held`` are the inputs that are given, ``u`` those that a law makes of them; the same without a law.
    """

    def __init__(self, code: Code) -> None:
        function = code.dynamics or code.observation
        assert function is not None, "one of them is wanted"
        self.code, self.lanes = code, function.lanes
        shapes = function.signature.input_shapes
        rates = 0 if code.dynamics is None else code.dynamics.signature.output_shapes["y_dot"][0]
        self.n, m = max(shapes["y"][0], rates), shapes["u"][0]
        self.time, self.state, self.rate = self.zeros(1), self.zeros(self.n), self.zeros(self.n)
        self.u = self.zeros(m)
        self.held = self.u if code.control is None else self.zeros(m)
        jacobian = None if code.jacobian is None else code.jacobian.function
        sizes = {} if code.observation is None else code.observation.signature.output_shapes
        self.outputs, self.closures, self.gearing = (
            self.zeros(sizes.get(name, (0,))[0]) for name in ("outputs", "closure", "gearing")
        )
        self.sampled = self.zeros(0 if code.sample is None else shapes["y"][0])
        self.entries = self.zeros(0 if code.jacobian is None else len(code.jacobian.rows))
        arrays = {
            "t": self.time, "y": self.state, "y_dot": self.rate, "held": self.held, "u": self.u,
            "outputs": self.outputs, "closure": self.closures, "gearing": self.gearing,
            "y_sampled": self.sampled,
        }  # fmt: skip
        if code.jacobian is not None:
            arrays[code.jacobian.entries] = self.entries
        functions = {
            "dynamics": code.dynamics, "control": code.control, "jacobian": jacobian, "sample": code.sample,
            "observation": code.observation,
        }  # fmt: skip
        super().__init__(functions, arrays)
        self.period, self.made = np.array([code.period]), np.zeros(1, dtype=np.int64)
        self.buffers = (
            self.calls, self.time, self.state, self.rate, self.sampled, self.period, self.made
        )  # fmt: skip

    def zeros(self, rows: int) -> Floats:
        """Return an array of zeros over so many rows and the lanes."""
        return np.zeros((rows, self.lanes))

    def slopes_broke(self, rates: Floats) -> bool:
        """Return True if, after a failed step, the Jacobian is not finite although the rates are."""
        return bool(np.all(np.isfinite(rates)) and not np.all(np.isfinite(self.entries)))

    def move_to_fresh_charts(self, y: Floats, lanes: Iterable[int]) -> list[int]:
        """Move the states of some lanes in place from worn charts to fresh ones; return those lanes."""
        if self.code.charts is None:
            return []
        renewed = []
        for lane in lanes:
            state = y[:, lane].copy()
            if self.code.charts.renew(state):
                y[:, lane] = state
                renewed.append(lane)
        return renewed


class StopSign:
    """Flag that compiled loops of other threads check between two steps: they end if it is not zero."""

    def __init__(self) -> None:
        self.flag = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        """End the loops."""
        self.flag[0] = 1

    def clear(self) -> None:
        """Let loops begin again."""
        self.flag[0] = 0

    def is_set(self) -> bool:
        """Return True if the loops must end."""
        return bool(self.flag[0])


def block_of(arrays: Iterable[NDArray[np.float64] | NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the address of every array, its rows and the numbers in a row; a flat one has one in a row.

    numba takes some 0.1 µs for every array that Python hands over, as long as a step of a small model takes.
    A kernel is given one block and makes the arrays again; the caller keeps them alive.
    """
    described: list[int] = []
    for array in arrays:
        if not array.flags.c_contiguous or array.ndim == 0 or array.dtype.char not in "dlq":
            raise ModelError(f"an array of shape {array.shape} and type {array.dtype} is none of a kernel's")
        described += (address(array), len(array), math.prod(array.shape[1:]))
    return np.array(described, dtype=np.int64)
