"""A given force and torque on a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, zeros
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, ground_of
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response

Component = float | str
"""A constant, or the name of a system input."""


class AppliedWrench(ForceElement):
    """Force and torque that act on a body from outside the system; nothing takes their reaction.

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

    Raises
    ------
    ModelError
        If the body is the ground, or a component is neither a finite number nor a name.

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
        """The wrench in world axes."""
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
    """Three numbers or input names."""
    name = f"{owner}: {what}"
    return tuple(
        checks.name_of(name, x) if isinstance(x, str) else finite_number(x, owner, what)
        for x in checks.items(name, given, 3)
    )
