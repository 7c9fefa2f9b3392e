"""Messages about a run in equal steps: loops thrown over dead centres, reasons of a stop, residuals."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.mechanics import energy_or_nan
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AccuracyWarning
from ce_dynamics.simulation.monitors.dead_centres import (
    Watched,
    bounces,
    first_jump,
    near_passages,
    warn_near,
    where_it_stands,
)
from ce_dynamics.simulation.monitors.jumps import Jump, mechanical, told
from ce_dynamics.simulation.monitors.reach import InputsAt, approached, standing_at_an_end
from ce_dynamics.simulation.monitors.where_it_broke import where_it_broke
from ce_dynamics.simulation.right_hand_side import Inputs, RightHandSide

if TYPE_CHECKING:
    import xarray as xr

IMBALANCE = 0.05
"""Part of the kinetic energy by which the balance near a dead centre may be off in steps of first order."""


def jump_in(
    model: Model, t: Floats, Y: Floats, work: Floats, inputs_at: InputsAt, stopped: bool
) -> Jump | None:
    """The first passage near a dead centre whose energy does not balance, if any; warns where one was near.

    Parameters
    ----------
    model : Model
    t, Y : arrays
        Times and states (in rows) of all steps.
    work : array
        Done until then on the system, by rows too [J].
    inputs_at : callable
        Inputs at a time and a state.
    stopped : bool
        Whether the run failed: what it did near a dead centre before that is not sound.
    """
    finite = np.all(np.isfinite(Y), axis=1)
    t, Y, work = t[finite], Y[finite], work[finite]
    coordinates = approached(model, t, Y, inputs_at) if model.geared_loops and len(t) > 1 else []
    if not coordinates:
        return None

    def balanced(k: int, end: int, watch: Watched) -> bool:
        if bounces(watch, Y[k : end + 1]):
            return False
        q, v, _ = model.layout.split(Y[[k, end]])
        gain = mechanical(model, q[1], v[1]) - mechanical(model, q[0], v[0])
        kinetic = max(energy_or_nan(model, q[j], v[j]).kinetic for j in range(2))
        done = float(work[end] - work[k])
        return abs(gain - done) <= IMBALANCE * (kinetic + abs(done))

    found = first_jump(coordinates, t, Y, balanced, stopped)
    if found is None and stopped:
        last = [k for watch in coordinates for k, end in near_passages(watch, t, Y) if end == len(t)]
        return Jump(float(t[min(last)]), "") if last else None
    if found is None:
        warn_near(coordinates, t, Y)
        return None
    return told(t, Y, *found)


def balanced_until(results: xr.Dataset) -> int:
    """Return the number of instants before energy and work differ by more than the share `IMBALANCE`."""
    energy, work = results["energy"].values, (results["work"] + results["contact_work"]).values
    off = np.abs(energy - energy[0] - work)
    turned_over = np.maximum.accumulate(np.abs(energy - energy[0]) + np.abs(work))
    size = np.maximum.accumulate(np.abs(energy))
    wrong = off > IMBALANCE * (turned_over + size)
    return int(np.argmax(wrong)) if np.any(wrong) else len(energy)


def why_it_stopped(model: Model, inputs: Inputs, t: float, y: Floats) -> str:
    """Return a clause for messages that names the loop or force element at which a run stopped.

    The loop stands at a dead centre or leaves its range.  The clause is empty without geared loops.
    """
    if not model.geared_loops:
        return ""
    rhs = RightHandSide(model, inputs)
    ends = standing_at_an_end(model, t, y, rhs.inputs_at)
    return where_it_stands(ends, y) or where_it_broke(model, rhs, t, y)


def warn_of_remains(unresolved: int, steps: int, residual: float, speed: float) -> None:
    """Say how many steps were taken with less than the solver's tolerance, and how much was left."""
    if unresolved:
        share = f", {residual / speed:.1e} of the largest rate of a row" if speed > 0.0 else ""
        warnings.warn(
            f"{unresolved} of {steps} steps were taken with the best impulses found; up to {residual:.2g} m/s"
            f" (or rad/s) of a row's condition remained{share}; shorter steps leave less",
            AccuracyWarning,
            stacklevel=4,
        )
