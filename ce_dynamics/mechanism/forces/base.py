"""Contract of force elements, and the motion of the system that an element may observe."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ce_dynamics.algebra.arrays import Array, Scalar, zeros

if TYPE_CHECKING:
    from ce_dynamics.mechanism.body import Body

NO_OUTPUTS: Mapping[str, str] = MappingProxyType({})


class PointState(NamedTuple):
    """A body-fixed point relative to a frame body, in that body's axes.

    ``r`` points from the frame body's centre of mass (ground: from the world origin); ``v`` is the velocity
    an observer on the frame body sees.
    """

    r: Array
    v: Array


class Observer(Protocol):
    """Observer of the motion; positions and axes are given in the design pose."""

    def point(self, body: Body, at: Array, frame: Body) -> PointState:
        """Return the point of ``body`` that is at ``at`` in the design pose, relative to ``frame``."""
        ...

    def direction(self, body: Body, axis: Array, frame: Body) -> Array:
        """Return a direction fixed on ``body``, in the axes of ``frame``."""
        ...

    def angular_velocity(self, body: Body, frame: Body) -> Array:
        """Return the angular velocity of ``body`` relative to ``frame``, in the axes of ``frame``."""
        ...

    def coordinate(self, body: Body, k: int = 0) -> Scalar:
        """Return the coordinate k of the body's inboard hinge."""
        ...

    def rate(self, body: Body, k: int = 0) -> Scalar:
        """Return the generalised velocity k of the body's inboard hinge."""
        ...


class PointLoad(NamedTuple):
    """A force and a torque on a body, in the axes of ``frame``, acting at ``r`` (as in `PointState`)."""

    body: Body
    frame: Body
    r: Array
    force: Array
    torque: Array = zeros(3)


class HingeLoad(NamedTuple):
    """A generalised force on component ``k`` of a body's inboard hinge; it reacts on the hinge's parent."""

    body: Body
    k: int
    value: Scalar


class StateDeclaration(NamedTuple):
    """A first-order state that an element owns."""

    name: str
    unit: str
    initial: float = 0.0


StateDeclaration.UNTRACED = ("initial",)  # type: ignore[attr-defined]  # a named tuple declares fields only


class Response(NamedTuple):
    """Result of evaluating an element: loads, rates of its states, named outputs, potential energy."""

    loads: Sequence[PointLoad | HingeLoad]
    x_dot: Sequence[Scalar] = ()
    outputs: Mapping[str, Scalar] = MappingProxyType({})
    potential: Scalar = 0.0


class ForceElement(ABC):
    """Contract of a force element.

    1. ``name``: unique in the system; prefixes its states and outputs.
    2. ``states``: the first-order states it owns, if any; `evaluate` returns their rates in the same order.
    3. ``inputs``: names of the system inputs it reads.
    4. ``outputs``: names and units of its outputs.
    5. ``attachments``: every (body, design point) that it acts on or observes.
    6. ``limits``: outputs that must not become negative, with the message of a violation: runs
       end there with a message.
    7. `evaluate` is written on arrays and `where`: it never branches on a value.
    """

    name: str
    states: tuple[StateDeclaration, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: Mapping[str, str] = NO_OUTPUTS
    limits: Mapping[str, str] = NO_OUTPUTS

    @property
    @abstractmethod
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        """Body-fixed points that this element acts on or observes."""

    @abstractmethod
    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return loads and state rates for the observed motion, the element's states x and the inputs u."""

    @property
    def described(self) -> str:
        """Name of the element with the bodies of its attachments, for messages."""
        bodies = dict.fromkeys(body.name for body, _ in self.attachments)
        on = f" on {' and '.join(map(repr, bodies))}" if bodies else ""
        return f"force element {self.name!r}{on}"


class HingeElement(ForceElement):
    """A force element on the inboard hinge of a body, which reacts on the hinge's carrier."""

    if TYPE_CHECKING:
        body: Body

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        hinge = self.body.inboard
        return (self.body.carrier, hinge.at_parent), (self.body, hinge.at_child)
