"""Compiled models: a system embedded, traced and turned into machine code, one function per question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, norm
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.analysis.all import Analysis
from ce_dynamics.compiled.compiled_system import reach_text
from ce_dynamics.compiled.law_memory import memory, refuse_memory
from ce_dynamics.compiled.path_outputs import path_entries, path_values
from ce_dynamics.compiled.variables import variables
from ce_dynamics.compiler import (
    CompiledFunction,
    TracedFunction,
    compile_function,
    recall_or_compile,
    trace,
)
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.compiler.progress import at_work
from ce_dynamics.dynamics.articulated_body import smallest_inertia
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Entry, Layout
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.closures.closure_errors import closure_errors
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.gearing import CLOSED, closure_limits, geared_loops, gearing
from ce_dynamics.embedding.path.dead_centres import DeadCentre, dead_centres
from ce_dynamics.embedding.whole_loop import path_linkage, path_of
from ce_dynamics.errors import AssemblyError, MasslessFreedomError, ModelError
from ce_dynamics.mechanism.parameters import refusals, values_at
from ce_dynamics.mechanism.system import Output, System

if TYPE_CHECKING:
    from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian

NEGLIGIBLE = 1e-14
"""Inertia of a motion, of what it would be if it moved the heaviest body, that counts as none: rounding."""


class InputLaw(Protocol):
    """Inputs as a function of time and of what the sensors (the system's outputs) say.

    `inputs` is written on arrays and `where`, like force elements, and answers any of the system's inputs;
    those it leaves out keep their defaults.
    """

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        """Inputs by name."""
        ...


class Model(Analysis):
    """An embedded system whose evaluations run as machine code.

    Every function is traced and compiled when it is first asked for, and kept on disk for the next time.

    Parameters
    ----------
    system : System

    Attributes
    ----------
    system : System
    embedding : Embedding
    layout : Layout
        Names and units of the state y = [q; v; x] and of the inputs u.
    variables : list of Variable
        Named variables of the results, and what they hold.

    Raises
    ------
    ModelError
        If the system is described wrongly, or two of its quantities have the same name; of the classes of
        `ce_dynamics.embedding.embed.embed` where its loops are at fault.
    MasslessFreedomError
        If a degree of freedom moves neither mass nor inertia.
    AssemblyError
        If a loop cannot be assembled at the initial state.
    """

    def __init__(self, system: System) -> None:
        super().__init__()
        checks.instance("compile: system", system, System, "a System")
        self.system = system
        with at_work(f"embedding the loops of {system.name!r}"):
            self.embedding: Embedding = embed(system)
        with at_work(f"checking {system.name!r}"):
            self.layout = Layout(self.embedding)
            self.variables = variables(self.entries, system.groups)
            self.check_initial_state()
            self.check_inertia()

    # The state

    @property
    def y0(self) -> Floats:
        """Initial state (a copy)."""
        return np.array(self.layout.y0)

    @property
    def u0(self) -> Floats:
        """Default inputs (a copy)."""
        return np.array(self.layout.u0)

    def instant(self, y: Array, u: Array) -> Instant:
        """The system at one state, for floats or traced scalars: the uncompiled reference."""
        q, v, x = self.layout.split(y)
        return Instant(self.embedding, self.layout, q, v, x, u)

    def check_initial_state(self) -> None:
        """Refuse a system whose loops cannot be assembled at its initial state."""
        broken = self.unassembled(self.y0, self.u0)
        if broken is not None:
            q = {b.name: self.layout.y0[self.embedding.q_of[b.name]].tolist() for b in broken.independent}
            raise AssemblyError(
                f"the loop of {broken.name!r} cannot be assembled at its initial coordinates {q}"
                f"{reach_text(broken)}"
            )
        self.check_closure()

    def check_closure(self) -> None:
        """Refuse a system whose linkages leave a loop open at its initial state."""
        if not self.system.closures:
            return
        with np.errstate(all="ignore"):
            gaps = self.closure_norms(self.instant(self.y0, self.u0))
        numbers = values_at(gaps, self.layout.parameters, self.u0[self.layout.n_inputs :])
        for loop, gap, limit in zip(
            self.system.closures, numbers, closure_limits(self.embedding), strict=True
        ):
            if not gap <= limit:
                S = next(S for S in self.embedding.aggregates if loop in S.closures)
                linkages = [type(link).__name__ for link in S.linkages]
                raise AssemblyError(
                    f"the loop of {S.name!r} is open by {gap:.3g} at its initial state (closure "
                    f"{loop.name!r}, {limit / CLOSED:.3g} m across), found by {linkages}; "
                    "start from another state, or lead it by another hinge"
                )

    def check_inertia(self) -> None:
        """Refuse degrees of freedom that move no mass, whose acceleration is not determined."""
        with np.errstate(all="ignore"):
            nodes = self.instant(self.y0, self.u0).nodes
        for S in reversed(self.embedding.aggregates):  # what it carries comes first: NaN spreads to the base
            if S.N == 0:
                continue
            if not smallest_inertia(nodes[S.name]) > NEGLIGIBLE:
                inertia = np.linalg.eigvalsh(nominal(nodes[S.name].D_matrix).astype(float))
                hinges = ", ".join(body.name for body in S.independent)
                raise MasslessFreedomError(
                    f"hinge {hinges}: a motion of it moves no mass or inertia (D has the eigenvalue "
                    f"{inertia[0]:.3g}); give {S.name!r} or what it carries mass and inertia"
                )

    def unassembled(self, y: Array, u: Array) -> Aggregate | None:
        """The first aggregated body that cannot be assembled at a state, if any."""
        with np.errstate(all="ignore"):
            motions = self.instant(y, u).outward.motions
        for S in self.embedding.aggregates:
            numbers = [value for motion in motions[S.name].hinge_motions.values() for value in motion.c]
            if not np.all(np.isfinite(values_at(numbers, self.layout.parameters, u[self.layout.n_inputs :]))):
                return S
        return None

    def start_at(self, y0: ArrayLike | None) -> Floats:
        """A state to start from as a user gives it; `y0` of the model if none is given.

        Raises
        ------
        ModelError
            If it has not as many finite numbers as the model has states, or a quaternion that is zero.
        """
        if y0 is None:
            return self.y0
        y = checked("y0", y0, len(self.layout.y0))
        name = self.tangent.undirected(self.layout.split(y)[0])
        if name:
            raise ModelError(
                f"y0: the quaternion of {name!r} (qw, qx, qy, qz) is zero and tells no orientation; "
                "(1, 0, 0, 0) is no rotation"
            )
        return y

    def with_unit_quaternions(self, y: Array) -> Floats:
        """The same state with every quaternion normalised."""
        q, v, x = self.layout.split(y)
        return np.concatenate((self.tangent.normalised(q), v, x)).astype(float)

    # Compiled functions

    @cached_property
    def dynamics(self) -> CompiledFunction:
        """ẏ = f(y, u)."""
        return self._recalled("dynamics", self.trace_dynamics)

    def trace_dynamics(self) -> TracedFunction:
        """The right-hand side as a traced function of y and u."""
        return self._trace("dynamics", lambda y, u: {"y_dot": self.instant(y, u).y_dot})

    @cached_property
    def jacobian(self) -> CompiledJacobian:
        """∂ẏ/∂y, exact, without its structural zeros; from the disk if it was made before."""
        return self._derivative(self.dynamics.traced, "y_dot", "y")

    @cached_property
    def audited_dynamics(self) -> CompiledFunction:
        """[ẏ; Ẇ] = f(y, u) with Ẇ the power that changes the mechanical energy."""

        def audited(y: Array, u: Array) -> dict[str, Array]:
            instant = self.instant(y, u)
            feed = instant.power
            return {"y_dot": concatenate((instant.y_dot, array((feed.loads + feed.prescribed,))))}

        return self._recalled("audited_dynamics", lambda: self._trace("audited_dynamics", audited))

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

        return self._recalled("assembly", lambda: self._trace("assembly", assembly))

    @cached_property
    def observation(self) -> CompiledFunction:
        """All outputs, closure errors, and the gearing of every loop that hinges lead, at (y, u)."""
        return self._recalled("observation", lambda: self._trace("observation", self.observe))

    def inputs_with(
        self, parameters: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None
    ) -> Floats:
        """The input vector u with some inputs and free parameters given by name, defaults for the others.

        Raises
        ------
        ModelError
            If a name is unknown, a value not finite, or the model cannot be used with a parameter's value.
        """
        u = self.u0
        names = [entry.name for entry in self.layout.u]
        n_inputs = self.layout.n_inputs
        for given, known, what in (
            (parameters, names[n_inputs:], "parameter"),
            (inputs, names[:n_inputs], "input"),
        ):
            for name, value in checks.mapping(f"{what}s", given or {}).items():
                if name not in known:
                    raise ModelError(f"no {what} {name!r}; the system's {what}s are {known}")
                u[names.index(name)] = checks.number(f"{what} {name!r}:", value)
        if parameters:
            self.check_parameters(u[n_inputs:])
        return u

    def check_parameters(self, values: Floats) -> None:
        """Refuse values of the free parameters with which the model cannot be used."""
        _ = self.dynamics  # decisions are made until it is traced
        given = {p.name: np.array([x]) for p, x in zip(self.layout.parameters, values, strict=True)}
        reason = refusals(self.layout.parameters, given)[0]
        if reason:
            raise ModelError(reason)

    def control(self, law: InputLaw, held: Floats | None = None) -> CompiledFunction:
        """U = law(t, sensors(y)), compiled.

        Parameters
        ----------
        law : InputLaw
        held : array, optional
            Inputs and free parameters that the law does not answer; their defaults if not given.

        Raises
        ------
        ModelError
            If the law answers an input that the system does not have.
        """
        others = self.u0 if held is None else held

        def control(t: Array, y: Array) -> dict[str, Array]:
            return {"u": self.answers(law, t[0], y, others)}

        sizes = {"t": 1, "y": len(self.layout.y0)}
        return self._recalled("control", lambda: trace("control", control, sizes), law, others)

    def answers(self, law: InputLaw, t: Scalar, y: Array, held: Array) -> Array:
        """U as a law answers it; ``held`` has what it does not answer.

        Raises
        ------
        ModelError
            If the law answers an input that the system does not have.
        """
        sensors = self.sense(self.instant(y, held))
        before = memory(law)
        with checks.calling(f"input law {type(law).__name__}"):
            given = law.inputs(t, sensors)
        refuse_memory(law, before)
        checks.mapping(f"what input law {type(law).__name__} answers", given)
        unknown = sorted(set(given) - set(self.system.inputs))
        if unknown:
            raise ModelError(
                f"input law answers {unknown}; the system's inputs are {list(self.system.inputs)}"
            )
        return array(given.get(entry.name, value) for entry, value in zip(self.layout.u, held, strict=True))

    def sense(self, instant: Instant) -> dict[str, Scalar]:
        """The system's outputs at an instant."""
        return {name: observed(output, instant.outward) for name, output in self.system.outputs.items()}

    def _recalled(self, name: str, make: Callable[[], TracedFunction], *others: object) -> CompiledFunction:
        """The function that `make` traces from this model and `others`, loaded where it is known.

        Tracing formulas of free parameters leaves decisions behind (see `check_parameters`), so that models
        with free parameters are always traced.
        """
        if self.layout.parameters:
            return compile_function(make())
        return recall_or_compile(make, name, (self.system, self.embedding, self.layout, *others))

    def _trace(self, name: str, function: Callable[..., Mapping[str, Any]]) -> TracedFunction:
        return trace(name, function, {"y": len(self.layout.y0), "u": len(self.layout.u)})

    def observe(self, y: Array, u: Array) -> dict[str, Array]:
        """All outputs and closure errors, for floats or traced scalars."""
        instant = self.instant(y, u)
        values = path_values(instant.outward) | self.sense(instant) | {"energy": instant.energy}
        values |= {name: observed(output, instant) for name, output in self.system.measurements.items()}
        for element, response in instant.loads.responses.items():
            values |= {f"{element}.{name}": value for name, value in response.outputs.items()}
        return {
            "outputs": array(values[entry.name] for entry in self.output_entries),
            "closure": self.closure_norms(instant),
            "gearing": array(gearing(S, instant.outward.motions[S.name]) for S in self.geared_loops),
        }

    @cached_property
    def geared_loops(self) -> tuple[Aggregate, ...]:
        """Loops that hinges of their own lead, in the order of the ``gearing`` of `observation`."""
        return geared_loops(self.embedding)

    @cached_property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Ranges of the inputs that have one, by name."""
        inputs = self.system.inputs.values()
        return {entry.name: entry.between for entry in inputs if entry.between is not None}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Names and units of all quantities of the results: state, inputs, outputs."""
        return (*self.layout.q, *self.layout.v, *self.layout.x, *self.layout.u, *self.output_entries)

    @cached_property
    def output_entries(self) -> tuple[Entry, ...]:
        """Names and units of all outputs: the system's own, those of its force elements and of its paths."""
        declared = (*self.system.outputs.values(), *self.system.measurements.values())
        own = [Entry(output.name, output.unit) for output in declared]
        elements = [
            Entry(f"{element.name}.{name}", unit)
            for element in self.system.forces
            for name, unit in element.outputs.items()
        ]
        return (*own, *elements, *path_entries(self.embedding), Entry("energy", "J"))

    def closure_norms(self, instant: Instant) -> Array:
        """Closure error of every loop closure, in the order of `System.closures`."""
        errors = {
            loop.name: norm(closure_errors(instant.outward.motions[S.name], [loop]).residual)
            for S in self.embedding.aggregates
            for loop in S.closures
        }
        return array(errors[loop.name] for loop in self.system.closures)

    # Answers

    def accelerations(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
    ) -> Floats:
        """Generalised accelerations θ̈ of the independent hinges.

        Parameters
        ----------
        q, v : array_like
            Coordinates and velocities, in the order of ``layout.q`` and ``layout.v``.
        u, x : array_like, optional
            Inputs and first-order states; their defaults and initial values if not given.

        Returns
        -------
        (n_v,) array
        """
        y = self.state(q, v, x)
        given = self.u0 if u is None else checked("u", u, len(self.layout.u))
        (y_dot,) = self.dynamics(y, given)
        return self.layout.split(y_dot)[1]

    def outputs(self, y: ArrayLike | None = None, u: ArrayLike | None = None) -> dict[str, float]:
        """All outputs by name at one state: the system's own, those of its force elements, and its energy.

        Parameters
        ----------
        y, u : array_like, optional
            State, and inputs with free parameters; the initial state and defaults if not given.

        Returns
        -------
        dict of str to float
            In the order of ``output_entries``, which has the units.

        Raises
        ------
        AssemblyError
            If a loop cannot be assembled at the state.

        Examples
        --------
        >>> import ce_dynamics as ce
        >>> system = ce.System(gravity=(0, 0, -10.0))
        >>> bob = system.add_body("bob", mass=2.0, com=(0, 0, -1), parent=system.ground,
        ...                       hinge=ce.Revolute((0, 1, 0)))
        >>> system.add_output("height", "m", lambda o: o.point(bob, bob.com, system.ground).r[2])
        >>> ce.compile(system).outputs([0.0, 3.0])
        {'height': -1.0, 'energy': -11.0}
        """
        state, given = self._state(y), self._inputs(u)
        values, closure, *_ = self.observation(state, given)
        self.refuse_not_finite(state, given, closure)
        return {entry.name: float(x) for entry, x in zip(self.output_entries, values, strict=True)}

    def dead_centres(self) -> list[DeadCentre]:
        """Configurations in which a hinge of a loop cannot drive it, for every loop with one freedom.

        Returns
        -------
        list of DeadCentre
            Along the path of each loop: where a hinge turns back, and where another branch crosses.

        Examples
        --------
        ``[centre.coordinates for centre in model.dead_centres() if centre.body == "slider"]``
        """
        found = []
        for S in self.embedding.aggregates:
            if S.closures and S.N == 1 and not S.prescribed and not S.siblings:
                found += dead_centres(path_of(S) or path_linkage(S))
        return found

    def state(self, q: ArrayLike, v: ArrayLike, x: ArrayLike | None = None) -> Floats:
        """The state y = [q; v; x]; x keeps its initial values if not given."""
        sizes = self.layout.sizes
        x0 = self.layout.split(self.layout.y0)[2]
        parts = (
            checked("q", q, sizes["q"]),
            checked("v", v, sizes["v"]),
            x0 if x is None else checked("x", x, sizes["x"]),
        )
        return np.concatenate(parts)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy: what was loaded without its instructions is traced before anything is read."""
        for kept in list(self.__dict__.values()):
            if isinstance(kept, CompiledFunction):
                _ = kept.traced
        return self.__dict__.copy()

    def __repr__(self) -> str:
        bodies = len(self.system.bodies)
        n = self.embedding.n_v
        freedoms = "degree" if n == 1 else "degrees"
        return f"Model({self.system.name!r}: {n} {freedoms} of freedom, {bodies} bodies)"


def observed(output: Output, motion: object) -> Scalar:
    """What a user's output says: one number.

    Raises
    ------
    ModelError
        If its function raises something, or returns no number.
    """
    with checks.calling(f"output {output.name!r}"):
        value: Scalar = output.function(motion)
    if np.ndim(value) != 0 or isinstance(value, (str, bytes)) or not hasattr(value, "__add__"):
        raise ModelError(
            f"output {output.name!r} is {checks.shown(value)}; its function must return one number"
        )
    return value


def compile(system: System) -> Model:
    """Embed the loops of a system and prepare its compiled evaluations.

    Raises
    ------
    ModelError
        If the system is described wrongly.
    AssemblyError
        If a loop cannot be assembled at the initial state.
    """
    return Model(system)
