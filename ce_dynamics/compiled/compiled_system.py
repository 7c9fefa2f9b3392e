"""What every answer of a model is made with: functions traced and compiled once, and their derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.tangent import Tangent
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, trace
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Entry, Layout
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.system import System

if TYPE_CHECKING:
    from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian


class Answers(ABC):
    """A model as its answers see it.

    Attributes
    ----------
    system : System
    embedding : Embedding
    layout : Layout
    """

    system: System
    embedding: Embedding
    layout: Layout

    def __init__(self) -> None:
        self._compiled: dict[str, CompiledFunction] = {}
        self._jacobians: dict[str, CompiledJacobian] = {}

    @property
    @abstractmethod
    def dynamics(self) -> CompiledFunction:
        """ẏ = f(y, u)."""

    @abstractmethod
    def trace_dynamics(self) -> TracedFunction:
        """The right-hand side as a traced function of y and u."""

    @abstractmethod
    def instant(self, y: Array, u: Array) -> Instant:
        """The system at one state."""

    @abstractmethod
    def observe(self, y: Array, u: Array) -> Mapping[str, Array]:
        """All outputs and closure errors, for floats or traced scalars."""

    @property
    @abstractmethod
    def output_entries(self) -> tuple[Entry, ...]:
        """Names and units of all outputs."""

    @abstractmethod
    def unassembled(self, y: Array, u: Array) -> Aggregate | None:
        """The first aggregated body that cannot be assembled at a state, if any."""

    def refuse_not_finite(self, y: Floats, u: Floats, *values: Floats) -> None:
        """Refuse a state at which values are not finite.

        Raises
        ------
        AssemblyError
            Naming the loop that cannot be assembled there.
        """
        if all(np.all(np.isfinite(value)) for value in values):
            return
        broken = self.unassembled(y, u)
        if broken is None:
            raise AssemblyError("positions or forces are not finite at this state; start from another one")
        q = {b.name: y[self.embedding.q_of[b.name]].tolist() for b in broken.independent}
        raise AssemblyError(f"the loop of {broken.name!r} cannot be assembled at {q}{reach_text(broken)}")

    @cached_property
    def tangent(self) -> Tangent:
        """Small displacements of the coordinates, three numbers for the rotation of a quaternion."""
        return Tangent(self.embedding)

    @property
    def _sizes(self) -> dict[str, int]:
        sizes = self.layout.sizes
        return {**sizes, "v_dot": sizes["v"], "y": len(self.layout.y0)}

    def _state(self, y: ArrayLike | None) -> Floats:
        """A user's state, or the initial one."""
        return np.array(self.layout.y0) if y is None else checked("y", y, len(self.layout.y0))

    def _inputs(self, u: ArrayLike | None) -> Floats:
        """A user's inputs, or the defaults."""
        return np.array(self.layout.u0) if u is None else checked("u", u, len(self.layout.u))

    def _instant(self, q: Array, v: Array, x: Array, u: Array) -> Instant:
        return Instant(self.embedding, self.layout, q, v, x, u)

    def _function(
        self,
        name: str,
        function: Callable[..., Mapping[str, Any]],
        sizes: Mapping[str, int],
        largest_straight: int | None = None,
    ) -> CompiledFunction:
        """A function compiled when it is first asked for."""
        if name not in self._compiled:
            traced = trace(name, function, sizes)
            self._compiled[name] = compile_function(traced, largest_straight=largest_straight)
        return self._compiled[name]

    def _sizes_of(self, *names: str) -> dict[str, int]:
        sizes = self._sizes
        return {name: sizes[name] for name in names}

    def _answer(
        self, name: str, function: Callable[..., Mapping[str, Array]], inputs: Mapping[str, ArrayLike]
    ) -> tuple[Floats, ...]:
        """The outputs of a function at a user's arguments, which are checked."""
        sizes = self._sizes_of(*inputs)
        values = [checked(key, value, sizes[key]) for key, value in inputs.items()]
        return self._function(name, function, sizes)(*values)

    def _derivative(self, traced: TracedFunction, output: str, input: str) -> CompiledJacobian:
        """The derivative of an output of a traced function, compiled when it is first asked for."""
        from ce_dynamics.compiler.derivatives.compiled import (
            compile_jacobian,  # here, because most models never ask
        )

        key = f"d{output}/d{input} of {traced.name}"
        if key not in self._jacobians:
            self._jacobians[key] = compile_jacobian(traced, output, input)
        return self._jacobians[key]


def reach_text(S: Aggregate) -> str:
    """The admissible range of an aggregated body's coordinate, as a clause for messages."""
    for linkage in S.linkages:
        interval = linkage.reach()
        if interval is not None:
            moved = (*S.independent, *S.prescribed)[0]
            nominally = " with the nominal hardpoints" if linkage.has_free_geometry else ""
            return f"; admissible is {interval[0]:.4g} to {interval[1]:.4g} for {moved.name!r}{nominally}"
    return ""
