"""Momentum of the whole system about its centre of mass, as a function of the independent velocities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.analysis.mechanics import others
from ce_dynamics.compiled.compiled_system import CompiledSystem
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


def centroidal(
    model: CompiledSystem, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
) -> Centroidal:
    """Centre of mass and centroidal momentum; for ``u`` and ``x`` see `mass_matrix`.

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

    def function(q: Array, v: Array, x: Array, u: Array) -> Mapping[str, Array]:
        found = energies.momentum(model.instant_of(q, v, x, u).outward)
        h = np.concatenate((found.angular_about_com, found.linear))
        return {"mass": array((found.mass,)), "com": found.com, "h": h}

    def at(velocities: Floats) -> tuple[Floats, Floats, Floats]:
        given = {"q": q, "v": velocities, **others(model, x, u)}
        mass, com, h = model.answer("centroidal momentum", function, given)
        return mass, com, h

    n_v = model.embedding.n_v
    v = checked("v", v, n_v)
    mass, com, h = at(v)
    _, _, drift = at(np.zeros(n_v))
    columns = [at(unit)[2] - drift for unit in np.eye(n_v)]  # h is linear in v
    A = np.array(columns).T.reshape(6, n_v)
    return Centroidal(float(mass[0]), com, h[3:] / mass[0], h, A, drift)
