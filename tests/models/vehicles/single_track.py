"""The linear single-track model of a vehicle with a trailer, from the data of a vehicle alone.

Lateral velocity v of the vehicle's centre of mass, its yaw rate r, the trailer's angle θ to it and its rate:
with the lateral velocity of a point written as J · w, w = (v, r, θ̇), the equations of motion are
Σ m J Jᵀ ẇ + U r Σ m J = Σ J F.  An axle's force is F = −C (J · w − U θ)/U, the last term for a trailer's; it
acts the pneumatic trail behind the axle.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.mechanism.system import System
from ce_dynamics.models.tyres.tmeasy_curves import TMeasyParameters
from ce_dynamics.models.vehicles.corner import sprung_body
from ce_dynamics.models.vehicles.description import VehicleParameters

Floats = NDArray[np.float64]


def single_track(data: VehicleParameters, system: System, U: float, loads: Mapping[str, float]) -> Floats:
    """Eigenvalues at a speed [m/s], with the loads of the tyres [N]."""
    ((name, trailer),) = data.trailers.items()
    m_1, x_1, I_1 = of_unit(system, "chassis")
    m_2, x_2, I_2 = of_unit(system, name)
    hitch = float(trailer.at[0])
    h, e = x_1 - hitch, hitch - x_2
    J_1, J_2 = np.array([1.0, 0.0, 0.0]), np.array([1.0, -(h + e), -e])
    turns = np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])
    inertias = (m_1, J_1), (m_2, J_2), (I_1, turns[0]), (I_2, turns[1])
    M = sum((m * np.outer(J, J) for m, J in inertias), start=np.zeros((3, 3)))
    F = np.zeros((3, 4))
    F[:, 1] -= U * (m_1 * J_1 + m_2 * J_2)
    for axle in data.layout.axles:
        C = trail = 0.0
        for corner in axle.corners:
            C += cornering_stiffness(data.corners[corner].tyre, loads[corner])
            trail += 0.5 * pneumatic_trail(data.corners[corner].tyre, loads[corner])
        x = float(data.corners[axle.corners[0]].W[0]) - trail
        J = np.array([1.0, x - x_1, 0.0 if axle.trailer is None else x - hitch])
        F -= C / U * np.outer(J, [*J, 0.0 if axle.trailer is None else -U])
    F[2, 2] -= getattr(trailer.hitch, "yaw_damping", None) or 0.0
    A = np.zeros((4, 4))
    A[:3], A[3, 2] = np.linalg.solve(M, F), 1.0
    return np.asarray(np.linalg.eigvals(A))


def of_unit(system: System, name: str) -> tuple[float, float, float]:
    """Mass, x of the centre of mass and moment of inertia about the vertical, of all that a unit carries."""
    bodies = [body for body in system.bodies if sprung_body(system, body).name == name]
    masses = np.array([float(body.mass) for body in bodies])
    places = np.array([body.com.astype(float) for body in bodies])
    centre = masses @ places / masses.sum()
    r = places - centre
    own = np.array([float(body.inertia[2, 2]) for body in bodies])
    return float(masses.sum()), float(centre[0]), float(np.sum(own + masses * (r[:, 0] ** 2 + r[:, 1] ** 2)))


def cornering_stiffness(tyre: TMeasyParameters, Fz: float) -> float:
    """Slope of the side force over the slip angle at a load [N]: parabola through (0, 0), pn and 2 pn."""
    q = Fz / tyre.pn
    one, two = tyre.dfy0
    return q * (2.0 * one - 0.5 * two - (one - 0.5 * two) * q)


def pneumatic_trail(tyre: TMeasyParameters, Fz: float) -> float:
    """Part of the contact's length 2 √(r δ) by which the force acts behind its middle, without slip."""
    return tyre.nL0[0] * 2.0 * float(np.sqrt(tyre.unloaded_radius * Fz / tyre.cz))
