"""Universal hinges that nearly bring what they hold into line with one of their axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.universal import Universal

ALONE = 0.99
"""Of a unit vector, what is one hinge's where next to nothing else moves."""


def near_gimbal_pose(bodies: Sequence[Body], t: Array) -> str:
    """Return a diagnosis and a remedy where a Universal turns alone; empty if none does.

    Parameters
    ----------
    bodies : sequence of Body
    t : (n_v,) array
        Unit vector along which a loop moves, in scaled velocities of the bodies' inboard hinges.
    """
    moving = [(body, k) for body in bodies for k in range(body.inboard.n_v)]
    rate, (body, k) = max(zip(np.abs(t).tolist(), moving, strict=True), key=lambda pair: pair[0])
    if rate < ALONE or not isinstance(body.inboard, Universal):
        return ""
    return (
        f"the Universal of {body.name!r} comes near a gimbal pose there: what it holds gets into line with "
        f"its axis{k + 1}, about which it turns at once; give it axes that stay across the motion"
    )
