"""Names the cause that ends an axle's travel: links that stop a wheel, or a loop at its dead centre."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.mechanism.parameters import values_at
from ce_dynamics.models.kc.poses import AxlePoses

AT_ITS_END = 1e3
"""Growth of dq/dz since the design pose above which a wheel goes no further."""
AHEAD = np.geomspace(1e-9, 1e-2, 8)
"""How far beyond the end a loop is looked for that cannot be assembled [rad], [m]."""


def stuck_wheels(sides: tuple[str, str], growth: Floats, dz: Floats) -> str:
    """Return the wheels that links stop, as a clause for messages; empty if there are none.

    Parameters
    ----------
    sides : pair of str
    growth : (2,) array
        Growth of dq/dz by the travel of each wheel since the design pose.
    dz : (2,) array
        Direction in which the wheels were to travel.
    """
    parts: list[str] = []
    for k in (0, 1):
        if growth[k] > AT_ITS_END:
            how = "further" if dz[k] == 0.0 else "higher" if dz[k] > 0.0 else "lower"
            parts.append(f"the {sides[k]} wheel {'' if parts else 'come '}no {how}")
    return f"the links let {' and '.join(parts)}" if parts else ""


def broken_part(poses: AxlePoses, here: Floats, ahead: Floats) -> str:
    """Return the loop or bar that cannot be assembled beyond a pose, as a clause; empty if none is found.

    Parameters
    ----------
    poses : AxlePoses
    here : (n_c,) array
        Last pose of the way.
    ahead : (n_c,) array
        Direction in which the way continues.
    """
    length = float(np.linalg.norm(ahead))
    for step in AHEAD if 0.0 < length < np.inf else ():
        y, u = (np.asarray(x, dtype=float) for x in poses.state(here + step / length * ahead))
        instant = poses.model.instant(y, u)
        broken = poses.model.unassembled_in(instant)
        if broken is not None:
            p = u[poses.model.layout.n_inputs :]
            found = instant.outward.motions[broken.name].hinge_motions
            lost = (
                name
                for name, motion in found.items()
                if not np.all(np.isfinite(values_at(list(motion.c), poses.model.layout.parameters, p)))
            )
            first = next(lost, broken.name)
            loop = f"the loop of {broken.name!r}"
            if any(isinstance(one, NumericLinkage) and one.is_led_straight for one in broken.linkages):
                return (
                    f"{loop} is followed no further: numerically it is led straight from its design pose, "
                    "and its dead centre is there or not far"
                )
            return f"{loop} is at its dead centre: there is no place for {first!r} beyond"
        element = poses.model.broken_force(y, u)
        if element:
            return f"{element} beyond"
    return ""
