"""Energy account of a run: engine, losses, brakes, tyres, dampers, air.

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

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.power_balance import power_function
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError
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

    Attributes
    ----------
    stored : dict of str to float
        Gained by motion (``kinetic``), height (``gravitational``), and within elements by group.
    supplied : dict of str to float
        By group: positive what feeds the vehicle, negative what takes from it.
    duration : float
        [s].
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
    """The energies of a run of a vehicle.

    Parameters
    ----------
    model : Model
        The vehicle that was simulated.
    run : xarray.Dataset
        Of `ce_dynamics.simulate`, its instants so close that powers are smooth between them: 1 to 5 ms.

    Raises
    ------
    ModelError
        If the run has fewer than three instants.
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
        told = dict(of_driveline(run, element.name, t))
        rest = done + gained - sum(told.values())
        for name, value in {**told, group: rest}.items():
            supplied[name] = supplied.get(name, 0.0) + value
    moved = simpson(np.array(drives), x=t, axis=0) if model.system.prescribed else ()
    for body, done in zip(model.system.prescribed, moved, strict=True):
        supplied[f"drive of {body}"] = float(done)
    return EnergyAccount(stored, supplied, float(t[-1] - t[0]))


def of_driveline(run: xr.Dataset, name: str, t: Floats) -> Iterator[tuple[str, float]]:
    """Work of a driveline's engine, and its losses as negative numbers, by name."""
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
    """Kinetic and gravitational energy, and what every element stores, by name [J]."""
    q, v, x = model.layout.split(y)
    energy = model.energy(q, v, u=u, x=x)
    responses = model.instant(y, u).loads.responses
    parts = {"kinetic": energy.kinetic, "gravitational": energy.gravitational}
    return parts | {name: float(response.potential) for name, response in responses.items()}
