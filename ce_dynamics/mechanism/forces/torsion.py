"""Springs and dampers on hinge coordinates and velocities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import ClassVar

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body
from ce_dynamics.mechanism.checked import Named, Number, number
from ce_dynamics.mechanism.forces.base import HingeElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.forces.laws import LawField, law

LOAD_UNITS = MappingProxyType({"rad": "N*m", "m": "N"})


@dataclass(eq=False, repr=False)
class TorsionSpringDamper(Named, HingeElement):
    """Spring and damper that act along one coordinate of a body's inboard hinge.

    The load on the hinge is −spring(coordinate − free) − damper(rate): a torque for an angle, a force for a
    displacement.

    Parameters
    ----------
    name : str
    body : Body
        Owner of the hinge.
    spring, damper : Law or float
        Torque over deflection [N m over rad] and over its rate; a number is a linear coefficient.
    free : float
        Coordinate at which the spring is relaxed [rad].
    component : int
        Which coordinate of the hinge.

    Notes
    -----
    An angle is known by its cosine and sine, so it is counted in (−π, π] (a screw's is not limited).
    """

    noun: ClassVar[str] = "torsion spring"

    body: Body
    _: KW_ONLY
    spring: LawField = law("stiffness")
    damper: LawField = law("damping")
    free: Number = number(0.0)
    component: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        unit = coordinate_unit(self.body, self.component, self._owner)
        self.outputs = {"deflection": unit, "rate": f"{unit}/s", "load": LOAD_UNITS[unit]}

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the load on the hinge, and the energy of the spring."""
        deflection = observer.coordinate(self.body, self.component) - self.free
        rate = observer.rate(self.body, self.component)
        load = -self.spring.force(deflection) - self.damper.force(rate)
        return Response(
            (HingeLoad(self.body, self.component, load),),
            outputs={"deflection": deflection, "rate": rate, "load": load},
            potential=self.spring.energy(deflection),
        )


def coordinate_unit(body: Body, component: int, owner: str) -> str:
    """Return the unit of a hinge coordinate whose rate is the generalised velocity of the same number."""
    check_body(body, owner)
    if body.hinge is None:
        raise ModelError(f"{owner}: the ground has no hinge; name the body that the hinge carries")
    hinge = body.hinge
    if checks.integer(f"{owner}: component", component) not in range(hinge.n_v):
        raise ModelError(
            f"{owner}: component {component!r} does not exist; the {type(hinge).__name__} hinge of"
            f" {body.name!r} has {hinge.n_v} (counted from 0)"
        )
    if hinge.coordinate_names != hinge.velocity_names:
        raise ModelError(
            f"{owner}: the {type(hinge).__name__} hinge of {body.name!r} has no angle to act on; use"
            " SpringDamper elements, or a hinge whose coordinates are angles or displacements"
        )
    return hinge.coordinate_units[component]


@dataclass(eq=False, repr=False)
class HingeDamper(Named, HingeElement):
    """A load −d v on all velocities of a hinge, such as those of a ball joint in grease.

    Parameters
    ----------
    name : str
    body : Body
        Owner of the hinge.
    damping : float
        d, not negative: [N m s/rad] for angular velocities, [N s/m] for others.
    """

    noun: ClassVar[str] = "hinge damper"

    body: Body
    damping: Number = number(at_least=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        body = check_body(self.body, self._owner)
        if body.hinge is None or body.hinge.n_v == 0:
            raise ModelError(
                f"{self._owner}: {body.name!r} has no hinge that moves; name the body behind one"
            )

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the loads on the hinge."""
        return Response(
            tuple(
                HingeLoad(self.body, k, -self.damping * observer.rate(self.body, k))
                for k in range(self.body.inboard.n_v)
            )
        )
