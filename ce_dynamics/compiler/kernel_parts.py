"""Kernels that other kernels call are compiled into them, and get no machine code of their own.

numba compiles every function on its own before it compiles its callers: optimises it together with all that
it calls, makes machine code of it and a wrapper for Python, and then does the same with each caller, which
holds a copy of it.  A piece of code is so optimised once for every level above it.  Here what a kernel needs
of another is its code as it was written (LLVM's intermediate form), which is optimised once, as part of the
kernel that Python calls.  A kernel that Python calls too is compiled a second time then.
"""

from __future__ import annotations

import threading
from typing import Any

from numba.core import sigutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import NativeLowering


class Unfinished:
    """Stands where the callable for Python would be."""


class PartLibrary(JITCodeLibrary):
    """A library that is linked into others only: neither optimised nor made into machine code."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Set the data layout only: the libraries that link these functions optimise them."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Do nothing: the libraries that link this one optimise it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(NativeLowering):
    """The last pass: of parts into a library that is linked only."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Run the pass of numba, or lower a part into a library that is linked only."""
        if not now.parts[-1]:
            return bool(super().run_pass(state))
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        flags = state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().run_pass(state)
        lowered = state["cr"]._replace(cfunc=Unfinished())
        state["cr"] = lowered
        state.targetctx.insert_user_function(lowered.cfunc, lowered.fndesc, [state.library])
        return True


class Pipeline(CompilerBase):
    """numba's passes, the lowering replaced."""

    def define_pipelines(self) -> list[Any]:
        """Return the only one."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (Lowering if passed is NativeLowering else passed, text) for passed, text in manager.passes
        ]
        manager._finalized = False
        manager.finalize()
        return [manager]


class Compiling(threading.local):
    """Compilations in progress in this thread."""

    def __init__(self) -> None:
        self.callee: Kernel | None = None  # whose types another kernel requests at present
        self.parts: list[bool] = []  # True for parts, of all kernels in progress, innermost last


now = Compiling()


class Kernel(Dispatcher):
    """Dispatcher of numba that compiles a function as a part for another kernel."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return types of a call by another kernel."""
        now.callee = self
        try:
            return super().get_call_template(args, kws)
        finally:
            now.callee = None

    def compile(self, sig: Any) -> Any:
        """Compile for given types, as a part if another kernel calls it."""
        part, now.callee = now.callee is self, None
        types = tuple(sigutils.normalize_signature(sig)[0])
        with global_compiler_lock:  # another thread may make a part of it between the two steps
            if not part and is_part(self.overloads.get(types)):
                del self.overloads[types]
            now.parts.append(part)
            try:
                return super().compile(sig)
            finally:
                now.parts.pop()

    def add_overload(self, cres: Any) -> None:
        """Store compiled code; Python cannot call a part."""
        if is_part(cres):
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)


def is_part(compiled: Any) -> bool:
    """Return True if this is the result of compiling a part."""
    return compiled is not None and isinstance(compiled.entry_point, Unfinished)
