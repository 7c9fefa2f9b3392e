"""Springs and dampers between two bodies: on a line between two points, and bushings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, dot, norm, where
from ce_dynamics.algebra.rotation import rotation_vector, turning_rate
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, BodyField, body_field, common_ancestor, two_bodies
from ce_dynamics.mechanism.checked import (
    Checked,
    Named,
    Vector,
    finite_number,
    free_numbers,
    vector,
)
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.mechanism.forces.laws import Law, LawField, as_law, law


def check_length(value: float | None, owner: str, what: str) -> float:
    """Return a user's length, which is not negative; NaN if it is not given."""
    if value is None:
        return math.nan
    length = finite_number(value, owner, what)
    if length < 0.0:
        raise ModelError(f"{owner}: {what} {value!r} must be a finite length >= 0 m")
    return length


@dataclass(eq=False, repr=False)
class SpringDamper(Named, ForceElement):
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

    noun: ClassVar[str] = "spring"
    outputs = MappingProxyType({"length": "m", "rate": "m/s", "force": "N"})

    body_a: BodyField = body_field()
    at_a: Vector = vector()
    body_b: BodyField = body_field()
    at_b: Vector = vector()
    _: KW_ONLY
    spring: LawField = law("stiffness")
    damper: LawField = law("damping")
    free_length: Checked[float | None, float] = Checked(check_length, "float | None", None)

    def __post_init__(self) -> None:
        super().__post_init__()
        two_bodies(self._owner, self.body_a, self.body_b)
        self.frame = common_ancestor(self.body_a, self.body_b)
        design_length = norm(self.at_b - self.at_a)
        if design_length == 0.0:
            raise ModelError(f"{self._owner}: both points are at {self.at_a}; its direction is undefined")
        if math.isnan(nominal(self.free_length)):
            self.free_length = design_length

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self.body_a, self.at_a), (self.body_b, self.at_b)

    def tension(self, extension: Scalar, rate: Scalar) -> Scalar:
        """Return the tension at an extension [m] and its rate [m/s]."""
        return self.spring.force(extension) + self.damper.force(rate)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the tension along the line of the two points, in the axes of the body that carries both."""
        frame = self.frame
        a, b = observer.point(self.body_a, self.at_a, frame), observer.point(self.body_b, self.at_b, frame)
        d = b.r - a.r
        length = norm(d)
        direction = d * (1.0 / where(length > 0.0, length, math.nan))
        rate = dot(direction, b.v - a.v)
        extension = length - self.free_length
        tension = self.tension(extension, rate)
        pull = tension * direction
        return Response(
            (PointLoad(self.body_a, frame, a.r, pull), PointLoad(self.body_b, frame, b.r, -pull)),
            outputs={"length": length, "rate": rate, "force": tension},
            potential=self.spring.energy(extension),
        )


SQUARE = 1e-9
"""Largest deviation of axes from unit length and from right angles, as entries of TᵀT − 1 [-]."""
DIRECTIONS = ("x", "y", "z", "about x", "about y", "about z")


def six_laws(values: Sequence[Law | float], owner: str, what: str) -> tuple[Law, ...]:
    """Return laws along and about the axes."""
    given = checks.items(f"{owner}: {what}", values, 6)
    return tuple(as_law(v, f"{owner}: {what} {axis}") for v, axis in zip(given, DIRECTIONS, strict=True))


def check_axes(value: ArrayLike | None, owner: str, what: str) -> Array:
    """Check three perpendicular unit vectors as columns, of either handedness; numbers may be free."""
    if value is None:
        return IDENTITY
    free = free_numbers(value)
    given = nominal(np.asarray(value)) if free else value
    T = checks.finite_array(f"{owner}: {what}", given, (3, 3), ModelError)
    if not np.max(np.abs(T.T @ T - np.eye(3))) < SQUARE:
        raise ModelError(
            f"{owner}: {what} {T.tolist()} must be three unit vectors at right angles, as columns"
        )
    return np.asarray(value) if free else T


Laws: TypeAlias = Checked[Sequence[Law | float], tuple[Law, ...]]


@dataclass(eq=False, repr=False)
class Bushing(Named, ForceElement):
    """Springs and dampers along and about three axes between two bodies.

    With the displacement d of the second body's point in the axes of the first, and the rotation vector φ of
    the second body relative to the first, both relaxed in the design pose and along the bushing's axes, the
    stored energy is U = Σ ∫ Fᵢ(dᵢ) + Σ ∫ Tᵢ(φᵢ).  The force on the second body is −∂U/∂d, its torque
    −J⁻ᵀ ∂U/∂φ with φ̇ = J⁻¹ ω, so that energy is conserved however far it turns (less than half a turn).
    Dampers act on the components of the relative velocity and of the relative angular velocity.

    Parameters
    ----------
    name : str
    body_a, body_b : Body
    at : sequence of 3 floats
        Its centre in the design pose [m].
    stiffness, damping : sequences of 6 laws or floats
        Along x, y, z [N over m; N over m/s] and about them [N m over rad; N m over rad/s]; numbers are linear
        coefficients.
    axes : (3, 3) array_like, optional
        Its axes in the design pose, as columns; the world's if not given.  Left-handed axes are those of a
        mirrored bushing: turns are then counted the other way about them.
    """

    outputs = MappingProxyType(
        {
            **dict.fromkeys(("x", "y", "z"), "m"),
            **dict.fromkeys(("turn_x", "turn_y", "turn_z"), "rad"),
            **dict.fromkeys(("Fx", "Fy", "Fz"), "N"),
            **dict.fromkeys(("Mx", "My", "Mz"), "N*m"),
        }
    )

    noun: ClassVar[str] = "bushing"

    body_a: BodyField = body_field()
    body_b: BodyField = body_field()
    at: Vector = vector()
    stiffness: Laws = Checked(six_laws, "Sequence[Law | float]")
    damping: Laws = Checked(six_laws, "Sequence[Law | float]", (0.0,) * 6)
    axes: Checked[ArrayLike | None, Array] = Checked(check_axes, "ArrayLike | None", None)

    def __post_init__(self) -> None:
        super().__post_init__()
        two_bodies(self._owner, self.body_a, self.body_b)
        self.sense = float(np.sign(np.linalg.det(nominal(self.axes).astype(float))))

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self.body_a, self.at), (self.body_b, self.at)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return force and torque on the second body, and their reaction on the first, in that one's axes."""
        T, a, b = self.axes, self.body_a, self.body_b
        point = observer.point(b, self.at, a)
        R = array(observer.direction(b, e, a) for e in IDENTITY).T
        phi = rotation_vector(R)
        d, turn = T.T @ (point.r - a.local(self.at)), self.sense * (T.T @ phi)
        rates = (*(T.T @ point.v), *(self.sense * (T.T @ observer.angular_velocity(b, a))))
        springs, dampers = self.stiffness, self.damping
        stored = [law.force(s) for law, s in zip(springs, (*d, *turn), strict=True)]
        lost = array(law.force(s) for law, s in zip(dampers, rates, strict=True))
        force = T @ (-array(stored[:3]) - lost[:3])
        torque = -turning_rate(phi).T @ (self.sense * (T @ array(stored[3:])))
        torque = torque - self.sense * (T @ lost[3:])
        F, M = T.T @ force, self.sense * (T.T @ torque)
        return Response(
            (PointLoad(b, a, point.r, force, torque), PointLoad(a, a, point.r, -force, -torque)),
            outputs=dict(zip(self.outputs, (*d, *turn, *F, *M), strict=True)),
            potential=sum(law.energy(s) for law, s in zip(springs, (*d, *turn), strict=True)),
        )
