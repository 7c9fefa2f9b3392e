"""Momentum of the whole system about its centre of mass, as a function of the independent velocities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.mechanics import split_state
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import takes_state
from ce_dynamics.dynamics import energy as energies


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
def centroidal(
    model: CompiledSystem,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    x: ArrayLike | None = None,
    u: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> Centroidal:
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
    given = split_state(model, q, v, x, u, y)

    def function(q: Array, v: Array, x: Array, u: Array) -> Mapping[str, Array]:
        found = energies.momentum(model.instant_of(q, v, x, u).outward)
        h = np.concatenate((found.angular_about_com, found.linear))
        return {"mass": array((found.mass,)), "com": found.com, "h": h}

    def at(velocities: Floats) -> tuple[Floats, Floats, Floats]:
        mass, com, h = model.answer("centroidal momentum", function, {**given, "v": velocities})
        return mass, com, h

    n_v = model.embedding.n_v
    mass, com, h = model.answer("centroidal momentum", function, given)
    _, _, drift = at(np.zeros(n_v))
    columns = [at(unit)[2] - drift for unit in np.eye(n_v)]  # h is linear in v
    A = np.array(columns).T.reshape(6, n_v)
    return Centroidal(float(mass[0]), com, h[3:] / mass[0], h, A, drift)
