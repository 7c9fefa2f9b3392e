"""Accelerations, inertia, forces, energies, momentum and reactions of a model at one state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics import energy as energies
from ce_dynamics.dynamics.inverse_dynamics import inverse_dynamics as needed_forces
from ce_dynamics.dynamics.mass_matrix import mass_matrix as inertia
from ce_dynamics.dynamics.reactions import Reactions, reactions as reactions_at
from ce_dynamics.errors import AssemblyError
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


@takes_state("q", "u", "x")
def mass_matrix(model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> Floats:
    """Return M(θ) (2), (n_v, n_v).

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`; velocities do not matter.
    """

    def function(y: Array, u: Array) -> Mapping[str, Array]:
        return {"M": inertia(model.instant(y, u).outward)}

    state, given = state_given(model, *here, moving=False, **named)
    return model.evaluate_at("mass_matrix", function, state, given)[0]


@takes_state("q", "v", "u", "x")
def accelerations(model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> Floats:
    """Return the generalised accelerations θ̈ of the independent hinges.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.

    Returns
    -------
    (n_v,) array

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there, or a force is not finite.
    """
    state, given = state_given(model, *here, **named)
    (y_dot,) = model.dynamics(state, given)
    model.refuse_not_finite(state, given, y_dot)
    return model.layout.split(y_dot)[1]


@takes_state("q", "v", "v_dot", "u", "x")
def inverse_dynamics(
    model: CompiledSystem,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    v_dot: ArrayLike | None = None,
    *,
    x: ArrayLike | None = None,
    u: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> Floats:
    """Return the generalised forces T = M θ̈ + C on the independent hinges, on top of all loads, (n_v,).

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
    v_dot : array_like, optional
        Accelerations θ̈; none if not given.
    """
    state, given = state_given(model, q, v, x=x, u=u, y=y)
    n_v = model.sizes["v"]
    sought = np.zeros(n_v) if v_dot is None else checked("v_dot", v_dot, n_v)
    T: Floats = balance_function(model)(state, given, sought)[0][:n_v]
    model.refuse_not_finite(state, given, T)
    return T


def balance_function(model: CompiledSystem) -> CompiledFunction:
    """Return the function of [T; ẋ; q̇] at (y, u) for accelerations v̇."""

    def balance(y: Array, u: Array, v_dot: Array) -> dict[str, Array]:
        instant = model.instant(y, u)
        loads = instant.loads
        T = needed_forces(instant.outward, loads.wrenches, loads.torques, v_dot).T
        return {"r": concatenate((T, instant.x_dot, instant.q_dot))}

    return model.function("balance", balance, model.sizes_of("y", "u", "v_dot"))


@takes_state("q", "v", "u", "x")
def energy(model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> Energy:
    """Return the kinetic, gravitational and elastic energy at a state (see `Model`).

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there, or an energy is not finite.
    """

    def function(y: Array, u: Array) -> Mapping[str, Array]:
        instant = model.instant(y, u)
        parts = (
            energies.kinetic_energy(instant.outward),
            energies.gravitational_potential(instant.outward),
            energies.elastic_potential(instant.loads),
        )
        return {"parts": array(parts)}

    (parts,) = model.evaluate_at("energy", function, *state_given(model, *here, **named))
    return Energy(*map(float, parts))


def energy_or_nan(
    model: CompiledSystem, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
) -> Energy:
    """Return `energy`, or NaN where a loop cannot be assembled or an energy is not finite.

    The state may be that of a failed run.
    """
    try:
        return energy(model, q, v, x=x, u=u)
    except AssemblyError:
        return Energy(*[math.nan] * 3)


@takes_state("q", "v", "u", "x")
def momentum(
    model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]
) -> tuple[Floats, Floats]:
    """Return the linear momentum [kg m/s] and angular momentum about the world origin [kg m²/s], world axes.

    For the arguments see `Model`.
    """

    def function(y: Array, u: Array) -> Mapping[str, Array]:
        result = energies.momentum(model.instant(y, u).outward)
        return {"linear": result.linear, "angular": result.angular}

    linear, angular = model.evaluate_at("momentum", function, *state_given(model, *here, **named))
    return linear, angular


@takes_state("y", "u", "frame")
def reactions(
    model: CompiledSystem,
    *here: ArrayLike | None,
    frame: Body | str | None = None,
    **named: Unpack[StateArguments],
) -> Reactions:
    """Return reactions in every hinge and every cut hinge at a state.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
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
    >>> shoulder = ce.compile(system).reactions().hinges["arm"]
    >>> shoulder.force, shoulder.along  # the weight, and the drive's torque about +y
    (array([ 0.,  0., 20.]), array([-12.]))
    """
    state, given = state_given(model, *here, **named)
    instant = model.instant(state, given)
    layout = model.layout
    values = Values(layout.parameters, given[layout.n_inputs :])
    with np.errstate(all="ignore"):
        v_dot = values(instant.accelerations.v_dot)
    model.refuse_not_finite(state, given, v_dot)
    axes_of = None if frame is None else model.system.find(frame)
    return reactions_at(instant.outward, instant.loads, instant.accelerations, axes_of, values)


class Centroidal(NamedTuple):
    """Momentum about the centre of mass, h = A v + drift, [angular; linear] in world axes.

    Attributes
    ----------
    mass : float
        [kg].
    com, com_velocity : (3,) arrays
        Centre of mass [m] and its velocity [m/s].
    h : (6,) array
        Momentum [kg m²/s; kg m/s].
    A : (6, n_v) array
        Centroidal momentum matrix; its last three rows over the mass are the Jacobian of the centre of mass.
    drift : (6,) array
        Momentum at v = 0, which prescribed motion causes.
    """

    mass: float
    com: Floats
    com_velocity: Floats
    h: Floats
    A: Floats
    drift: Floats


@takes_state("q", "v", "u", "x")
def centroidal(model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> Centroidal:
    """Return the centre of mass and the centroidal momentum at a state (see `Model`).

    Raises
    ------
    ModelError
        If no body has mass.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> rod = system.add_body("rod", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 0, 1)))
    >>> found = ce.compile(system).centroidal([0.0], [3.0])
    >>> found.com_velocity, found.h.round(9), found.A.T.round(9)
    (array([0. , 1.5, 0. ]), array([0. , 0. , 0.3, 0. , 3. , 0. ]), array([[0. , 0. , 0.1, 0. , 1. , 0. ]]))
    """
    state, given = state_given(model, *here, **named)
    at, _, states = model.layout.split(state)

    def function(y: Array, u: Array) -> Mapping[str, Array]:
        found = energies.momentum(model.instant(y, u).outward)
        h = np.concatenate((found.angular_about_com, found.linear))
        return {"mass": array((found.mass,)), "com": found.com, "h": h}

    def momentum_with(v: Floats) -> Floats:
        return model.evaluate_at("centroidal momentum", function, np.concatenate((at, v, states)), given)[2]

    n_v = model.embedding.n_v
    mass, com, h = model.evaluate_at("centroidal momentum", function, state, given)
    drift = momentum_with(np.zeros(n_v))
    columns = [momentum_with(unit) - drift for unit in np.eye(n_v)]  # h is linear in v
    A = np.array(columns).T.reshape(6, n_v)
    return Centroidal(float(mass[0]), com, h[3:] / mass[0], h, A, drift)
