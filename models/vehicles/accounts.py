"""Accounts of a run: momentum of a vehicle, energy of any mechanism.

Momentum of a vehicle over a run: impulses of tyres, air and weight, spinning shafts included.

Forces between bodies cancel, whatever they are.  With each element's force and moment about the world's
origin, summed over all bodies,

    Δ Σ m v = Σ_j ∫ F_j dt + Σ m g t,
    Δ (Σ r × m v + I ω) + Δ(R d h) = Σ_j ∫ M_j dt + ∫ r_com × Σ m g dt,

h being what engine and shafts have about their axis d (`GearedDriveline`), which the driveline's own moments
leave to the bodies: its entry in the sum is what is missing there, and vanishes.

Energy account: engine, losses, brakes, tyres, dampers, air.

For a vehicle as for any mechanism, from the powers of all force elements and drives at the stored instants:

    Δ(T + V_g + Σ U_j) = Σ_j ∫ (P_j + U̇_j) dt + Σ drives,

P_j being the power that the forces of element j deliver to the bodies and U_j what it stores.  What an
element supplies, the term on the right, is negative where it dissipates.  The term of a driveline is
split by its outputs: power of the engine or motor, losses of converter, clutch, gears, drag and shafts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import simpson

from ce_dynamics.algebra.arrays import Array, array, concatenate, cross, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.spatial import rotate_vector
from ce_dynamics.compiled.analysis.power_balance import power_function
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics.energy import momentum
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.loads import sum_loads
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.forces.base import Response
from ce_dynamics.models.powertrain.base import GearedDriveline
from ce_dynamics.simulation.results import states_and_inputs

if TYPE_CHECKING:
    import xarray as xr


DRIVELINE = "driveline"
FED = ("engine_power", "motor_power")
LOST = ("converter_loss", "clutch_loss", "gear_loss", "drag_loss", "shaft_loss")
GROUPS = ("tyre", "brake", "damper", "spring", "anti_roll_bar", "aerodynamics", "differential", "hull")
"""Elements by the last part of their names; others stand for themselves."""


@dataclass(frozen=True, eq=False)
class EnergyAccount:
    """Energies between the first and the last instant of a run [J].

    ``stored`` is gained by motion (``kinetic``), height (``gravitational``), and within elements by group;
    ``supplied`` by group, negative where it takes energy; ``duration`` in s.
    """

    stored: Mapping[str, float]
    supplied: Mapping[str, float]
    duration: float

    @property
    def residual(self) -> float:
        """Energy gained less supplied [J]; of the integrator's and Simpson's order."""
        return sum(self.stored.values()) - sum(self.supplied.values())

    @property
    def turnover(self) -> float:
        """Sum of the magnitudes of all entries [J], beside which the residual is to be seen."""
        return sum(abs(value) for part in (self.stored, self.supplied) for value in part.values())

    def __str__(self) -> str:
        rows = [(f"stored: {name}", value) for name, value in self.stored.items()]
        rows += [(f"supplied: {name}", value) for name, value in self.supplied.items()]
        rows += [("residual", self.residual)]
        return "\n".join(f"{value:14.4g} J  {name}" for name, value in rows)


def energy_account(model: Model, run: xr.Dataset) -> EnergyAccount:
    """Return the energies of a run of a vehicle.

    Instants of the run must be so close that powers are smooth between them: 1 to 5 ms.
    """
    t = np.asarray(run["time"].values, dtype=float)
    if len(t) < 3:
        raise ModelError(f"energy_account: the run has {len(t)} instants; it needs three, better hundreds")
    Y, U, _ = states_and_inputs(model, run)
    function = power_function(model)
    loads, drives = [], []
    for y, u in zip(Y, U, strict=True):
        _, load, force, _, speed = function(y, u)
        loads.append(load.copy())
        drives.append(force * speed)
    work = simpson(np.array(loads), x=t, axis=0)
    begin, end = (parts_of(model, Y[k], U[k]) for k in (0, -1))
    stored: dict[str, float] = {name: end[name] - begin[name] for name in ("kinetic", "gravitational")}
    supplied: dict[str, float] = {}
    for element, done in zip(model.system.forces, work.tolist(), strict=True):
        gained, group = end[element.name] - begin[element.name], group_of(element.name)
        if end[element.name] or begin[element.name]:
            stored[group] = stored.get(group, 0.0) + gained
        shares = dict(driveline_work(run, element.name, t))
        rest = done + gained - sum(shares.values())
        for name, value in {**shares, group: rest}.items():
            supplied[name] = supplied.get(name, 0.0) + value
    moved = simpson(np.array(drives), x=t, axis=0) if model.system.prescribed else ()
    for body, done in zip(model.system.prescribed, moved, strict=True):
        supplied[f"drive of {body}"] = float(done)
    return EnergyAccount(stored, supplied, float(t[-1] - t[0]))


def driveline_work(run: xr.Dataset, name: str, t: Floats) -> Iterator[tuple[str, float]]:
    """Yield the work of a driveline's engine, and its losses as negative numbers, by name."""
    if name != DRIVELINE:
        return
    for sign, outputs in ((1.0, FED), (-1.0, LOST)):
        for output in outputs:
            if f"{name}_{output}" in run:
                values = np.asarray(run[f"{name}_{output}"].values, dtype=float)
                yield output.replace("_power", "").replace("_", " "), sign * float(simpson(values, x=t))


def group_of(name: str) -> str:
    """Return the group of an element in the account."""
    last = name.rpartition(".")[2]
    return next((group for group in GROUPS if last == group or last.startswith(f"{group}_")), last)


def parts_of(model: Model, y: Floats, u: Floats) -> dict[str, float]:
    """Return kinetic and gravitational energy, and what every element stores, by name [J]."""
    q, v, x = model.layout.split(y)
    energy = model.energy(q, v, u=u, x=x)
    responses = model.instant(y, u).loads.responses
    parts = {"kinetic": energy.kinetic, "gravitational": energy.gravitational}
    return parts | {name: float(response.potential) for name, response in responses.items()}


@dataclass(frozen=True, eq=False)
class MomentumAccount:
    """Momenta between the first and the last instant of a run: angular [N m s], linear [N s].

    ``gained`` by all bodies and spinning parts, ``given`` by group of elements and ``weight``: (6,) each,
    about the world's origin and in its axes.
    """

    gained: Floats
    given: Mapping[str, Floats]

    @property
    def residual(self) -> Floats:
        """Momentum gained less given, (6,): angular [N m s], then linear [N s]."""
        return self.gained - sum(self.given.values(), start=np.zeros(6))


def momentum_account(model: Model, run: xr.Dataset) -> MomentumAccount:
    """Return the momenta of a run of a vehicle.

    Instants of the run must be so close that forces are smooth between them: 1 to 5 ms.
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
    """Return momentum of bodies and spinning parts, wrench of every element and weight, at the origin."""

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
    """Return R d h of all drivelines, in world axes."""
    system, total = instant.embedding.system, zeros(3)
    for element in system.forces:
        if isinstance(element, GearedDriveline):
            R = instant.outward.placement(element.driven.chassis, system.ground).R
            total = total + R @ (instant.loads.responses[element.name].outputs["spin"] * element.axis)
    return total


def wrench(instant: Instant, response: Response) -> Array:
    """Return moment about the world's origin and force of an element on all bodies, in world axes."""
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
