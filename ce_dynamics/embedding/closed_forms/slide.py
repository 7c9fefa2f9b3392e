"""Displacement s of a telescope's slide, from the length of the telescope.

With e = e_0 + a s and |e| = |d|: s = −a·e_0 + σ √((a·e_0)² + |d|² − |e_0|²), σ = sign a·e_0.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, dot, sqrt
from ce_dynamics.embedding.closed_forms.leg import Leg
from ce_dynamics.embedding.closed_forms.rod import Rod
from ce_dynamics.embedding.motion import SubgraphMotion

ALIGNED = 1e-12
"""Sine, or cosine, below which directions count as parallel, or as perpendicular."""


def slid(leg: Leg | Rod, motion: SubgraphMotion, d: Array) -> Scalar | None:
    """s, given or found; None if there is no slide."""
    if leg.slide is None or leg.axis is None:
        return None
    if not leg.slides:
        value: Scalar = motion.hinge_motions[leg.slide.name].c[0]
        return value
    along = float(leg.axis @ leg.e)
    aside = along**2 - float(leg.e @ leg.e)
    aside = 0.0 if abs(aside) < ALIGNED * along**2 else aside
    length: Scalar = sqrt(dot(d, d) + aside)
    return length * np.sign(along) - along
