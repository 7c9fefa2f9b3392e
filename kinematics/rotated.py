"""Motion of a body on a rotational hinge while its angular acceleration is still unknown."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, cross
from ce_dynamics.embedding.motion import BodyMotion, PointMotion, orient
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.orientation import Directions, by_directions


def hinge_point(carrier: BodyMotion, hinge: Hinge, theta_dot: Array) -> PointMotion:
    """Motion of the hinge point of a rotational hinge, which is fixed on the carrier as well."""
    return carrier.offset(carrier.rotate(hinge.at - carrier.at), theta_dot)


def hinge_axes(carrier: BodyMotion, hinge: Hinge, c: Array) -> Array:
    """Axes of a rotational hinge in p's axes, (3, n_v)."""
    return hinge.axes(c, carrier.orientation)[0]


def carry_by_rotation(
    carrier: BodyMotion,
    hinge: Hinge,
    c: Array,
    X: Array,
    eta: Array,
    theta_dot: Array,
    known: Directions | None = None,
) -> BodyMotion:
    """Motion of the body that a rotational hinge carries, with the hinge's bias left out of ``alpha``.

    The expressions are those of `ce_dynamics.embedding.motion.across`, so that a compiler computes them once.

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
    known : Directions, optional
        The body's orientation, where it is known otherwise than by c.
    """
    child = None if known is None else by_directions(known)
    H_w, _ = hinge.axes(c, carrier.orientation, child)
    v_h = X @ theta_dot + eta
    w_h = H_w @ v_h
    H_dot_w, _ = hinge.rotate_bias(c, v_h, carrier.orientation, child)
    R, directions = orient(carrier.orientation, hinge, c) if child is None else child
    return BodyMotion(
        R,
        hinge.at,
        hinge_point(carrier, hinge, theta_dot),
        carrier.w + H_w @ X,
        carrier.w_drift + H_w @ eta,
        carrier.w_total + w_h,
        carrier.alpha + H_dot_w + cross(carrier.w_total, w_h),
        directions,
    )
