"""Springs and dampers on hinge coordinates and velocities."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.base import HingeElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.forces.laws import Law
from ce_dynamics.mechanism.forces.spring_damper import as_law

LOAD_UNITS = MappingProxyType({"rad": "N*m", "m": "N"})


class TorsionSpringDamper(HingeElement):
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

    def __init__(
        self,
        name: str,
        body: Body,
        *,
        spring: Law | float = 0.0,
        damper: Law | float = 0.0,
        free: float = 0.0,
        component: int = 0,
    ) -> None:
        owner = f"torsion spring {name!r}"
        self.name = checks.name_of("TorsionSpringDamper: name", name)
        unit = coordinate_unit(body, component, owner)
        self.body, self.component = body, component
        self.free = finite_number(free, owner, "free")
        self.spring = as_law(spring, f"{owner}: stiffness")
        self.damper = as_law(damper, f"{owner}: damping")
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


class HingeDamper(HingeElement):
    """A load −d v on all velocities of a hinge, such as those of a ball joint in grease.

    Parameters
    ----------
    name : str
    body : Body
        Owner of the hinge.
    damping : float
        d, not negative: [N m s/rad] for angular velocities, [N s/m] for others.
    """

    def __init__(self, name: str, body: Body, damping: float) -> None:
        owner = f"hinge damper {name!r}"
        self.name, self.body = checks.name_of("HingeDamper: name", name), check_body(body, owner)
        if body.hinge is None or body.hinge.n_v == 0:
            raise ModelError(f"{owner}: {body.name!r} has no hinge that moves; name the body behind one")
        self.damping = finite_number(damping, owner, "damping", at_least=0.0)
        self.outputs: dict[str, str] = {}

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the loads on the hinge."""
        return Response(
            tuple(
                HingeLoad(self.body, k, -self.damping * observer.rate(self.body, k))
                for k in range(self.body.inboard.n_v)
            )
        )
