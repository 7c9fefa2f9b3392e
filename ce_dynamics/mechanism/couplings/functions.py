"""Couplings by laws: linear, polynomials, cams, and any equation between coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiler.free_numbers import is_free, nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.couplings.base import Coupling
from ce_dynamics.mechanism.forces.laws import horner


class FunctionCoupling(Coupling):
    """The last coordinate is a function of the others: a cam and its follower.

    Parameters
    ----------
    function : callable
        ``function(q_1, …)`` returns the last coordinate; written on the functions of
        `ce_dynamics.algebra.arrays` and `where`, without branching.
        Its derivatives are formed exactly, up to the second, so it should be
        smooth that far; angles count their turns, and a cam's function is periodic by itself.

    Examples
    --------
    An eccentric that lifts its follower:

    >>> import ce_dynamics as ce
    >>> from ce_dynamics.algebra.arrays import cos
    >>> lift = ce.FunctionCoupling(lambda angle: 0.01 * (1.0 - cos(angle)))
    """

    def __init__(self, function: Callable[..., Scalar]) -> None:
        self.function = checks.function("FunctionCoupling: function", function, " of the other coordinates")

    def residual(self, q: Sequence[Scalar]) -> Scalar:
        return q[-1] - self.function(*q[:-1])

    def solves(self, k: int, number: int) -> bool:
        return k == number - 1

    def solve(self, k: int, q: Sequence[Scalar]) -> Scalar:
        return self.function(*q[:-1])


class PolynomialCoupling(FunctionCoupling):
    """The second coordinate is a polynomial of the first: q_b − b_0 = Σ c_i (q_a − a_0)^i.

    Parameters
    ----------
    coefficients : sequence of floats
        c_0, c_1, …
    origin : (float, float)
        Reference values (a_0, b_0) of the two coordinates.
    """

    size: ClassVar[int | None] = 2

    def __init__(self, coefficients: Sequence[float], origin: tuple[float, float] = (0.0, 0.0)) -> None:
        kind = type(self).__name__
        given = checks.items(f"{kind}: coefficients", coefficients)
        if not given:
            raise ModelError(f"{kind}: no coefficients; give c_0, c_1, ...")
        self.coefficients = [finite_number(c, kind, f"coefficient {i}") for i, c in enumerate(given)]
        self.origin = tuple(
            finite_number(value, kind, "origin") for value in checks.items(f"{kind}: origin", origin, 2)
        )
        super().__init__(self._polynomial)

    def _polynomial(self, q: Scalar) -> Scalar:
        return horner(self.coefficients, q - self.origin[0]) + self.origin[1]


class ImplicitCoupling(Coupling):
    """Any equation between hinge coordinates, ``function(q_1, …, q_n) = 0``, solved numerically.

    Parameters
    ----------
    function : callable
        Written as for `FunctionCoupling`.
    """

    def __init__(self, function: Callable[..., Scalar]) -> None:
        self.function = checks.function("ImplicitCoupling: function", function, " of all coordinates")

    def residual(self, q: Sequence[Scalar]) -> Scalar:
        return self.function(*q)


class LinearCoupling(Coupling):
    """Σ c_k q_k = constant, for any number of coordinates: differentials, planetary gears, belts, pulleys.

    Angles count their turns: nothing jumps when a wheel turns round.

    Parameters
    ----------
    coefficients : sequence of floats
        c_k, one per coordinate, none of them zero.
    constant : float
        Zero if the coupling holds in the design pose.

    Examples
    --------
    A differential: the case turns with the mean of both wheels.

    >>> import ce_dynamics as ce
    >>> differential = ce.LinearCoupling((0.5, 0.5, -1.0))
    """

    constant_name: ClassVar[str] = "constant"
    """Name of the constant's argument, for messages."""

    def __init__(self, coefficients: Sequence[float], constant: float = 0.0) -> None:
        kind = type(self).__name__
        given = checks.items(f"{kind}: coefficients", coefficients)
        numbers = [finite_number(c, kind, f"coefficient {k}") for k, c in enumerate(given)]
        for k, c in enumerate(numbers):
            if nominal(c) == 0.0:
                raise ModelError(
                    f"{kind}: coefficient {k} is zero; leave out the coordinate it does not couple"
                )
        if not numbers:
            raise ModelError(f"{kind}: no coefficients; give one per coordinate")
        self.coefficients = np.array(numbers, dtype=object if is_free(numbers) else float)
        self.constant = finite_number(constant, kind, self.constant_name)

    def residual(self, q: Sequence[Scalar]) -> Scalar:
        total: Scalar = -self.constant
        for c, entry in zip(self.coefficients, q, strict=True):
            total = total + c * entry
        return total

    def solves(self, k: int, number: int) -> bool:
        return True

    def solve(self, k: int, q: Sequence[Scalar]) -> Scalar:
        c = self.coefficients
        total: Scalar = self.constant / c[k]
        for j, entry in enumerate(q):
            if j != k:
                total = total - (c[j] / c[k]) * entry
        return total

    def row(self) -> tuple[Array, Scalar]:
        return self.coefficients, self.constant

    def check(self, number: int, owner: str) -> None:
        if number != len(self.coefficients):
            raise ModelError(
                f"{owner}: {type(self).__name__} couples {len(self.coefficients)} coordinates, "
                f"{number} were given"
            )


class Gear(LinearCoupling):
    """Two hinge coordinates in a fixed ratio: q_b = ratio q_a + offset.

    Parameters
    ----------
    ratio : float
        Turn of the second hinge per turn of the first; negative for wheels that mesh outside (parallel axes
        that point the same way), −teeth_a / teeth_b.  [m/rad] or [rad/m] where one hinge slides.
    offset : float
        Second coordinate where the first is zero.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> s = ce.System(gravity=(0, 0, 0))
    >>> for name, x, J in (("pinion", 0.0, 1e-4), ("wheel", 0.1, 4e-3)):
    ...     wheel = s.add_body(name, mass=1, com=(x, 0, 0), inertia=(J, J, J), parent=s.ground,
    ...                        hinge=ce.Revolute(axis=(0, 0, 1), at=(x, 0, 0)))
    >>> mesh = s.couple("mesh", ("pinion", "wheel"), ce.Gear(ratio=-18 / 60))
    >>> model = ce.compile(s)
    >>> [entry.name for entry in model.layout.q]
    ['pinion']
    >>> model.mass_matrix([0.0]).round(6)  # J1 + ratio² J2
    array([[0.00046]])
    """

    size: ClassVar[int | None] = 2
    constant_name: ClassVar[str] = "offset"

    def __init__(self, ratio: float, offset: float = 0.0) -> None:
        kind = type(self).__name__
        self.ratio = finite_number(ratio, kind, "ratio")
        if nominal(self.ratio) == 0.0:
            raise ModelError(f"{kind}: ratio is zero; a hinge that must not move is a Fixed one, or Held")
        super().__init__((-self.ratio, 1.0), offset)


class RackAndPinion(Gear):
    """A sliding hinge moves by radius × angle of a turning one: rack and pinion, cable drum, spindle nut.

    The pinion's hinge comes first: ``couple(name, (pinion, rack), RackAndPinion(radius=0.02))``.

    Parameters
    ----------
    radius : float
        Displacement per angle [m/rad]: the radius of the pitch circle or of the drum, lead / 2π of a spindle.
        Its sign sets the direction of the rack.
    offset : float
        Displacement of the rack [m] where the pinion's angle is zero.
    """

    def __init__(self, radius: float, offset: float = 0.0) -> None:
        self.radius = finite_number(radius, "RackAndPinion", "radius")
        super().__init__(self.radius, offset)
