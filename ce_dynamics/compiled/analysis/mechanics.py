"""Accelerations, inertia, forces, energies, momentum and reactions of a model at one state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
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


def mass_matrix(
    model: CompiledSystem, q: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
) -> Floats:
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
        return {"M": inertia(model.instant_of(q, np.zeros(model.sizes["v"]), x, u).outward)}

    return model.answer("mass_matrix", function, {"q": q, **others(model, x, u)})[0]


def accelerations(
    model: CompiledSystem, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
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

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there, or a force is not finite.
    """
    state, given = model.state(q, v, x), model.given_inputs(u)
    (y_dot,) = model.dynamics(state, given)
    model.refuse_not_finite(state, given, y_dot)
    return model.layout.split(y_dot)[1]


def inverse_dynamics(
    model: CompiledSystem,
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
        instant = model.instant_of(q, v, x, u)
        loads = instant.loads
        return {"T": needed_forces(instant.outward, loads.wrenches, loads.torques, v_dot).T}

    given = {"q": q, "v": v, "v_dot": v_dot, **others(model, x, u)}
    return model.answer("inverse_dynamics", function, given)[0]


def energy(
    model: CompiledSystem, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
) -> Energy:
    """Kinetic, gravitational and elastic energy; for ``u`` and ``x`` see `mass_matrix`.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there, or an energy is not finite.
    """

    def function(q: Array, v: Array, x: Array, u: Array) -> Mapping[str, Array]:
        instant = model.instant_of(q, v, x, u)
        parts = (
            energies.kinetic_energy(instant.outward),
            energies.gravitational_potential(instant.outward),
            energies.elastic_potential(instant.loads),
        )
        return {"parts": array(parts)}

    parts = model.answer("energy", function, {"q": q, "v": v, **others(model, x, u)})[0]
    return Energy(*map(float, parts))


def energy_or_nan(
    model: CompiledSystem, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
) -> Energy:
    """As `energy`, NaN where a loop cannot be assembled: for who looks at runs that broke."""
    try:
        return energy(model, q, v, u, x)
    except AssemblyError:
        return Energy(*[math.nan] * 3)


def momentum(
    model: CompiledSystem, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Linear momentum [kg m/s] and angular momentum about the world origin [kg m²/s], world axes.

    For ``u`` and ``x`` see `mass_matrix`.
    """

    def function(q: Array, v: Array, x: Array, u: Array) -> Mapping[str, Array]:
        result = energies.momentum(model.instant_of(q, v, x, u).outward)
        return {"linear": result.linear, "angular": result.angular}

    linear, angular = model.answer("momentum", function, {"q": q, "v": v, **others(model, x, u)})
    return linear, angular


def others(model: CompiledSystem, x: ArrayLike | None, u: ArrayLike | None) -> dict[str, ArrayLike]:
    """First-order states and inputs, with their defaults."""
    layout = model.layout
    return {"x": layout.split(layout.y0)[2] if x is None else x, "u": model.given_inputs(u)}


def reactions(
    model: CompiledSystem, y: ArrayLike, u: ArrayLike | None = None, frame: Body | str | None = None
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
    state, given = model.given_state(y), model.given_inputs(u)
    instant = model.instant(state, given)
    layout = model.layout
    values = Values(layout.parameters, given[layout.n_inputs :])
    with np.errstate(all="ignore"):
        v_dot = values(instant.accelerations.v_dot)
    model.refuse_not_finite(state, given, v_dot)
    axes_of = None if frame is None else model.system.find(frame)
    return reactions_at(instant.outward, instant.loads, instant.accelerations, axes_of, values)
