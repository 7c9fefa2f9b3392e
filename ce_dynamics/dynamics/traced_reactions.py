"""The same reactions for traced scalars: least squares written out, so that they can be differentiated.

The multipliers of least Σ λ² of Y₁ᵀ λ = e are λ = Y₁ (Y₁ᵀ Y₁)⁻¹ e, whether closures are redundant or not,
since Y₁ has full column rank wherever the independent hinges determine the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, concatenate, zeros
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.algebra.spatial import phi_force
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.reactions import BackwardPass, Reaction, unlocked
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.closures.closure_errors import closure_errors
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.parameters import Values


class AsTheyAre(Values):
    """Arrays of traced scalars stay what they are."""

    def __call__(self, value: Array) -> Array:
        return np.asarray(value)


class Transmitted(NamedTuple):
    """Spatial forces [torque; force] in world axes, about the points they act on.

    Attributes
    ----------
    hinges : dict of str to (6,) array
        By body, what its carrier transmits to it at its hinge point.
    closures : dict of str to (6,) array
        By closure, what it exerts on its second body at its closure point.
    """

    hinges: dict[str, Array]
    closures: dict[str, Array]


def traced_reactions(instant: Instant) -> Transmitted:
    """All reactions at an instant of traced scalars (or floats)."""
    found = TracedPass(instant).run()
    return Transmitted(
        {name: concatenate((one.torque, one.force)) for name, one in found.hinges.items()},
        {name: concatenate((one.torque, one.force)) for name, one in found.closures.items()},
    )


class TracedPass(BackwardPass):
    """The backward pass on traced scalars."""

    def __init__(self, instant: Instant) -> None:
        super().__init__(instant.outward, instant.loads, instant.accelerations, None, AsTheyAre())

    def _reaction(self, at: Array, f: Array, along: Array) -> Reaction:
        return Reaction(at, f[:3], f[3:], along)

    def _close(self, S: Aggregate) -> float:
        free = [body for body in S.bodies if body not in S.prescribed]
        motion = unlocked(self.outward, S, free)
        Y = closure_errors(motion, S.closures).Y
        excess = self._excess(S, free)
        dependent = np.concatenate([np.full(body.inboard.n_v, body in S.dependent) for body in free])
        Y_1 = Y[:, dependent]
        lam = Y_1 @ LDL(Y_1.T @ Y_1).solve(excess[dependent])
        start = 0
        for loop in S.closures:
            self._apply(loop, S, motion, lam[start : start + loop.rows])
            start += loop.rows
        return 0.0

    def _excess(self, S: Aggregate, free: list[Body]) -> Array:
        needed = {body.name: self.needed[body.name] for body in S.bodies}
        excess: dict[str, Array] = {}
        for body in reversed(S.bodies):
            f, at = self._at_hinge(body, needed[body.name])
            carrier = body.carrier.name
            if carrier in needed:
                needed[carrier] = needed[carrier] + phi_force(at - self.r[carrier], f)
            excess[body.name] = self._along(body, f) - self.torques.get(body.name, zeros(body.inboard.n_v))
        return concatenate([excess[body.name] for body in free])
