"""Momentum of a vehicle over a run: what tyres, air and weight give, spinning shafts included.

Forces between bodies cancel, whatever they are.  With each element's force and moment about the world's
origin, summed over all bodies,

    Δ Σ m v = Σ_j ∫ F_j dt + Σ m g t,
    Δ (Σ r × m v + I ω) + Δ(R d h) = Σ_j ∫ M_j dt + ∫ r_com × Σ m g dt,

h being what engine and shafts have about their axis d (`GearedDriveline`), which the driveline's own moments
leave to the bodies: its entry in the sum is what is missing there, and vanishes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import simpson

from ce_dynamics.algebra.arrays import Array, array, concatenate, cross, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.spatial import rotate_vector
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics.energy import momentum
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.loads import sum_loads
from ce_dynamics.mechanism.forces.base import Response
from ce_dynamics.models.powertrain.base import GearedDriveline
from ce_dynamics.models.vehicles.energy_account import group_of
from ce_dynamics.simulation.results import states_and_inputs

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, eq=False)
class MomentumAccount:
    """Momenta between the first and the last instant of a run, in world axes, angular ones about its origin.

    Attributes
    ----------
    gained : (6,) array
        Of all bodies and of what spins: angular [N m s], then linear [N s].
    given : dict of str to (6,) array
        By group of elements, and ``weight``.
    """

    gained: Floats
    given: Mapping[str, Floats]

    @property
    def residual(self) -> Floats:
        """Momentum gained less given, (6,): angular [N m s], then linear [N s]."""
        return self.gained - sum(self.given.values(), start=np.zeros(6))


def momentum_account(model: Model, run: xr.Dataset) -> MomentumAccount:
    """The momenta of a run of a vehicle.

    Parameters
    ----------
    model : Model
        The vehicle that was simulated.
    run : xarray.Dataset
        Of `ce_dynamics.simulate`, its instants so close that forces are smooth between them: 1 to 5 ms.
    """
    t = np.asarray(run["time"].values, dtype=float)
    Y, U, _ = states_and_inputs(model, run)
    function = momenta_function(model)
    rows = [tuple(part.copy() for part in function(y, u)) for y, u in zip(Y, U, strict=True)]
    totals, spins, wrenches, weights = (np.array(part) for part in zip(*rows, strict=True))
    spinning = np.array([[*spin, 0.0, 0.0, 0.0] for spin in (spins[0], spins[-1])])
    given: dict[str, Floats] = {"weight": simpson(weights, x=t, axis=0)}
    for k, element in enumerate(model.system.forces):
        impulse = simpson(wrenches[:, 6 * k : 6 * k + 6], x=t, axis=0)
        if isinstance(element, GearedDriveline):
            impulse = impulse + spinning[1] - spinning[0]
        group = group_of(element.name)
        given[group] = given.get(group, np.zeros(6)) + impulse
    return MomentumAccount(totals[-1] - totals[0] + spinning[1] - spinning[0], given)


def momenta_function(model: Model) -> CompiledFunction:
    """Momentum of the bodies, of what spins, wrench of every element and of the weight, about the origin."""

    def momenta(y: Array, u: Array) -> dict[str, Array]:
        instant = model.instant(y, u)
        m = momentum(instant.outward)
        weight = m.mass * model.system.gravity
        responses = instant.loads.responses
        return {
            "momentum": concatenate((m.angular, m.linear)),
            "spin": spin_of(instant),
            "wrenches": concatenate([wrench(instant, responses[e.name]) for e in model.system.forces]),
            "weight": concatenate((cross(m.com, weight), weight)),
        }

    return model.function("momenta", momenta, model.sizes_of("y", "u"))


def spin_of(instant: Instant) -> Array:
    """R d h of all drivelines, in world axes."""
    system, total = instant.embedding.system, zeros(3)
    for element in system.forces:
        if isinstance(element, GearedDriveline):
            R = instant.outward.placement(element.driven.chassis, system.ground).R
            total = total + R @ (instant.loads.responses[element.name].outputs["spin"] * element.axis)
    return total


def wrench(instant: Instant, response: Response) -> Array:
    """Moment about the world's origin and force of an element on all bodies, in world axes."""
    outward, system = instant.outward, instant.embedding.system
    moment, force = zeros(3), zeros(3)
    for name, at_com in sum_loads(outward, response.loads).wrenches.items():
        body = system.find(name)
        own = rotate_vector(outward.relative_to_p(body).R.T, at_com)
        placed = outward.placement(body, system.ground)
        F = placed.R @ own[3:]
        moment = moment + placed.R @ own[:3] + cross(placed.r, F)
        force = force + F
    return concatenate((array(moment), array(force)))
