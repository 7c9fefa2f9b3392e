"""Friction through an elastic deflection: sticks without creep, slides at its steady-state force.

A contact of stiffness c and damping d carries the force F = c x + d ẋ of its deflection x.  What slides is
described by a steady-state characteristic F = −(G/W) v of the sliding velocity v, where W is a speed and G a
force; both are continuous where the quotient is not: at rest W = 0, with no load G = 0.  The deflection
takes up part of the sliding, so that the characteristic acts on v + ẋ:

    W (c x + d ẋ) = −G (v + ẋ).                                                                        (1)

This is Rill's first-order tyre dynamics (Road Vehicle Dynamics, 2nd ed., §3.3) written so that standing
still is regular: W = 0 gives ẋ = −v, a spring and a damper that hold without creep.  G = 0 gives ẋ = −(c/d)
x, a deflection that relaxes when nothing holds it.
"""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum

TINY_FORCE = 1e-9
"""[N] or [N m]; keeps 0/0 (neither load nor motion) finite."""

RELEASE_ONSET = 0.01
"""Part of a contact's reference force: excess of deflection at which half of it sheds."""


def deflection_rate(c: float, d: float, x: Scalar, v: Scalar, W: Scalar, G: Scalar) -> Scalar:
    """Return ẋ of equation (1)."""
    return -(W * c * x + G * v) / (W * d + G + TINY_FORCE)


def deflection_force(c: float, d: float, x: Scalar, v: Scalar, W: Scalar, G: Scalar) -> Scalar:
    """Return F = c x + d ẋ of equation (1), with ẋ eliminated: exactly zero with no load (G = 0)."""
    return G * (c * x - d * v) / (W * d + G + TINY_FORCE)


def excess_release(elastic: Scalar, capacity: Scalar, reference: float, speed: float) -> Scalar:
    """Return a contribution to W that sheds deflection the contact can no longer hold.

    At rest (v = 0) equation (1) would keep any deflection, even when the load or the brake pedal that held
    it has gone.  Where the elastic force exceeds the capacity, W grows by ``speed`` per ``reference`` of
    excess, once that is well beyond `RELEASE_ONSET` of the reference; it sets in smoothly.
    """
    excess = maximum(absolute(elastic) - capacity, 0.0) / reference
    squared = excess * excess
    return speed * squared * excess / (squared + RELEASE_ONSET * RELEASE_ONSET)
