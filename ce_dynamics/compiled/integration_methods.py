"""The native methods: tables of numbers, registered once for runs, simulators and ensembles.

Importing this costs nothing; numba is imported when a method is first used.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import differences


class WeightTable(NamedTuple):
    """Rows of a first number and weights that are not zero, with the places these are for."""

    weights: Floats  # (rows, n), c_i and a_ij; in the row of the result its divisor and b_j
    # how many weights there are (at least one, be it zero), and the stage j of each
    places: NDArray[np.int64]


def as_table(*rows: tuple[float, Sequence[float]]) -> WeightTable:
    """Return a table of pairs of first number and all weights."""
    compact = [[(j, w) for j, w in enumerate(given) if w != 0.0] or [(0, 0.0)] for _, given in rows]
    shape = len(rows), 1 + max(map(len, compact))
    weights, places = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    for r, ((first, _), row) in enumerate(zip(rows, compact, strict=True)):
        weights[r, 0], places[r, 0] = first, len(row)
        for k, (j, w) in enumerate(row, start=1):
            weights[r, k], places[r, k] = w, j
    return WeightTable(weights, places)


def lower_rows(A: Sequence[Sequence[float]]) -> Floats:
    """Return a as a square array, zeros in place of what is left out."""
    square = np.zeros((len(A), len(A)))
    for i, row in enumerate(A):
        square[i, : len(row)] = row
    return square


@dataclass(frozen=True, eq=False)
class Method(ABC):
    """Contract of an integrator that runs in compiled code.

    1. ``name``: its public name; ``order``: its error is h^order over a given time.
    2. ``implicit``: whether it needs the Jacobian; ``fixed``: whether its steps have the given length.
    3. `table` has its numbers as the compiled loops read them.
    4. It is registered in `REGISTERED`.
    """

    name: str
    order: int

    implicit: ClassVar[bool] = False
    fixed: ClassVar[bool] = True

    @property
    @abstractmethod
    def evaluations(self) -> int:
        """Evaluations of the right-hand side per step."""

    @property
    @abstractmethod
    def table(self) -> WeightTable:
        """Its numbers as the compiled loops read them."""


class Explicit(Method):
    """A method without Jacobian; of ẏ = λ y a step makes R(h λ) y."""

    @property
    @abstractmethod
    def stability(self) -> Floats:
        """Coefficients of R(z) = 1 + z bᵀ1 + z² bᵀA1 + z³ bᵀA²1 and so on."""

    def amplification(self, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Return R(z)."""
        result = np.full(z.shape, self.stability[-1], dtype=complex)
        for coefficient in self.stability[-2::-1]:
            result = coefficient + z * result
        return result


Rate = Callable[[Floats], Floats]  # ẏ of y


def ahead(y: Floats, h: float, weights: Sequence[float], k: Sequence[Floats]) -> Floats:
    """Return y + h Σ w_j k_j, summed in the order of the compiled loops."""
    terms = [w * k_j for w, k_j in zip(weights, k, strict=False) if w != 0.0]
    return y + h * sum(terms[1:], start=terms[0]) if terms else y


def stage_rates(
    A: Sequence[Sequence[float]],
    rate: Rate,
    y: Floats,
    h: float,
    mixing: Sequence[Sequence[float]] = (),
    inverse: Floats | None = None,
) -> list[Floats]:
    """Return k_i = f(y + h Σ a_ij k_j) on plain arrays; of a W-method the ``inverse`` times what is mixed."""
    k: list[Floats] = []
    for row in A:
        found = rate(ahead(y, h, row, k))
        k.append(found if inverse is None else inverse @ ahead(found, 1.0, mixing[len(k)], k))
    return k


def stability_of(A: Floats, b: Floats) -> Floats:
    """Return the coefficients of R(z) = 1 + z bᵀ1 + z² bᵀA1 + z³ bᵀA²1 and so on."""
    powers, ones = [1.0], np.ones(len(b))
    for _ in range(len(b)):
        powers.append(float(b @ ones))
        ones = A @ ones
    return np.array(powers)


