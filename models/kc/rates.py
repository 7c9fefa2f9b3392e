"""Rates of an axle from the stiffness of its springs and bars at both wheels, with tyres and without."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.models.kc.inverses import inverse
from ce_dynamics.models.kc.travels import AGAINST, SEPARATE, TOGETHER, Travels


def rates_of(
    travels: Travels, force: Array, springs: Array, bars: Array, tyres: Array, track: Scalar
) -> dict[str, Scalar | Array]:
    """Forces and rates of the travels that there are.

    Parameters
    ----------
    travels : Travels
    force : (m,) array
        Derivatives of the energy by the travels [N].
    springs, bars : (m, m) arrays
        Derivatives of the forces by the travels [N/m].
    tyres : (2,) array
        Vertical stiffness [N/m].
    track : float
        [m].
    """
    if travels is SEPARATE:
        return {"wheel_force": force, **rates(springs, bars, tyres, track)}
    whole = springs[0, 0] + bars[0, 0]
    if travels is TOGETHER:
        return together(force[0], whole, tyres)
    assert travels is AGAINST
    return against(springs[0, 0], whole, tyres, track)


def together(force: Scalar, whole: Scalar, tyres: Array) -> dict[str, Scalar | Array]:
    """Return forces and rates of wheels that only rise and fall together: half of the total at each wheel."""
    k = array((0.5 * whole, 0.5 * whole))
    return {
        "wheel_force": array((0.5 * force, 0.5 * force)),
        "wheel_rate": k,
        "ride_rate": k / (1.0 + k / tyres),
    }


def against(springs: Scalar, whole: Scalar, tyres: Array, track: Scalar) -> dict[str, Scalar | Array]:
    """Return roll rates of wheels that only travel by ±a: a moment k a track/2 at a roll of 2 a/track."""
    in_tyres = 1.0 / tyres[0] + 1.0 / tyres[1]

    def rate(k: Scalar, more: Scalar) -> Scalar:
        return track * track / (4.0 / k + more)

    return {
        "roll_rate": rate(whole, 0.0),
        "roll_rate_without_bars": rate(springs, 0.0),
        "roll_rate_with_tyres": rate(whole, in_tyres),
        "roll_rate_with_tyres_without_bars": rate(springs, in_tyres),
    }


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
