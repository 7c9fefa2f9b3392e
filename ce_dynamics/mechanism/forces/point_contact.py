"""Compliant contact of a point or a ball with a plane, for example of a foot with the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import ClassVar

from ce_dynamics.algebra.arrays import Array, Scalar, cross, dot, maximum, sqrt
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, ground_of
from ce_dynamics.mechanism.checked import Named, Number, Vector, direction, number, vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.mechanism.forces.stop import press


@dataclass(eq=False, repr=False)
class PointContact(Named, ForceElement):
    """A point of a body pressed out of a half-space by Hunt and Crossley's law, with smooth dry friction.

    Where the point is p deep, the plane presses with N = k p (1 + d ṗ), never less than zero, and holds it
    against its velocity v_t along the plane with μ N v_t / √(|v_t|² + v_0²): it creeps below about v_0 and
    slides above.  The force has no step where contact begins or ends; contacts without compliance are
    `ce_dynamics.contact.Contact`.

    Parameters
    ----------
    name : str
    body : Body
    at : (3,) array_like
        The point, or the centre of the ball, in the design pose [m].
    stiffness : float
        k [N/m], positive.
    dissipation : float
        d [s/m].
    friction : float
        μ.
    creep : float
        v_0 [m/s], positive.
    onset : float
        Depth over which the stiffness grows to k [m], so that fixed steps keep their order.
    radius : float
        Of the ball [m].
    plane : Body, optional
        Body that carries the plane; the ground if not given.
    through, normal : (3,) array_like
        A point of the plane and the direction out of it, in the design pose.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -10))
    >>> ball = system.add_body("ball", mass=2.0, com=(0, 0, 0.1), inertia=(0.01,) * 3,
    ...                        parent=system.ground, hinge=ce.Free((0, 0, 0.1)))
    >>> system.add_force(ce.PointContact("foot", ball, (0, 0, 0.1), 1e4, radius=0.101))
    >>> found = ce.compile(system).accelerations([0, 0, 0, 1, 0, 0, 0], [0] * 6)
    >>> found[5:].round(9)  # 10 N of 20
    array([-5.])
    """

    noun: ClassVar[str] = "contact"
    outputs = MappingProxyType({"normal": "N", "depth": "m"})

    body: Body
    at: Vector = vector()
    stiffness: Number = number(above=0.0)
    dissipation: Number = number(0.0, at_least=0.0)
    friction: Number = number(0.0, at_least=0.0)
    _: KW_ONLY
    creep: Number = number(1e-3, above=0.0)
    onset: Number = number(0.0, at_least=0.0)
    radius: Number = number(0.0, at_least=0.0)
    plane: Body | None = None
    through: Vector = vector((0.0, 0.0, 0.0))
    normal: Vector = direction((0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_body(self.body, self._owner)
        if self.plane is not None and check_body(self.plane, self._owner, "plane") is self.body:
            raise ModelError(
                f"{self._owner}: {self.body.name!r} cannot touch a plane of its own; name another body"
            )

    @property
    def _frame(self) -> Body:
        return ground_of(self.body) if self.plane is None else self.plane

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self._frame, self.through), (self.body, self.at)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the force at the lowest point, and its reaction on the plane."""
        n, frame = self.normal, self._frame
        centre = observer.point(self.body, self.at, frame)
        height = dot(n, centre.r - (self.through - frame.com)) - self.radius
        depth = maximum(-height, 0.0)
        rate = -dot(n, centre.v)
        N, energy = press(-height, rate, self.stiffness, self.dissipation, self.onset)
        touching = centre.r - self.radius * n  # where the ball is lowest
        spin = observer.angular_velocity(self.body, frame)
        v = centre.v - cross(spin, self.radius * n)
        v_t = v - n * dot(n, v)
        drag = self.friction * N / sqrt(dot(v_t, v_t) + self.creep**2)
        force = N * n - drag * v_t
        loads = [PointLoad(self.body, frame, touching, force)]
        if not frame.is_ground:
            loads.append(PointLoad(frame, frame, touching, -force))
        return Response(tuple(loads), outputs={"normal": N, "depth": depth}, potential=energy)
