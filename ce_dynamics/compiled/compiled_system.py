"""Embeds the loops of a system; traces, compiles and differentiates the functions of its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.algebra.dense import one_blas_thread
from ce_dynamics.compiled.law_memory import reject_memory
from ce_dynamics.compiled.tangent import Tangent, check_directions
from ce_dynamics.compiled.variables import path_entries
from ce_dynamics.compiler import (
    CompiledFunction,
    TracedFunction,
    compile_function,
    recall_or_compile,
    trace,
)
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.dynamics.energy import ENERGIES
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.loads import first_without_answer
from ce_dynamics.dynamics.state import Entry, Layout
from ce_dynamics.embedding.aggregate import Aggregate, Embedding, closure_limits
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.embedding.whole_loop import find_geared_loops
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.parameters import Values, values_at
from ce_dynamics.mechanism.system import System

if TYPE_CHECKING:
    from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian


T = TypeVar("T")

_WITHOUT_OUTPUTS = ("dynamics", "assembly")  # functions that ask no outputs, unless controllers do


class CompiledSystem:
    """Embedded system with the layout of its state, and functions of it as machine code.

    Answers are functions that take one.  They trace what they need by `function`, or by `load_function` where
    the code is worth keeping under the description, and differentiate it by `derivative`.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        with log_work(f"embedding the loops of {system.name!r}"), one_blas_thread():
            self.embedding: Embedding = embed(system)
            self.layout = Layout(self.embedding)
        self.functions: dict[str, CompiledFunction] = {}
        self.controls: dict[bytes, CompiledFunction] = {}  # the latest laws, by content
        self._jacobians: dict[str, CompiledJacobian] = {}
        self._made: dict[str, object] = {}

    # State and inputs

    @property
    def y0(self) -> Floats:
        """Initial state (a copy)."""
        return np.array(self.layout.y0)

    @property
    def u0(self) -> Floats:
        """Default inputs (a copy)."""
        return np.array(self.layout.u0)

    def with_unit_quaternions(self, y: Array) -> Floats:
        """Return the state with every quaternion normalised."""
        q, v, x = self.layout.split(y)
        return np.concatenate((self.tangent.normalise(q), v, x)).astype(float)

    def state(self, q: ArrayLike, v: ArrayLike, x: ArrayLike | None = None) -> Floats:
        """Return the state y = [q; v; x]; x has its initial values if not given.

        Raises
        ------
        ModelError
            If one has not as many finite numbers as the model, or a quaternion is zero.
        """
        sizes = self.layout.sizes
        x0 = self.layout.split(self.layout.y0)[2]
        parts = (
            checked("q", q, sizes["q"]),
            checked("v", v, sizes["v"]),
            x0 if x is None else checked("x", x, sizes["x"]),
        )
        check_directions("q", self.tangent.quaternions, parts[0])
        return np.concatenate(parts)

    @cached_property
    def tangent(self) -> Tangent:
        """Small displacements of the coordinates, three numbers for the rotation of a quaternion."""
        return Tangent(self.embedding)

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of entries of q, v, x, u, v_dot and y."""
        sizes = self.layout.sizes
        return {**sizes, "v_dot": sizes["v"], "y": len(self.layout.y0)}

    def sizes_of(self, *names: str) -> dict[str, int]:
        """Return some of the `sizes`."""
        sizes = self.sizes
        return {name: sizes[name] for name in names}

    def given_state(self, y: ArrayLike | None, name: str = "y") -> Floats:
        """Return a checked state, or the initial one; ``name`` is that of the argument.

        Raises
        ------
        ModelError
            If it has not as many finite numbers as the model has states, or a quaternion that is zero.
        """
        if y is None:
            return self.y0
        state = checked(name, y, len(self.layout.y0))
        check_directions(name, self.tangent.quaternions, self.layout.split(state)[0])
        return state

    def given_inputs(self, u: ArrayLike | None) -> Floats:
        """Return checked inputs, or the defaults."""
        return self.u0 if u is None else checked("u", u, len(self.layout.u))

    # The system at one state

    def instant(self, y: Array, u: Array) -> Instant:
        """Return the system at one state, for floats or traced scalars: the uncompiled reference."""
        return Instant(self.embedding, self.layout, *self.layout.split(y), u)

    def find_unassembled_in(self, instant: Instant) -> Aggregate | None:
        """Return the first aggregated body that cannot be assembled at an instant of floats, if any."""
        u = instant.u
        with np.errstate(all="ignore"):
            motions = instant.outward.motions
        for S in self.embedding.aggregates:
            numbers = [value for motion in motions[S.name].hinge_motions.values() for value in motion.c]
            if not np.all(np.isfinite(values_at(numbers, self.layout.parameters, u[self.layout.n_inputs :]))):
                return S
        return None

    def broken_force(self, y: Array, u: Array) -> str:
        """Return the first force element with NaN or infinity at a state, and the quantity, or ''."""
        with np.errstate(all="ignore"):
            responses = self.instant(y, u).loads.responses
        values = Values(self.layout.parameters, u[self.layout.n_inputs :])
        return first_without_answer(self.system.forces, responses, values)

    def refuse_not_finite(self, y: Floats, u: Floats, *values: Floats) -> None:
        """Refuse a state at which values are not finite.

        Raises
        ------
        AssemblyError
            The message names the loop that cannot be assembled, or the force element without finite values.
        """
        if all(np.all(np.isfinite(value)) for value in values):
            return
        broken = self.find_unassembled_in(self.instant(y, u))
        if broken is None:
            what = self.broken_force(y, u) or "positions or forces are not finite"
            raise AssemblyError(f"{what} at this state; start from another one")
        q = {b.name: y[self.embedding.q_of[b.name]].tolist() for b in broken.independent}
        raise AssemblyError(f"the loop of {broken.name!r} cannot be assembled at {q}{reach_text(broken)}")

    # Functions, compiled at their first use

    def get_or_make(self, name: str, make: Callable[[], T]) -> T:
        """Return the object stored under a name; the first call creates it by ``make``."""
        if name not in self._made:
            self._made[name] = make()
        return cast("T", self._made[name])

    def function(
        self,
        name: str,
        function: Callable[..., Mapping[str, Any]],
        sizes: Mapping[str, int],
    ) -> CompiledFunction:
        """Return the compiled function of a name."""
        if name not in self.functions:
            self.functions[name] = compile_function(trace(name, function, sizes))
        return self.functions[name]

    def evaluate_at(
        self, name: str, function: Callable[..., Mapping[str, Array]], y: Floats, u: Floats, **others: Floats
    ) -> tuple[Floats, ...]:
        """Return the outputs of a function of y, u and other vectors, compiled under a name.

        Raises
        ------
        AssemblyError
            If a loop cannot be assembled there, or an output is not finite.
        """
        given = {"y": y, "u": u, **others}
        found = self.function(name, function, {key: len(value) for key, value in given.items()})
        answers = found(*given.values())
        self.refuse_not_finite(y, u, *answers)
        return answers

    def derivative(self, traced: TracedFunction, output: str, input: str) -> CompiledJacobian:
        """Return the compiled derivative of an output of a traced function, without structural zeros."""
        from ce_dynamics.compiler.derivatives.compiled import (
            compile_jacobian,  # here, because few models need it
        )

        key = f"d{output}/d{input} of {traced.name}"
        if key not in self._jacobians:
            self._jacobians[key] = compile_jacobian(traced, output, input)
        return self._jacobians[key]

    def by_state_and_inputs(self, traced: TracedFunction, output: str, y: Floats, u: Floats) -> Floats:
        """Return the derivatives of an output of a traced function by [y; u]."""
        return np.hstack([self.derivative(traced, output, name)(y, u) for name in ("y", "u")])

    def load_function(
        self, name: str, make: Callable[[], TracedFunction], *others: object
    ) -> CompiledFunction:
        """Return the function that `make` traces from this model and `others`, from the cache if possible.

        Tracing formulas of free parameters leaves decisions behind (see `check_parameters`), so that models
        with free parameters are always traced.
        """
        if self.layout.parameters:
            return compile_function(make())
        return recall_or_compile(make, name, (self.system, self.embedding, self.layout, *others))

    def function_of_state(
        self, name: str, function: Callable[[Array, Array], Mapping[str, Any]]
    ) -> CompiledFunction:
        """Return the compiled function of y and u of a name, from the cache if possible."""
        if name not in self.functions:
            self.functions[name] = self.load_function(name, lambda: self.trace(name, function))
        return self.functions[name]

    def trace(self, name: str, function: Callable[[Array, Array], Mapping[str, Any]]) -> TracedFunction:
        """Trace a function of y and u."""
        rates_alone = name in _WITHOUT_OUTPUTS and not self.system.controllers
        watched = reject_memory(self.system, function, outputs=not rates_alone)
        return trace(name, watched, {"y": len(self.layout.y0), "u": len(self.layout.u)})

    @cached_property
    def dynamics(self) -> CompiledFunction:
        """ẏ = f(y, u)."""
        return self.function_of_state("dynamics", self._rates)

    @cached_property
    def sample(self) -> CompiledFunction:
        """The state after sampled controllers have looked, ``y_sampled`` of y and u."""
        return self.function_of_state("sample", self._sample)

    def trace_dynamics(self) -> TracedFunction:
        """Return the right-hand side as a traced function of y and u."""
        return self.trace("dynamics", self._rates)

    def trace_sample(self) -> TracedFunction:
        """Trace the update by sampled controllers as a function of y and u; see `sample`."""
        return self.trace("sample", self._sample)

    def _sample(self, y: Array, u: Array) -> dict[str, Array]:
        return {"y_sampled": self.instant(y, u).y_sampled}

    def _rates(self, y: Array, u: Array) -> dict[str, Array]:
        return {"y_dot": self.instant(y, u).y_dot}

    @cached_property
    def jacobian(self) -> CompiledJacobian:
        """∂ẏ/∂y, exact, without its structural zeros; from the disk if it was made before."""
        return self.derivative(self.dynamics.traced, "y_dot", "y")

    @cached_property
    def assembly(self) -> CompiledFunction:
        """For every aggregated body a number that is finite where it can be assembled, at (y, u)."""

        def assembly(y: Array, u: Array) -> dict[str, Array]:
            motions = self.instant(y, u).outward.motions
            totals = [
                sum((x for hinge in motions[S.name].hinge_motions.values() for x in hinge.c), start=0.0)
                for S in self.embedding.aggregates
            ]
            return {"assembly": array(totals)}

        return self.function_of_state("assembly", assembly)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Names and units of all quantities of the results: state, inputs, outputs."""
        return (*self.layout.q, *self.layout.v, *self.layout.x, *self.layout.u, *self.output_entries)

    @cached_property
    def output_entries(self) -> tuple[Entry, ...]:
        """Names and units of all outputs.

        The system's own, those of its force elements, what its controllers answer, those of its paths, and
        its energies.
        """
        declared = (*self.system.outputs.values(), *self.system.measurements.values())
        own = [Entry(output.name, output.unit) for output in declared]
        elements = [
            Entry(f"{element.name}.{name}", unit)
            for element in self.system.forces
            for name, unit in element.outputs.items()
        ]
        inputs = self.system.inputs | self.system.channels
        answered = [
            Entry(f"{c.name}.{n}", inputs[n].unit) for c in self.system.controllers for n in c.answers
        ]
        energies = [Entry(name, "J") for name in ENERGIES]
        return (*own, *elements, *answered, *path_entries(self.embedding), *energies)

    @cached_property
    def geared_loops(self) -> tuple[Aggregate, ...]:
        """Loops with hinges as independent coordinates, in the order of the ``gearing`` of `observation`."""
        return find_geared_loops(self.embedding)

    @cached_property
    def closure_limits(self) -> Floats:
        """Largest error of every closure that counts as closed."""
        return closure_limits(self.embedding)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle and copy; functions loaded without instructions are traced first."""
        for kept in (*self.__dict__.values(), *self.functions.values()):
            if isinstance(kept, CompiledFunction):
                _ = kept.traced
        return self.__dict__ | {"controls": {}}


def reach_text(S: Aggregate) -> str:
    """Return the admissible range of an aggregated body's coordinate as a clause for messages."""
    straight = ""
    for linkage in S.linkages:
        interval = linkage.reach()
        if interval is not None:
            moved = linkage.parameter or (*S.independent, *S.prescribed)[0].name
            nominally = ""
            if linkage.has_free_geometry:
                nominally = " with the nominal hardpoints"
                if isinstance(linkage, NumericLinkage):
                    more = 2 * linkage.substeps
                    nominally += (
                        f"; it is led to others in {linkage.substeps} substeps: if that should fit, give its "
                        f"closure more (substeps={more})"
                    )
            return f"; admissible is {interval[0]:.4g} to {interval[1]:.4g} for {moved!r}{nominally}"
        if isinstance(linkage, NumericLinkage) and linkage.is_led_straight:
            straight = "; it is led there straight from its start: try to start it elsewhere (System.start)"
    return straight
