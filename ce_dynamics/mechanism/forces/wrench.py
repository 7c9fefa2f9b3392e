"""Forces on one body: a given wrench, a thruster, and the drag of a box in a fluid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, absolute, array, dot, zeros
from ce_dynamics.algebra.checks import show
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, ground_of
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.forces.actuator import ActuatorLaw
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response

Component = float | str
"""A constant, or the name of a system input."""


class AppliedWrench(ForceElement):
    """Force and torque that act on a body from outside the system, without a reaction.

    Parameters
    ----------
    name : str
    body : Body
    at : sequence of 3 floats
        Point of the body on which the force acts, in the design pose [m].
    force, torque : sequences of 3 floats or input names
        Components [N] and [N m]; a string is the name of a system input that gives the component.
    frame : Body, optional
        Body in whose axes the components are; world axes if None.  With ``frame=body`` the wrench turns with
        the body.

    Notes
    -----
    It reports no potential energy, not even where it is constant: its work shows as the power of a load.
    """

    outputs = MappingProxyType(
        {f"{what}_{axis}": unit for what, unit in (("force", "N"), ("torque", "N*m")) for axis in "xyz"}
    )

    def __init__(
        self,
        name: str,
        body: Body,
        at: Sequence[float] | Array,
        *,
        force: Sequence[Component] = (0.0, 0.0, 0.0),
        torque: Sequence[Component] = (0.0, 0.0, 0.0),
        frame: Body | None = None,
    ) -> None:
        owner = f"wrench {name!r}"
        self.name = checks.name_of("AppliedWrench: name", name)
        if check_body(body, owner).is_ground:
            raise ModelError(f"{owner}: it acts on the ground, which does not move; name another body")
        if frame is not None and ground_of(check_body(frame, owner, "frame")) is not ground_of(body):
            raise ModelError(f"{owner}: {body.name!r} and {frame.name!r} belong to different systems")
        self.body, self.frame = body, frame
        self.at = finite_vector(at, owner, "at")
        self.force = components(force, owner, "force")
        self.torque = components(torque, owner, "torque")
        named = [value for value in (*self.force, *self.torque) if isinstance(value, str)]
        self.inputs = tuple(dict.fromkeys(named))
        self.ground = ground_of(body)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        here = (self.body, self.at)
        return (here,) if self.frame is None else (here, (self.frame, self.frame.com))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the wrench in world axes."""
        force = self._in_world(self.force, observer, u)
        torque = self._in_world(self.torque, observer, u)
        point = observer.point(self.body, self.at, self.ground)
        values = dict(zip(self.outputs, (*force, *torque), strict=True))
        return Response((PointLoad(self.body, self.ground, point.r, force, torque),), outputs=values)

    def _in_world(self, given: Sequence[Component], observer: Observer, u: Mapping[str, Scalar]) -> Array:
        values = array(u[value] if isinstance(value, str) else value for value in given)
        if self.frame is None:
            return values
        total = zeros(3)
        for axis, value in zip(np.eye(3), values, strict=True):
            total = total + value * observer.direction(self.frame, axis, self.ground)
        return total


def components(given: Sequence[Component], owner: str, what: str) -> tuple[Component, ...]:
    """Check three numbers or input names."""
    name = f"{owner}: {what}"
    return tuple(
        checks.name_of(name, x) if isinstance(x, str) else finite_number(x, owner, what)
        for x in checks.items(name, given, 3)
    )


class Thruster(ForceElement):
    """Actuator whose force F pushes a body along a body-fixed direction, without a reaction.

    F comes from `ActuatorLaw` with the length 0 and the rate f·v + t·ω, v of the point and ω of the body.

    Parameters
    ----------
    name : str
    body : Body
    at : sequence of 3 floats
        Point of the body, in the design pose [m].
    command : str
        Name of the system input.
    force, torque : sequences of 3 floats
        f and t: force and torque per F, in the axes of the design pose, such as thrust and drag torque of a
        propeller.
    **law
        As of `ActuatorLaw`: gain, bias, ranges, lag.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -9.81))
    >>> drone = system.add_body("drone", mass=2.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Free())
    >>> system.add_input("lift", "N")
    >>> system.add_force(ce.Thruster("rotor", drone, (0, 0, 0), command="lift", torque=(0, 0, 0.5)))
    >>> model = ce.compile(system)
    >>> model.accelerations(model.y0[:7], [0.0] * 6, u=[2 * 9.81]).round(3)
    array([0.   , 0.   , 9.81 , 0.   , 0.   , 0.   ])
    """

    def __init__(
        self,
        name: str,
        body: Body,
        at: ArrayLike,
        *,
        command: str,
        force: ArrayLike = (0.0, 0.0, 1.0),
        torque: ArrayLike = (0.0, 0.0, 0.0),
        **law: Any,
    ) -> None:
        owner = f"thruster {name!r}"
        self.name = checks.name_of("Thruster: name", name)
        self.body = check_body(body, owner)
        if body.is_ground:
            raise ModelError(f"{owner}: it pushes the ground, which does not move; name another body")
        self.at = finite_vector(at, owner, "at")
        self.force, self.torque = finite_vector(force, owner, "force"), finite_vector(torque, owner, "torque")
        self.law = ActuatorLaw(owner, command=command, **law)
        self.inputs, self.states = (self.law.command,), self.law.states
        self.outputs = {"force": "1"}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.at),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the wrench in world axes."""
        ground = ground_of(self.body)
        point = observer.point(self.body, self.at, ground)
        force, torque = (observer.direction(self.body, axis, ground) for axis in (self.force, self.torque))
        rate = dot(force, point.v) + dot(torque, observer.angular_velocity(self.body, ground))
        F = self.law.force(0.0, rate, x, u)
        load = PointLoad(self.body, ground, point.r, F * force, F * torque)
        return Response((load,), self.law.x_dot(x, u), {"force": F})


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
        rows = np.linalg.eigh(inertia)[1].T if axes is None else checks.items(f"{owner}: axes", axes, 3)
        self.axes = np.array([finite_vector(row, owner, "axes") for row in rows])
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
        """Return the force and torque at the centre of mass, in world axes."""
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
