"""Steady states with the inputs that keep them: a speed and its throttle, a radius and its steering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.steady_search import Search
from ce_dynamics.compiler.progress import at_work


@dataclass(frozen=True, eq=False)
class SteadyState:
    """A motion that looks the same at all times, and the inputs that keep it so.

    Attributes
    ----------
    y : (n,) array
        The state.
    u : (m,) array
        All inputs and free parameters.
    inputs : dict of str to float
        Those that were to be found.
    moving : dict of str to float
        Displacements that go on for ever, with their rates [rad/s], [m/s].
    imbalance : float
        Largest rate that should be zero and is not, in its unit.
    """

    y: Floats
    u: Floats
    inputs: dict[str, float]
    moving: dict[str, float]
    imbalance: float = field(repr=False)


def steady_state(
    model: Model,
    targets: Mapping[str, float],
    find: Iterable[str],
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    *,
    moving: Iterable[str] | None = None,
    tolerance: float = 1e-9,
) -> SteadyState:
    """Find inputs, and the steady state that goes with them, for which quantities have given values.

    Steady is a state in which all velocities, first-order states and coordinates are constant, with two
    exceptions: coordinates that change nothing (a wheel's angle, a rotor's) may run on, and a body that is
    free on the ground may drive on and turn about the vertical, on a straight line or a circle.

    Parameters
    ----------
    model : Model
    targets : mapping of str to float
        Values that are wanted, by the names of entries of the state or of outputs.
    find : iterable of str
        Names of as many inputs, to be found with the state.
    y, u : array_like, optional
        Where to start; the model's own if not given.  Inputs that are not in ``find`` stay.
    moving : iterable of str, optional
        Displacements (``model.tangent.entries``) that may run on.  If not given, those that have no influence
        on any rate, and of free bodies on the ground those that drive and turn them.
    tolerance : float
        Largest rate (or deviation from a target) that may remain, relative to the largest at the start or
        to 1.

    Returns
    -------
    SteadyState
        One near the start, where there are many.

    Raises
    ------
    ModelError
        If a name is unknown, there are not as many inputs as targets, or what is found is not steady (a road
        that is not even).
    AssemblyError
        If there is no such state near the start, naming what is left; an input without influence is named
        (a throttle that is fully open already).

    Examples
    --------
    What torque keeps a fan with the drag 0.1 ω at 30 rad/s?

    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> fan = system.add_body("fan", mass=1.0, inertia=(0.1, 0.1, 0.2), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 0, 1)))
    >>> system.add_input("motor", "N*m")
    >>> system.add_force(ce.AppliedWrench("shaft", fan, (0, 0, 0), torque=(0, 0, "motor")))
    >>> system.add_force(ce.TorsionSpringDamper("drag", fan, damper=0.1))
    >>> found = ce.steady_state(ce.compile(system), {"fan_rate": 30.0}, ["motor"])
    >>> {name: round(value, 9) for name, value in found.inputs.items()}
    {'motor': 3.0}
    """
    checks.instance("steady_state: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    wanted = {
        name: checks.number(f"steady_state: targets: {name}", value)
        for name, value in checks.mapping("steady_state: targets", targets).items()
    }
    checks.number("steady_state: tolerance", tolerance, above=0.0)
    search = Search(model, wanted, list(checks.texts("steady_state: find", find)), y, u)
    search.let_run(moving)
    with at_work(f"searching a steady state of {model.system.name!r}"):
        z = search.solved(tolerance)
    state, inputs = search.at(z)
    search.refuse_unsteady(z, tolerance)
    rates = search.displacement_rates(state, inputs)
    names = [entry.name for entry in model.tangent.entries]
    return SteadyState(
        state,
        inputs,
        {name: float(inputs[k]) for name, k in zip(search.find, search.found, strict=True)},
        {names[k]: float(rates[k]) for k in search.running},
        float(np.max(np.abs(search.residual(z)), initial=0.0)),
    )
