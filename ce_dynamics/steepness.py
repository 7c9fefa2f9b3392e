"""How near a loop with several freedoms is to a configuration that its independent hinges do not lead.

Near one the dependent hinges move ever faster compared with the independent ones: X_S grows without bound.
Its largest singular value is at most its Frobenius norm, which needs no iteration.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from ce_dynamics.arrays import Array, Scalar, array
from ce_dynamics.checks import Floats
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.dead_centre_watch import REMEDY
from ce_dynamics.embedding import Aggregate
from ce_dynamics.errors import SingularityWarning
from ce_dynamics.loops.numeric_linkage import NumericLinkage
from ce_dynamics.loops.trial import velocity_scales
from ce_dynamics.model import Model
from ce_dynamics.motion import SubgraphMotion

STEEP = 30.0
"""Largest norm of X_S, per radian or size of the loop, that is not worth a warning."""


class Steepness(NamedTuple):
    """Loops with several freedoms that hinges lead, and a compiled function for the norms of their X_S."""

    loops: list[Aggregate]
    norms_squared: CompiledFunction

    def at(self, y: Floats, u: Floats) -> Floats:
        """Norms of X_S at a state; infinite where a loop cannot be assembled."""
        (squared,) = self.norms_squared(y, u)
        return np.sqrt(np.where(np.isfinite(squared), squared, np.inf))


def steepness_of(model: Model) -> Steepness | None:
    """For the loops of a model with several freedoms and no closed form; None if there are none."""
    loops = [
        S
        for S in model.embedding.aggregates
        if S.N > 1 and any(isinstance(linkage, NumericLinkage) for linkage in S.linkages)
    ]
    if not loops:
        return None

    def norms(y: Array, u: Array) -> dict[str, Array]:
        motions = model.instant(y, u).outward.motions
        return {"squared": array(norm_squared(S, motions[S.name]) for S in loops)}

    sizes = {"y": len(model.layout.y0), "u": len(model.layout.u)}
    return Steepness(loops, compile_function(trace("steepness", norms, sizes)))


def norm_squared(S: Aggregate, motion: SubgraphMotion) -> Scalar:
    """Squared Frobenius norm of the dependent rows of X_S, per radian or size of the loop."""
    linkage = next(link for link in S.linkages if isinstance(link, NumericLinkage))
    size = linkage.loop.size
    given = velocity_scales(S.independent, size)
    total: Scalar = 0.0
    for body in S.dependent:
        X = motion.hinge_motions[body.name].X * given / velocity_scales([body], size)[:, np.newaxis]
        for entry in X.flat:
            total = total + entry * entry
    return total


def warn_if_steep(model: Model, t: Floats, Y: Floats, U: Floats) -> str:
    """Warn of the nearest approach of every loop to a singular configuration, if that was near.

    Returns
    -------
    str
        What is to be said of the last state if the run stopped there.
    """
    steepness = steepness_of(model)
    if steepness is None:
        return ""
    n = len(model.layout.y0)
    norms = np.array([steepness.at(y[:n], u) for y, u in zip(Y, U, strict=True)])
    for k, S in enumerate(steepness.loops):
        worst = int(np.argmax(norms[:, k]))
        if norms[worst, k] > STEEP:
            warnings.warn(
                f"the loop of {S.name!r} came near a singular configuration at t = {t[worst]:.4g} s: "
                f"{coordinates_text(model, S, Y[worst])} hardly tell how it moves, the others are "
                f"{norms[worst, k]:.3g} times as fast; digits are lost there: {REMEDY}",
                SingularityWarning,
                stacklevel=4,
            )
    last = norms[-1] > STEEP
    if not np.any(last):
        return ""
    S = steepness.loops[int(np.argmax(last))]
    where = coordinates_text(model, S, Y[-1])
    return f"; the loop of {S.name!r} is near a singular configuration of {where}: {REMEDY}"


def coordinates_text(model: Model, S: Aggregate, y: Floats) -> str:
    """The independent coordinates of a loop."""
    parts = []
    for body in S.independent:
        values = ", ".join(f"{x:.6g}" for x in y[model.embedding.q_of[body.name]])
        parts.append(f"{body.name!r} = {values}")
    return " and ".join(parts)
