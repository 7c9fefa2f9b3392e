"""Spring and damper between two points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, dot, norm, where
from ce_dynamics.algebra.checks import show
from ce_dynamics.errors import ModelError, WrongTypeError
from ce_dynamics.mechanism.body import Body, common_ancestor, two_bodies
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.mechanism.forces.laws import Law, Linear


class SpringDamper(ForceElement):
    """Spring and damper on the line between a point of one body and a point of another.

    The force in the line is spring(length − free_length) + damper(length rate); tension is positive.

    Parameters
    ----------
    name : str
    body_a, body_b : Body
    at_a, at_b : sequences of 3 floats
        Attachment points in the design pose [m].
    spring, damper : Law or float
        Force over extension [N over m] and over its rate [N over m/s]; a number is a linear coefficient.
    free_length : float, optional
        Length at which the spring is relaxed [m]; the design length if not given.

    Notes
    -----
    The direction of the force is undefined where the points meet; the forces and the rate are NaN there.
    """

    outputs = MappingProxyType({"length": "m", "rate": "m/s", "force": "N"})

    def __init__(
        self,
        name: str,
        body_a: Body,
        at_a: ArrayLike,
        body_b: Body,
        at_b: ArrayLike,
        *,
        spring: Law | float = 0.0,
        damper: Law | float = 0.0,
        free_length: float | None = None,
    ) -> None:
        self.name = checks.name_of("SpringDamper: name", name)
        owner = f"spring {name!r}"
        self.a, self.b = two_bodies(owner, body_a, body_b)
        self.frame = common_ancestor(body_a, body_b)
        self.at_a = finite_vector(at_a, f"spring {name!r}", "at_a")
        self.at_b = finite_vector(at_b, f"spring {name!r}", "at_b")
        design_length = norm(self.at_b - self.at_a)
        if design_length == 0.0:
            raise ModelError(f"spring {name!r}: both points are at {self.at_a}; its direction is undefined")
        given = design_length if free_length is None else free_length
        self.free_length = finite_number(given, f"spring {name!r}", "free_length")
        if self.free_length < 0.0:
            raise ModelError(f"spring {name!r}: free_length {free_length!r} must be a finite length >= 0 m")
        self.spring = as_law(spring, f"spring {name!r}: stiffness")
        self.damper = as_law(damper, f"spring {name!r}: damping")

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self.a, self.at_a), (self.b, self.at_b)

    def tension(self, extension: Scalar, rate: Scalar) -> Scalar:
        """Tension at an extension [m] and its rate [m/s]."""
        return self.spring.force(extension) + self.damper.force(rate)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Tension along the line of the two points, in the axes of the body that carries both."""
        frame = self.frame
        a, b = observer.point(self.a, self.at_a, frame), observer.point(self.b, self.at_b, frame)
        d = b.r - a.r
        length = norm(d)
        direction = d * (1.0 / where(length > 0.0, length, math.nan))
        rate = dot(direction, b.v - a.v)
        extension = length - self.free_length
        tension = self.tension(extension, rate)
        pull = tension * direction
        return Response(
            (PointLoad(self.a, frame, a.r, pull), PointLoad(self.b, frame, b.r, -pull)),
            outputs={"length": length, "rate": rate, "force": tension},
            potential=self.spring.energy(extension),
        )


def as_law(value: object, owner: str) -> Law:
    """A law, or the linear one with the given coefficient, which must not be negative."""
    if isinstance(value, Law):
        return value
    if isinstance(value, (str, type)) or callable(value):
        raise WrongTypeError(
            f"{owner} {show(value)} must be a number or a law, such as Linear(1e5), Tabulated(x, y) or an "
            "object of a class that derives from Law"
        )
    coefficient = finite_number(value, owner, "coefficient")
    if coefficient < 0.0:
        raise ModelError(f"{owner}: coefficient {value!r} must be a finite number >= 0")
    return Linear(coefficient)
