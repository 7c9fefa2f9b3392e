"""Cord: a line through points of several bodies, with a spring, a damper and an actuator."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, dot, norm, where
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, common_ancestor, ground_of
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.actuator import LineElement, Range
from ce_dynamics.mechanism.forces.base import Observer, PointLoad, Response

Via = tuple[Body, ArrayLike]


class Piece(NamedTuple):
    """Straight piece of a cord between points of two bodies, with the factor of its length [-]."""

    a: Body
    at_a: Array
    b: Body
    at_b: Array
    weight: float


class Cord(LineElement):
    """A force along a line through points, as of a cable in eyelets; it slides without friction.

    Its length l is that of its pieces, each path divided by its own number (a pulley's).  A spring pulls with
    stiffness × (what l is beyond ``rest``), a damper with damping × l̇, and an actuator, where a command u is
    named, with −gear × F, F of `ActuatorLaw` over L = gear × l.  Tension is negative, as of `FixedTendon`.

    Parameters
    ----------
    name : str
    *paths : sequences of (Body, sequence of 3 floats)
        Points in the design pose [m], one after the other; of several paths each is a piece of line.
    divisors : sequence of floats, optional
        Divisor of the length of every path; 1 if not given.
    stiffness, damping : float
        Not negative [N/m, N s/m].
    rest : (float, float), optional
        Lengths in which the spring is slack [m]; the design length if not given.
    command : str, optional
        Name of the system input u.
    gear : float
        L per l.
    **law
        As of `ActuatorLaw`: gain, bias, ranges, lag.

    Notes
    -----
    The force is NaN where two points in sequence meet.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -9.81))
    >>> weight = system.add_body("weight", mass=2.0, parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    >>> system.add_input("pull", "N")
    >>> hung = [(system.ground, (0, 0, 2)), (weight, (0, 0, 0)), (system.ground, (0.0, 0, 2))]
    >>> system.add_force(ce.Cord("hoist", hung, command="pull"))
    >>> ce.compile(system).accelerations([0.0], [0.0], u=[-9.81]).round(3) + 0.0
    array([0.])
    """

    def __init__(
        self,
        name: str,
        *paths: Sequence[Via],
        divisors: Sequence[float] | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: Range | None = None,
        command: str | None = None,
        gear: float = 1.0,
        **law: Any,
    ) -> None:
        owner = f"cord {name!r}"
        self.name = checks.name_of("Cord: name", name)
        numbers = (1.0,) * len(paths) if divisors is None else checks.items(f"{owner}: divisors", divisors)
        if len(numbers) != len(paths):
            raise ModelError(f"{owner}: {len(numbers)} divisors for {len(paths)} paths; give one for each")
        self.pieces = [
            Piece(a, at_a, b, at_b, 1.0 / checks.number(f"{owner}: divisor", number, above=0.0))
            for path, number in zip(paths, numbers, strict=True)
            for (a, at_a), (b, at_b) in pairwise(points(path, owner))
        ]
        if all(piece.a is piece.b for piece in self.pieces):
            raise ModelError(f"{owner}: no two points in sequence are on different bodies; it pulls nothing")
        self.design_length = sum(piece.weight * norm(piece.at_b - piece.at_a) for piece in self.pieces)
        slack = (self.design_length,) * 2 if rest is None else rest
        self._set(owner, command, law, stiffness=stiffness, damping=damping, rest=slack, gear=gear)
        self.outputs = {"length": "m", "force": "N"}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return tuple(end for p in self.pieces if p.a is not p.b for end in ((p.a, p.at_a), (p.b, p.at_b)))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the force along all pieces."""
        length: Scalar = 0.0
        rate: Scalar = 0.0
        seen = []
        for piece in self.pieces:
            if piece.a is piece.b:
                length = length + piece.weight * norm(piece.at_b - piece.at_a)
                continue
            frame = common_ancestor(piece.a, piece.b)
            a, b = observer.point(piece.a, piece.at_a, frame), observer.point(piece.b, piece.at_b, frame)
            d = b.r - a.r
            distance = norm(d)
            along = d * (piece.weight / where(distance > 0.0, distance, math.nan))
            length = length + piece.weight * distance
            rate = rate + dot(along, b.v - a.v)
            seen.append((piece, frame, a.r, b.r, along))
        force, x_dot, potential = self._force(length, rate, x, u)
        loads = []
        for piece, frame, at_a, at_b, along in seen:
            push = force * along
            loads += [PointLoad(piece.a, frame, at_a, -push), PointLoad(piece.b, frame, at_b, push)]
        return Response(loads, x_dot, {"length": length, "force": force}, potential)


def points(path: Sequence[Via], owner: str) -> list[tuple[Body, Array]]:
    """Return the points of a path, checked."""
    given = checks.pairs(f"{owner}: path", path, "(body, point)")
    if len(given) < 2:
        raise ModelError(f"{owner}: a path has {len(given)} points; give at least two")
    found = [(check_body(body, owner), finite_vector(at, owner, "point")) for body, at in given]
    if any(ground_of(body) is not ground_of(found[0][0]) for body, _ in found):
        raise ModelError(f"{owner}: its bodies belong to different systems")
    return found
