"""Motion of a body on a rotational hinge while its angular acceleration is still unknown."""

from __future__ import annotations

from ce_dynamics.arrays import Array, cross
from ce_dynamics.hinges.base import Hinge
from ce_dynamics.motion import BodyMotion, PointMotion, oriented


def hinge_point(carrier: BodyMotion, hinge: Hinge, theta_dot: Array) -> PointMotion:
    """Motion of the hinge point of a rotational hinge, which is fixed on the carrier as well."""
    return carrier.offset(carrier.turned(hinge.at - carrier.at), theta_dot)


def hinge_axes(carrier: BodyMotion, hinge: Hinge, c: Array) -> Array:
    """Axes of a rotational hinge in p's axes, (3, n_v)."""
    return carrier.orientation.columns(hinge.H(c)[:, :3])


def rotated(
    carrier: BodyMotion,
    hinge: Hinge,
    c: Array,
    X: Array,
    eta: Array,
    theta_dot: Array,
) -> BodyMotion:
    """Motion of the body that a rotational hinge carries, with the hinge's bias left out of ``alpha``.

    The expressions are those of `ce_dynamics.motion.across`, so that a compiler computes them once.

    Parameters
    ----------
    carrier : BodyMotion
    hinge : Hinge
        Without displacement: revolute or universal.
    c : array
        Its configuration.
    X : (n_v, N) array
    eta : (n_v,) array
        Its rows of X_S and its part of η_S.
    theta_dot : (N,) array
    """
    H_w = hinge_axes(carrier, hinge, c)
    v_h = X @ theta_dot + eta
    w_h = H_w @ v_h
    H_dot = hinge.bias(c, v_h)
    R, directions = oriented(carrier.orientation, hinge, c)
    return BodyMotion(
        R,
        hinge.at,
        hinge_point(carrier, hinge, theta_dot),
        carrier.w + H_w @ X,
        carrier.w_drift + H_w @ eta,
        carrier.w_total + w_h,
        carrier.alpha + carrier.R @ H_dot[:3] + cross(carrier.w_total, w_h),
        directions,
    )