@dataclass(frozen=True, eq=False)
class ExplicitRungeKutta(Explicit):
    """k_i = f(t + c_i h, y + h Σ a_ij k_j) and y + h/over Σ b_j k_j."""

    c: tuple[float, ...]
    A: tuple[tuple[float, ...], ...]  # rows a_i1 … a_i,i−1
    b: tuple[float, ...]
    over: float = 1.0  # what the weights b are divided by

    @property
    def evaluations(self) -> int:
        return len(self.b)

    @cached_property
    def table(self) -> WeightTable:
        return as_table(*zip(self.c, self.A, strict=True), (self.over, self.b))

    @cached_property
    def stability(self) -> Floats:
        return stability_of(lower_rows(self.A), np.array(self.b) / self.over)

    def step_plain(self, rate: Rate, y: Floats, h: float) -> Floats:
        """Return the state a step later, of an autonomous right-hand side, on plain arrays."""
        return ahead(y, h / self.over, self.b, stage_rates(self.A, rate, y, h))


@dataclass(frozen=True, eq=False)
class LinearlyImplicit(Method):
    """(1 − γ h J) k_i = f(t + c_i h, y + h Σ a_ij k_j) + Σ m_ij k_j and y + h Σ b_j k_j.

    A W-method (Hairer, Wanner: Solving ODEs II, IV.7), written without products of J.
    """

    gamma: float
    c: tuple[float, ...]
    A: tuple[tuple[float, ...], ...]  # rows a_i1 … a_i,i−1, and the same of m
    mixing: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]

    implicit: ClassVar[bool] = True

    @property
    def evaluations(self) -> int:
        return len(self.b)

    @cached_property
    def table(self) -> WeightTable:
        return as_table(*zip(self.c, self.A, strict=True), (1.0, self.b))

    def step_plain(self, rate: Rate, y: Floats, h: float, jacobian: Floats | None = None) -> Floats:
        """Return the state a step later, of an autonomous right-hand side, on plain arrays.

        The Jacobian is found by differences where none is given.  NaN everywhere if there is no such step.
        """
        inverse = self._inverse(jacobian_at(rate, y) if jacobian is None else jacobian, h)
        if inverse is None:
            return np.full_like(y, np.nan)
        return ahead(y, h, self.b, stage_rates(self.A, rate, y, h, self.mixing, inverse))

    def _inverse(self, J: Floats, h: float) -> Floats | None:
        """Return the inverse of 1 − γ h J, or None if the matrix is not finite or singular to rounding."""
        left = np.eye(len(J)) - self.gamma * h * J
        if not np.all(np.isfinite(left)):
            return None
        try:
            inverse: Floats = np.asarray(np.linalg.inv(left), dtype=float)
        except np.linalg.LinAlgError:
            return None
        condition = np.linalg.norm(left, 1) * np.linalg.norm(inverse, 1)
        return inverse if condition < 1.0 / np.finfo(float).eps else None


DISPLACEMENT = 1e-6
"""Displacement of a state for its Jacobian by differences, relative to the state where that exceeds 1."""


def jacobian_at(rate: Callable[[Floats], Floats], y: Floats, central: bool = True) -> Floats:
    """Return J = ∂ẏ/∂y by central differences, or by those ahead, which take half the time."""
    return differences(rate, y, DISPLACEMENT * np.maximum(1.0, np.abs(y)), central=central)


@dataclass(frozen=True, eq=False)
class EmbeddedPair(Explicit):
    """Stages of which the last is at the state after the step, and is the first one of the next."""

    c: tuple[float, ...]
    A: tuple[tuple[float, ...], ...]  # rows a_i1 … a_i,i−1; the last are the weights of the method
    error: tuple[float, ...]  # weights of the difference to the other method of the pair
    dense: tuple[float, ...]  # weights d of Hairer's dense output

    fixed: ClassVar[bool] = False

    @property
    def evaluations(self) -> int:
        return len(self.c) - 1

    @cached_property
    def stability(self) -> Floats:
        A = lower_rows(self.A)
        return stability_of(A[:-1, :-1], A[-1, :-1])

    @cached_property
    def table(self) -> WeightTable:
        """c and A, then the weights of the error and of the dense output."""
        return as_table(*zip(self.c, self.A, strict=True), (0.0, self.error), (0.0, self.dense))


