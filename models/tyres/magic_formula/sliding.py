"""Computes sliding at the contact: F = −(S/V) v with the Magic Formula's secants, through a deflection."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute
from ce_dynamics.models.parts.deflection import deflection_force, deflection_rate, excess_release
from ce_dynamics.models.tyres.magic_formula import lateral as fy, longitudinal as fx
from ce_dynamics.models.tyres.magic_formula.curve import secant
from ce_dynamics.models.tyres.magic_formula.operating_point import OperatingPoint

RELEASE_SPEED = 10.0
"""[m/s] per nominal load: how fast deflection is shed that exceeds what friction holds."""

_TINY_LENGTH = 1e-6


class Sliding(NamedTuple):
    """One axis of the contact: F = −(G/W) v + offset.

    Attributes
    ----------
    W, G : scalar
        Speed [m/s] and force [N].
    v : scalar
        Sliding velocity, that of the horizontal shift included [m/s].
    offset : scalar
        Force of the vertical shifts [N].
    steady : scalar
        Steady-state force [N].
    """

    W: Scalar
    G: Scalar
    v: Scalar
    offset: Scalar
    steady: Scalar


def along_x(
    s: OperatingPoint,
    p: fx.Longitudinal,
    G: Scalar,
    kappa: Scalar,
    Vsx: Scalar,
    speed: Scalar,
    forward: Scalar,
) -> Sliding:
    """Sliding along the wheel (a)."""
    steady = G * p.Fx0
    offset = forward * G * p.SVx
    # Beyond the range of the file the force stays and the slip does not: the secant is that of the latter.
    shift = p.kappa_x - s.kappa
    S = secant(steady - offset, kappa + shift, G * p.Kxk)
    return Sliding(speed, S, Vsx - forward * shift * speed, offset, steady)


def along_y(
    s: OperatingPoint,
    p: fy.Lateral,
    w: fy.Weight,
    Vsy: Scalar,
    speed: Scalar,
    forward: Scalar,
) -> Sliding:
    """Sliding across the wheel (a)."""
    steady = fy.combine_force(p.Fy0, w)
    offset = w.Gyk * forward * p.SVy + w.SVyk
    S = secant(steady - offset, Vsy / speed + forward * p.SHy, w.Gyk * p.Kya)
    return Sliding(speed, S, Vsy + forward * p.SHy * speed, offset, steady)


def stiffness(by_length: bool, K: Scalar, sigma: Scalar, C: Scalar) -> Scalar:
    """Stiffness at the contact [N/m]: C of the file, or in 5.2 K/σ where it has relaxation lengths."""
    if not by_length:
        return C
    return (absolute(K) + _TINY_LENGTH * C) / (absolute(sigma) + _TINY_LENGTH)


def deflect(
    a: Sliding, C: Scalar, damping: Scalar, x: Scalar, capacity: Scalar, nominal: Scalar
) -> tuple[Scalar, Scalar]:
    """Force of one axis [N] and rate of its deflection [m/s]."""
    W = a.W + excess_release(C * x, capacity, nominal, RELEASE_SPEED)
    d = C * damping
    force = deflection_force(C, d, x, a.v, W, a.G) + a.offset
    return force, deflection_rate(C, d, x, a.v, W, a.G)
