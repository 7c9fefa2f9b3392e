"""Actuator on a hinge coordinate, commanded by an input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.actuator_law import ActuatorLaw
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.forces.torsion import LOAD_UNITS, coordinate_unit


class Actuator(ForceElement):
    """Torque or force on one coordinate of a body's inboard hinge, which reacts on the hinge's carrier.

    With the command u, the length l = gear × (coordinate − zero) and its rate l̇ the actuator's force is
    (g₀ + g₁ l + g₂ l̇) u + b₀ + b₁ l + b₂ l̇, and gear times that acts on the hinge.  By default it is u: a
    motor.  With g₀ = k, b₁ = −k and b₂ = −c it is a servo of the stiffness k and the damping c.

    Parameters
    ----------
    name : str
    body : Body
        Owner of the hinge.
    command : str
        Name of the system input u.
    gear : float
        Length per coordinate, and load on the hinge per force.
    zero : float
        Coordinate at which l is zero [rad or m].
    component : int
        Which coordinate of the hinge.
    **law
        As of `ActuatorLaw`: ``gain`` and ``bias`` are (g₀, g₁, g₂) and (b₀, b₁, b₂), the command and the
        actuator's force stay in ``command_range`` and ``force_range``; with a ``lag``, or where it
        ``integrates``, what acts instead of u is a state.

    Raises
    ------
    ModelError
        If the hinge has no such coordinate, a number is not finite, or a range does not ascend.

    Notes
    -----
    An angle is known by its cosine and sine, so it is counted in (−π, π].

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, 0))
    >>> axle = ce.Revolute((0, 0, 1))
    >>> disc = system.add_body("disc", mass=1.0, inertia=(1, 1, 2), parent="ground", hinge=axle)
    >>> system.add_input("torque", "N*m")
    >>> system.add_force(ce.Actuator("motor", disc, command="torque", force_range=(-3, 3)))
    >>> model = ce.compile(system)
    >>> model.accelerations([0.0], [0.0], u=[5.0])
    array([1.5])
    """

    def __init__(
        self,
        name: str,
        body: Body,
        *,
        command: str,
        gear: float = 1.0,
        zero: float = 0.0,
        component: int = 0,
        **law: Any,
    ) -> None:
        owner = f"actuator {name!r}"
        self.name, self.body, self.component = checks.name_of("Actuator: name", name), body, component
        self.law = ActuatorLaw(owner, command=command, **law)
        self.inputs, self.states = (self.law.command,), self.law.states
        self.gear = finite_number(gear, owner, "gear")
        self.zero = finite_number(zero, owner, "zero")
        self.outputs = {"load": LOAD_UNITS[coordinate_unit(body, component, owner)]}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        hinge = self.body.inboard
        return (self.body.carrier, hinge.at_parent), (self.body, hinge.at_child)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """The load on the hinge."""
        length = self.gear * (observer.coordinate(self.body, self.component) - self.zero)
        rate = self.gear * observer.rate(self.body, self.component)
        load = self.gear * self.law.force(length, rate, x, u)
        hinge = HingeLoad(self.body, self.component, load)
        return Response((hinge,), self.law.x_dot(x, u), {"load": load})
