"""A propeller, a jet: force and torque along directions fixed on a body, commanded by an input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, dot
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, ground_of
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.actuator_law import ActuatorLaw
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response


class Thruster(ForceElement):
    """An actuator whose force F pushes a body along what turns with it; nothing takes the reaction.

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
        f and t: what acts per F, in the axes of the design pose, such as a thrust and the drag torque of its
        propeller.
    **law
        As of `ActuatorLaw`: gain, bias, ranges, lag.

    Raises
    ------
    ModelError
        If the body is the ground, or a number is wrong.

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
        """The wrench in world axes."""
        ground = ground_of(self.body)
        point = observer.point(self.body, self.at, ground)
        force, torque = (observer.direction(self.body, axis, ground) for axis in (self.force, self.torque))
        rate = dot(force, point.v) + dot(torque, observer.angular_velocity(self.body, ground))
        F = self.law.force(0.0, rate, x, u)
        load = PointLoad(self.body, ground, point.r, F * force, F * torque)
        return Response((load,), self.law.x_dot(x, u), {"force": F})
