"""Static equilibrium: coordinates at which a system stays at rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.equilibrium_search import Search, largest
from ce_dynamics.compiled.analysis.small_motion import Freedom
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import state_given, takes_state
from ce_dynamics.compiler.progress import at_work

MARGINAL = 1e-7  # growth below this part of the largest |λ| is that of an undamped motion


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state of rest.

    Attributes
    ----------
    y : (n,) array
        The state; velocities are zero.
    u : (m,) array
        The inputs it belongs to.
    holding : dict of str to float
        Generalised forces [N m] or [N] that have to hold what is held, by the names of the velocities.
    imbalance : float
        Largest remaining T/√M [√J/s], or rate of a first-order state.
    eigenvalues : (k,) complex array
        Of small motions near the equilibrium, with what is held held [1/s]; the fastest growing first.
    """

    y: Floats
    u: Floats
    holding: dict[str, float]
    imbalance: float
    eigenvalues: NDArray[np.complex128] = field(repr=False)

    @property
    def growth(self) -> float:
        """Largest real part of the eigenvalues [1/s]."""
        return float(np.max(self.eigenvalues.real, initial=-np.inf))

    @property
    def stable(self) -> bool:
        """Whether no small motion grows; undamped oscillations do not."""
        return self.growth <= MARGINAL * float(np.max(np.abs(self.eigenvalues), initial=0.0))


@takes_state("y", "u")
def equilibrium(
    model: CompiledSystem,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    x: ArrayLike | None = None,
    u: ArrayLike | None = None,
    y: ArrayLike | None = None,
    hold: Iterable[str] = (),
    tolerance: float = 1e-9,
) -> Equilibrium:
    """Static equilibrium near a state: v = 0 and v̇ = 0, with first-order states at rest.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        Where to start, and inputs, see `Model`; velocities do not matter.
    hold : iterable of str
        Displacements that keep their values, by name (``model.tangent.entries`` lists them; the name of a
        body stands for all of its hinge), and names of first-order states.  What is held need not
        balance: ``holding`` of the result says which forces hold it.
    tolerance : float
        Largest remaining imbalance (see `Equilibrium`), relative to that at the start or to 1.

    Returns
    -------
    Equilibrium
        A stable one wherever the search has a choice.  It leads to one that is not where the start is
        one already, or no stable one is found; ``stable`` says so.

    Raises
    ------
    ModelError
        If a name is unknown, or the equilibrium is one of many because some motion changes no force (a
        vehicle on a plane): the message says what to hold.
    AssemblyError
        If the loops cannot be assembled at the start, or no equilibrium is found: the message names the
        coordinate farthest from balance.

    See Also
    --------
    ce_dynamics.trim : steady states with velocities.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -9.81))
    >>> arm = system.add_body("arm", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.2, 0.2),
    ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0)))
    >>> rest = ce.compile(system).equilibrium()
    >>> rest.y.round(6), rest.stable
    (array([1.570796, 0.      ]), True)
    """
    checks.number("tolerance", tolerance, above=0.0)
    start, given = state_given(model, q, v, x, u, y, moving=False)
    search = Search(model, given, Freedom(model, hold))
    with at_work(f"searching an equilibrium of {model.system.name!r}"):
        found = search.run(resting(model, start), tolerance)
    near = search.neighbourhood(found)
    search.refuse_neutral(near)
    eigenvalues = np.linalg.eigvals(near.matrix(search.freedom)).astype(complex)
    moving = search.freedom.moving
    holding = {e.name: float(near.T[k]) for k, e in enumerate(model.layout.v) if k not in moving}
    return Equilibrium(
        found,
        given,
        holding,
        largest(search.weighted(near)[0]),
        eigenvalues[np.argsort(-eigenvalues.real, kind="stable")],
    )


def resting(model: CompiledSystem, y: Floats) -> Floats:
    """A state with its velocities zero and its quaternions of unit length."""
    q, v, x = model.layout.split(y)
    return np.concatenate((model.tangent.normalised(q), np.zeros(len(v)), x))
