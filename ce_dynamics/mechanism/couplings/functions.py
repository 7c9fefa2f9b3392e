"""Couplings that are given by functions: polynomials, cams, and any equation between coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.couplings.base import Coupling


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

    Raises
    ------
    ModelError
        For no coefficients or one that is not finite.
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
        """Horner's scheme."""
        x = q - self.origin[0]
        value: Scalar = self.coefficients[-1]
        for c in reversed(self.coefficients[:-1]):
            value = value * x + c
        return value + self.origin[1]


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
