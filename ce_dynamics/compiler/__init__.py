"""One physics source, three executions: trace Python on arrays, evaluate it, compile it to machine code.

Importing this package imports neither llvmlite nor casadi; those are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names
from ce_dynamics.compiler.tracing.function import TracedFunction as TracedFunction, trace as trace
from ce_dynamics.compiler.tracing.traced import Condition as Condition, Traced as Traced

if TYPE_CHECKING:
    from ce_dynamics.compiler.casadi import to_casadi as to_casadi
    from ce_dynamics.compiler.compiled_function import (
        Binding as Binding,
        CompiledFunction as CompiledFunction,
    )
    from ce_dynamics.compiler.machine import (
        compile_function as compile_function,
        load_function as load_function,
        recall_or_compile as recall_or_compile,
    )

__getattr__, __dir__, __all__ = lazy_names()
