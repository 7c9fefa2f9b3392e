"""One physics source, three executions: trace Python on arrays, evaluate it, compile it to machine code.

Importing this package imports neither llvmlite nor casadi; those are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ce_dynamics.compiler.tracing.function import TracedFunction, trace
from ce_dynamics.compiler.tracing.traced import Condition, Traced

if TYPE_CHECKING:
    from ce_dynamics.compiler.casadi import (
        SparseJacobian,
        from_casadi,
        jacobian,
        sparse_jacobian,
        to_casadi,
    )
    from ce_dynamics.compiler.known_functions import recall_or_compile
    from ce_dynamics.compiler.machine import Binding, CompiledFunction, compile_function

_LAZY = {
    "Binding": "machine",
    "CompiledFunction": "machine",
    "SparseJacobian": "casadi",
    "compile_function": "machine",
    "from_casadi": "casadi",
    "jacobian": "casadi",
    "recall_or_compile": "known_functions",
    "sparse_jacobian": "casadi",
    "to_casadi": "casadi",
}

__all__ = [
    "Binding",
    "CompiledFunction",
    "Condition",
    "SparseJacobian",
    "Traced",
    "TracedFunction",
    "compile_function",
    "from_casadi",
    "jacobian",
    "recall_or_compile",
    "sparse_jacobian",
    "to_casadi",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
