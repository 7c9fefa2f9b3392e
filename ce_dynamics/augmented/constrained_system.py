"""Constraints of the augmented solver that can be asked for errors and forces, and switched at run time.

A `ConstrainedSystem` is a `System` with constraints enforced by multipliers, (8); a `ConstrainedState` is one
instant of it: poses, velocities, and for every constraint whether it is enabled and its parameters.  States
do not change; what switches a constraint or sets a parameter returns a new state.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import checked
from ce_dynamics.algebra.lazy_names import FormerName
from ce_dynamics.algebra.rotation import normalise, rotation_from_quaternion
from ce_dynamics.augmented.augmented import Inputs, SaddleSolution, solve_saddle
from ce_dynamics.augmented.fully_augmented import FullyAugmented
from ce_dynamics.augmented.rows import ConstraintRows, JoinedPoints, joint_rows
from ce_dynamics.augmented.simulate import Trajectory, simulate_baumgarte, simulate_dae
from ce_dynamics.augmented.states import BodyState, position_vector, velocity_vector
from ce_dynamics.errors import AssemblyError, MasslessFreedomError, ModelError
from ce_dynamics.mechanism.body import Body, check_body
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.hinges.conditions import BetweenPoints, Closure, Coincident
from ce_dynamics.mechanism.system import System

CONSISTENT = 1e-6
"""Largest error of an enabled constraint from which an integration may start [m] and [m/s]."""


class Setting(NamedTuple):
    """Setting of one constraint in a state: enabled or not, and its parameters."""

    enabled: bool
    parameters: Any


@dataclass(frozen=True, eq=False)
class ConstraintConfiguration:
    """Settings of all constraints, and the augmented model they make."""

    system: System
    constraints: tuple[Constraint, ...]
    settings: Mapping[str, Setting]

    @cached_property
    def model(self) -> FullyAugmented:
        """The system with the enabled constraints as closures."""
        system = copy.copy(self.system)
        system.closures = list(system.closures)
        for constraint in self.constraints:
            enabled, parameters = self.settings[constraint.name]
            if enabled:
                closure = constraint.closure(parameters)
                system.close_loop(constraint.name, constraint.parent, constraint.child, closure)
        return FullyAugmented(system)

    def with_setting(self, name: str, **changes: Any) -> ConstraintConfiguration:
        """Return the same with another setting of one constraint."""
        setting = self.settings[name]._replace(**changes)
        return replace(self, settings={**self.settings, name: setting})


@dataclass(frozen=True, eq=False)
class ConstrainedState:
    """One instant of a constrained system.

    Attributes
    ----------
    configuration : Configuration
        Which constraints are enabled, and their parameters.
    y : (n,) array
        [p; V; x] of `FullyAugmented`.
    u : (n_u,) array
        Inputs.
    """

    configuration: ConstraintConfiguration
    y: Array
    u: Array

    @property
    def model(self) -> FullyAugmented:
        """The augmented model of the enabled constraints."""
        return self.configuration.model

    @cached_property
    def bodies(self) -> Mapping[str, BodyState]:
        """World states of all bodies by name."""
        return self.model.at(self.y, self.u).states

    def body(self, body: Body | str) -> BodyState:
        """Return the world state of a body: R (body axes to world), r and v of the centre of mass, w."""
        return self.bodies[self.model.system.find(body).name]

    @cached_property
    def solution(self) -> SaddleSolution:
        """Accelerations and multipliers from (8); a `ModelError` if something may move without inertia."""
        return self.model.solve(self.model.at(self.y, self.u))

    def acceleration(self, body: Body | str) -> Array:
        """Return the world acceleration [ω̇; acceleration of the centre of mass] of a body, (6,)."""
        k = self.model.system.find(body).index
        return np.zeros(6) if k == 0 else self.solution.V_dot[6 * (k - 1) : 6 * k]

    @property
    def energy(self) -> float:
        """Kinetic and potential energy [J]."""
        return float(self.model.at(self.y, self.u).energy)

    def place(
        self,
        body: Body | str,
        *,
        r: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        w: ArrayLike | None = None,
        v: ArrayLike | None = None,
    ) -> ConstrainedState:
        """Return the same state with a body put elsewhere; constraints are not looked at (see `assemble`).

        Parameters
        ----------
        body : Body or str
        r, v : (3,) array_like, optional
            World position and velocity of the centre of mass.
        quaternion : (4,) array_like, optional
            Orientation (w, x, y, z), body to world, of any length but zero.
        w : (3,) array_like, optional
            Angular velocity in world axes.
        """
        target = self.model.system.find(body)
        if target.is_ground:
            raise ModelError("the ground cannot be placed")
        given = {"r": r, "w": w, "v": v}
        owner = f"body {target.name!r}"
        changes = {k: finite_vector(x, owner, k) for k, x in given.items() if x is not None}
        if quaternion is not None:
            q = checked(f"{owner}: quaternion", quaternion, 4)
            if not np.any(q):
                raise ModelError(
                    f"{owner}: quaternion (0, 0, 0, 0) is no orientation; (1, 0, 0, 0) means no rotation"
                )
            changes["R"] = rotation_from_quaternion(normalise(q))
        return self.with_motions({target.name: self.bodies[target.name]._replace(**changes)})

    moved = FormerName("with_motions")

    def with_motions(self, motions: Mapping[str, BodyState]) -> ConstrainedState:
        """Return the same state with other motions of some bodies, by name; see `place`."""
        bodies, states = self.model.system.bodies, {**self.bodies, **motions}
        _, _, x = self.model.split(self.y)
        p, V = position_vector(bodies, states), velocity_vector(bodies, states)
        return replace(self, y=np.concatenate((p, V, x)).astype(float))

    assembled = FormerName("assemble")

    def assemble(self) -> ConstrainedState:
        """Return the nearest state that satisfies the enabled constraints.

        Positions by Newton's method; velocities by the impulse the constraints would exert, M ΔV = Gᵀ p.

        Raises
        ------
        AssemblyError
            If there is none near.
        """
        model = self.model
        try:
            p, _, x = model.split(model.assemble(self.y, self.u))
            _, V, _ = model.split(self.y)
            instant = model.instant(p, V, x, self.u)
            M, G, rate = (
                np.asarray(part, dtype=float)
                for part in (instant.inertia, instant.constraints.G, instant.constraints.rate)
            )
            V = solve_saddle(M, G, M @ V, rate - G @ V).V_dot if len(G) else V
        except (np.linalg.LinAlgError, MasslessFreedomError) as error:
            raise AssemblyError(f"{model.system.name!r} cannot be assembled: {error}") from None
        return replace(self, y=np.concatenate((p, V, x)))

    def check_consistent(self) -> None:
        """Refuse a state that violates an enabled constraint.

        Raises
        ------
        AssemblyError
            Naming the constraint and its error.
        """
        rows = self.model.at(self.y, self.u).constraints
        for error, what in ((rows.g, "position"), (rows.rate, "velocity")):
            size = np.abs(np.asarray(error, dtype=float))
            if size.size and not np.max(size) <= CONSISTENT:
                k = int(np.argmax(size))
                raise AssemblyError(
                    f"{self.model.row_names[k]!r}: {what} error {size[k]:.3g} of the state exceeds"
                    f" {CONSISTENT:g}; let the state satisfy it, by `assemble` for one, or disable it"
                )


class ConstrainedSystem:
    """A system with constraints that its solver enforces by multipliers.

    Parameters
    ----------
    system : System
        Bodies, hinges, forces; its hinges and closures are enforced too.
    *constraints : Constraint
    """

    def __init__(self, system: System, *constraints: Constraint) -> None:
        checks.instance("ConstrainedSystem: system", system, System, "a System")
        for constraint in constraints:
            what = "a constraint, such as PointToPoint(...)"
            checks.instance("ConstrainedSystem: constraint", constraint, Constraint, what)
        self.system, self.constraints = system, constraints
        names = [constraint.name for constraint in constraints]
        for constraint in constraints:
            if names.count(constraint.name) > 1:
                raise ModelError(f"constraint {constraint.name!r} exists twice; give each its own name")
            for body in (constraint.parent, constraint.child):
                system.find(body)

    def default_state(self, inputs: Inputs = None) -> ConstrainedState:
        """Return the design pose at rest with default parameters."""
        settings = {c.name: Setting(c.default_enabled, c.default_parameters()) for c in self.constraints}
        configuration = ConstraintConfiguration(self.system, self.constraints, settings)
        model = configuration.model
        return ConstrainedState(configuration, model.design_state(), model.input_vector(inputs))

    def simulate(
        self,
        state: ConstrainedState,
        t_eval: ArrayLike,
        *,
        method: str = "baumgarte",
        alpha: float = 10.0,
        beta: float = 10.0,
        rtol: float = 1e-9,
        atol: float = 1e-9,
    ) -> ConstrainedMotion:
        """Integrate from a state, with the constraints as they are enabled there.

        Parameters
        ----------
        state : ConstrainedState
            Must satisfy its enabled constraints.
        t_eval : (n,) array_like
            Output times, the first of which is the start.
        method : {"baumgarte", "dae"}
            (8) with g̈ + 2α ġ + β² g = 0 by SciPy's DOP853, or the stabilised index-2 form by SUNDIALS IDA.
        alpha, beta : float
            Baumgarte's parameters [1/s]; zero lets the constraints drift.
        rtol, atol : float

        Raises
        ------
        AssemblyError
            If the state violates an enabled constraint by more than `CONSISTENT`.
        ModelError, SimulationError
        """
        if method not in ("baumgarte", "dae"):
            raise ModelError(f"method {method!r} is not known; choose baumgarte or dae")
        state.check_consistent()
        _ = state.solution  # refuses what has no accelerations before an integrator meets them
        common: dict[str, Any] = {"inputs": state.u if len(state.u) else None, "rtol": rtol, "atol": atol}
        if method == "dae":
            run = simulate_dae(state.model, state.y, t_eval, **common)
        else:
            run = simulate_baumgarte(state.model, state.y, t_eval, alpha=alpha, beta=beta, **common)
        return ConstrainedMotion(run, state.configuration)


@dataclass(frozen=True, eq=False)
class ConstrainedMotion:
    """A stored motion of a constrained system.

    Attributes
    ----------
    run : Trajectory
        As the augmented solver stores it.
    configuration : Configuration
        Settings during the motion.
    """

    run: Trajectory
    configuration: ConstraintConfiguration

    @property
    def t(self) -> Array:
        """Times [s]."""
        return self.run.t

    @cached_property
    def states(self) -> list[ConstrainedState]:
        """A state per time."""
        rows = zip(self.run.y, self.run.u, strict=True)
        return [ConstrainedState(self.configuration, y, u) for y, u in rows]


class Constraint(ABC):
    """A constraint between a parent and a child body.

    1. `closure`: the conditions it imposes, for given parameters.
    2. `default_parameters`: those of a default state.

    Parameters
    ----------
    name : str
    parent, child : Body
    enabled : bool
        Whether it is in a default state.
    """

    roles: ClassVar[tuple[str, str]] = ("parent", "child")
    """Names of the two bodies in messages."""

    def __init__(self, name: str, parent: Body, child: Body, enabled: bool = True) -> None:
        owner = f"constraint {checks.name_of('constraint: name', name)!r}"
        check_body(parent, owner, self.roles[0])
        if parent is check_body(child, owner, self.roles[1]):
            raise ModelError(f"{owner} joins body {parent.name!r} to itself; name two bodies")
        self.name, self.parent, self.child = name, parent, child
        self.default_enabled = checks.flag(f"{owner}: enabled", enabled)

    @abstractmethod
    def closure(self, parameters: Any) -> Closure:
        """Return the closure that the constraint imposes for given parameters."""

    @abstractmethod
    def default_parameters(self) -> Any:
        """Return parameters of a default state."""

    def is_enabled(self, state: ConstrainedState) -> bool:
        """Return True if it is enforced."""
        return state.configuration.settings[self.name].enabled

    def enable(self, state: ConstrainedState) -> ConstrainedState:
        """Return the same state with the constraint enforced; the state may violate it (see `assemble`)."""
        return replace(state, configuration=state.configuration.with_setting(self.name, enabled=True))

    def disable(self, state: ConstrainedState) -> ConstrainedState:
        """Return the same state with the constraint left out."""
        return replace(state, configuration=state.configuration.with_setting(self.name, enabled=False))

    def parameters(self, state: ConstrainedState) -> Any:
        """Return its parameters in a state."""
        return state.configuration.settings[self.name].parameters

    def with_parameters(self, state: ConstrainedState, parameters: Any) -> ConstrainedState:
        """Return the same state with other parameters."""
        return replace(
            state, configuration=state.configuration.with_setting(self.name, parameters=parameters)
        )

    def rows(self, state: ConstrainedState) -> ConstraintRows:
        """Return its constraint rows in a state, enforced or not."""
        closure = self.closure(self.parameters(state))
        at = closure.at_parent, closure.at_child
        joint = JoinedPoints(self.name, self.parent, at[0], self.child, at[1], closure.constraints)
        return joint_rows(joint, state.bodies)

    def residuals(self, state: ConstrainedState) -> tuple[Array, Array]:
        """Return errors of its rows in position (zero where not holonomic) and in velocity."""
        rows = self.rows(state)
        p, c = state.bodies[self.parent.name], state.bodies[self.child.name]
        on_parent, on_child = (rows.blocks[body.name] for body in (self.parent, self.child))
        rate = on_parent @ np.concatenate((p.w, p.v)) + on_child @ np.concatenate((c.w, c.v))
        return rows.g.astype(float), rate.astype(float)

    def acceleration_residual(self, state: ConstrainedState) -> Array:
        """Return errors of its rows in acceleration, for the accelerations of (8)."""
        rows = self.rows(state)
        on_parent = rows.blocks[self.parent.name] @ state.acceleration(self.parent)
        on_child = rows.blocks[self.child.name] @ state.acceleration(self.child)
        return np.asarray(on_parent + on_child + rows.gamma, dtype=float)

    def multipliers(self, state: ConstrainedState) -> Array:
        """Return λ of its rows, Gᵀ λ being the forces on the bodies; zeros while it is disabled."""
        if not self.is_enabled(state):
            return np.zeros(len(self.rows(state).g))
        mine = np.array([name == self.name for name in state.model.row_names])
        return np.asarray(state.solution.multipliers[mine])

    def body_forces(self, state: ConstrainedState) -> dict[str, Array]:
        """Return [torque; force] on its two bodies by name, about their centres of mass, in world axes."""
        rows, multipliers = self.rows(state), self.multipliers(state)
        return {name: (block.T @ multipliers).astype(float) for name, block in rows.blocks.items()}


class PointToPoint(Constraint):
    """A point of one body stays on a point of another: ball in socket.

    The force F acts on ``body_1`` and −F on ``body_2``, at the common point, and g = (x₁ + c₁) − (x₂ + c₂).

    Parameters
    ----------
    name : str
    body_1, body_2 : Body
        Either may be the ground.
    at : sequence of 3 floats
        The point on body 1, in the design pose [m].
    at_2 : sequence of 3 floats, optional
        The point on body 2, in the design pose; the same place if not given.
    enabled : bool
        Whether it is enforced in a default state.
    """

    roles = ("body_2", "body_1")

    def __init__(
        self,
        name: str,
        body_1: Body,
        body_2: Body,
        at: ArrayLike,
        at_2: ArrayLike | None = None,
        enabled: bool = True,
    ) -> None:
        super().__init__(name, parent=body_2, child=body_1, enabled=enabled)
        self.at_1 = finite_vector(at, f"constraint {name!r}", "at")
        self.at_2 = self.at_1 if at_2 is None else finite_vector(at_2, f"constraint {name!r}", "at_2")

    def closure(self, parameters: Any) -> Closure:
        return parameters  # type: ignore[no-any-return]  # they are the two points

    def default_parameters(self) -> BetweenPoints:
        return BetweenPoints(self.at_2, self.at_1, (Coincident(),))

    def position_error(self, state: ConstrainedState) -> Array:
        """Return (x₁ + c₁) − (x₂ + c₂), (3,) [m]."""
        return self.residuals(state)[0]

    def velocity_error(self, state: ConstrainedState) -> Array:
        """Return its rate, (3,) [m/s]."""
        return self.residuals(state)[1]

    def acceleration_error(self, state: ConstrainedState) -> Array:
        """Return its second derivative, (3,) [m/s²]: rounding while the constraint is enforced."""
        return self.acceleration_residual(state)

    def force(self, state: ConstrainedState) -> Array:
        """Return F on body 1 at the point, world axes, (3,) [N]; body 2 feels −F."""
        return self.multipliers(state)
