"""Shock absorber: the loop A–B–J of (28)–(30), planar or spatial.

The lower half BI turns on the arm so that it points at J, the upper half HJ slides along it by r, which is
zero in the design pose and positive in extension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, cos, dot, sin, sqrt
from ce_dynamics.compiler.free_numbers import decide, nominal, number
from ce_dynamics.embedding.motion import HingeMotion, PointMotion, SubgraphMotion
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.aim import Aim, AimPlanar
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge
from ce_dynamics.kinematics.hardpoints import (
    Axis,
    Point,
    check_fields,
    length_between,
    unit_between,
)
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE, unit_axis
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical


class Extension:
    """A prismatic hinge along the line from B to J whose displacement is r = |BJ| − its design length.

    ``start`` and ``finish`` are B, fixed on the carrier, and J in the design pose.  The outer half must be
    added with ``hinge``, whose point is J.
    """

    def __init__(self, start: Array, finish: Array, owner: str, names: str) -> None:
        self.length = length_between(start, finish, owner, names)
        self.hinge = Prismatic(axis=(finish - start).tolist(), at=finish.tolist())

    def solve(self, start: PointMotion, finish: PointMotion) -> HingeMotion:
        """Return the motion of the hinge."""
        d, v, a = finish.r - start.r, finish.v - start.v, finish.a - start.a
        length = sqrt(dot(d, d))
        per_length = length * (1.0 / dot(d, d))
        u = d * per_length
        r_dot = dot(u, v)
        return HingeMotion(
            array((length - self.length,)),
            (u @ (finish.J - start.J))[np.newaxis],
            array((dot(u, finish.drift - start.drift),)),
            array((dot(u, a) + (dot(v, v) - r_dot * r_dot) * per_length,)),
        )


class ShockAngles(NamedTuple):
    """γ = ∠MBJ, z = |BJ| and η = ∠CQB of the planar shock."""

    gamma: Scalar
    z: Scalar
    eta: Scalar


def shock_angles(x: float, y: float, beta: float, eta: Scalar) -> ShockAngles:
    """Solve (28), z e^{iγ} = x e^{iβ} − y e^{iη}, for γ and z.

    Parameters
    ----------
    x, y : float
        |AJ| and |AB| [m].
    beta : float
        Constant direction of AJ [rad].
    eta : scalar
        Direction of AB [rad]; η̇ = θ̇.

    Returns
    -------
    ShockAngles
        ∠DBJ = γ − η and r = z − (|BI| + |HJ|) follow from (29).
    """
    real = x * cos(beta) - y * cos(eta)
    imaginary = x * sin(beta) - y * sin(eta)
    # The printed z = (real part) / cos γ is singular at γ = ±π/2.
    return ShockAngles(arctan2(imaginary, real), sqrt(real * real + imaginary * imaginary), eta)


def shock_rates(y: float, angles: ShockAngles) -> tuple[Scalar, Scalar]:
    """Return d∠DBJ/dθ, dr/dθ: the rows of X_S of (30), whose printed second row is wrongly divided by r."""
    gamma, z, eta = angles
    return -(1.0 + y * cos(eta - gamma) / z), y * sin(eta - gamma)


def shock_second(y: float, angles: ShockAngles) -> tuple[Scalar, Scalar]:
    """Return d²∠DBJ/dθ² and d²r/dθ²: the rows of Ẋ_S θ̇ over θ̇² (not printed)."""
    gamma, z, eta = angles
    along, across = y * cos(eta - gamma), y * sin(eta - gamma)
    gamma_rate = -along / z
    return across * (1.0 - 2.0 * gamma_rate) / z, along * (1.0 - gamma_rate)


@dataclass(eq=False, repr=False)
class Shock(ClosedForm):
    """Both halves of a shock absorber between an arm and an anchor.

    Parameters
    ----------
    B, J : points
        Ends of the shock, on ``arm`` and on ``anchor``, in the design pose [m].
    axis : direction, optional
        Axis of the arm, for a planar shock: the lower half then hangs on a revolute hinge about it.  BJ must
        be perpendicular to it and stay so.  Without it the lower half hangs on a universal hinge.
    shock_lower, shock_upper, arm, anchor : str
        Names of the bodies.

    Raises
    ------
    ModelError
        If B and J coincide, or the shock is not in the plane of a planar one.
    """

    B: Point
    J: Point
    axis: Axis | None = None
    shock_lower: str = "shock_lower"
    shock_upper: str = "shock_upper"
    arm: str = "lower_arm"
    anchor: str = "chassis"

    def __post_init__(self) -> None:
        owner = f"shock {self.shock_lower!r}"
        check_fields(self, owner)
        self.lower: Aim | AimPlanar
        if self.axis is None:
            self.lower = Aim(self.B, self.J, False, owner, "BJ")
        else:
            self.lower = AimPlanar(planar_hinge(self.axis, self.B, self.J, owner), self.J, owner, "BJ")
        self.slide = Extension(self.B, self.J, owner, "BJ")
        self.determines = (self.shock_lower, self.shock_upper)
        self.closes = tuple(cut.name for cut in self.cuts())

    def joints(self) -> tuple[Joint, ...]:
        """Return the lower half on the arm, the upper half on the lower."""
        return (
            Joint(self.shock_lower, self.arm, self.lower.hinge),
            Joint(self.shock_upper, self.shock_lower, self.slide.hinge),
        )

    def cuts(self) -> tuple[Cut, ...]:
        """Return the ball joint at J."""
        name = f"{self.shock_upper}/{self.anchor}"
        return (Cut(name, self.shock_upper, self.anchor, Spherical(at=self.J.tolist())),)

    def solve(self, motion: SubgraphMotion) -> None:
        expect_hinge(motion, self.shock_lower, self.lower.hinge)
        expect_hinge(motion, self.shock_upper, self.slide.hinge)
        B, J = motion.point(self.arm, self.B), motion.point(self.anchor, self.J)
        motion.set(self.shock_lower, self.lower.solve(motion.carrier(self.shock_lower), J, motion.theta_dot))
        motion.set(self.shock_upper, self.slide.solve(B, J))


def planar_hinge(axis: Axis, B: Array, J: Array, owner: str) -> Revolute:
    """Return the revolute hinge at B of a planar shock, whose BJ must be perpendicular to the axis."""
    u = unit_axis(axis, owner)
    out_of_plane = number(u @ unit_between(B, J, owner, "BJ"))
    leaning = f"{owner}: BJ leans out of the plane perpendicular to the arm's axis"
    if decide(abs(out_of_plane) > ANGULAR_TOLERANCE, leaning):
        raise ModelError(
            f"{owner}: points BJ lean {np.arcsin(nominal(out_of_plane)):g} rad out of the plane "
            f"perpendicular to the axis {nominal(u).tolist()}; leave the axis away for a spatial shock"
        )
    return Revolute(axis=u.tolist(), at=B.tolist())