RK4 = ExplicitRungeKutta(
    name="rk4",
    order=4,
    c=(0.0, 0.5, 0.5, 1.0),
    A=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    b=(1.0, 2.0, 2.0, 1.0),
    over=6.0,
)
"""The classical Runge–Kutta method."""

DOPRI5 = EmbeddedPair(
    name="dopri5",
    order=5,
    c=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    A=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    error=(71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
    dense=(
        -12715105075 / 11282082432,
        0.0,
        87487479700 / 32700410799,
        -10690763975 / 1880347072,
        701980252875 / 199316789632,
        -1453857185 / 822651844,
        69997945 / 29380423,
    ),
)
"""Dormand–Prince 5(4), with dense output of order 4 (Hairer, Nørsett, Wanner: Solving ODEs I, II.5, II.6)."""

TSIT5 = EmbeddedPair(
    name="tsit5",
    order=5,
    c=(0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0),
    A=(
        (),
        (0.161,),
        (-0.008480655492356989, 0.335480655492357),
        (2.897153057105493, -6.359448489975075, 4.362295432869581),
        (5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525),
        (
            5.86145544294642,
            -12.92096931784711,
            8.159367898576159,
            -0.071584973281401,
            -0.028269050394068383,
        ),
        (
            0.09646076681806523,
            0.01,
            0.4798896504144996,
            1.379008574103742,
            -3.290069515436081,
            2.324710524099774,
        ),
    ),
    error=(
        -0.00178001105222577714,
        -0.0008164344596567469,
        0.007880878010261995,
        -0.1447110071732629,
        0.5823571654525552,
        -0.45808210592918697,
        1 / 66,
    ),
    dense=(
        -1.0530884977290216,
        0.1017,
        2.490627285651252793,
        -16.54810288924490272,
        47.37952196281928122,
        -34.87065786149660974,
        2.5,
    ),
)
"""Tsitouras 5(4), with dense output of order 4.

Runge–Kutta pairs of order 5(4) satisfying only the first column simplifying assumption, Comput. Math.
Appl. 62 (2011) 770–775.  As many evaluations as Dormand and Prince's, a third of its error's first terms.
"""

ROSENBROCK = LinearlyImplicit(
    name="rosenbrock",
    order=2,
    gamma=1.0 - math.sqrt(0.5),  # L-stable, and with the smaller of the two possible error constants
    c=(0.0, 1.0),
    A=((), (1.0,)),
    mixing=((), (-2.0,)),
    b=(1.5, 0.5),
)
"""ROS2 (Verwer et al., 1999): of order 2 whatever the matrix, L-stable with the exact Jacobian."""

IMPLICIT_EULER = LinearlyImplicit(
    name="implicit-euler", order=1, gamma=1.0, c=(0.0,), A=((),), mixing=((),), b=(1.0,)
)
"""Linearly implicit Euler: of order 1 whatever the matrix, L-stable with the exact Jacobian."""

NativeMethod = Literal["rk4", "rosenbrock", "implicit-euler", "dopri5", "tsit5"]

REGISTERED: tuple[Method, ...] = (RK4, ROSENBROCK, IMPLICIT_EULER, DOPRI5, TSIT5)

METHOD_OF: dict[str, Method] = {method.name: method for method in REGISTERED}
NATIVE_METHODS: tuple[str, ...] = get_args(NativeMethod)
FIXED = tuple(method.name for method in REGISTERED if method.fixed)
EXPLICIT = {method.name: method for method in REGISTERED if isinstance(method, ExplicitRungeKutta)}
IMPLICIT = {method.name: method for method in REGISTERED if isinstance(method, LinearlyImplicit)}
EMBEDDED = {method.name: method for method in REGISTERED if isinstance(method, EmbeddedPair)}
