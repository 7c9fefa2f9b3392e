"""Stops and dry friction in a hinge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.contact.conditions import Kind
from ce_dynamics.contact.element import Row, RowKind, UnilateralElement
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body
from ce_dynamics.mechanism.checked import Named, Number, finite_number, number
from ce_dynamics.mechanism.forces.base import HingeLoad, Observer


@dataclass(eq=False, repr=False)
class RigidStop(Named, UnilateralElement):
    """Hard stops of a hinge coordinate, lower ≤ q ≤ upper.

    Parameters
    ----------
    name : str
    body : Body
        Body whose inboard hinge has the stops; independent or dependent.
    lower, upper : float, optional
        Bounds [rad or m]; no stop where not given.
    k : int
        Which coordinate of the hinge (of hinges whose velocities are the rates of their coordinates).
    restitution : float
        e in 0 … 1.

    Raises
    ------
    ModelError
        If there is no such coordinate, no stop, or the stops are the wrong way round.
    """

    noun: ClassVar[str] = "stop"

    body: Body
    _: KW_ONLY
    lower: float | None = None
    upper: float | None = None
    k: int = 0
    restitution: Number = number(0.0, at_least=0.0, at_most=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, lower, upper = self._owner, self.lower, self.upper
        unit = hinge_unit(self.body, self.k, owner)
        both = (("lower", 1.0, lower), ("upper", -1.0, upper))
        given = [(suffix, sign, value) for suffix, sign, value in both if value is not None]
        if not given:
            raise ModelError(f"{owner}: give a lower or an upper bound, or both")
        self.stops = [(sign, finite_number(value, owner, suffix)) for suffix, sign, value in given]
        if lower is not None and upper is not None and not lower < upper:
            raise ModelError(f"{owner}: lower = {lower!r} must be less than upper = {upper!r}")
        self.kinds = tuple(
            RowKind(suffix, Kind.UNILATERAL, restitution=self.restitution, unit=unit)
            for suffix, _, _ in given
        )

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.body.inboard.at),)

    def rows(self, observer: Observer, t: Scalar) -> Sequence[Row]:
        q, rate = observer.coordinate(self.body, self.k), observer.rate(self.body, self.k)
        return [
            Row((HingeLoad(self.body, self.k, sign),), sign * rate, sign * (q - bound))
            for sign, bound in self.stops
        ]


@dataclass(eq=False, repr=False)
class JointFriction(Named, UnilateralElement):
    """Dry friction of a hinge: a torque or force of at most ``limit`` that opposes its rate.

    Parameters
    ----------
    name : str
    body : Body
        Body of the inboard hinge.
    limit : float
        Largest torque [N m] or force [N], not negative.
    k : int
        Which velocity of the hinge.
    """

    noun: ClassVar[str] = "joint friction"

    body: Body
    _: KW_ONLY
    limit: Number = number(at_least=0.0)
    k: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        unit = hinge_unit(self.body, self.k, self._owner)
        self.kinds = (RowKind("friction", Kind.BOX, limit=self.limit, unit=unit),)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.body.inboard.at),)

    def rows(self, observer: Observer, t: Scalar) -> Sequence[Row]:
        return (Row((HingeLoad(self.body, self.k, 1.0),), observer.rate(self.body, self.k)),)


def hinge_unit(body: Body, k: int, owner: str) -> str:
    """Return the unit of the load on a component of a hinge whose velocity is the rate of a coordinate."""
    if check_body(body, owner).is_ground:
        raise ModelError(f"{owner}: the ground has no hinge")
    hinge = body.inboard
    if not 0 <= checks.integer(f"{owner}: k", k) < hinge.n_v:
        raise ModelError(
            f"{owner}: hinge of {body.name!r} has {hinge.n_v} velocities; there is no number {k}"
        )
    if hinge.n_q != hinge.n_v:
        raise ModelError(
            f"{owner}: hinge of {body.name!r} has no coordinate whose rate is its velocity {k}; use hinges"
            " with one coordinate each"
        )
    return "N m" if hinge.velocity_units[k].startswith("rad") else "N"
