"""Rates of an axle from the stiffness of its springs and bars at both wheels, with tyres and without."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.models.kc.travelling import inverse


def rates(springs: Array, bars: Array, tyres: Array, track: Scalar) -> dict[str, Scalar | Array]:
    """Wheel, ride and roll rates; C33, C39 and C99 of the compliance matrix are those of K⁻¹.

    Parameters
    ----------
    springs, bars : (2, 2) arrays
        Derivatives of the forces at the wheel centres by the travel of both [N/m].
    tyres : (2,) array
        Vertical stiffness [N/m].
    track : float
        [m].
    """
    K = springs + bars
    C, C_springs = inverse(K), inverse(springs)
    k = K[:, 0] + K[:, 1]
    in_tyres = 1.0 / tyres[0] + 1.0 / tyres[1]
    return {
        "wheel_rate": k,
        "single_wheel_rate": array((1.0 / C[0, 0], 1.0 / C[1, 1])),
        "ride_rate": k / (1.0 + k / tyres),
        "roll_rate": roll_rate(C, track, 0.0),
        "roll_rate_without_bars": roll_rate(C_springs, track, 0.0),
        "roll_rate_with_tyres": roll_rate(C, track, in_tyres),
        "roll_rate_with_tyres_without_bars": roll_rate(C_springs, track, in_tyres),
    }


def roll_rate(C: Array, track: Scalar, in_tyres: Scalar) -> Scalar:
    """Track²/(C33 − C39 − C93 + C99), the tyres' compliances added."""
    return track * track / (C[0, 0] - C[0, 1] - C[1, 0] + C[1, 1] + in_tyres)
