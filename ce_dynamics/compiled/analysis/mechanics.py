"""Inertia, forces, energies, momentum, reactions and the exact linearisation of a model at one state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import Answers
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics.energy import elastic_potential, gravitational_potential, kinetic_energy, momentum
from ce_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from ce_dynamics.dynamics.mass_matrix import mass_matrix
from ce_dynamics.dynamics.reactions import Reactions, reactions
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.parameters import Values


class Energy(NamedTuple):
    """Mechanical energy [J]."""

    kinetic: float
    gravitational: float
    elastic: float

    @property
    def total(self) -> float:
        """Sum of all."""
        return self.kinetic + self.gravitational + self.elastic


@dataclass(frozen=True, eq=False)
class LinearModel:
    """ẏ ≈ ẏ₀ + A (y − y₀) + B (u − u₀) and z ≈ z₀ + C (y − y₀) + D (u − u₀), all derivatives exact.

    Unpacks as ``A, B, y_dot = linear``.

    Attributes
    ----------
    A, B : (n, n), (n, m) arrays
        ∂ẏ/∂y and ∂ẏ/∂u.
    y_dot : (n,) array
        ẏ₀.
    C, D : (k, n), (k, m) arrays
        ∂z/∂y and ∂z/∂u of the outputs z that were asked for.
    z : (k,) array
        z₀.
    states, inputs, outputs : tuples of str
        Names of the entries of y, u (free parameters last) and z.
    """

    A: Floats
    B: Floats
    y_dot: Floats
    C: Floats
    D: Floats
    z: Floats
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.A, self.B, self.y_dot))

    def entry(self, of: str, by: str) -> float:
        """One derivative by names: of the rate of a state, or of an output, by a state or an input.

        Raises
        ------
        ModelError
            If a name is unknown.
        """
        rows, columns = (*self.states, *self.outputs), (*self.states, *self.inputs)
        for name, known in ((of, rows), (by, columns)):
            if name not in known:
                raise ModelError(f"no {name!r} in the linear model; known are {list(known)}")
        whole = np.block([[self.A, self.B], [self.C, self.D]])
        return float(whole[rows.index(of), columns.index(by)])


class Mechanics(Answers):
    """Inertia, forces, energies, momentum, reactions, linearisation."""

    def mass_matrix(self, q: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None) -> Floats:
        """M(θ) (2), (n_v, n_v).

        Parameters
        ----------
        q : array_like
            Coordinates.
        u, x : array_like, optional
            Inputs (with free parameters) and first-order states, which may move prescribed hinges; their
            defaults and initial values if not given.
        """

        def function(q: Array, x: Array, u: Array) -> Mapping[str, Array]:
            return {"M": mass_matrix(self._instant(q, np.zeros(self._sizes["v"]), x, u).outward)}

        return self._answer("mass_matrix", function, {"q": q, **self._others(x, u)})[0]

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        v_dot: ArrayLike,
        u: ArrayLike | None = None,
        x: ArrayLike | None = None,
    ) -> Floats:
        """Generalised forces T = M θ̈ + C on the independent hinges, on top of all loads, (n_v,).

        Parameters
        ----------
        q, v, v_dot : array_like
            Coordinates, velocities and accelerations.
        u, x : array_like, optional
            As for `mass_matrix`.
        """

        def function(q: Array, v: Array, v_dot: Array, x: Array, u: Array) -> Mapping[str, Array]:
            instant = self._instant(q, v, x, u)
            loads = instant.loads
            return {"T": inverse_dynamics(instant.outward, loads.wrenches, loads.torques, v_dot).T}

        given = {"q": q, "v": v, "v_dot": v_dot, **self._others(x, u)}
        return self._answer("inverse_dynamics", function, given)[0]

    def energy(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
    ) -> Energy:
        """Kinetic, gravitational and elastic energy; for ``u`` and ``x`` see `mass_matrix`."""

        def function(q: Array, v: Array, x: Array, u: Array) -> Mapping[str, Array]:
            instant = self._instant(q, v, x, u)
            parts = (
                kinetic_energy(instant.outward),
                gravitational_potential(instant.outward),
                elastic_potential(instant.loads),
            )
            return {"parts": array(parts)}

        parts = self._answer("energy", function, {"q": q, "v": v, **self._others(x, u)})[0]
        return Energy(*map(float, parts))

    def momentum(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Linear momentum [kg m/s] and angular momentum about the world origin [kg m²/s], world axes.

        For ``u`` and ``x`` see `mass_matrix`.
        """

        def function(q: Array, v: Array, x: Array, u: Array) -> Mapping[str, Array]:
            result = momentum(self._instant(q, v, x, u).outward)
            return {"linear": result.linear, "angular": result.angular}

        linear, angular = self._answer("momentum", function, {"q": q, "v": v, **self._others(x, u)})
        return linear, angular

    def _others(self, x: ArrayLike | None, u: ArrayLike | None) -> dict[str, ArrayLike]:
        """First-order states and inputs, with their defaults."""
        layout = self.layout
        return {"x": layout.split(layout.y0)[2] if x is None else x, "u": self._inputs(u)}

    def reactions(
        self, y: ArrayLike, u: ArrayLike | None = None, frame: Body | str | None = None
    ) -> Reactions:
        """Reactions in every hinge and every cut hinge at a state.

        Parameters
        ----------
        y, u : array_like
            State, and inputs with free parameters (their defaults if not given).
        frame : Body or str, optional
            Body in whose axes forces and torques are given; world axes if None.

        Raises
        ------
        AssemblyError
            If a loop cannot be assembled at the state.

        Examples
        --------
        >>> import ce_dynamics as ce
        >>> system = ce.System(gravity=(0, 0, -10.0))
        >>> arm = system.add_body("arm", mass=2.0, com=(0.6, 0, 0), parent=system.ground,
        ...                       hinge=ce.Revolute(axis=(0, 1, 0)))
        >>> system.prescribe(arm, ce.Held(0.0))
        >>> shoulder = ce.compile(system).reactions([]).hinges["arm"]
        >>> shoulder.force, shoulder.along  # the weight, and the drive's torque about +y
        (array([ 0.,  0., 20.]), array([-12.]))
        """
        state, given = self._state(y), self._inputs(u)
        instant = self.instant(state, given)
        layout = self.layout
        values = Values(layout.parameters, given[layout.n_inputs :])
        with np.errstate(all="ignore"):
            v_dot = values(instant.accelerations.v_dot)
        self.refuse_not_finite(state, given, v_dot)
        axes_of = None if frame is None else self.system.find(frame)
        return reactions(instant.outward, instant.loads, instant.accelerations, axes_of, values)

    def linearize(
        self, y: ArrayLike | None = None, u: ArrayLike | None = None, outputs: Iterable[str] | str = ()
    ) -> LinearModel:
        """Exact linearisation of ẏ(y, u), and of outputs, at a state.

        Quaternions are four coordinates here, so A has a row and column for each.

        Parameters
        ----------
        y, u : array_like, optional
            State, and inputs with free parameters; the initial state and defaults if not given.
        outputs : iterable of str, or str
            Names of the outputs (``output_entries``) whose derivatives C and D are wanted.

        Raises
        ------
        ModelError
            If an output is unknown.

        Examples
        --------
        >>> import ce_dynamics as ce
        >>> system = ce.System(gravity=(0, 0, -10.0))
        >>> system.add_input("torque", "N*m")
        >>> bob = system.add_body("bob", mass=2.0, com=(0, 0, -1), parent=system.ground,
        ...                       hinge=ce.Revolute((0, 1, 0)))
        >>> system.add_force(ce.AppliedWrench("motor", bob, bob.com, torque=(0, "torque", 0)))
        >>> system.add_output("aside", "m", lambda o: o.point(bob, bob.com, system.ground).r[0])
        >>> linear = ce.compile(system).linearize([0.0, 0.0], outputs=["aside"])
        >>> linear.states, linear.inputs
        (('bob', 'bob_rate'), ('torque',))
        >>> linear.entry("bob_rate", "bob"), linear.entry("bob_rate", "torque"), linear.entry("aside", "bob")
        (-10.0, 0.5, -1.0)
        """
        state, given = self._state(y), self._inputs(u)
        (y_dot,) = self.dynamics(state, given)
        A, B = (self._derivative(self.dynamics.traced, "y_dot", name)(state, given) for name in ("y", "u"))
        names = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        C, D, z = np.zeros((0, len(state))), np.zeros((0, len(given))), np.zeros(0)
        if names:
            observed = self._observed(names)
            (z,) = observed(state, given)
            C, D = (self._derivative(observed.traced, "z", name)(state, given) for name in ("y", "u"))
        layout = self.layout
        return LinearModel(
            A,
            B,
            y_dot,
            C,
            D,
            z,
            tuple(entry.name for entry in (*layout.q, *layout.v, *layout.x)),
            tuple(entry.name for entry in layout.u),
            names,
        )

    def _observed(self, names: tuple[str, ...]) -> CompiledFunction:
        """Some outputs by name."""
        known = [entry.name for entry in self.output_entries]
        for name in names:
            if name not in known:
                raise ModelError(f"no output {name!r}; the outputs are {known}")
        places = [known.index(name) for name in names]

        def observed(y: Array, u: Array) -> Mapping[str, Array]:
            return {"z": self.observe(y, u)["outputs"][places]}

        return self._function(f"outputs {', '.join(names)}", observed, self._sizes_of("y", "u"))

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
        state, given = self._state(y), self._inputs(u)
        return self._derivative(self.dynamics.traced, "y_dot", "u")(state, given)[:, layout.n_inputs :]
