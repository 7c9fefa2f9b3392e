"""Force laws: force over deflection or over rate.

The argument of a law is a length and its values are forces, or an angle and torques, or a rate of either: the
units are those of the element that uses it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar, sqrt, where
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError, WrongTypeError
from ce_dynamics.mechanism.checked import Checked, finite_number, free_numbers

Floats = NDArray[np.float64]


class Law(ABC):
    """Contract: `force` and its integral from zero, `energy`, without branching on the argument."""

    @abstractmethod
    def force(self, x: Scalar) -> Scalar:
        """Return the force at x."""

    @abstractmethod
    def energy(self, x: Scalar) -> Scalar:
        """Return the integral of the force from 0 to x."""


class Linear(Law):
    """F = k x.

    Parameters
    ----------
    k : float
        Stiffness or damping.
    """

    def __init__(self, k: float) -> None:
        self.k = finite_number(k, "Linear", "k")

    def force(self, x: Scalar) -> Scalar:
        return self.k * x

    def energy(self, x: Scalar) -> Scalar:
        return 0.5 * self.k * x * x


def as_law(value: object, owner: str) -> Law:
    """Return a law, or the linear one with the given coefficient, which must not be negative."""
    if isinstance(value, Law):
        return value
    if isinstance(value, (str, type)) or callable(value):
        raise WrongTypeError(
            f"{owner} {checks.show(value)} must be a number or a law, such as Linear(1e5), Tabulated(x, y) "
            "or an object of a class that derives from Law"
        )
    coefficient = finite_number(value, owner, "coefficient")
    if coefficient < 0.0:
        raise ModelError(f"{owner}: coefficient {value!r} must be a finite number >= 0")
    return Linear(coefficient)


LawField: TypeAlias = Checked[Law | float, Law]


def law(label: str) -> LawField:
    """Return a field for a law or a linear coefficient, zero if not given; messages have the label."""
    return Checked(lambda value, owner, _: as_law(value, f"{owner}: {label}"), "Law | float", 0.0)


class DryFriction(Law):
    """F = F_c x / √(x² + ε²): Coulomb's friction over a rate, smooth through rest.

    Parameters
    ----------
    level : float
        F_c, at rates well above ε; not negative.
    rate : float
        ε, at which 71 % of it are reached; positive.  It holds nothing at rest: the contact creeps.
    """

    def __init__(self, level: float, rate: float = 1e-2) -> None:
        self.level = finite_number(level, "DryFriction", "level", at_least=0.0)
        self.rate = finite_number(rate, "DryFriction", "rate", at_least=0.0)
        if not nominal(self.rate) > 0.0:
            raise ModelError(f"DryFriction: rate {rate!r} must be > 0")

    def force(self, x: Scalar) -> Scalar:
        return self.level * x / sqrt(x * x + self.rate * self.rate)

    def energy(self, x: Scalar) -> Scalar:
        return self.level * (sqrt(x * x + self.rate * self.rate) - self.rate)


class Polynomial(Law):
    """F = Σ cᵢ xⁱ.

    Parameters
    ----------
    coefficients : sequence of floats
        c₀, c₁, c₂, … in ascending powers; c₀ is a preload.
    """

    def __init__(self, coefficients: Sequence[float]) -> None:
        self.coefficients = finite_numbers(coefficients, "Polynomial", "coefficients")
        if len(self.coefficients) == 0:
            raise ModelError("Polynomial: coefficients are empty; give at least the constant one")

    def force(self, x: Scalar) -> Scalar:
        return horner(self.coefficients.tolist(), x)

    def energy(self, x: Scalar) -> Scalar:
        return x * horner([c / (i + 1) for i, c in enumerate(self.coefficients.tolist())], x)


class Tabulated(Law):
    """F interpolated in a table.

    Parameters
    ----------
    x, y : sequences of floats
        At least two points, x increasing.
    interpolation : str
        ``"linear"``, or ``"cubic"`` for the monotone cubic of Fritsch and Carlson (PCHIP): smooth, and
        without overshoot between the points.
    extrapolation : str
        Beyond the table: ``"linear"`` continues with the slope at its end, ``"nan"`` gives NaN.

    Raises
    ------
    ModelError
        If the points are not finite, not as many in y as in x, or x does not increase; for an unknown
        interpolation or extrapolation; and if with ``"nan"`` the table does not contain x = 0, from where
        energy is counted.
    """

    def __init__(
        self, x: ArrayLike, y: ArrayLike, interpolation: str = "linear", extrapolation: str = "linear"
    ) -> None:
        self.x = finite_numbers(x, "Tabulated", "x")
        self.y = finite_numbers(y, "Tabulated", "y")
        check_table(self.x, self.y)
        self.interpolation = check_choice(interpolation, ("linear", "cubic"), "interpolation")
        self.extrapolation = check_choice(extrapolation, ("linear", "nan"), "extrapolation")
        if extrapolation == "nan" and not self.x[0] <= 0.0 <= self.x[-1]:
            raise ModelError(
                f"Tabulated: x from {self.x[0]:g} to {self.x[-1]:g} does not contain 0, from where energy is"
                " counted; extend the table, or use extrapolation='linear'"
            )
        self._bases = [self.x[0], *self.x]
        with np.errstate(all="ignore"):
            self._force = force_pieces(self.x, self.y, self.interpolation, self.extrapolation)
            self._energy = energy_pieces(self.x, self._force)
            self._energy[:, 0] -= self.energy(0.0)
        self._refuse_overflow()

    def force(self, x: Scalar) -> Scalar:
        return self._piecewise(x, self._force)

    def energy(self, x: Scalar) -> Scalar:
        return self._piecewise(x, self._energy)

    def _refuse_overflow(self) -> None:
        """Refuse points so far apart, or so close to each other, that slopes or energies are no numbers."""
        inside = slice(None) if self.extrapolation == "linear" else slice(1, -1)
        pieces = np.concatenate((self._force[inside].ravel(), self._energy[inside].ravel()))
        if not np.isfinite(nominal(pieces).astype(float)).all():
            raise ModelError(
                f"Tabulated: x from {self.x[0]:g} to {self.x[-1]:g} and y from {self.y.min():g} to "
                f"{self.y.max():g} make slopes or energies too large for floating-point numbers; give points "
                "in the units of the element, no two of them at almost the same x"
            )

    def _piecewise(self, x: Scalar, polynomials: Floats) -> Scalar:
        """Return the polynomial of the piece that contains x; NaN selects the last."""
        base: Scalar = float(self._bases[-1])
        coefficients: list[Scalar] = polynomials[-1].tolist()
        for i in reversed(range(len(self.x))):
            # Piece i ends at point i, which belongs to it; but the first point belongs to the table.
            before = x <= float(self.x[i]) if i > 0 else x < float(self.x[i])
            base = where(before, float(self._bases[i]), base)
            pairs = zip(polynomials[i].tolist(), coefficients, strict=True)
            coefficients = [where(before, here, beyond) for here, beyond in pairs]
        return horner(coefficients, x - base)


def force_pieces(x: Floats, y: Floats, interpolation: str, extrapolation: str) -> Floats:
    """Return coefficients, ascending in rows, below the table, from each point to the next, and above.

    Each row is a polynomial in x less its base: the point where the piece begins, or the first one.
    """
    if interpolation == "cubic":
        from scipy.interpolate import PchipInterpolator  # here, because few runs need it

        try:
            inside = PchipInterpolator(x, y).c[::-1].T
        except ValueError:  # slopes that are too large for it
            inside = np.full((len(x) - 1, 4), math.nan)
    else:
        inside = np.column_stack((y[:-1], np.diff(y) / np.diff(x)))
    outside = np.zeros((2, inside.shape[1]))
    if extrapolation == "linear":
        last, span = inside[-1], x[-1] - x[-2]
        slope = horner([i * c for i, c in enumerate(last.tolist())][1:], span)
        outside[:, :2] = (y[0], inside[0, 1]), (y[-1], slope)
    else:
        outside[:] = math.nan
    return np.vstack((outside[0], inside, outside[1]))


def energy_pieces(x: Floats, force: Floats) -> Floats:
    """Return integrals of `force_pieces`, counted from the first point."""
    energy = np.column_stack((np.zeros(len(force)), force / np.arange(1, force.shape[1] + 1)))
    for i, span in enumerate(np.diff(x), start=1):
        energy[i + 1, 0] = horner(energy[i].tolist(), span)
    return energy


def horner(coefficients: Sequence[Scalar], x: Scalar) -> Scalar:
    """Return c₀ + c₁ x + c₂ x² + … for ascending coefficients."""
    total: Scalar = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = total * x + c
    return total


def finite_numbers(values: object, owner: str, what: str) -> Floats:
    """Return a user's list of numbers as a new float64 vector; refuses NaN, infinities and other shapes."""
    if free_numbers(values):
        free = np.array(values, dtype=object)
        finite_numbers([nominal(x) for x in free.flat], owner, what)
        return free
    vector = checks.numbers(f"{owner}: {what}", values)
    if vector.ndim != 1 or not np.all(np.isfinite(vector)):
        raise ModelError(f"{owner}: {what} {checks.show(values)} must be a list of finite numbers")
    return np.array(vector)


def check_table(x: Floats, y: Floats) -> None:
    """Refuse a table that does not define a function."""
    if len(x) < 2:
        raise ModelError(f"Tabulated: x has {len(x)} points; give at least 2")
    if len(x) != len(y):
        raise ModelError(f"Tabulated: x has {len(x)} points but y has {len(y)}; give as many of both")
    falls = np.flatnonzero(np.diff(x) <= 0.0)
    if len(falls):
        i = int(falls[0])
        raise ModelError(
            f"Tabulated: x[{i + 1}] = {x[i + 1]:g} is not greater than x[{i}] = {x[i]:g};"
            " give every x once, in ascending order"
        )


def check_choice(value: str, allowed: tuple[str, ...], what: str) -> str:
    """Return a user's choice; refuses any other."""
    return checks.choice(f"Tabulated: {what}", value, allowed)
