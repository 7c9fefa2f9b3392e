"""Figures of the 12 × 12 compliance matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError


def unit_of(name: str) -> str:
    """Unit of a figure."""
    known = {
        "ride_steer": "rad/m",
        "ride_camber": "rad/m",
        "ride_caster": "rad/m",
        "wheel_rate": "N/m",
        "roll_rate": "N*m/rad",
        "roll_rate_with_tyres": "N*m/rad",
        "fore_aft_stiffness": "N/m",
    }
    if name in known:
        return known[name]
    if name.startswith("aligning_torque"):
        return "rad/(N*m)"
    return "m/N" if "deflection" in name else "rad/N"


def compliance_figures(
    C: ArrayLike, track: float, loaded_radius: float, tyre_rate: float = float("inf")
) -> dict[str, float]:
    """Compliance figures by the 12 × 12 matrix, as Adams Car defines them; SI units.

    Parameters
    ----------
    C : (12, 12) array_like
        Of `Elastic`.
    track, loaded_radius : float
        [m]
    tyre_rate : float
        [N/m]

    Returns
    -------
    dict of str to float
        Of the left wheel; steer is the turn about z, camber that about x (negative of the camber angle on the
        left), per metre of ride, newton of force or newton metre of torque.
    """
    c = np.zeros((13, 13))
    c[1:, 1:] = checks.finite_array("compliance matrix", C, (12, 12), DataError)
    with np.errstate(divide="ignore", invalid="ignore"):  # where nothing carries a wheel
        found = vertical(c, track, tyre_rate) | horizontal(c, loaded_radius)
    return {name: float(value) for name, value in found.items()}


def vertical(c: Floats, track: float, tyre_rate: float) -> dict[str, float]:
    """By vertical forces at the wheel centres."""
    ride = c[3, 3] + c[3, 9]
    both = c[3, 3] - c[3, 9] - c[9, 3] + c[9, 9]
    return {
        "ride_steer": (c[6, 3] + c[6, 9]) / ride,
        "ride_camber": (c[4, 3] + c[4, 9]) / ride,
        "ride_caster": (c[5, 3] + c[5, 9]) / ride,
        "wheel_rate": 1.0 / c[3, 3],
        "roll_rate": track**2 / both,
        "roll_rate_with_tyres": track**2 / (both + 2.0 / tyre_rate),
    }


def horizontal(c: Floats, slr: float) -> dict[str, float]:
    """By forces at the contacts, slr below the wheel centres, by aligning torques, and at the centres."""
    found = {"fore_aft_stiffness": 1.0 / (c[1, 1] + c[1, 7])}
    for name, sign in (("parallel", 1.0), ("opposed", -1.0)):
        for what, row in (("deflection", 2), ("steer", 6), ("camber", 4)):
            own, other = (c[row, f] + c[row, m] * slr for f, m in ((2, 4), (8, 10)))
            found[f"lateral_force_{what}_{name}"] = own + sign * other
        for what, row in (("steer", 6), ("camber", 4)):
            found[f"aligning_torque_{what}_{name}"] = c[row, 6] + sign * c[row, 12]
    at_centre = c[6, 1] + c[6, 7]
    found["longitudinal_steer_at_centre"] = at_centre
    found["longitudinal_steer_at_contact"] = at_centre - slr * (c[6, 5] + c[6, 11])
    return found
