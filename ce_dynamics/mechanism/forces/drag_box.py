"""Computes the drag of a fluid on a body as on a box of the same mass and inertia."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, absolute, array, dot, zeros
from ce_dynamics.algebra.checks import show
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, ground_of
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response

PRINCIPAL = 1e-6
"""Products of inertia, relative to the largest moment, and scalar products of axes that count as none."""
SMALLEST = 1e-15
"""Sum of two principal moments less the third that counts as a box without thickness [kg m²]."""


class DragBox(ForceElement):
    """Drag of a body in a fluid at rest or in a steady wind, after MuJoCo's inertia box model.

    With the box of sides s that has the body's mass and principal inertia, d their mean, v and ω in principal
    axes, v less the wind,

        f_i = −3 π d β v_i − ½ ρ s_j s_k |v_i| v_i,
        t_i = −π d³ β ω_i − 1/64 ρ s_i (s_j⁴ + s_k⁴) |ω_i| ω_i.

    Parameters
    ----------
    name : str
    body : Body
        With mass and inertia.
    density, viscosity : float
        ρ [kg/m³] and β [Pa s], not negative.
    wind : sequence of 3 floats
        In world axes [m/s].
    axes : (3, 3) array, optional
        Principal axes of the body's inertia as rows, in the design pose, where the inertia leaves a choice:
        drag, square in the components of the velocity, depends on it even for a ball.

    Raises
    ------
    ModelError
        If the body has no mass, the axes are not principal ones, or a number is wrong.
    """

    def __init__(
        self,
        name: str,
        body: Body,
        *,
        density: float = 0.0,
        viscosity: float = 0.0,
        wind: ArrayLike = (0.0, 0.0, 0.0),
        axes: ArrayLike | None = None,
    ) -> None:
        owner = f"drag box {name!r}"
        self.name, self.body = checks.name_of("DragBox: name", name), check_body(body, owner)
        if body.is_ground or not body.mass > 0.0:
            raise ModelError(f"{owner}: {body.name!r} has no mass; a box of its inertia has no sides")
        self.density = checks.number(f"{owner}: density", density, at_least=0.0)
        self.viscosity = checks.number(f"{owner}: viscosity", viscosity, at_least=0.0)
        self.wind = finite_vector(wind, owner, "wind")
        inertia = np.asarray(body.inertia, dtype=float)
        self.axes = np.linalg.eigh(inertia)[1].T if axes is None else matrix(axes, owner)
        turned = self.axes @ inertia @ self.axes.T
        moments = np.diag(turned)
        skewed = abs(self.axes @ self.axes.T - np.eye(3)).max()
        mixed = abs(turned - np.diag(moments)).max()
        if skewed > PRINCIPAL or mixed > PRINCIPAL * max(moments.max(), SMALLEST):
            raise ModelError(f"{owner}: axes {show(axes)} are not principal axes of {body.name!r}")
        self.sides = np.sqrt(np.maximum(moments.sum() - 2.0 * moments, SMALLEST) * (6.0 / float(body.mass)))

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.body.com),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Force and torque at the centre of mass, in world axes."""
        ground, s, rho = ground_of(self.body), self.sides, self.density
        point = observer.point(self.body, self.body.com, ground)
        axes = [observer.direction(self.body, axis, ground) for axis in self.axes]
        velocity, spin = point.v - self.wind, observer.angular_velocity(self.body, ground)
        v, w = array([dot(e, velocity) for e in axes]), array([dot(e, spin) for e in axes])
        d = float(s.mean())
        drag, drag_torque = 3.0 * math.pi * d * self.viscosity, math.pi * d**3 * self.viscosity
        force, torque = zeros(3), zeros(3)
        for i, e in enumerate(axes):
            j, k = (i + 1) % 3, (i + 2) % 3
            area = 0.5 * rho * float(s[j] * s[k])
            area_torque = rho / 64.0 * float(s[i] * (s[j] ** 4 + s[k] ** 4))
            force = force - ((drag + area * absolute(v[i])) * v[i]) * e
            torque = torque - ((drag_torque + area_torque * absolute(w[i])) * w[i]) * e
        return Response((PointLoad(self.body, ground, point.r, force, torque),))


def matrix(axes: ArrayLike, owner: str) -> Array:
    """Three rows of finite numbers."""
    rows = checks.items(f"{owner}: axes", axes, 3)
    return np.array([finite_vector(row, owner, "axes") for row in rows])
