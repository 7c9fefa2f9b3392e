"""Compliant contact of a point or a ball with a plane, for example of a foot with the ground."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cross, dot, maximum, sqrt
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, ground_of
from ce_dynamics.mechanism.checked import finite_vector, unit_axis
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.mechanism.forces.stop import compute_press


class PointContact(ForceElement):
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

    def __init__(
        self,
        name: str,
        body: Body,
        at: ArrayLike,
        stiffness: float,
        dissipation: float = 0.0,
        friction: float = 0.0,
        *,
        creep: float = 1e-3,
        onset: float = 0.0,
        radius: float = 0.0,
        plane: Body | None = None,
        through: ArrayLike = (0.0, 0.0, 0.0),
        normal: ArrayLike = (0.0, 0.0, 1.0),
    ) -> None:
        owner = f"contact {name!r}"
        self.name = checks.name_of("PointContact: name", name)
        self.body, self.at = check_body(body, owner), finite_vector(at, owner, "at")
        self.plane = ground_of(body) if plane is None else check_body(plane, owner, "plane")
        if self.plane is body:
            raise ModelError(f"{owner}: {body.name!r} cannot touch a plane of its own; name another body")
        self.through, self.normal = (
            finite_vector(through, owner, "through"),
            unit_axis(normal, owner, "normal"),
        )
        self.stiffness = checks.number(f"{owner}: stiffness", stiffness, above=0.0)
        self.dissipation = checks.number(f"{owner}: dissipation", dissipation, at_least=0.0)
        self.friction = checks.number(f"{owner}: friction", friction, at_least=0.0)
        self.creep = checks.number(f"{owner}: creep", creep, above=0.0)
        self.onset = checks.number(f"{owner}: onset", onset, at_least=0.0)
        self.radius = checks.number(f"{owner}: radius", radius, at_least=0.0)
        self.outputs = {"normal": "N", "depth": "m"}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self.plane, self.through), (self.body, self.at)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the force at the lowest point, and its reaction on the plane."""
        n, frame = self.normal, self.plane
        centre = observer.point(self.body, self.at, frame)
        height = dot(n, centre.r - (self.through - frame.com)) - self.radius
        depth = maximum(-height, 0.0)
        rate = -dot(n, centre.v)
        pressing, energy = compute_press(-height, self.onset)
        N = self.stiffness * pressing * maximum(1.0 + self.dissipation * rate, 0.0)
        touching = centre.r - self.radius * n  # where the ball is lowest
        spin = observer.angular_velocity(self.body, frame)
        v = centre.v - cross(spin, self.radius * n)
        v_t = v - n * dot(n, v)
        drag = self.friction * N / sqrt(dot(v_t, v_t) + self.creep**2)
        force = N * n - drag * v_t
        loads = [PointLoad(self.body, frame, touching, force)]
        if not frame.is_ground:
            loads.append(PointLoad(frame, frame, touching, -force))
        return Response(
            tuple(loads), outputs={"normal": N, "depth": depth}, potential=self.stiffness * energy
        )
