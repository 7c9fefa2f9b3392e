"""Audited runs: energy and work must go together."""

from __future__ import annotations

import warnings

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.mechanics import energy_or_nan
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AccuracyWarning
from ce_dynamics.simulation.monitors.monitor import Monitor, Run

IMBALANCE = 1e-3
"""Part of the energy and the work by which they may differ without a warning."""


class EnergyBalance(Monitor):
    """Warns of audited runs whose energy is not what the work done makes it."""

    def judge(self, run: Run) -> None:
        if run.options.audit and not run.trouble:  # an error says more than the balance of what led to it
            names = [entry.name for entry in run.model.output_entries]
            energy, elastic = (
                run.seen.outputs[:, names.index(name)] for name in ("energy", "elastic_energy")
            )
            remedy = "take shorter steps" if run.options.fixed else "lower rtol"
            check_balance(run.model, run.t, run.Y, run.U, energy - elastic, remedy, stacklevel=6)


def check_balance(
    model: Model,
    t: Floats,
    Y: Floats,
    U: Floats,
    energy: Floats,
    remedy: str = "lower rtol",
    stacklevel: int = 2,
) -> None:
    """Warn where kinetic and gravitational energy, and the work of all loads, the last of the states, part.

    That is too coarse a tolerance or step, or a loop thrown over a dead point.
    """
    work = Y[:, -1]
    imbalance = np.abs(energy - energy[0] - work)
    allowed = IMBALANCE * (np.max(np.abs(work)) + np.max(np.abs(energy)))
    if not np.all(imbalance <= allowed):  # the sum of kinetic and potential energy may be zero throughout
        allowed += IMBALANCE * greatest_kinetic_energy(model, Y, U)
    if not np.all(imbalance <= allowed):  # NaN included
        k = int(np.argmax(~(imbalance <= allowed)))
        warnings.warn(
            f"energy and work differ by {imbalance.max():.3g} J, first at t = {t[k]:.4g} s; {remedy}, and "
            "see whether a loop comes to the end of its range there",
            AccuracyWarning,
            stacklevel=stacklevel,
        )


def greatest_kinetic_energy(model: Model, Y: Floats, U: Floats) -> float:
    """Of the states of a run [J]."""
    parts = (model.layout.split(y[: len(model.layout.y0)]) for y in Y)
    return max(energy_or_nan(model, q, v, u, x).kinetic for (q, v, x), u in zip(parts, U, strict=True))
