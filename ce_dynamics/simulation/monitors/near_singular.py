"""Warns of loops with several freedoms near configurations that their independent hinges do not control.

Near such a configuration the dependent hinges move ever faster compared with the independent hinges
(`ce_dynamics.embedding.gearing`).
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.errors import SingularityWarning
from ce_dynamics.simulation.monitors.dead_centres import remedy_for
from ce_dynamics.simulation.monitors.monitor import Monitor, Run

STEEP = 30.0
"""Largest norm of X_S, per radian or size of the loop, that is not worth a warning."""


class NearSingular(Monitor):
    """Warns of singular configurations that were near, and says which ones a run that broke is near to."""

    asked = 3

    def __init__(self) -> None:
        self._said = ""

    def judge(self, run: Run) -> None:
        self._said = warn_if_steep(run.model, run.t, run.Y, run.seen.gearing, stacklevel=5)

    def where(self, run: Run) -> str:
        return self._said if run.cause == "by itself" else ""


def warn_if_steep(model: Model, t: Floats, Y: Floats, gearing: Floats, stacklevel: int = 2) -> str:
    """Warn of the nearest approach of every loop to a singular configuration, if that was near.

    Parameters
    ----------
    model : Model
    t, Y : arrays
        Instants, and states in rows.
    gearing : (instants, loops) array
        Of ``model.geared_loops``; of these the ones with several freedoms are looked at here.

    Returns
    -------
    str
        What is to be said of the last state if the run stopped there.
    """
    said = ""
    for k, S in model.once("loops with several freedoms", partial(of_several_freedoms, model)):
        norms = gearing[:, k]
        norms = np.where(np.isfinite(norms), norms, np.inf)
        worst = int(np.argmax(norms))
        if norms[worst] > STEEP:
            warnings.warn(
                f"the loop of {S.name!r} came near a singular configuration at t = {t[worst]:.4g} s: "
                f"{coordinates_text(model, S, Y[worst])} hardly tell how it moves, the others are "
                f"{norms[worst]:.3g} times as fast; digits are lost there: {remedy_for(S)}",
                SingularityWarning,
                stacklevel=stacklevel,
            )
        if norms[-1] > STEEP and not said:
            where = coordinates_text(model, S, Y[-1])
            said = f"; the loop of {S.name!r} is near a singular configuration of {where}: {remedy_for(S)}"
    return said


def of_several_freedoms(model: Model) -> list[tuple[int, Aggregate]]:
    """Loops with more than one, and their places; `ce_dynamics.simulation.monitors.jumps` sees to others."""
    return [(k, S) for k, S in enumerate(model.geared_loops) if S.N > 1]


def coordinates_text(model: Model, S: Aggregate, y: Floats) -> str:
    """The independent coordinates of a loop."""
    parts = []
    for body in S.independent:
        values = ", ".join(f"{x:.6g}" for x in y[model.embedding.q_of[body.name]])
        parts.append(f"{body.name!r} = {values}")
    return " and ".join(parts)
