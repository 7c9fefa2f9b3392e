"""Inertia of a vehicle from measured motion and tyre forces, by linear regression.

Newton's and Euler's equations of a rigid body about its origin are linear in its inertial parameters
π = (m, m c, I) (Atkeson, An and Hollerbach, Int. J. Robotics Research 5(3), 1986):

    f = Y(a, ω, α) π,    Y = ( a   [α]× + [ω]×[ω]×   0               )
                             ( 0   −[a]×             L(α) + [ω]×L(ω) ),

a the acceleration of the origin less gravity, I the inertia about it and L(ω) I = I ω.  The whole vehicle
counts as one body: what its parts do on their springs is left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.identification.noise import correlation_time
from ce_dynamics.models.identification.recording import Recording
from ce_dynamics.models.vehicles.description import VehicleParameters

NAMES = ("m", "m c_x", "m c_y", "m c_z", "I_xx", "I_xy", "I_xz", "I_yy", "I_yz", "I_zz")
UNITS = ("kg", *["kg*m"] * 3, *["kg*m^2"] * 6)
WIDTH = 0.1
"""Time over which rates are differentiated [s]: tyres and suspensions respond more slowly."""
PRIOR = 0.3
"""Standard deviation of the base vehicle's parameters, as a part of mass, mass times 1 m or inertia."""
MOTION = "ax", "ay", "az", "roll_rate", "pitch_rate", "yaw_rate"


class InertialEstimate(NamedTuple):
    """An inertial parameter: estimate, standard deviation, that of the base vehicle, and a verdict."""

    name: str
    unit: str
    value: float
    sd: float
    base: float
    is_told: bool


def cross_matrix(v: Floats) -> Floats:
    """Return [v]× of vectors (n, 3)."""
    x, y, z = v.T
    o = np.zeros_like(x)
    return np.stack([[o, -z, y], [z, o, -x], [-y, x, o]]).transpose(2, 0, 1)


def regressor(a: Floats, omega: Floats, alpha: Floats) -> Floats:
    """Return Y (n, 6, 10) of accelerations less gravity and angular velocities and accelerations (n, 3)."""
    Y = np.zeros((len(a), 6, 10))
    turning = cross_matrix(omega)
    Y[:, :3, 0] = a
    Y[:, :3, 1:4] = cross_matrix(alpha) + turning @ turning
    Y[:, 3:, 1:4] = -cross_matrix(a)
    Y[:, 3:, 4:] = spread(alpha) + turning @ spread(omega)
    return Y


def spread(v: Floats) -> Floats:
    """Return L(v) with L(v) (I_xx, I_xy, I_xz, I_yy, I_yz, I_zz) = I v."""
    x, y, z = v.T
    o = np.zeros_like(x)
    return np.stack([[x, y, z, o, o, o], [o, x, o, y, z, o], [o, o, x, o, y, z]]).transpose(2, 0, 1)


def balance(run: Recording, data: VehicleParameters) -> list[InertialEstimate]:
    """Return inertial parameters about the chassis' origin from a run with side forces of all tyres.

    Rows are the lateral force and the yawing moment, each with an offset; what is not measured is zero, or
    gravity.  Parameters that the run cannot determine keep the standard deviation of their prior.

    Parameters
    ----------
    run : Recording
        With ``yaw_rate``, ``ay`` and ``CORNER.tyre.Fy`` of all corners; ``CORNER.tyre.Mz``, ``ax`` and the
        input ``road_wheel_angle`` count where they are measured.
    data : VehicleParameters
        The base vehicle: wheel centres and prior.

    Returns
    -------
    list of Inertial
        Empty where a channel is missing.
    """
    corners, outputs = data.corners, run.outputs
    if not {"yaw_rate", "ay", *(f"{name}.tyre.Fy" for name in corners)} <= set(outputs):
        return []
    time, zero = run.time, np.zeros_like(run.time)

    def channel(name: str) -> Floats:
        return outputs[name].values if name in outputs else zero

    motion = np.column_stack([channel(name) for name in MOTION])
    omega = motion[:, 3:]
    ahead, behind = (
        np.column_stack([np.interp(time + side * WIDTH / 2, time, w) for w in omega.T]) for side in (1, -1)
    )
    alpha, a = (ahead - behind) / WIDTH, motion[:, :3] - np.asarray(data.gravity, dtype=float)
    place = np.broadcast_to(np.array(outputs["ay"].position or (0.0, 0.0, 0.0)), a.shape)
    a = a - np.cross(alpha, place) - np.cross(omega, np.cross(omega, place))
    steering = run.inputs["road_wheel_angle"].values if "road_wheel_angle" in run.inputs else zero
    force, moment = zero, zero
    for name, corner in corners.items():
        side, delta = channel(f"{name}.tyre.Fy"), steering if name in data.layout.axles[0].corners else zero
        x, y = (float(part) for part in corner.W[:2])
        force = force + side * np.cos(delta)
        moment = moment + side * (x * np.cos(delta) + y * np.sin(delta)) + channel(f"{name}.tyre.Mz")
    inside = np.zeros(len(time), bool)
    for start, end in run.spans:
        inside |= (time > start + WIDTH) & (time < end - WIDTH)
    Y, f = regressor(a, omega, alpha)[:, [1, 5]], np.column_stack((force, moment))
    good = inside & np.isfinite(Y).all(axis=(1, 2)) & np.isfinite(f).all(axis=1)
    return regress(Y[good], f[good], base_parameters(data), float(data.mass))


def regress(Y: Floats, f: Floats, base: Floats, mass: float) -> list[InertialEstimate]:
    """Return estimates; rows weigh by their residuals and by how long these are correlated."""
    sd = PRIOR * np.array([mass, mass, mass, mass, *[max(base[4], base[7], base[9])] * 6])
    A = np.concatenate((Y, np.tile(np.eye(Y.shape[1]), (len(Y), 1, 1))), axis=2)
    prior, scale = np.append(base, np.zeros(2)), np.append(sd, np.std(f, axis=0) + 1.0)
    weights, found, covariance = 1.0 / np.std(f, axis=0), prior, np.eye(len(prior))
    for _ in range(5):
        rows = (A * weights[:, np.newaxis]).reshape(-1, len(prior)) * scale
        covariance = np.linalg.inv(rows.T @ rows + np.eye(len(prior)))
        found = prior + scale * (covariance @ rows.T @ ((f - A @ prior) * weights).ravel())
        r = (f - A @ found).T
        weights = np.array([1.0 / (np.std(e) * np.sqrt(correlation_time([e]))) for e in r])
    deviations = scale * np.sqrt(np.diag(covariance))
    determined = (deviations < 0.5 * scale).tolist()
    columns = NAMES, UNITS, found.tolist(), deviations.tolist(), base.tolist(), determined
    rows_of: Any = zip(*columns, strict=False)
    return [InertialEstimate(*row) for row in rows_of]


def base_parameters(data: VehicleParameters) -> Floats:
    """Return π of the base vehicle about the chassis' origin."""
    total = np.zeros(10)
    for body in data.bodies(data.layout.axles, data.trailers):
        m, c = float(body.mass), np.asarray(body.com, dtype=float)
        inertia = np.asarray(body.inertia, dtype=float) + m * (c @ c * np.eye(3) - np.outer(c, c))
        total += [m, *(m * c), *inertia[np.triu_indices(3)]]
    return total
