"""Massless, inextensible cables: ψ = L − |d| ≥ 0.

Given motion of a point: ends of cables that a position-controlled source moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cos, dot, norm, sin, where
from ce_dynamics.contact.conditions import Kind
from ce_dynamics.contact.element import Row, RowKind, UnilateralElement
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, ground_of
from ce_dynamics.mechanism.checked import (
    Number,
    Vector,
    direction,
    finite_number,
    finite_vector,
    number,
    vector,
)
from ce_dynamics.mechanism.forces.base import Observer, PointLoad


class CablePath(Protocol):
    """Contract: `velocity` is the time derivative of `position`; both work on floats and traced scalars."""

    def position(self, t: Scalar) -> Array:
        """Return the world position [m]."""
        ...

    def velocity(self, t: Scalar) -> Array:
        """Return its rate [m/s]."""
        ...


@dataclass(eq=False, repr=False)
class Straight:
    """A point that moves at constant velocity (at rest by default).

    Parameters
    ----------
    start : sequence of 3 floats
        Position at t = 0 [m].
    rate : sequence of 3 floats
        Velocity [m/s].
    """

    _owner: ClassVar[str] = "straight path"

    start: Vector = vector()
    rate: Vector = vector((0.0, 0.0, 0.0))

    def position(self, t: Scalar) -> Array:
        return np.asarray(self.start + self.rate * t)

    def velocity(self, t: Scalar) -> Array:
        return self.rate


@dataclass(eq=False, repr=False)
class Weaving:
    """A point that moves at constant velocity and swings across it, r = start + rate t + a sin(ω t).

    Parameters
    ----------
    start, rate : sequences of 3 floats
        As of `Straight`.
    across : sequence of 3 floats
        Direction of the swing.
    amplitude : float
        [m].
    frequency : float
        [Hz], positive.
    """

    _owner: ClassVar[str] = "weaving path"

    start: Vector = vector()
    rate: Vector = vector()
    _: KW_ONLY
    across: Vector = direction()
    amplitude: Number = number()
    frequency: Number = number(above=0.0)

    def __post_init__(self) -> None:
        self.a, self.omega = self.amplitude * self.across, 2.0 * np.pi * self.frequency

    def position(self, t: Scalar) -> Array:
        return np.asarray(self.start + self.rate * t + self.a * sin(self.omega * t))

    def velocity(self, t: Scalar) -> Array:
        return np.asarray(self.rate + self.a * (self.omega * cos(self.omega * t)))


COINCIDENT = 1e-12
"""Length below which a cable has no direction; it is slack then [m]."""


class Cable(UnilateralElement):
    """A cable between two body-fixed points, or a body-fixed point and one that moves as given.

    ψ = L − |(p_i + r_i) − (p_k + r_k)| ≥ 0, with the unit vector ŵ along the cable away from body i: the
    tension λ pulls body i along ŵ and the other end along −ŵ, and ψ̇ = ŵ · (v_i − v_k).

    Parameters
    ----------
    name : str
    body : Body
    at : sequence of 3 floats
        Where it is tied to the body, in the design pose [m].
    other : Body or Path
        Body of the other end (the ground for a fixed one), or its motion.
    other_at : sequence of 3 floats, optional
        Where it is tied to the other body; not for a path.
    length : float
        L [m], positive.

    Raises
    ------
    ModelError
        If an end is tied to nothing, both ends to the same body, or the length is not positive and finite.
    """

    def __init__(
        self,
        name: str,
        body: Body,
        at: ArrayLike,
        other: Body | CablePath,
        other_at: ArrayLike | None = None,
        *,
        length: float,
    ) -> None:
        owner = f"cable {name!r}"
        self.name = checks.name_of("Cable: name", name)
        self.length = finite_number(length, owner, "length", above=0.0)
        if check_body(body, owner).is_ground:
            raise ModelError(f"{owner}: its first end {body!r} must be tied to a body that can move")
        self.body, self.at = body, finite_vector(at, owner, "at")
        self.other = other
        self.ground = ground_of(body)
        self.other_at = np.zeros(3)
        if isinstance(other, Body):
            if other is body:
                raise ModelError(
                    f"{owner}: both ends are tied to body {body.name!r}; name two different bodies"
                )
            if other_at is None:
                raise ModelError(f"{owner}: other_at must be the point where it is tied to {other.name!r}")
            if ground_of(other) is not self.ground:
                raise ModelError(f"{owner}: {body.name!r} and {other.name!r} belong to different systems")
            self.other_at = finite_vector(other_at, owner, "other_at")
        else:
            what = "a body, or a path with position(t) and velocity(t): its second end is tied to nothing"
            checks.provides(f"{owner}: other", other, ("position", "velocity"), what)
        self.kinds = (RowKind("tension", Kind.UNILATERAL),)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        here = (self.body, self.at)
        return (here, (self.other, self.other_at)) if isinstance(self.other, Body) else (here,)

    def rows(self, observer: Observer, t: Scalar) -> Sequence[Row]:
        near = observer.point(self.body, self.at, self.ground)
        r, v = self._far_end(observer, t)
        d = near.r - r
        span = norm(d)
        tied = span > COINCIDENT
        w = where(tied, -d / where(tied, span, 1.0), 0.0 * d)
        loads = [PointLoad(self.body, self.ground, near.r, w)]
        if isinstance(self.other, Body):
            loads.append(PointLoad(self.other, self.ground, r, -w))
        return (Row(loads, dot(w, near.v - v), self.length - span),)

    def _far_end(self, observer: Observer, t: Scalar) -> tuple[Array, Array]:
        if isinstance(self.other, Body):
            state = observer.point(self.other, self.other_at, self.ground)
            return state.r, state.v
        return self.other.position(t), self.other.velocity(t)
