"""What a compiled model answers besides its equations of motion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.arrays import Array, array
from ce_dynamics.checks import Floats, checked
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, trace
from ce_dynamics.embedding import Embedding
from ce_dynamics.equations import Instant
from ce_dynamics.errors import ModelError
from ce_dynamics.layout import Layout
from ce_dynamics.recursion.energy import elastic_potential, gravitational_potential, kinetic_energy, momentum
from ce_dynamics.recursion.inverse_dynamics import inverse_dynamics
from ce_dynamics.recursion.mass_matrix import mass_matrix
from ce_dynamics.recursion.reactions import Reactions, reactions

if TYPE_CHECKING:
    from ce_dynamics.stepping.jacobian import CompiledJacobian


class Energy(NamedTuple):
    """Mechanical energy [J]."""

    kinetic: float
    gravitational: float
    elastic: float

    @property
    def total(self) -> float:
        """Sum of all."""
        return self.kinetic + self.gravitational + self.elastic


class LinearModel(NamedTuple):
    """ẏ ≈ ẏ₀ + A (y − y₀) + B (u − u₀).

    Attributes
    ----------
    A : (n, n) array
        ∂ẏ/∂y, exact.
    B : (n, m) array
        ∂ẏ/∂u, exact.
    y_dot : (n,) array
        ẏ₀.
    """

    A: Floats
    B: Floats
    y_dot: Floats


class Analysis(ABC):
    """Answers about a model at one state, each compiled when it is first asked for."""

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

    def mass_matrix(self, q: ArrayLike) -> Floats:
        """M(θ) (2), (n_v, n_v)."""

        def function(q: Array) -> Mapping[str, Array]:
            return {"M": mass_matrix(self._instant(q, np.zeros(self._sizes["v"])).outward)}

        return self._answer("mass_matrix", function, {"q": q})[0]

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, v_dot: ArrayLike, u: ArrayLike | None = None
    ) -> Floats:
        """Generalised forces T = M θ̈ + C on the independent hinges, on top of all loads, (n_v,)."""

        def function(q: Array, v: Array, v_dot: Array, u: Array) -> Mapping[str, Array]:
            instant = self._instant(q, v, u)
            loads = instant.loads
            return {"T": inverse_dynamics(instant.outward, loads.wrenches, loads.torques, v_dot).T}

        given = self.layout.u0 if u is None else u
        return self._answer("inverse_dynamics", function, {"q": q, "v": v, "v_dot": v_dot, "u": given})[0]

    def energy(self, q: ArrayLike, v: ArrayLike) -> Energy:
        """Kinetic, gravitational and elastic energy."""

        def function(q: Array, v: Array) -> Mapping[str, Array]:
            instant = self._instant(q, v)
            parts = (
                kinetic_energy(instant.outward),
                gravitational_potential(instant.outward),
                elastic_potential(instant.loads),
            )
            return {"parts": array(parts)}

        kinetic, gravitational, elastic = self._answer("energy", function, {"q": q, "v": v})[0]
        return Energy(float(kinetic), float(gravitational), float(elastic))

    def momentum(self, q: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
        """Linear momentum [kg m/s] and angular momentum about the world origin [kg m²/s], world axes."""

        def function(q: Array, v: Array) -> Mapping[str, Array]:
            result = momentum(self._instant(q, v).outward)
            return {"linear": result.linear, "angular": result.angular}

        linear, angular = self._answer("momentum", function, {"q": q, "v": v})
        return linear, angular

    def reactions(self, y: ArrayLike, u: ArrayLike | None = None) -> Reactions:
        """Reactions in every hinge and every cut hinge at a state, world axes."""
        layout = self.layout
        given = layout.u0 if u is None else checked("u", u, len(layout.u))
        instant = self.instant(checked("y", y, len(layout.y0)), given)
        return reactions(instant.outward, instant.loads, instant.accelerations)

    def linearize(self, y: ArrayLike, u: ArrayLike | None = None) -> LinearModel:
        """Exact linearisation of ẏ(y, u) at a state.

        Quaternions are four coordinates here, so A has a row and column for each.
        """
        layout = self.layout
        given = layout.u0 if u is None else checked("u", u, len(layout.u))
        state = checked("y", y, len(layout.y0))
        (y_dot,) = self.dynamics(state, given)
        A, B = (self._jacobian(name)(state, given) for name in ("y", "u"))
        return LinearModel(A, B, y_dot)

    def sensitivities(self, y: ArrayLike, u: ArrayLike | None = None) -> Floats:
        """Exact derivatives ∂ẏ/∂p of the right-hand side with respect to the free parameters, (n, n_p).

        Parameters
        ----------
        y : array_like
            State.
        u : array_like, optional
            Inputs and parameters (`Model.inputs_with`); their defaults if not given.

        Raises
        ------
        ModelError
            If the system has no free parameters.
        """
        layout = self.layout
        if len(layout.u) == layout.n_inputs:
            raise ModelError("the system has no free parameters; declare some with add_parameter")
        state = checked("y", y, len(layout.y0))
        given = layout.u0 if u is None else checked("u", u, len(layout.u))
        return self._jacobian("u")(state, given)[:, layout.n_inputs :]

    def _jacobian(self, name: str) -> CompiledJacobian:
        from ce_dynamics.stepping.jacobian import compile_jacobian  # here, because most models never ask

        if name not in self._jacobians:
            self._jacobians[name] = compile_jacobian(self.dynamics.traced, "y_dot", name)
        return self._jacobians[name]

    @property
    def _sizes(self) -> dict[str, int]:
        return {**self.layout.sizes, "v_dot": self.layout.sizes["v"]}

    def _instant(self, q: Array, v: Array, u: Array | None = None) -> Instant:
        layout = self.layout
        x = layout.split(layout.y0)[2]
        return Instant(self.embedding, layout, q, v, x, layout.u0 if u is None else u)

    def _answer(
        self, name: str, function: Callable[..., Mapping[str, Array]], inputs: Mapping[str, ArrayLike]
    ) -> tuple[Floats, ...]:
        sizes = {key: self._sizes[key] for key in inputs}
        values = [checked(key, value, sizes[key]) for key, value in inputs.items()]
        if name not in self._compiled:
            self._compiled[name] = compile_function(trace(name, function, sizes))
        return self._compiled[name](*values)
